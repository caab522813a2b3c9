"""The protocol's moves: a piece, its orientation, the position of its centre, and its spin.

>>> move = Move.of("T", [(3, 0), (4, 0), (5, 0), (4, 1)])
>>> move.orientation, move.x, move.y
('north', 4, 0)
>>> sorted(move.cells)
[(3, 0), (4, 0), (4, 1), (5, 0)]
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

Orientation = Literal["north", "east", "south", "west"]
Spin = Literal["none", "mini", "full"]

ORIENTATIONS: tuple[Orientation, ...] = ("north", "east", "south", "west")
"""The orientations, each a quarter turn clockwise from the one before."""

# The cells of the piece facing north, as (column, row) from its centre. A clockwise turn takes (x, y) to (y, -x), which
# also gives the centres that the protocol defines for O and I.
_NORTH: dict[str, tuple[tuple[int, int], ...]] = {
    "I": ((-1, 0), (0, 0), (1, 0), (2, 0)),
    "O": ((0, 0), (1, 0), (0, 1), (1, 1)),
    "T": ((-1, 0), (0, 0), (1, 0), (0, 1)),
    "S": ((-1, 0), (0, 0), (0, 1), (1, 1)),
    "Z": ((-1, 1), (0, 1), (0, 0), (1, 0)),
    "J": ((-1, 0), (0, 0), (1, 0), (-1, 1)),
    "L": ((-1, 0), (0, 0), (1, 0), (1, 1)),
}


@cache
def offsets(piece: str, orientation: Orientation) -> frozenset[tuple[int, int]]:
    """Return the cells of a piece relative to its centre."""
    cells = _NORTH[piece]
    for _ in range(ORIENTATIONS.index(orientation)):
        cells = tuple((y, -x) for x, y in cells)
    return frozenset(cells)


@dataclass(frozen=True)
class Move:
    """The place where a piece comes to rest, in the protocol's terms."""

    piece: str
    orientation: Orientation
    x: int
    y: int
    spin: Spin = "none"

    @classmethod
    def of(cls, piece: str, cells: Iterable[tuple[int, int]], spin: Spin = "none") -> "Move":
        """Return the move that fills these cells, in the first orientation that does."""
        wanted = frozenset(cells)
        left, bottom = min(x for x, _ in wanted), min(y for _, y in wanted)
        for orientation in ORIENTATIONS:
            shape = offsets(piece, orientation)
            move = cls(piece, orientation, left - min(x for x, _ in shape), bottom - min(y for _, y in shape), spin)
            if move.cells == wanted:
                return move
        raise ValueError(f"no orientation of {piece} has the cells {sorted(wanted)}")

    @property
    def cells(self) -> frozenset[tuple[int, int]]:
        """The cells that it fills."""
        return frozenset((self.x + dx, self.y + dy) for dx, dy in offsets(self.piece, self.orientation))

    def as_json(self) -> dict[str, object]:
        """Return the move as messages contain it."""
        location = {"type": self.piece, "orientation": self.orientation, "x": self.x, "y": self.y}
        return {"location": location, "spin": self.spin}
