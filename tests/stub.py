"""The committed stub of the native module: `make stub` writes it, a test compares it with a new one."""

import sys
from pathlib import Path

from nanobind.stubgen import StubGen  # type: ignore[import-untyped]

from blockfall import _core

PATH = Path(__file__).parent.parent / "src" / "blockfall" / "_core.pyi"


def generate() -> str:
    generator = StubGen(_core)
    generator.put(_core)
    return str(generator.get())


if __name__ == "__main__" and "--write" in sys.argv:
    PATH.write_text(generate())
