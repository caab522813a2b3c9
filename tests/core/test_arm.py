"""64-bit ARM: the NEON lanes, cross-compiled and run by an emulator, if both are installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests import ROOT

COMPILER, EMULATOR = shutil.which("aarch64-linux-gnu-g++"), shutil.which("qemu-aarch64")
FLAGS = ["-std=c++20", "-ffp-contract=off", "-static", "-I", str(ROOT / "native" / "include")]

pytestmark = pytest.mark.skipif(not (COMPILER and EMULATOR), reason="needs g++-aarch64-linux-gnu and qemu-user")


def run(command: list[str | Path], seconds: int) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("arch", "lanes"), [("scalar", 1), ("neon", 4)])
def test_lanes_equal_plain_words(arch: str, lanes: int, tmp_path: Path) -> None:
    defined = [f"-DBLOCKFALL_ARCH={arch}", f"-DBLOCKFALL_LANES={lanes}"]
    source = ROOT / "native" / "tests" / "test_lanes.cpp"
    run([str(COMPILER), *FLAGS, "-O1", *defined, source, "-o", tmp_path / "lanes"], 300)
    run([str(EMULATOR), tmp_path / "lanes"], 60)


@pytest.mark.long
def test_the_core_plays_the_same_games(tmp_path: Path) -> None:
    """The C++ tests of play compare every instruction set that the machine has with the scalar one."""
    settings = [
        "-DCMAKE_SYSTEM_NAME=Linux",
        "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
        f"-DCMAKE_CXX_COMPILER={COMPILER}",
        f"-DCMAKE_CROSSCOMPILING_EMULATOR={EMULATOR}",
        "-DCMAKE_EXE_LINKER_FLAGS=-static",
        "-DBLOCKFALL_TESTS=ON",
        "-DBLOCKFALL_MODULE=OFF",
    ]
    cmake = shutil.which("cmake") or str(ROOT / ".venv" / "bin" / "cmake")
    run([cmake, "-G", "Ninja", "-S", ROOT, "-B", tmp_path, *settings], 300)
    run([cmake, "--build", tmp_path, "--target", "test_play", "test_board_network"], 3600)
    run([str(EMULATOR), tmp_path / "native" / "tests" / "test_play"], 3600)
    run([str(EMULATOR), tmp_path / "native" / "tests" / "test_board_network"], 3600)
