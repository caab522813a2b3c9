"""Puzzles and the ratings of those who solve them, without a browser.

`tools/make_puzzles.py` makes `puzzles.json`. Ratings are Elo ratings: the visitor plays against the puzzle, and only
the visitor's rating changes, by at most `STEP` points.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from blockfall.app.parts.address import board_from_address
from blockfall.errors import UnknownNameError
from blockfall.games.board import Board
from blockfall.games.protocol import Cell
from blockfall.games.tetris import Game, Placement
from blockfall.rulesets import rules
from blockfall.store import Attempt

FIRST_RATING = 1200.0
STEP = 40.0
_FILE = Path(__file__).parent / "puzzles.json"


@dataclass(frozen=True)
class Puzzle:
    """A position and the placement to find."""

    id: str
    rules: str
    board: str
    piece: str
    next: str
    best: frozenset[Cell]
    obvious: frozenset[Cell]
    """The placement that comes to mind first: the choice of an agent that knows one piece."""
    ahead: float
    """The gap between the best placement and the second best, in units."""
    obvious_loses: float
    solved_by: int
    """The number of agents, out of ten, that find it."""
    rating: int

    def game(self) -> Game:
        """Return the game at this position."""
        game_rules = rules(self.rules)
        board = Board.from_text(board_from_address(self.board), game_rules.columns, game_rules.rows)
        return Game.at(game_rules, board, self.piece + self.next)

    def rows(self) -> list[str]:
        """Return the visible rows of the board as text."""
        game = self.game()
        return str(game.board).splitlines()[-game.rules.visible_rows :]

    def is_solved_by(self, placement: Placement) -> bool:
        """Return whether this is the placement to find."""
        return frozenset(placement.cells) == self.best


@cache
def puzzles() -> dict[str, Puzzle]:
    """Return all puzzles by id, the easiest first."""
    rows = json.loads(_FILE.read_text(encoding="utf-8"))["puzzles"]
    found = [
        Puzzle(**row | {name: frozenset((x, y) for x, y in row[name]) for name in ("best", "obvious")}) for row in rows
    ]
    return {one.id: one for one in found}


def puzzle(name: str) -> Puzzle:
    """Return the puzzle with this id."""
    try:
        return puzzles()[name]
    except KeyError:
        raise UnknownNameError("puzzle", name[:80], []) from None


def neighbours(this: Puzzle, count: int) -> list[Puzzle]:
    """Return the puzzles with ratings nearest to this one's, the easiest first."""
    others = [one for one in puzzles().values() if one.id != this.id]
    nearest = sorted(others, key=lambda one: (abs(one.rating - this.rating), one.id))[:count]
    return sorted(nearest, key=lambda one: (one.rating, one.id))


def rating_of(attempts: Sequence[Attempt]) -> float:
    """Return the rating after these attempts."""
    return attempts[-1].rating if attempts else FIRST_RATING


def rating_after(rating: float, puzzle_rating: float, solved: bool) -> float:
    """Return the rating after one more attempt.

    >>> rating_after(1200, 1200, solved=True), rating_after(1200, 1200, solved=False)
    (1220.0, 1180.0)
    """
    expected = 1 / (1 + 10 ** ((puzzle_rating - rating) / 400))
    return rating + STEP * (solved - expected)


def next_puzzle(attempts: Sequence[Attempt], but: str = "") -> Puzzle:
    """Return the untried puzzle nearest to the visitor's rating; once all are tried, the one tried longest ago."""
    tried = [one.puzzle for one in attempts]
    fresh = [one for one in puzzles().values() if one.id not in tried and one.id != but]
    if fresh:
        rating = rating_of(attempts)
        return min(fresh, key=lambda one: (abs(one.rating - rating), one.id))
    last = {name: at for at, name in enumerate(tried)}
    return min((one for one in puzzles().values() if one.id != but), key=lambda one: last.get(one.id, -1))
