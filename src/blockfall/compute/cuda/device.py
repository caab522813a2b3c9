"""A GPU: arrays in its memory, and programs that are compiled for it on first use.

The programs are built from the core's own headers and the sources in `native/cuda`. Both are installed beside the core,
so they match the core's structs, which are copied to the GPU unchanged.
"""

import hashlib
import os
from collections import defaultdict
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from threading import Lock, local
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.errors import SettingError

SOURCES = Path(_core.__file__).parent / "native"
"""The folder of the headers and of the GPU's programs."""

OPTIONS = ("-default-device", "--std=c++20", "--fmad=false", "-DBLOCKFALL_ARCH=cuda")
"""Compiler options. No backend uses fused multiply-add, so that all play the same games."""

BLOCK = 128
"""The threads of a block."""


class DeviceProgram(Protocol):
    """A source compiled for a device, with its kernels."""

    def __hash__(self) -> int: ...

    def run(self, kernel: str, threads: int, *arguments: Any) -> None:
        """Run a kernel on this many threads or a few more. Arguments are device arrays, NumPy's numbers or None."""
        ...


class Device(Protocol):
    """A machine that runs kernels. The tests have one that runs them on the CPU."""

    def __hash__(self) -> int: ...

    @property
    def free_bytes(self) -> int:
        """The free memory."""
        ...

    def beside(self) -> AbstractContextManager[object]:
        """Return a context in which this thread's work runs beside that of other threads."""
        ...

    def program(self, source: str, macros: Mapping[str, object]) -> DeviceProgram:
        """Return the program of a file of `native/cuda` with these macros, compiled on first use."""
        ...

    def empty(self, shape: tuple[int, ...], kind: npt.DTypeLike) -> Any:
        """Return a new array of the device, not filled."""
        ...

    def copy(self, array: npt.NDArray[Any]) -> Any:
        """Return a copy of this array on the device."""
        ...

    def borrow(self, array: Any) -> Any:
        """Return another library's array of the device, such as PyTorch's, without a copy."""
        ...

    def bring(self, array: Any) -> npt.NDArray[Any]:
        """Return a copy of this array of the device as NumPy's."""
        ...


def macro_options(macros: Mapping[str, object]) -> list[str]:
    """Return the macros as a compiler's options, each with this project's prefix."""
    return [f"-DBLOCKFALL_{name}={int(value) if isinstance(value, bool) else value}" for name, value in macros.items()]


def include_options() -> list[str]:
    """Return the options that tell a compiler where the headers are."""
    return [f"-I{SOURCES / folder}" for folder in ("include", "cuda")]


@cache
def sources_digest() -> str:
    """Return a digest of all headers and sources: programs compiled from other ones must not be used."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(SOURCES).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class CupyProgram:
    """A program that CuPy compiled."""

    module: Any
    _kernels: dict[str, Any] = field(default_factory=dict)
    """The kernels that have run, by name."""

    def run(self, kernel: str, threads: int, *arguments: Any) -> None:
        """Run a kernel on this many threads or a few more."""
        if kernel not in self._kernels:
            self._kernels[kernel] = self.module.get_function(kernel)
        given = tuple(np.uint64(0) if argument is None else argument for argument in arguments)  # a null pointer
        self._kernels[kernel]((-(-threads // BLOCK),), (BLOCK,), given)


class CupyDevice:
    """The GPU that CuPy has chosen. CuPy keeps compiled programs in its folder, so each is compiled once."""

    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy
        self._programs: dict[tuple[object, ...], CupyProgram] = {}
        self._compiling: dict[tuple[object, ...], Lock] = defaultdict(Lock)
        self._of_thread = local()

    @cached_property
    def name(self) -> str:
        """The name of the GPU."""
        return str(self._cupy.cuda.runtime.getDeviceProperties(self._cupy.cuda.Device().id)["name"].decode())

    @property
    def free_bytes(self) -> int:
        """The memory that neither other programs nor this one's arrays use."""
        return int(self._cupy.cuda.runtime.memGetInfo()[0] + self._cupy.get_default_memory_pool().free_bytes())

    def beside(self) -> AbstractContextManager[object]:
        """Return the thread's own stream, in which its work runs beside that of other threads."""
        if not hasattr(self._of_thread, "stream"):
            self._of_thread.stream = self._cupy.cuda.Stream(non_blocking=True)
            self._of_thread.event = self._cupy.cuda.Event(block=True, disable_timing=True)
        stream: AbstractContextManager[object] = self._of_thread.stream
        return stream

    def program(self, source: str, macros: Mapping[str, object]) -> CupyProgram:
        """Return the program of a file of `native/cuda` with these macros, compiled on first use."""
        key = (source, *macros.items())
        with self._compiling[key]:  # one thread compiles a program, but several programs at once
            if key not in self._programs:
                options = [
                    *OPTIONS,
                    *include_options(),
                    *macro_options(macros),
                    f"-DBLOCKFALL_SOURCES=0x{sources_digest()}",
                ]
                code = (SOURCES / "cuda" / source).read_text()
                module = self._cupy.RawModule(code=code, options=tuple(options), backend="nvrtc")
                module.compile()
                self._programs[key] = CupyProgram(module)
            return self._programs[key]

    def empty(self, shape: tuple[int, ...], kind: npt.DTypeLike) -> Any:
        """Return a new array of the device, not filled."""
        return self._cupy.empty(shape, kind)

    def copy(self, array: npt.NDArray[Any]) -> Any:
        """Return a copy of this array on the device."""
        return self._cupy.asarray(array)

    def borrow(self, array: Any) -> Any:
        """Return another library's array of the device, such as PyTorch's, without a copy."""
        if isinstance(array, self._cupy.ndarray):
            return array
        return self._cupy.from_dlpack(array)

    def bring(self, array: Any) -> npt.NDArray[Any]:
        """Return a copy of this array of the device as NumPy's."""
        if hasattr(self._of_thread, "event"):  # sleep until the GPU is done: waiting threads take no core
            self._of_thread.event.record()
            self._of_thread.event.synchronize()
        return np.asarray(self._cupy.asnumpy(array))


@cache
def find_device() -> CupyDevice:
    """Return the GPU. Raise a SettingError if there is none, or no CuPy."""
    # The streams that run side by side. CUDA reads this when it starts; its default is 8.
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
    try:
        import cupy
    except ImportError:
        raise SettingError("backend cuda needs CuPy; install it with: pip install 'blockfall[cuda]'") from None
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # CuPy has an error type per library, and each means that no GPU can be used
        raise SettingError(f"backend cuda finds no GPU: {' '.join(str(error).split())}") from None
    if not found:
        raise SettingError("backend cuda finds no GPU on this machine")
    return CupyDevice(cupy)
