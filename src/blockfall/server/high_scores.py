"""The server's high scores, written to the store by a separate thread so that no game waits for a disk."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from blockfall.errors import StoreError
from blockfall.server.course import RULES
from blockfall.store import Store

MOST_SHOWN = 10


class CourseScores:
    """The high scores of the server. An added score counts at once and reaches the store soon after."""

    def __init__(self, path: Path | None = None) -> None:
        self._thread = ThreadPoolExecutor(1, "high-scores")  # SQLite's connections stay with their thread
        self._store = self._thread.submit(Store, path).result()
        self._best = self._thread.submit(self._store.high_scores.best, RULES.name, MOST_SHOWN).result()

    def best(self) -> list[tuple[str, int]]:
        """Return names and scores, best first, without waiting for the disk."""
        return list(self._best)

    def add(self, name: str, score: int) -> None:
        """Add a score."""
        ranked = sorted([*self._best, (name, score)], key=lambda row: -row[1])
        self._best = ranked[:MOST_SHOWN]
        self._thread.submit(self._write, name, score)

    def close(self) -> None:
        """Wait until everything is written, then close the store."""
        self._thread.submit(self._store.close).result()
        self._thread.shutdown()

    def _write(self, name: str, score: int) -> None:
        try:
            self._store.high_scores.add(RULES.name, name, score)
        except StoreError as error:
            print(f"blockfall: {name}'s {score} points could not be kept: {error}", file=sys.stderr)
