"""Teaches Numba the one method of a board's view, `cell(x, y)`. Imported only where Numba is."""

from typing import Any

from numba.core import types
from numba.extending import overload_method


def _typed_cell(board: Any, x: Any, y: Any) -> Any:  # noqa: ARG001  Numba compares the two signatures
    def cell(board: Any, x: Any, y: Any) -> Any:
        return (board.words[x] >> y) & 1 != 0

    return cell


overload_method(types.Record, "cell")(_typed_cell)
