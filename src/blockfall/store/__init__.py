"""The store: one SQLite file under BLOCKFALL_HOME for runs, high scores, saved boards, games and attempts at puzzles.

All access goes through `Store`. Each kind of record has its own part: `store.runs`, `store.high_scores`,
`store.boards`, `store.replays`, `store.attempts`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blockfall.store.attempts import Attempt, Attempts
from blockfall.store.boards import Boards
from blockfall.store.database import Database, store_path
from blockfall.store.high_scores import HighScores
from blockfall.store.replays import Replays, StoredReplay
from blockfall.store.runs import Point, RunNote, Runs, StoredGame, StoredIteration, StoredRun, StoredValidation

__all__ = [
    "Attempt",
    "Attempts",
    "Boards",
    "HighScores",
    "Point",
    "Replays",
    "RunNote",
    "Runs",
    "Store",
    "StoredGame",
    "StoredIteration",
    "StoredReplay",
    "StoredRun",
    "StoredValidation",
    "opened",
    "store_path",
]


class Store:
    """The store, open for reading and writing. It is created if it does not exist. A `with` block closes it.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import blockfall
    >>> store = blockfall.Store(Path(tempfile.mkdtemp(), "store.sqlite3"))
    >>> store.high_scores.add("hopeless", "ann", 120)
    >>> store.high_scores.best("hopeless", 3)
    [('ann', 120)]
    """

    def __init__(self, path: str | Path | None = None) -> None:
        database = Database(Path(path) if path else store_path())
        self.runs = Runs(database)
        self.high_scores = HighScores(database)
        self.boards = Boards(database)
        self.replays = Replays(database)
        self.attempts = Attempts(database)
        self._database = database

    @property
    def path(self) -> Path:
        """The store's file."""
        return self._database.path

    def close(self) -> None:
        """Close the file. The store cannot be used afterwards."""
        self._database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def opened(store: Store | None) -> Iterator[Store]:
    """Give the block this store, or else the one under BLOCKFALL_HOME, which is closed after the block."""
    if store is not None:
        yield store
        return
    with Store() as own:
        yield own
