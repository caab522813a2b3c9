"""The placement that a visitor means by pointing at a board, without a browser."""

from collections.abc import Sequence

from blockfall.games.protocol import Cell
from blockfall.games.tetris import Placement


class Placing:
    """The placements of one piece: the pointer moves it, a turn selects its next shape."""

    def __init__(self, placements: Sequence[Placement]) -> None:
        self._by_shape: dict[int, list[Placement]] = {}
        for one in placements:
            self._by_shape.setdefault(one.shape, []).append(one)
        self._turns = 0

    def turn(self) -> None:
        """Go to the next shape."""
        self._turns += 1

    def at(self, cell: Cell) -> Placement | None:
        """Return the current shape's placement whose middle is nearest to the cell, by column and then by row."""
        shapes = list(self._by_shape.values())
        if not shapes:
            return None
        return min(shapes[self._turns % len(shapes)], key=lambda one: _distance(one, cell))


def _distance(placement: Placement, cell: Cell) -> tuple[float, float]:
    across, up = zip(*placement.cells, strict=True)
    middle = (min(across) + max(across)) / 2, (min(up) + max(up)) / 2
    return abs(middle[0] - cell[0]), abs(middle[1] - cell[1])
