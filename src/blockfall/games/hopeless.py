"""Hopeless and its family (feup2016; SameGame): boards as text, and the game square by square.

>>> position = HopelessPosition(HopelessBoard.from_text('''
... 12.
... 112
... '''), scoring("hopeless"))
>>> position.actions()
[(0, 1)]
>>> position.apply((0, 1)).score
16
>>> position.apply((0, 1)).text().split()
['...', '22.']
"""

import tomllib
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.errors import SettingError, UnknownNameError, shortened, whole
from blockfall.games.board import read_only
from blockfall.games.drawing import svg
from blockfall.games.protocol import Cell, Ending, GameKind, Option, Position, Preview, no_such_action, points_in_words
from blockfall.games.streams import check_seed

LARGEST, MOST_COLOURS = _core.MAX_HOPELESS_SIZE, _core.MAX_HOPELESS_COLOURS
EMPTY = "."
_SCORINGS = Path(__file__).parent / "scorings.toml"
_BOARDS = 5  # names the stream that boards are drawn from


@dataclass(frozen=True)
class Scoring:
    """One game of the family: the points for blocks, and the usual board."""

    name: str
    title: str
    source: str
    factor: int
    less: int
    clear_bonus: int
    leftover_penalty: bool
    columns: int
    rows: int
    colours: int

    def points(self, squares: int) -> int:
        """Return the points of a block with this many squares."""
        return (self.factor * (squares - self.less)) ** 2 if squares > 1 else 0


@cache
def scorings() -> dict[str, Scoring]:
    """Return the games of the family by their names."""
    tables = tomllib.loads(_SCORINGS.read_text(encoding="utf-8"))
    return {name: Scoring(name, **table) for name, table in tables.items()}


def scoring(name: str) -> Scoring:
    """Return the scoring of this name."""
    if name not in scorings():
        raise UnknownNameError("scoring", name, list(scorings()))
    return scorings()[name]


@dataclass(frozen=True, eq=False)
class HopelessBoard:
    """A board of coloured squares. It never changes, can be hashed, and pickles by value.

    >>> import blockfall
    >>> board = blockfall.HopelessBoard.from_text('''
    ... 12.
    ... 112
    ... ''')
    >>> board.columns, board.rows
    (3, 2)
    >>> blockfall.solve("samegame", "brute-force", board=board).moves
    ((0, 1), (0, 0))
    """

    cells: npt.NDArray[np.uint8]
    """`cells[column][row]`, the floor row first: 0 is empty, colours are 1 and up. The array cannot be written to."""
    labels: str = "123456789"
    """The digits of colours 1 and up in a text."""

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "cells", read_only(self.cells, np.uint8))
        except (OverflowError, TypeError, ValueError):
            raise SettingError(
                f"the cells of a board are {shortened(self.cells)}; they must be small numbers"
            ) from None

    def __reduce__(self) -> tuple[Any, ...]:
        return HopelessBoard, (self.cells, self.labels)

    @classmethod
    def from_text(cls, text: str) -> "HopelessBoard":
        """Read rows of digits, the top row first; `.` is empty."""
        drawn = [line.strip() for line in text.strip().splitlines()]
        if not drawn:
            raise SettingError("the board is empty; a board is rows of digits, the top row first")
        columns, rows = len(drawn[0]), len(drawn)
        check_size(columns, rows)
        for number, line in enumerate(drawn, 1):
            if len(line) != columns:
                raise SettingError(f"row {number} of the board has {len(line)} cells; the first row has {columns}")
            for mark in line:
                if not (mark.isascii() and mark.isdigit()) and mark != EMPTY:
                    raise SettingError(f"row {number} of the board holds {mark!r}; a board is made of digits and .")
        labels = "".join(sorted({mark for line in drawn for mark in line} - {EMPTY}))
        if len(labels) > MOST_COLOURS:
            raise SettingError(f"the board has {len(labels)} colours; at most {MOST_COLOURS} are allowed")
        if "0" not in labels:
            labels = "123456789"
        cells = np.zeros((columns, rows), dtype=np.uint8)
        for y, line in enumerate(reversed(drawn)):
            for x, mark in enumerate(line):
                cells[x, y] = 0 if mark == EMPTY else labels.index(mark) + 1
        _check_fallen(cells)
        return cls(cells, labels)

    @classmethod
    def random(cls, columns: int, rows: int, colours: int, seed: int, number: int = 0) -> "HopelessBoard":
        """Draw every square's colour at random. The same seed and number give the same board."""
        columns, rows, colours = whole(columns, "columns"), whole(rows, "rows"), whole(colours, "colours")
        check_size(columns, rows)
        check_seed(whole(seed, "seed"))
        if not 1 <= colours <= MOST_COLOURS:
            raise SettingError(f"{colours} colours; a board has 1 to {MOST_COLOURS}")
        bits = np.random.Philox(key=[seed, _BOARDS], counter=[0, 0, 0, number])
        return cls(np.random.Generator(bits).integers(1, colours + 1, (columns, rows), dtype=np.uint8))

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self.cells.shape[0])

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.cells.shape[1])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HopelessBoard) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def _repr_svg_(self) -> str:
        return svg(str(self).splitlines())

    def __str__(self) -> str:
        return "\n".join(
            "".join(self.labels[colour - 1] if colour else EMPTY for colour in row)
            for row in reversed(self.cells.T.tolist())
        )


