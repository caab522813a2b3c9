"""Boards that visitors of the app saved, by game and name."""

from blockfall.errors import StoreError
from blockfall.store.database import Database, now

MOST_BOARDS = 300  # for each game


class Boards:
    """The saved boards of every game."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, game: str, name: str, text: str) -> None:
        """Save a board, replacing any that has the same name."""
        with self._database.writing() as sql:
            query = "SELECT COUNT(*) FROM boards WHERE game = ? AND name <> ?"
            if sql.execute(query, (game, name)).fetchone()[0] >= MOST_BOARDS:
                raise StoreError(f"{MOST_BOARDS} boards are saved already; delete one first")
            row = (game, name, text, now())
            sql.execute("INSERT OR REPLACE INTO boards (game, name, text, saved) VALUES (?, ?, ?, ?)", row)

    def of(self, game: str) -> dict[str, str]:
        """Return the boards of a game as text, by name, sorted by name."""
        query = "SELECT name, text FROM boards WHERE game = ? ORDER BY name COLLATE NOCASE"
        return {row[0]: row[1] for row in self._database.rows(query, game)}

    def delete(self, game: str, name: str) -> None:
        """Delete the board of this name, if there is one."""
        with self._database.writing() as sql:
            sql.execute("DELETE FROM boards WHERE game = ? AND name = ?", (game, name))
