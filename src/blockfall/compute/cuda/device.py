"""A GPU: arrays in its memory, and programs that are compiled for it when they are first needed.

The programs are the core's own headers and the sources in `native/cuda`. Both are installed beside the core, so they
fit the core's structs, which are copied to the GPU as they are.
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
"""The folder of the headers and of the programs for a GPU."""

OPTIONS = ("-default-device", "--std=c++20", "--fmad=false", "-DBLOCKFALL_ARCH=cuda")
"""Without fused multiply-add, as on every backend: the games must be the same."""

BLOCK = 128
"""Threads of a block."""


class DeviceProgram(Protocol):
    """A source that was compiled for a device, with its kernels."""

    def __hash__(self) -> int: ...

    def run(self, kernel: str, threads: int, *arguments: Any) -> None:
        """Runs a kernel on so many threads or a few more. Arguments are the device's arrays, NumPy's numbers, None."""
        ...


class Device(Protocol):
    """Where kernels run. The tests have one that runs them on the CPU."""

    def __hash__(self) -> int: ...

    @property
    def free_bytes(self) -> int:
        """The memory that nobody uses."""
        ...

    def beside(self) -> AbstractContextManager[object]:
        """What this thread asks for meanwhile runs beside what other threads ask for."""
        ...

    def program(self, source: str, macros: Mapping[str, object]) -> DeviceProgram:
        """Compiles a file of `native/cuda` with these macros, or gives the program that it compiled before."""
        ...

    def empty(self, shape: tuple[int, ...], kind: npt.DTypeLike) -> Any:
        """A new array of the device, not filled."""
        ...

    def copy(self, array: npt.NDArray[Any]) -> Any:
        """A copy of this array on the device."""
        ...

    def borrow(self, array: Any) -> Any:
        """An array of the device in another library's hands, such as PyTorch's, without a copy."""
        ...

    def bring(self, array: Any) -> npt.NDArray[Any]:
        """A copy of this array of the device as NumPy's."""
        ...


def macro_options(macros: Mapping[str, object]) -> list[str]:
    """The macros as a compiler's options, each with the prefix of this project."""
    return [f"-DBLOCKFALL_{name}={int(value) if isinstance(value, bool) else value}" for name, value in macros.items()]


def include_options() -> list[str]:
    """Where a compiler finds the headers."""
    return [f"-I{SOURCES / folder}" for folder in ("include", "cuda")]


@cache
def sources_digest() -> str:
    """A digest of all headers and sources: programs that were compiled from other ones must not be used."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(SOURCES).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class CupyProgram:
    """A program of CuPy's."""

    module: Any
    _kernels: dict[str, Any] = field(default_factory=dict)
    """Those that have run, by name."""

    def run(self, kernel: str, threads: int, *arguments: Any) -> None:
        """Runs a kernel on so many threads or a few more."""
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
        """What the GPU is called."""
        return str(self._cupy.cuda.runtime.getDeviceProperties(self._cupy.cuda.Device().id)["name"].decode())

    @property
    def free_bytes(self) -> int:
        """The memory that nobody uses: neither other programs, nor an array of this one."""
        return int(self._cupy.cuda.runtime.memGetInfo()[0] + self._cupy.get_default_memory_pool().free_bytes())

    def beside(self) -> AbstractContextManager[object]:
        """What this thread asks for meanwhile runs beside what other threads ask for: in a stream of its own."""
        if not hasattr(self._of_thread, "stream"):
            self._of_thread.stream = self._cupy.cuda.Stream(non_blocking=True)
            self._of_thread.event = self._cupy.cuda.Event(block=True, disable_timing=True)
        stream: AbstractContextManager[object] = self._of_thread.stream
        return stream

    def program(self, source: str, macros: Mapping[str, object]) -> CupyProgram:
        """Compiles a file of `native/cuda` with these macros, or gives the program that it compiled before."""
        key = (source, *macros.items())
        with self._compiling[key]:  # several programs at once, but each by one thread
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
        """A new array of the device, not filled."""
        return self._cupy.empty(shape, kind)

    def copy(self, array: npt.NDArray[Any]) -> Any:
        """A copy of this array on the device."""
        return self._cupy.asarray(array)

    def borrow(self, array: Any) -> Any:
        """An array of the device in another library's hands, such as PyTorch's, without a copy."""
        if isinstance(array, self._cupy.ndarray):
            return array
        return self._cupy.from_dlpack(array)

    def bring(self, array: Any) -> npt.NDArray[Any]:
        """A copy of this array of the device as NumPy's."""
        if hasattr(self._of_thread, "event"):  # sleeps until the GPU is done, so that waiting threads take no core
            self._of_thread.event.record()
            self._of_thread.event.synchronize()
        return np.asarray(self._cupy.asnumpy(array))


@cache
def find_device() -> CupyDevice:
    """The GPU. Where there is none, or no CuPy, an error says so."""
    # So many streams run beside each other; CUDA, which reads it when it starts, has 8 unless it is told.
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
    try:
        import cupy
    except ImportError:
        raise SettingError("backend cuda needs CuPy; install it with: pip install 'blockfall[cuda]'") from None
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # CuPy has an error type per library, and all of them say that no GPU can be used
        raise SettingError(f"backend cuda finds no GPU: {' '.join(str(error).split())}") from None
    if not found:
        raise SettingError("backend cuda finds no GPU on this machine")
    return CupyDevice(cupy)