def parse_size(text: str) -> tuple[int, int]:
    """Read the columns and rows of a size such as "20x10"."""
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise SettingError(f"size {shortened(text)}; it must be columns x rows, such as 20x10")
    columns, rows = int(parts[0]), int(parts[1])
    check_size(columns, rows)
    return columns, rows


def check_size(columns: int, rows: int) -> None:
    """Refuse a board that is too large or has no cells."""
    if not (1 <= columns <= LARGEST and 1 <= rows <= LARGEST):
        raise SettingError(f"a board of {columns}x{rows}; at most {LARGEST}x{LARGEST} and at least 1x1 are allowed")


def _check_fallen(cells: npt.NDArray[np.uint8]) -> None:
    columns, rows = cells.shape
    for x in range(columns):
        for y in range(1, rows):
            if cells[x, y] and not cells[x, y - 1]:
                raise SettingError(
                    f"row {rows - y} of the board, column {x + 1}: a square over an empty cell; squares must have "
                    "fallen"
                )
        if x > 0 and cells[x, 0] and not cells[x - 1, 0]:
            raise SettingError(f"column {x} of the board is empty, the next one is not; empty columns must have closed")


@dataclass(frozen=True)
class HopelessPosition(Position):
    """A board and the points so far, written for readability: the searches have a faster form.

    An action is (column, row) of a block's first cell, row by row from the top. `apply` takes any cell of a block.
    """

    board: HopelessBoard
    scoring: Scoring
    score: int = 0

    admissible = acyclic = True

    def actions(self) -> list[Cell]:
        """Return the first cell of each block, in order from the top, then from the left."""
        return [min(block, key=_from_the_top) for block in self._blocks]

    def apply(self, action: Any) -> "HopelessPosition":
        """Remove the block at a cell; squares fall, and empty columns close."""
        block = self.block(action)
        if len(block) < 2:
            raise no_such_action(action)
        left = [
            [colour for y, colour in enumerate(column) if (x, y) not in block] for x, column in enumerate(self._columns)
        ]
        closed = [column for column in left if column]
        closed += [[]] * (len(left) - len(closed))
        cells = np.array([column + [0] * (self.board.rows - len(column)) for column in closed], dtype=np.uint8)
        after = HopelessPosition(
            HopelessBoard(cells, self.board.labels), self.scoring, self.score + self.scoring.points(len(block))
        )
        return replace(after, score=after.score + after.settlement) if after.settlement and after.over else after

    def text(self) -> str:
        """Return the board in digits."""
        return str(self.board)

    def block(self, cell: Cell) -> frozenset[Cell]:
        """Return the squares connected to the one at a cell; none if the cell is empty."""
        squares = self._squares
        try:
            colour = squares.get(cell)
        except TypeError:  # not hashable, so not a cell
            return frozenset()
        if colour is None:
            return frozenset()
        found, edge = {cell}, [cell]
        while edge:
            x, y = edge.pop()
            for near in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                if near not in found and squares.get(near) == colour:
                    found.add(near)
                    edge.append(near)
        return frozenset(found)

    @property
    def over(self) -> bool:
        """True if no two squares of one colour are adjacent."""
        squares = self._squares
        return not any(
            colour in (squares.get((x + 1, y)), squares.get((x, y + 1))) for (x, y), colour in squares.items()
        )

    @property
    def squares(self) -> int:
        """The number of squares left."""
        return sum(map(len, self._columns))

    @property
    def settlement(self) -> int:
        """The points that an end here adds: the bonus for an empty board, or the penalty for the squares left."""
        left = [colour for column in self._columns for colour in column]
        if not left:
            return self.scoring.clear_bonus
        if not self.scoring.leftover_penalty:
            return 0
        return -sum(self.scoring.points(left.count(colour)) for colour in set(left))

    def heuristic(self) -> float:
        """Estimate as if every colour were one block (feup2016) and the bonus were earned."""
        left = [colour for column in self._columns for colour in column]
        return sum(self.scoring.points(left.count(colour)) for colour in set(left)) + self.scoring.clear_bonus

    def numbers(self) -> dict[str, object]:
        """Return the number of squares left."""
        return {"Squares left": self.squares}

    def preview(self, action: Any) -> Preview:
        """Light up the block, with its points; the end of the game may add to them."""
        block = self.block(action)
        if len(block) < 2:
            raise no_such_action(action)
        points = points_in_words(self.scoring.points(len(block)))
        return Preview(block, self.rows(), f"{len(block)} squares: {points}")

    def actions_at(self, cell: Cell) -> list[Cell]:
        """Return the block that contains the cell."""
        block = self.block(cell)
        return [min(block, key=_from_the_top)] if len(block) > 1 else []

    def ending(self) -> Ending:
        """Say what is left, and what that earned or cost."""
        if self.squares == 0:
            bonus = self.settlement
            return Ending("Cleared", f"The board is empty: a bonus of {bonus:,}." if bonus else "The board is empty!")
        last = f"{self.squares} squares are left, and no two of one colour touch."
        return Ending(
            "Over", f"{last} They cost {-self.settlement:,} points." if self.scoring.leftover_penalty else last
        )

    @cached_property
    def _columns(self) -> list[list[int]]:
        """The colours of each column, from the floor up."""
        return [[colour for colour in column if colour] for column in self.board.cells.tolist()]

    @cached_property
    def _squares(self) -> dict[Cell, int]:
        """The colour of each square."""
        return {(x, y): colour for x, column in enumerate(self._columns) for y, colour in enumerate(column)}

    @cached_property
    def _blocks(self) -> list[frozenset[Cell]]:
        """The blocks that can be removed, in the order of their first cells."""
        seen: set[Cell] = set()
        found = []
        for cell in sorted(self._squares, key=_from_the_top):
            if cell not in seen:
                block = self.block(cell)
                seen |= block
                if len(block) > 1:
                    found.append(block)
        return found


