"""The visitors' attempts at puzzles, and their ratings."""

from dataclasses import dataclass

from blockfall.store.database import Database, now


@dataclass(frozen=True)
class Attempt:
    """One attempt at a puzzle."""

    puzzle: str
    solved: bool
    rating: float
    """The visitor's rating after this attempt."""


class Attempts:
    """The attempts of every visitor."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, visitor: str, puzzle: str, solved: bool, rating: float) -> None:
        """Add an attempt and the visitor's rating after it."""
        row = (visitor, puzzle, int(solved), rating, now())
        with self._database.writing() as sql:
            sql.execute("INSERT INTO attempts (visitor, puzzle, solved, rating, tried) VALUES (?, ?, ?, ?, ?)", row)

    def of(self, visitor: str) -> list[Attempt]:
        """Return a visitor's attempts, the oldest first."""
        query = "SELECT puzzle, solved, rating FROM attempts WHERE visitor = ? ORDER BY id"
        return [Attempt(row[0], bool(row[1]), row[2]) for row in self._database.rows(query, visitor)]
