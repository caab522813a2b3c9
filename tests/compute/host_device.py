"""A device that runs the programs of `native/cuda` on the CPU, one thread after another."""

import ctypes
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.compute.cuda.device import BLOCK, SOURCES, include_options, macro_options
from tests import ROOT

WORDS = ROOT / "native" / "tests" / "cuda_on_cpu.hpp"
MOST_ARGUMENTS = 12
ALIGNMENT = 64
"""The alignment of the core's structs, in bytes."""


_RUNNING = Lock()  # a library has one copy of CUDA's variables, such as threadIdx


class HostProgram:
    """A program in a shared library."""

    def __init__(self, library: ctypes.CDLL, group: int) -> None:
        self._library, self._group = library, group

    def run(self, kernel: str, threads: int, *arguments: Any) -> None:
        """Run a kernel on exactly this many threads."""
        numbers = (ctypes.c_uint64 * MOST_ARGUMENTS)(*(self._as_number(argument) for argument in arguments))
        function = ctypes.cast(getattr(self._library, kernel), ctypes.c_void_p)
        group = 1 if threads % self._group else self._group
        with _RUNNING:
            self._library.run_kernel(function, numbers, ctypes.c_int64(threads), group)

    @staticmethod
    def _as_number(argument: Any) -> int:
        if argument is None:
            return 0
        if isinstance(argument, np.ndarray):
            return int(argument.ctypes.data)
        assert isinstance(argument, np.generic), f"{argument!r} has no size that a kernel knows"
        return int(argument) % 2**64


class HostDevice:
    """A device that compiles with the CPU's compiler and has NumPy's arrays."""

    def __init__(self, compiler: str) -> None:
        self._compiler = compiler
        self._folder = tempfile.TemporaryDirectory()
        self.programs: dict[tuple[str, ...], HostProgram] = {}
        """The compiled programs, by source and macros."""
        self.free_bytes = 2**30
        self._compiling = Lock()

    def beside(self) -> AbstractContextManager[object]:
        """Return a context without effect: here everything runs one after another."""
        return nullcontext()

    def program(self, source: str, macros: Mapping[str, object]) -> HostProgram:
        """Return the program of a file of `native/cuda` with these macros. It is compiled once."""
        options = macro_options(macros)
        key = (source, *options)
        with self._compiling:
            return self._compiled(
                key, source, options, BLOCK if "BLOCK" in macros else int(str(macros.get("THREADS", 1)))
            )

    def _compiled(self, key: tuple[str, ...], source: str, options: list[str], group: int) -> HostProgram:
        if key not in self.programs:
            library = Path(self._folder.name) / f"{len(self.programs)}.so"
            # Without optimisation: compiling takes longer than playing.
            fixed = ["-std=c++20", "-ffp-contract=off", "-shared", "-fPIC", "-DBLOCKFALL_ARCH=cuda"]
            code = ["-x", "c++", str(SOURCES / "cuda" / source)]
            subprocess.run(
                [self._compiler, *fixed, *include_options(), *options, "-include", WORDS, "-o", library, *code],
                check=True,
            )
            self.programs[key] = HostProgram(ctypes.CDLL(str(library)), group)
        return self.programs[key]

    def empty(self, shape: tuple[int, ...], kind: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return an array whose bytes are not zero, so that no program can rely on zeros."""
        kind = np.dtype(kind)
        size = int(np.prod(shape)) * kind.itemsize
        room = np.full(size + ALIGNMENT, 0xA5, dtype=np.uint8)
        begin = -room.ctypes.data % ALIGNMENT
        return room[begin : begin + size].view(kind).reshape(shape)

    def copy(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a copy."""
        copied = self.empty(array.shape, array.dtype)
        copied[...] = array
        return copied

    def borrow(self, array: Any) -> Any:
        """Return the array itself."""
        return np.asarray(array)

    def bring(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a copy."""
        return array.copy()
