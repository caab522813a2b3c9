"""Boards that visitors draw: cell by cell or as text, and always boards that the games can work with."""

import tomllib
from functools import cache
from pathlib import Path

from blockfall.app.parts.board import Cell
from blockfall.errors import SettingError
from blockfall.games.board import EMPTY, FILLED, Board
from blockfall.games.hopeless import HopelessBoard, check_size

LONGEST_TEXT = 4_000
"""Of a board as text; the largest that a game takes has a quarter of it."""
LONGEST_NAME = 40
_EXAMPLES = Path(__file__).parent / "examples.toml"


@cache
def examples() -> dict[str, dict[str, str]]:
    """By kind of board (tetris or hopeless), then by name: the text."""
    return tomllib.loads(_EXAMPLES.read_text())


def clean_name(said: object) -> str:
    """What a visitor calls a board, as it may be kept and shown."""
    name = " ".join("".join(mark if mark.isprintable() else " " for mark in str(said or "")).split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise SettingError(f"a board's name has 1 to {LONGEST_NAME} characters")
    return name


def checked_text(said: object) -> str:
    if not isinstance(said, str) or not said.strip():
        raise SettingError("there is no board in the text; a board is drawn in rows, the top row first")
    if len(said) > LONGEST_TEXT:
        raise SettingError(f"a text of {len(said):,} characters; a board has at most {LONGEST_TEXT:,}")
    return said


class TetrisSketch:
    """Filled and empty cells. A stroke of the pointer fills or empties all it touches, as its first cell says."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._filled: set[Cell] = set()
        self._fills = True

    def touch(self, cell: Cell, dragged: bool) -> None:
        if not dragged:
            self._fills = cell not in self._filled
        (self._filled.add if self._fills else self._filled.discard)(cell)

    def clear(self) -> None:
        self._filled.clear()

    def read(self, said: object) -> None:
        board = Board.from_text(checked_text(said), self.columns, self.rows)
        self._filled = {(x, y) for y, row in enumerate(board.cells.tolist()) for x, filled in enumerate(row) if filled}

    @property
    def text_rows(self) -> list[str]:
        return [
            "".join(FILLED if (x, y) in self._filled else EMPTY for x in range(self.columns))
            for y in range(self.rows - 1, -1, -1)
        ]

    def __str__(self) -> str:
        return "\n".join(self.text_rows)


class HopelessSketch:
    """Squares of colours. They fall as they are painted; empty columns close when the board is used."""

    def __init__(self, columns: int, rows: int) -> None:
        check_size(columns, rows)
        self.columns, self.rows = columns, rows
        self._stacks: list[list[str]] = [[] for _ in range(columns)]

    @classmethod
    def of(cls, board: HopelessBoard) -> "HopelessSketch":
        sketch = cls(board.columns, board.rows)
        rows = str(board).splitlines()
        sketch._stacks = [[row[x] for row in reversed(rows) if row[x] != EMPTY] for x in range(board.columns)]
        return sketch

    @classmethod
    def read(cls, said: object) -> "HopelessSketch":
        return cls.of(HopelessBoard.from_text(checked_text(said)))

    def paint(self, cell: Cell, colour: str) -> None:
        """Over the square there, or on top of its column; `.` takes the square away."""
        stack, row = self._stacks[cell[0]], cell[1]
        if colour == EMPTY:
            del stack[row : row + 1]
        elif row < len(stack):
            stack[row] = colour
        elif len(stack) < self.rows:
            stack.append(colour)

    def clear(self) -> None:
        self._stacks = [[] for _ in range(self.columns)]

    @property
    def text_rows(self) -> list[str]:
        return self._rows(self._stacks)

    def board(self) -> HopelessBoard:
        stacks = [stack for stack in self._stacks if stack]
        if not stacks:
            raise SettingError("the board is empty; paint some squares, or take a random board")
        return HopelessBoard.from_text("\n".join(self._rows(stacks + [[]] * (self.columns - len(stacks)))))

    def __str__(self) -> str:
        return "\n".join(self.text_rows)

    def _rows(self, stacks: list[list[str]]) -> list[str]:
        return [
            "".join(stack[y] if y < len(stack) else EMPTY for stack in stacks) for y in range(self.rows - 1, -1, -1)
        ]
