"""The committed stub of the native module. `make stub` writes it; a test compares it with a new one."""

import subprocess
import sys

from nanobind.stubgen import StubGen  # type: ignore[import-untyped]

from blockfall import _core
from tests import ROOT

PATH = ROOT / "src" / "blockfall" / "_core.pyi"


def generate() -> str:
    generator = StubGen(_core)
    generator.put(_core)
    return str(generator.get())


def generate_apart() -> str:
    """Return the same from a separate process: copying an object of the core changes its class."""
    return subprocess.run(
        [sys.executable, "-m", "tests.stub"], check=True, capture_output=True, text=True, cwd=PATH.parents[2]
    ).stdout


if __name__ == "__main__":
    if "--write" in sys.argv:
        PATH.write_text(generate())
    else:
        sys.stdout.write(generate())