class Hopeless(GameKind):
    """The game with one of the family's scorings."""

    action_words = "column, row from the floor"
    search_options = (Option("heuristic", "colours", "estimate of the points still to earn", choices=("colours",)),)
    needs_board = True

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring
        self.name, self.source = scoring.name, scoring.source
        self.title = scoring.title.split(":")[0]
        self.about = _worth(scoring)
        self.options = (
            Option("columns", scoring.columns, "of the board", least=1, most=LARGEST, start_only=True),
            Option("rows", scoring.rows, "of the board", least=1, most=LARGEST, start_only=True),
            Option("colours", scoring.colours, "of the squares", least=1, most=MOST_COLOURS, start_only=True),
        )

    def begin(self, seed: int, *, columns: int, rows: int, colours: int) -> HopelessPosition:
        """Start on a random board."""
        return HopelessPosition(HopelessBoard.random(columns, rows, colours, seed), self.scoring)

    def parse(self, text: str, seed: int) -> HopelessPosition:  # noqa: ARG002
        """Start on a board of digits."""
        return HopelessPosition(HopelessBoard.from_text(text), self.scoring)

    @property
    def boards(self) -> str:
        """The family's name: all its games share their boards."""
        return "hopeless"

    def ranking(self, **options: Any) -> str:
        """Return the high scores' name: they are kept by size and number of colours."""
        return f"{self.name}/{options['columns']}x{options['rows']}/{options['colours']}"


def _worth(scoring: Scoring) -> str:
    """Return the scoring in words."""
    examples = ", ".join(f"{n} squares {scoring.points(n):,}" for n in (2, 3, 5, 10))
    more = f" An empty board earns {scoring.clear_bonus:,} more." if scoring.clear_bonus else ""
    less = (
        " At the end, the squares left of each colour cost what a block of them would earn."
        if scoring.leftover_penalty
        else ""
    )
    return f"Remove blocks of two or more squares of a colour. Points: {examples}.{more}{less}"


def _from_the_top(cell: Cell) -> tuple[int, int]:
    return -cell[1], cell[0]
