"""NVRTC, the compiler for GPUs that runs in this process, from its wheel. It needs no GPU."""

import ctypes
from collections.abc import Mapping
from contextlib import AbstractContextManager
from importlib.metadata import PackageNotFoundError, files
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.compute.cuda.device import OPTIONS, SOURCES, include_options, macro_options
from tests.compute.host_device import HostDevice, HostProgram

GPU = "sm_90"
"""The GPU that is compiled for: an H100 or H200."""


class CompileError(Exception):
    """What NVRTC says of a source."""


def find_nvrtc() -> ctypes.CDLL | None:
    """The library of the wheel; None where it is not installed."""
    try:
        installed = files("nvidia-cuda-nvrtc") or []
    except PackageNotFoundError:
        return None
    library = next(file for file in installed if file.name.startswith("libnvrtc.so"))
    return ctypes.CDLL(str(library.locate()))


def compiled(nvrtc: ctypes.CDLL, source: str, options: list[str]) -> bytes:
    """Compiles a source to what a GPU runs."""
    program = ctypes.c_void_p()
    assert not nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"program.cu", 0, None, None)
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    failed = nvrtc.nvrtcCompileProgram(program, len(options), given)
    text = _text(nvrtc, program, "ProgramLog" if failed else "CUBIN")
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if failed:
        raise CompileError(text.decode())
    return text


def _text(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, text)
    return text.raw


class CompilingDevice:
    """Runs on another device. Every program that is asked for is compiled for a GPU, too."""

    def __init__(self, nvrtc: ctypes.CDLL, device: HostDevice) -> None:
        self._nvrtc, self._device = nvrtc, device
        self.code: dict[str, bytes] = {}
        """What the GPU would run, by the name of the source."""
        self.free_bytes = device.free_bytes

    def beside(self) -> AbstractContextManager[object]:
        """As the other device does."""
        return self._device.beside()

    def program(self, source: str, macros: Mapping[str, object]) -> HostProgram:
        """Compiles a file of `native/cuda` as `CupyDevice` does."""
        options = [*OPTIONS, f"-arch={GPU}", *include_options(), *macro_options(macros)]
        self.code[source] = compiled(self._nvrtc, (SOURCES / "cuda" / source).read_text(), options)
        return self._device.program(source, macros)

    def empty(self, shape: tuple[int, ...], kind: npt.DTypeLike) -> npt.NDArray[Any]:
        """An array of the other device."""
        return self._device.empty(shape, kind)

    def copy(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A copy on the other device."""
        return self._device.copy(array)

    def borrow(self, array: Any) -> Any:
        """The array itself."""
        return np.asarray(array)

    def bring(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A copy."""
        return self._device.bring(array)
