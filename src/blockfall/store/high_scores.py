"""High scores, by game."""

from blockfall.store.database import Database, now

_MOST_HIGH_SCORES = 100  # for each game


class HighScores:
    """The best scores of every game."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, game: str, name: str, score: int) -> None:
        """Add a score. The store keeps the best hundred of each game."""
        with self._database.writing() as sql:
            row = (game, name, score, now())
            sql.execute("INSERT INTO high_scores (game, name, score, played) VALUES (?, ?, ?, ?)", row)
            sql.execute(
                "DELETE FROM high_scores WHERE game = ?1 AND id NOT IN "
                "(SELECT id FROM high_scores WHERE game = ?1 ORDER BY score DESC, id LIMIT ?2)",
                (game, _MOST_HIGH_SCORES),
            )

    def best(self, game: str, most: int) -> list[tuple[str, int]]:
        """Return names and scores, the best first; of equal scores, the earlier first."""
        query = "SELECT name, score FROM high_scores WHERE game = ? ORDER BY score DESC, id LIMIT ?"
        return [(row[0], row[1]) for row in self._database.rows(query, game, most)]
