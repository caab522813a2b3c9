"""Users' own features: Python functions of a small, read-only view of the board.

    @blockfall.feature("left-height")
    def left_height(board):
        "Height of the first column."
        return board.heights[0]

With Numba, the function is compiled to a C function that the core calls without Python, as with SciPy's
LowLevelCallable. Without Numba, or if Numba cannot compile the function, it runs in Python, slowly.
"""

import ctypes
import importlib.util
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from blockfall import _core
from blockfall.errors import BlockfallError, shortened
from blockfall.plugins import Registry

VIEW: Any = np.dtype(
    [
        ("columns", np.int32),
        ("rows", np.int32),
        ("lines_cleared", np.int32),
        ("landing_row", np.int32),
        ("heights", np.int32, (_core.MAX_COLUMNS,)),
        ("words", np.uint32, (_core.MAX_COLUMNS,)),
    ]
)
"""The memory layout of the core's BoardView."""


class _View(ctypes.Structure):
    """The same for ctypes. Python 3.14 warns of the packed structure that NumPy makes of the whole."""

    _fields_ = [(name, np.ctypeslib.as_ctypes_type(VIEW[name])) for name in VIEW.names]


class FeatureError(BlockfallError):
    """A user's feature raised an error or returned a value that is not a finite number."""


@dataclass(frozen=True)
class BoardView:
    """The view of a board that a user's feature gets. Full rows are already removed.

    >>> import blockfall
    >>> @blockfall.feature("right-height")
    ... def right_height(board):
    ...     "Height of the last column."
    ...     return board.heights[board.columns - 1]
    >>> board = blockfall.BoardView(2, 4, lines_cleared=0, landing_row=0, heights=[1, 3], words=[0b001, 0b101])
    >>> right_height(board), board.cell(1, 1)
    (3, False)
    """

    columns: int
    rows: int
    lines_cleared: int
    """The lines that the placed pieces have cleared."""
    landing_row: int
    """The row of the last piece's lowest cell. The floor row is 0."""
    heights: list[int]
    """The height of each column."""
    words: list[int]
    """The bits of each column. Bit 0 is the floor row."""

    def cell(self, x: int, y: int) -> bool:
        """Return whether the cell in column x and row y is filled. The floor row is 0."""
        return bool(self.words[x] >> y & 1)


@dataclass
class CustomFeature:
    """A registered function. Its C function is made when an agent first needs it."""

    name: str
    function: Callable[[Any], float]
    definition: str
    source: str
    error: str = ""
    """The first error of a call in Python; empty if there was none."""
    keep: list[object] = field(default_factory=list)
    """Objects that must live as long as the address is in use."""

    @cached_property
    def address(self) -> int:
        """The address of a C function that takes a BoardView."""
        compiled = self._compile() if numba_is_there() else None
        if compiled is None:
            reason = "Numba cannot compile it" if numba_is_there() else "Numba is not installed"
            warnings.warn(f"feature {self.name!r} runs in Python, hundreds of times slower: {reason}", stacklevel=2)
            return self._interpret()
        return compiled

    def _compile(self) -> int | None:
        import numba

        from blockfall.features.numba_view import NumbaView

        jitted = numba.njit(boundscheck=True)(self.function)  # a wrong index must not read past the board
        record = numba.from_dtype(VIEW)

        def call(pointer: Any) -> Any:
            view = numba.carray(pointer, 1)[0]
            columns = view.columns
            try:
                board = NumbaView(
                    columns,
                    view.rows,
                    view.lines_cleared,
                    view.landing_row,
                    view.heights[:columns],
                    view.words[:columns],
                )
                return np.float32(jitted(board))
            except Exception:
                return np.float32(np.nan)

        try:
            compiled = numba.cfunc(numba.float32(numba.types.CPointer(record)))(call)
        except Exception:  # Numba fails in many ways; running in Python shows a real error
            return None
        self.keep += [compiled, jitted]
        return int(compiled.address)

    def _interpret(self) -> int:
        def call(pointer: Any) -> float:
            try:
                return self._checked(pointer.contents)
            except Exception as error:  # an exception must not cross into the core
                self.error = self.error or f"raised {type(error).__name__}: {error}"
                return math.nan

        callback = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.POINTER(_View))(call)
        self.keep.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value or 0

    def _checked(self, view: Any) -> float:
        columns = view.columns
        sizes = columns, view.rows, view.lines_cleared, view.landing_row
        value = self.function(BoardView(*sizes, view.heights[:columns], view.words[:columns]))
        if not isinstance(value, int | float | np.number):
            self.error = self.error or f"returned {shortened(value)}, which is not a number"
            return math.nan
        if not math.isfinite(value):
            self.error = self.error or f"returned {value}, which is not a finite number"
        return float(value)

    def fail(self) -> FeatureError:
        """Return the error of the call that gave no finite number."""
        what = self.error or "raised an error, or returned a value that is not a finite number"
        self.error = ""
        return FeatureError(f"feature {self.name!r} {what}")


def numba_is_there() -> bool:
    """Return whether Numba is installed."""
    return importlib.util.find_spec("numba") is not None


_registered: Registry[CustomFeature] = Registry()


def registered() -> Registry[CustomFeature]:
    """Return the users' features by name, in lower case."""
    return _registered
