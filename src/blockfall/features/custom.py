"""A user's own feature: a Python function over a small, read-only view of the board.

    @blockfall.feature("left-height")
    def left_height(board):
        "Height of the first column."
        return board.heights[0]

With Numba installed the function is compiled to a C function that the core calls, with no Python in the loop, the way
SciPy's LowLevelCallable does. Without it, or where Numba cannot compile the function, it runs in Python, slowly.
"""

import ctypes
import importlib.util
import math
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from blockfall import _core
from blockfall.errors import BlockfallError, SettingError

VIEW = np.dtype(
    [
        ("columns", np.int32),
        ("rows", np.int32),
        ("lines_cleared", np.int32),
        ("landing_row", np.int32),
        ("heights", np.int32, (_core.MAX_COLUMNS,)),
        ("words", np.uint32, (_core.MAX_COLUMNS,)),
    ]
)
"""The core's BoardView."""


class FeatureError(BlockfallError):
    """A user's feature that does not do what a feature must."""


class _View(ctypes.Structure):
    _fields_ = (
        ("columns", ctypes.c_int32),
        ("rows", ctypes.c_int32),
        ("lines_cleared", ctypes.c_int32),
        ("landing_row", ctypes.c_int32),
        ("heights", ctypes.c_int32 * _core.MAX_COLUMNS),
        ("words", ctypes.c_uint32 * _core.MAX_COLUMNS),
    )


@dataclass(frozen=True)
class BoardView:
    """What a feature sees of a board, after full rows are removed."""

    columns: int
    rows: int
    lines_cleared: int
    """By the pieces placed."""
    landing_row: int
    """Of the last piece's lowest cell, floor row 0."""
    heights: list[int]
    words: list[int]
    """One per column; bit 0 is the floor row."""

    def cell(self, x: int, y: int) -> bool:
        """Whether the cell in column x, row y, floor row 0, is filled."""
        return bool(self.words[x] >> y & 1)


@dataclass
class CustomFeature:
    """A registered function, and its form for the core once an agent needs it."""

    name: str
    function: Callable[[Any], float]
    definition: str
    source: str
    error: str = ""
    """What went wrong in a call, where it ran in Python."""
    keep: list[object] = field(default_factory=list)
    """What must live as long as the address is used."""

    @cached_property
    def address(self) -> int:
        """Of a C function of a BoardView."""
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
        except Exception:  # Numba refuses in many ways; Python then tells what is wrong, if anything is
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

    def _checked(self, view: _View) -> float:
        columns = view.columns
        value = self.function(
            BoardView(
                columns,
                view.rows,
                view.lines_cleared,
                view.landing_row,
                view.heights[:columns],
                view.words[:columns],
            )
        )
        if not isinstance(value, int | float | np.number):
            self.error = self.error or f"returned {value!r}, which is no number"
            return math.nan
        if not math.isfinite(value):
            self.error = self.error or f"returned {value}, which is no finite number"
        return float(value)

    def fail(self) -> FeatureError:
        """The error for a value that is no finite number."""
        what = self.error or "gave no finite number, or raised an error"
        self.error = ""
        return FeatureError(f"feature {self.name!r} {what}")


def numba_is_there() -> bool:
    return importlib.util.find_spec("numba") is not None


_registered: dict[str, CustomFeature] = {}


def registered() -> dict[str, CustomFeature]:
    return _registered


def feature(name: str) -> Callable[[Callable[[Any], float]], Callable[[Any], float]]:
    """Registers a function of a board as a feature; it then works wherever a built-in one does."""
    from blockfall.features.catalogue import built_in

    def register(function: Callable[[Any], float]) -> Callable[[Any], float]:
        key = name.lower()
        if not name or any(mark in name for mark in ", \t\n"):
            raise SettingError(f"a feature named {name!r}; a name has no spaces and no commas")
        if key in built_in():
            raise SettingError(f"feature {name!r} is already in the catalogue; choose another name")
        definition = (function.__doc__ or "A user's own feature.").strip().splitlines()[0]
        _registered[key] = CustomFeature(name, function, definition, f"{function.__module__}, {function.__qualname__}")
        return function

    return register


def load_plugin(path: Path) -> None:
    """Runs a Python file that registers features."""
    if not path.is_file():
        raise FeatureError(f"plugin {path}: no such file")
    name = f"blockfall_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FeatureError(f"plugin {path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BlockfallError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        line = _line_in(path, error)
        raise FeatureError(f"plugin {path}{line}: {type(error).__name__}: {error}") from None


def _line_in(path: Path, error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.lineno:
        return f", line {error.lineno}"
    trace, line = error.__traceback__, ""
    while trace:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == path.resolve():
            line = f", line {trace.tb_lineno}"
        trace = trace.tb_next
    return line
