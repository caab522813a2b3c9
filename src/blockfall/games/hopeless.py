"""Hopeless and its family (feup2016; SameGame): boards as text, and the game square by square.

>>> game = Hopeless(HopelessBoard.from_text('''
... 12.
... 112
... '''), scoring("hopeless"))
>>> game.moves()
[(0, 1)]
>>> game.play((0, 1))
16
>>> str(game.board).split()
['...', '22.']
"""

import tomllib
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.errors import SettingError, UnknownNameError
from blockfall.games.board import read_only

LARGEST = 32
MOST_COLOURS = 9
EMPTY = "."
_SCORINGS = Path(__file__).parent / "scorings.toml"
_BOARDS = 5  # names the stream that boards are drawn from

Move = tuple[int, int]
"""(column, row) of a block's first cell, row by row from the top; the floor is row 0."""


@dataclass(frozen=True)
class Scoring:
    """What blocks are worth."""

    name: str
    title: str
    source: str
    factor: int
    less: int
    clear_bonus: int
    leftover_penalty: bool

    def points(self, squares: int) -> int:
        """Of a block."""
        return (self.factor * (squares - self.less)) ** 2 if squares > 1 else 0


@cache
def scorings() -> dict[str, Scoring]:
    tables = tomllib.loads(_SCORINGS.read_text())
    return {name: Scoring(name, **table) for name, table in tables.items()}


def scoring(name: str) -> Scoring:
    if name not in scorings():
        raise UnknownNameError("scoring", name, list(scorings()))
    return scorings()[name]


@dataclass(frozen=True, eq=False)
class HopelessBoard:
    """`cells[column][row]`, floor row first: 0 is empty, colours are 1 and up; `labels` are what text calls them."""

    cells: npt.NDArray[np.uint8]
    labels: str = "123456789"

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", read_only(self.cells, np.uint8))

    def __reduce__(self) -> tuple[Any, ...]:
        return HopelessBoard, (self.cells, self.labels)

    @classmethod
    def from_text(cls, text: str) -> "HopelessBoard":
        """Rows of digits, the top row first; `.` is empty."""
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
        """Every square's colour is drawn alike; the same seed and number give the same board."""
        check_size(columns, rows)
        if not 1 <= colours <= MOST_COLOURS:
            raise SettingError(f"{colours} colours; a board has 1 to {MOST_COLOURS}")
        bits = np.random.Philox(key=[seed, _BOARDS], counter=[0, 0, 0, number])
        return cls(np.random.Generator(bits).integers(1, colours + 1, (columns, rows), dtype=np.uint8))

    @property
    def columns(self) -> int:
        return int(self.cells.shape[0])

    @property
    def rows(self) -> int:
        return int(self.cells.shape[1])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HopelessBoard) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return "\n".join(
            "".join(self.labels[colour - 1] if colour else EMPTY for colour in row)
            for row in reversed(self.cells.T.tolist())
        )


def parse_size(text: str) -> tuple[int, int]:
    """Columns and rows of "20x10"."""
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise SettingError(f"size {text!r}; it must be columns x rows, such as 20x10")
    columns, rows = int(parts[0]), int(parts[1])
    check_size(columns, rows)
    return columns, rows


def check_size(columns: int, rows: int) -> None:
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


class Hopeless:
    """A game in progress, written for reading: the searches have their own, faster one."""

    def __init__(self, board: HopelessBoard, scoring: Scoring) -> None:
        self.scoring = scoring
        self.points = 0
        self._start = board
        self._columns = [[int(colour) for colour in column if colour] for column in board.cells]

    def copy(self) -> "Hopeless":
        """The game as it stands; what is played in one does not touch the other."""
        return copy(self)  # columns are replaced, never changed

    @property
    def board(self) -> HopelessBoard:
        cells = np.zeros_like(self._start.cells)
        for x, column in enumerate(self._columns):
            cells[x, : len(column)] = column
        return HopelessBoard(cells, self._start.labels)

    @property
    def over(self) -> bool:
        return next(self._blocks(), None) is None

    def moves(self) -> list[Move]:
        """Each block by its first cell, in the order that breaks ties: from the top, from the left."""
        return [min(block, key=_from_the_top) for block in self._blocks()]

    def block(self, cell: Move) -> set[Move]:
        """The squares that hang together with this one."""
        found, edge = {cell}, [cell]
        while edge:
            x, y = edge.pop()
            for near in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                if near not in found and self._colour(near) == self._colour(cell):
                    found.add(near)
                    edge.append(near)
        return found

    def play(self, move: Move) -> int:
        """Removes the block at a cell; what it earned."""
        block = self.block(move) if self._colour(move) else set()
        if len(block) < 2:
            raise SettingError(f"no block at column {move[0]}, row {move[1]}")
        self._columns = [
            [colour for y, colour in enumerate(column) if (x, y) not in block] for x, column in enumerate(self._columns)
        ]
        self._columns = [column for column in self._columns if column]
        earned = self.scoring.points(len(block)) + self._ending()
        self.points += earned
        return earned

    def _ending(self) -> int:
        left = [colour for column in self._columns for colour in column]
        if not left:
            return self.scoring.clear_bonus
        if self.scoring.leftover_penalty and self.over:
            return -sum(self.scoring.points(left.count(colour)) for colour in set(left))
        return 0

    def _blocks(self) -> Iterator[set[Move]]:
        seen: set[Move] = set()
        cells = [(x, y) for x, column in enumerate(self._columns) for y in range(len(column))]
        for cell in sorted(cells, key=_from_the_top):
            if cell not in seen:
                block = self.block(cell)
                seen |= block
                if len(block) > 1:
                    yield block

    def _colour(self, cell: Move) -> int:
        x, y = cell
        return self._columns[x][y] if 0 <= x < len(self._columns) and 0 <= y < len(self._columns[x]) else 0


def _from_the_top(cell: Move) -> tuple[int, int]:
    return -cell[1], cell[0]
