"""BoardView for compiled features: the same fields and the same method. Import it only when Numba is installed."""

from typing import Any, NamedTuple

from numba.core.types import containers
from numba.extending import overload_method


class NumbaView(NamedTuple):
    """BoardView as a type that Numba knows. Its arrays have one entry per column of the board."""

    columns: Any
    rows: Any
    lines_cleared: Any
    landing_row: Any
    heights: Any
    words: Any


def _typed_cell(board: Any, x: Any, y: Any) -> Any:  # noqa: ARG001  Numba compares the two signatures
    if board.instance_class is not NumbaView:
        return None

    def cell(board: Any, x: Any, y: Any) -> Any:
        if not -board.columns <= x < board.columns or y < 0:  # a test of the largest y would be ten times slower
            raise IndexError("no such cell")
        return (board.words[x] >> y) & 1 != 0

    return cell


overload_method(containers.NamedTuple, "cell")(_typed_cell)
