"""Puzzles that visitors tried, and the rating that each of them has come to."""

from dataclasses import dataclass

from blockfall.store.database import Database, now


@dataclass(frozen=True)
class Attempt:
    """A puzzle that somebody tried."""

    puzzle: str
    solved: bool
    rating: float
    """Of the visitor, after it."""


class Attempts:
    """The attempts of every visitor."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, visitor: str, puzzle: str, solved: bool, rating: float) -> None:
        """Adds an attempt, with the rating that the visitor has after it."""
        row = (visitor, puzzle, int(solved), rating, now())
        with self._database.writing() as sql:
            sql.execute("INSERT INTO attempts (visitor, puzzle, solved, rating, tried) VALUES (?, ?, ?, ?, ?)", row)

    def of(self, visitor: str) -> list[Attempt]:
        """All attempts of a visitor, the first one first."""
        query = "SELECT puzzle, solved, rating FROM attempts WHERE visitor = ? ORDER BY id"
        return [Attempt(row[0], bool(row[1]), row[2]) for row in self._database.rows(query, visitor)]
