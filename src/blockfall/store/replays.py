"""Replays: games that visitors of the app played, or opened from files."""

import hashlib
from dataclasses import dataclass

from blockfall.errors import UnknownNameError
from blockfall.store.database import Database, now

_MOST_REPLAYS = 300
_ID_DIGITS = 12


@dataclass(frozen=True)
class StoredReplay:
    """A stored game without its placements."""

    id: str
    rules: str
    player: str
    """The agent's or visitor's name; empty if unknown."""
    pieces: int
    lines: int
    score: int
    played: str


class Replays:
    """The newest few hundred replays."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(
        self,
        text: str,
        *,
        rules: str,
        player: str = "",
        pieces: int = 0,
        lines: int = 0,
        score: int = 0,
        visitor: str = "",
    ) -> str:
        """Save a replay's text and return its id. The same text has the same id and is kept once."""
        found = hashlib.sha256(text.encode()).hexdigest()[:_ID_DIGITS]
        row = (found, visitor, rules, player, pieces, lines, score, now(), text)
        with self._database.writing() as sql:
            sql.execute("INSERT OR REPLACE INTO replays VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            sql.execute(
                "DELETE FROM replays WHERE id NOT IN (SELECT id FROM replays ORDER BY played DESC LIMIT ?)",
                (_MOST_REPLAYS,),
            )
        return found

    def text(self, replay: str) -> str:
        """Return the text of the replay with this id."""
        rows = self._database.rows("SELECT text FROM replays WHERE id = ?", replay)
        if not rows:
            raise UnknownNameError("game", replay[:40], [])
        return str(rows[0][0])

    def newest(self, visitor: str, most: int) -> list[StoredReplay]:
        """Return a visitor's games, the newest first."""
        query = (
            "SELECT id, rules, player, pieces, lines, score, played FROM replays WHERE visitor = ? "
            "ORDER BY played DESC, id LIMIT ?"
        )
        return [StoredReplay(*row) for row in self._database.rows(query, visitor, most)]
