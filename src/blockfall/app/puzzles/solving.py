"""Puzzles, and the rating of whoever solves them. Knows nothing of browsers.

`puzzles.json` is made by tools/make_puzzles.py. Ratings are Elo's: a visitor and a puzzle play each other, and only the
visitor's rating moves, by at most `STEP` points.
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
    """A position, and the placement to find."""

    id: str
    rules: str
    board: str
    piece: str
    next: str
    best: frozenset[Cell]
    obvious: frozenset[Cell]
    """What comes to mind first: the choice of an agent that knows one piece."""
    ahead: float
    """How far the best placement is ahead of the second best, in units."""
    obvious_loses: float
    solved_by: int
    """How many of the ten agents of the panel find it."""
    rating: int

    def game(self) -> Game:
        """The game at this position."""
        game_rules = rules(self.rules)
        board = Board.from_text(board_from_address(self.board), game_rules.columns, game_rules.rows)
        return Game.at(game_rules, board, self.piece + self.next)

    def rows(self) -> list[str]:
        """What is seen of the board, as text."""
        game = self.game()
        return str(game.board).splitlines()[-game.rules.visible_rows :]

    def is_solved_by(self, placement: Placement) -> bool:
        """Whether this is the placement to find."""
        return frozenset(placement.cells) == self.best


@cache
def puzzles() -> dict[str, Puzzle]:
    """All puzzles by their ids, the easiest first."""
    rows = json.loads(_FILE.read_text(encoding="utf-8"))["puzzles"]
    found = [
        Puzzle(**row | {name: frozenset((x, y) for x, y in row[name]) for name in ("best", "obvious")}) for row in rows
    ]
    return {one.id: one for one in found}


def puzzle(name: str) -> Puzzle:
    """The puzzle of this id."""
    try:
        return puzzles()[name]
    except KeyError:
        raise UnknownNameError("puzzle", name[:80], []) from None


def neighbours(this: Puzzle, count: int) -> list[Puzzle]:
    """Other puzzles whose ratings are nearest to this one's, the easiest first."""
    others = [one for one in puzzles().values() if one.id != this.id]
    nearest = sorted(others, key=lambda one: (abs(one.rating - this.rating), one.id))[:count]
    return sorted(nearest, key=lambda one: (one.rating, one.id))


def rating_of(attempts: Sequence[Attempt]) -> float:
    """The rating after these attempts."""
    return attempts[-1].rating if attempts else FIRST_RATING


def rating_after(rating: float, puzzle_rating: float, solved: bool) -> float:
    """The rating after one more attempt.

    >>> rating_after(1200, 1200, solved=True), rating_after(1200, 1200, solved=False)
    (1220.0, 1180.0)
    """
    expected = 1 / (1 + 10 ** ((puzzle_rating - rating) / 400))
    return rating + STEP * (solved - expected)


def next_puzzle(attempts: Sequence[Attempt], but: str = "") -> Puzzle:
    """The one nearest to the visitor's rating that was not tried; after all were tried, the one tried longest ago."""
    tried = [one.puzzle for one in attempts]
    fresh = [one for one in puzzles().values() if one.id not in tried and one.id != but]
    if fresh:
        rating = rating_of(attempts)
        return min(fresh, key=lambda one: (abs(one.rating - rating), one.id))
    last = {name: at for at, name in enumerate(tried)}
    return min((one for one in puzzles().values() if one.id != but), key=lambda one: last.get(one.id, -1))
