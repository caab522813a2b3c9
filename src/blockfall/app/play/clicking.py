"""Hopeless and SameGame as a visitor plays them: blocks, undo, redo, a solver's advice. Knows nothing of browsers."""

from collections.abc import Iterable
from dataclasses import dataclass

from blockfall.app.parts.board import Cell, Picture
from blockfall.compute import LocalBackend
from blockfall.errors import SettingError
from blockfall.games import Hopeless, HopelessBoard, Scoring
from blockfall.search import HopelessProblem, SearchSettings, Solution, solve

LONGEST_SEARCH_S = 5
_MEMORY_LIMIT_BYTES = 512 << 20


def title_of(scoring: Scoring) -> str:
    """The game's name."""
    return scoring.title.split(":")[0]


@dataclass(frozen=True)
class Block:
    cells: frozenset[Cell]
    points: int

    def __str__(self) -> str:
        return f"{len(self.cells)} squares: {self.points:,} point{'' if self.points == 1 else 's'}"


@dataclass(frozen=True)
class Advice:
    """What a solver would do."""

    algorithm: str
    moves: tuple[Cell, ...]
    total: int
    """Points at the end, those already earned included."""
    optimal: bool

    def __str__(self) -> str:
        how = "and nobody can do better" if self.optimal else "perhaps more is possible"
        return f"{self.algorithm} expects {self.total:,} points in the end, {how}."


class HopelessSession:
    """A board, what was played on it, and what was taken back."""

    def __init__(self, scoring: Scoring, columns: int, rows: int, colours: int, seed: int) -> None:
        self.scoring, self.columns, self.rows, self.colours, self.seed = scoring, columns, rows, colours, seed
        self._positions = [Hopeless(HopelessBoard.random(columns, rows, colours, seed), scoring)]
        self._at = 0
        self.helped = False
        """Whether a solver had a hand in it; then it is no high score."""
        self._look()

    @property
    def game(self) -> Hopeless:
        return self._positions[self._at]

    @property
    def can_undo(self) -> bool:
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        return self._at + 1 < len(self._positions)

    @property
    def squares(self) -> int:
        return sum(mark != "." for row in self.board_rows for mark in row)

    def facts(self) -> dict[str, object]:
        return {"Points": self.game.points, "Moves": self._at, "Squares left": self.squares}

    def block(self, cell: Cell | None) -> Block | None:
        """The block at a cell, if there is one that can be removed."""
        if cell is None:
            return None
        x, y = cell
        if self.board_rows[self.rows - 1 - y][x] == ".":
            return None
        cells = frozenset(self.game.block(cell))
        return Block(cells, self.scoring.points(len(cells))) if len(cells) > 1 else None

    def play(self, cell: Cell) -> int:
        """Removes the block at a cell; what it earned. What was taken back is forgotten."""
        after = self.game.copy()
        earned = after.play(cell)
        self._positions = [*self._positions[: self._at + 1], after]
        self._go(self._at + 1)
        return earned

    def undo(self) -> None:
        if not self.can_undo:
            raise SettingError("nothing has been played that could be taken back")
        self._go(self._at - 1)

    def redo(self) -> None:
        if not self.can_redo:
            raise SettingError("nothing has been taken back that could be played again")
        self._go(self._at + 1)

    def restart(self) -> None:
        """The same board again; redo still knows the way."""
        self._go(0)

    def ending(self) -> str:
        """How the game ended, once it has."""
        if self.squares == 0:
            bonus = self.scoring.clear_bonus
            return f"The board is empty: a bonus of {bonus:,}." if bonus else "The board is empty!"
        last = f"{self.squares} squares are left and no two of them hang together."
        return f"{last} They cost {self._penalty():,} points." if self.scoring.leftover_penalty else last

    def picture(self, lit: Iterable[Cell] = (), sound: str = "") -> Picture:
        return Picture(self.board_rows, lit=sorted(lit), sound=sound)

    def advise(self, algorithm: str, time_limit_s: float) -> Advice:
        """Searches from here: slow, so not in an event loop."""
        if self.over:
            raise SettingError("the game is over; undo a move or begin a new board")
        if not 0 < time_limit_s <= LONGEST_SEARCH_S:
            raise SettingError(f"a time limit of {time_limit_s} s; a search here takes up to {LONGEST_SEARCH_S} s")
        game = self.game
        settings = SearchSettings(time_limit_s=time_limit_s, memory_limit_bytes=_MEMORY_LIMIT_BYTES)
        problem = HopelessProblem(game.board, self.scoring)
        found: Solution = solve(problem, algorithm, settings, backend=LocalBackend(threads=1))
        if found.points is None:
            raise SettingError(f"{algorithm} found no way to the end in time; give it longer, or take best or greedy")
        return Advice(algorithm, found.moves, game.points + int(found.points), found.optimal)

    def _penalty(self) -> int:
        """What the squares left over cost: each colour as if it were one block."""
        left = [mark for row in self.board_rows for mark in row if mark != "."]
        return sum(self.scoring.points(left.count(mark)) for mark in set(left))

    def _go(self, at: int) -> None:
        self._at = at
        self._look()

    def _look(self) -> None:
        """Keeps what pages ask for often."""
        self.board_rows = str(self.game.board).splitlines()
        self.over = self.game.over
