"""NVRTC, the compiler for GPUs, from its wheel. It runs in this process and needs no GPU."""

import ctypes
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, files

from blockfall.compute.cuda.device import OPTIONS, SOURCES, include_options, macro_options
from tests.compute.host_device import HostDevice, HostProgram

GPU = "sm_90"
"""The target of the compiler: an H100 or H200."""


class CompileError(Exception):
    """The messages of NVRTC about a source that does not compile."""


def find_nvrtc() -> ctypes.CDLL | None:
    """Return the library of the wheel, or None if it is not installed."""
    try:
        installed = files("nvidia-cuda-nvrtc") or []
    except PackageNotFoundError:
        return None
    library = next(file for file in installed if file.name.startswith("libnvrtc.so"))
    return ctypes.CDLL(str(library.locate()))


def compiled(nvrtc: ctypes.CDLL, source: str, options: list[str]) -> bytes:
    """Compile a source to a GPU's machine code."""
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


class CompilingDevice(HostDevice):
    """A device that runs programs as another one does, and also compiles each of them for a GPU."""

    def __init__(self, nvrtc: ctypes.CDLL, device: HostDevice) -> None:
        vars(self).update(vars(device))  # the other device's programs need not be compiled again
        self._nvrtc = nvrtc
        self.code: dict[str, bytes] = {}
        """The machine code for the GPU, by the name of the source."""

    def program(self, source: str, macros: Mapping[str, object]) -> HostProgram:
        """Return the program for the CPU, and compile the file for a GPU as `CupyDevice` does."""
        options = [*OPTIONS, f"-arch={GPU}", *include_options(), *macro_options(macros)]
        self.code[source] = compiled(self._nvrtc, (SOURCES / "cuda" / source).read_text(), options)
        return super().program(source, macros)
