"""Boards that visitors draw, cell by cell or as text, and that are always valid in their game."""

import tomllib
from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path

from blockfall.errors import SettingError
from blockfall.games import GameKind
from blockfall.games.board import EMPTY, FILLED, Board
from blockfall.games.hopeless import MOST_COLOURS, HopelessBoard, check_size
from blockfall.games.protocol import Cell

LONGEST_TEXT = 4_000
"""Characters of a board's text, four times what the largest board needs."""
LONGEST_NAME = 40
_EXAMPLES = Path(__file__).parent / "examples.toml"


@cache
def examples() -> dict[str, dict[str, str]]:
    """Return the texts of example boards by kind (a game's `boards`) and name."""
    return tomllib.loads(_EXAMPLES.read_text(encoding="utf-8"))


def clean_name(said: object) -> str:
    """Return a visitor's name for a board, fit to keep and show."""
    name = " ".join("".join(mark if mark.isprintable() else " " for mark in str(said or "")).split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise SettingError(f"a board's name has 1 to {LONGEST_NAME} characters")
    return name


def checked_text(said: object) -> str:
    """Return a text that may be a board; raise an error that says why it cannot be one."""
    if not isinstance(said, str) or not said.strip():
        raise SettingError("the text has no board; draw one in rows, the top row first")
    if len(said) > LONGEST_TEXT:
        raise SettingError(f"a text of {len(said):,} characters; a board has at most {LONGEST_TEXT:,}")
    return said


class Sketch(ABC):
    """A board that a visitor draws before it is used."""

    marks: tuple[str, ...] = ()
    """The marks to paint cells with; none if there is no choice."""
    hint: str = ""
    """The instructions for drawing."""
    paintable: bool = True
    columns: int
    rows: int

    @classmethod
    @abstractmethod
    def drawn(cls, text: str) -> "Sketch":
        """Return the sketch of a board given as text."""

    @abstractmethod
    def touch(self, cell: Cell, dragged: bool, mark: str = "") -> None:
        """Change a cell. `mark` is one of `marks`; `dragged` means that the stroke began in another cell."""

    @abstractmethod
    def clear(self) -> None:
        """Empty the board."""

    @property
    @abstractmethod
    def text_rows(self) -> list[str]:
        """The board as shown, top row first."""

    def __str__(self) -> str:
        return "\n".join(self.text_rows)

    def board_text(self) -> str:
        """Return the board in its game's format."""
        return str(self)


class TetrisSketch(Sketch):
    """Filled and empty cells. A stroke of the pointer fills or empties all it touches, like its first cell."""

    hint = "Click or drag to fill and empty cells"

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._filled: set[Cell] = set()
        self._fills = True

    @classmethod
    def drawn(cls, text: str) -> "TetrisSketch":
        """Return the sketch of a whole board."""
        rows = text.split()
        sketch = cls(len(rows[0]), len(rows))
        sketch.read(text)
        return sketch

    def touch(self, cell: Cell, dragged: bool, mark: str = "") -> None:  # noqa: ARG002
        """Fill or empty a cell."""
        if not dragged:
            self._fills = cell not in self._filled
        (self._filled.add if self._fills else self._filled.discard)(cell)

    def clear(self) -> None:
        """Empty the board."""
        self._filled.clear()

    def read(self, said: object) -> None:
        """Take a board as text; missing rows are empty."""
        board = Board.from_text(checked_text(said), self.columns, self.rows)
        self._filled = {(x, y) for y, row in enumerate(board.cells.tolist()) for x, filled in enumerate(row) if filled}

    @property
    def text_rows(self) -> list[str]:
        """The board in # and ., top row first."""
        return [
            "".join(FILLED if (x, y) in self._filled else EMPTY for x in range(self.columns))
            for y in range(self.rows - 1, -1, -1)
        ]


class HopelessSketch(Sketch):
    """Coloured squares. They fall as they are painted; empty columns close when the board is used."""

    marks = (*map(str, range(1, MOST_COLOURS + 1)), EMPTY)
    hint = "Choose a colour, then click or drag"

    def __init__(self, columns: int, rows: int) -> None:
        check_size(columns, rows)
        self.columns, self.rows = columns, rows
        self._stacks: list[list[str]] = [[] for _ in range(columns)]

    @classmethod
    def drawn(cls, text: str) -> "HopelessSketch":
        """Return the sketch of a board of digits."""
        board = HopelessBoard.from_text(text)
        sketch = cls(board.columns, board.rows)
        rows = str(board).splitlines()
        sketch._stacks = [[row[x] for row in reversed(rows) if row[x] != EMPTY] for x in range(board.columns)]
        return sketch

    def touch(self, cell: Cell, dragged: bool, mark: str = "") -> None:  # noqa: ARG002
        """Paint over the square there, or on top of its column; `.` removes the square."""
        stack, row = self._stacks[cell[0]], cell[1]
        if mark == EMPTY:
            del stack[row : row + 1]
        elif row < len(stack):
            stack[row] = mark
        elif len(stack) < self.rows:
            stack.append(mark)

    def clear(self) -> None:
        """Remove all squares."""
        self._stacks = [[] for _ in range(self.columns)]

    @property
    def text_rows(self) -> list[str]:
        """The board in digits, top row first."""
        return self._rows(self._stacks)

    def board_text(self) -> str:
        """Return the board with its empty columns closed."""
        stacks = [stack for stack in self._stacks if stack]
        if not stacks:
            raise SettingError("the board is empty; paint some squares or draw a new board")
        return "\n".join(self._rows(stacks + [[]] * (self.columns - len(stacks))))

    def _rows(self, stacks: list[list[str]]) -> list[str]:
        return [
            "".join(stack[y] if y < len(stack) else EMPTY for stack in stacks) for y in range(self.rows - 1, -1, -1)
        ]


class FixedSketch(Sketch):
    """A board that cannot be painted, for games without a sketch of their own."""

    hint = "The board is the start of a game"
    paintable = False

    def __init__(self, rows: list[str]) -> None:
        self.columns, self.rows = len(rows[0]), len(rows)
        self._text_rows = rows

    @classmethod
    def drawn(cls, text: str) -> "FixedSketch":
        """Return the sketch of any board."""
        return cls(text.splitlines())

    def touch(self, cell: Cell, dragged: bool, mark: str = "") -> None:
        """Change nothing."""

    def clear(self) -> None:
        """Change nothing."""

    @property
    def text_rows(self) -> list[str]:
        """The board, top row first."""
        return self._text_rows


_SKETCHES: dict[str, type[Sketch]] = {"tetris": TetrisSketch, "hopeless": HopelessSketch}
"""By kind of board (a game's `boards`)."""


def sketch_of(kind: GameKind, text: str) -> Sketch:
    """Return the sketch of one of the game's boards."""
    return _SKETCHES.get(kind.boards, FixedSketch).drawn(text)
