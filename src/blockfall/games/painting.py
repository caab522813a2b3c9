"""A board for people to look at, which remembers the piece of each cell."""

from collections.abc import Iterable

from blockfall.games.board import Board
from blockfall.games.tetris import Placement
from blockfall.rulesets import Rules

EMPTY = "."
GARBAGE = "G"


class PaintedBoard:
    """A board that follows a game placement by placement. `rows` has the letters of pieces, floor row first."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = [[EMPTY] * columns for _ in range(rows)]

    def fill(self, board: Board) -> None:
        """Paint a board's filled cells as garbage, whose pieces are unknown."""
        self.rows = [[GARBAGE if filled else EMPTY for filled in row] for row in board.cells.tolist()]

    def lock(self, placement: Placement) -> list[int]:
        """Lock a piece, and return the rows that are cleared, as numbered before."""
        height = len(self.rows)
        for x, y in placement.cells:
            if y < height:
                self.rows[y][x] = placement.piece
        full = [y for y, row in enumerate(self.rows) if EMPTY not in row]
        left = [row for row in self.rows if EMPTY in row]
        self.rows = left + [[EMPTY] * self.columns for _ in full]
        return full

    def text(self, rows: int | None = None) -> list[str]:
        """Return the lowest rows, all by default, as text with the top row first."""
        return ["".join(row) for row in reversed(self.rows[:rows])]

    def with_cells(self, cells: Iterable[tuple[int, int]], mark: str) -> list[list[str]]:
        """Return the rows, floor first, with `mark` in these cells."""
        painted = [list(row) for row in self.rows]
        for x, y in cells:
            if y < len(painted):
                painted[y][x] = mark
        return painted


def drawing(rules: Rules, letter: str) -> list[str]:
    """Return a piece's first state as its rotation system draws it: `#` and `.`, top row first, no empty rows."""
    rows = [line.split()[0] for line in rules.rotation.states[letter].strip().splitlines()]
    return [row for row in rows if "#" in row]
