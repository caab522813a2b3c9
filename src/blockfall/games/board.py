"""A Tetris board as text and as arrays.

>>> board = Board.from_text('''
... #..#
... ##.#
... ''', columns=4, rows=6)
>>> board.heights
[2, 1, 0, 2]
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.errors import SettingError, shortened, whole
from blockfall.fumen import Page, encode, is_fumen, rows_of_board
from blockfall.games.drawing import svg

FILLED, EMPTY = "#", "."


def read_only(values: npt.ArrayLike, kind: type[np.generic]) -> npt.NDArray[Any]:
    """Return a copy that cannot be written to."""
    copied = np.array(values, dtype=kind, order="C")
    copied.flags.writeable = False
    return copied


def cells_of(words: npt.NDArray[np.uint32], rows: int) -> npt.NDArray[np.bool_]:
    """Return whether each cell is filled: cells[board][row][column], floor row first."""
    return _core.cells(np.ascontiguousarray(words), rows)


@dataclass(frozen=True, eq=False)
class Board:
    """Filled and empty cells. A board never changes, can be hashed, and pickles by value.

    >>> import blockfall
    >>> board = blockfall.Board.from_text('''
    ... ####.#####
    ... ####.#####
    ... ''', columns=10, rows=20)
    >>> game = blockfall.Game.at("standard", board, known="I")
    >>> game.choose("dellacherie").cells
    ((4, 3), (4, 2), (4, 1), (4, 0))
    """

    columns: npt.NDArray[np.uint32]
    """One word per column; bit 0 is the floor row. The array cannot be written to."""
    rows: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", whole(self.rows, "rows"))
        try:
            words = read_only(self.columns, np.uint32)
        except (OverflowError, TypeError, ValueError):
            raise SettingError("the columns of a board are words of 32 bits, one for each column") from None
        if words.ndim != 1 or not 1 <= len(words) <= _core.MAX_COLUMNS or not 1 <= self.rows <= _core.MAX_ROWS:
            size = f"{_core.MAX_COLUMNS} columns and {_core.MAX_ROWS} rows"
            raise SettingError(f"a board of {'x'.join(map(str, words.shape))} with {self.rows} rows; at most {size}")
        if int(words.max()) >> self.rows:
            raise SettingError(f"a filled cell above the top row; the board has {self.rows} rows")
        object.__setattr__(self, "columns", words)

    @classmethod
    def empty(cls, columns: int, rows: int) -> "Board":
        """Return a board without filled cells."""
        if not 1 <= whole(columns, "columns") <= _core.MAX_COLUMNS:
            raise SettingError(f"a board of {columns} columns; it has 1 to {_core.MAX_COLUMNS}")
        return cls(np.zeros(columns, dtype=np.uint32), rows)

    @classmethod
    def from_text(cls, text: str, columns: int, rows: int) -> "Board":
        """Return the board of a drawing in `#` and `.`, top row first. Rows that are not drawn are empty.

        The text may also be a fumen, such as `v115@vhAAgH`: the field of its first page is read.

        >>> Board.from_text("v115@bhD8PeAgH", columns=10, rows=20).heights
        [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
        """
        empty = cls.empty(columns, rows)
        if not isinstance(text, str):
            raise SettingError(f"a board drawn by {shortened(text)}; it must be a text of # and .")
        text = rows_of_board(text) if is_fumen(text) else text
        drawn = [line.strip() for line in text.strip().splitlines()]
        if len(drawn) > rows:
            raise SettingError(f"the board has {len(drawn)} rows; the rules have {rows}")
        words = empty.columns.tolist()
        for number, line in enumerate(drawn, 1):
            if len(line) != columns:
                raise SettingError(f"row {number} of the board has {len(line)} cells; the rules have {columns} columns")
            for x, mark in enumerate(line):
                if mark not in (FILLED, EMPTY):
                    raise SettingError(f"row {number} of the board holds {mark!r}; a board is made of # and .")
                words[x] |= (mark == FILLED) << (len(drawn) - number)
        return cls(np.array(words, dtype=np.uint32), rows)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Board) and self.rows == other.rows and bool(np.array_equal(self.columns, other.columns))
        )

    def __hash__(self) -> int:
        return hash((self.rows, self.columns.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Board, (self.columns, self.rows)

    @property
    def cells(self) -> npt.NDArray[np.bool_]:
        """True for each filled cell: cells[row][column], floor row first."""
        return np.asarray(cells_of(self.columns[None, :], self.rows)[0])

    @property
    def heights(self) -> list[int]:
        """The height of each column."""
        return [int(word).bit_length() for word in self.columns]

    def text(self, marked: Iterable[tuple[int, int]] = (), mark: str = "@") -> str:
        """Return the drawn board, top row first, with `mark` in the `marked` cells, which are (column, row)."""
        grid = [[FILLED if filled else EMPTY for filled in row] for row in self.cells]
        for x, y in marked:
            if y < self.rows:
                grid[y][x] = mark
        return "\n".join("".join(row) for row in reversed(grid))

    def fumen(self) -> str:
        """Return the board as a fumen of one page, with grey cells. It must have ten columns.

        >>> import blockfall
        >>> blockfall.Board.empty(10, 20).fumen()
        'v115@vhAAgH'
        """
        rows = ("".join("X" if filled else "_" for filled in row) for row in self.cells.tolist())
        return encode([Page(tuple(rows))])

    def _repr_svg_(self) -> str:
        return svg(self.text().splitlines())

    def __str__(self) -> str:
        return self.text()
