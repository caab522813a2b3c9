"""BoardView for compiled features, with the same fields and method. Import it only if Numba is installed."""

from typing import Any, NamedTuple

from numba.core.types import containers
from numba.extending import overload_method


class NumbaView(NamedTuple):
    """BoardView as a type that Numba knows. Its arrays have one entry per column."""

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
        if not -board.columns <= x < board.columns or y < 0:  # a check of the largest y would be ten times slower
            raise IndexError("no such cell")
        return (board.words[x] >> y) & 1 != 0

    return cell


overload_method(containers.NamedTuple, "cell")(_typed_cell)
