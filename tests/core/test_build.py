"""The native module: its stub, and machines without AVX."""

import os
import shutil
import subprocess
import sys

import pytest

from tests import ROOT, stub

BUILD = ROOT / "build" / "python"


def test_the_stub_is_up_to_date() -> None:
    assert stub.PATH.read_text() == stub.generate_apart(), "run `make stub`"


@pytest.mark.skipif(not shutil.which("nm"), reason="no nm")
@pytest.mark.parametrize("arch", ["scalar", "avx2", "avx512"])
def test_instruction_sets_share_no_function(arch: str) -> None:
    """The linker merges inline functions of one name, which would put AVX code on every machine's path."""
    objects = list(BUILD.glob(f"CMakeFiles/kernels_{arch}.dir/**/*.o"))
    if not objects:
        pytest.skip(f"no {arch} objects in {BUILD}")
    symbols = subprocess.run(["nm", "--defined-only", *objects], capture_output=True, text=True, check=True).stdout
    shared = [line.split(maxsplit=2)[1:] for line in symbols.splitlines() if len(line.split(maxsplit=2)) == 3]
    weak = [name for kind, name in shared if kind in "WVu"]
    assert weak
    assert [name for name in weak if f"9blockfall{len(arch)}{arch}" not in name] == []  # as the compiler spells it


@pytest.mark.skipif(not shutil.which("qemu-x86_64"), reason="no qemu-x86_64")
def test_a_machine_without_avx_plays_the_same_games() -> None:
    program = (
        "from blockfall import evaluate; from blockfall.simd import simd_levels;"
        "print(simd_levels(), evaluate('nes-no-rotation', 'birken-6', 3, seed=1, backend='local:1').lines.tolist())"
    )
    emulated = subprocess.run(
        ["qemu-x86_64", "-cpu", "Nehalem", sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OPENBLAS_CORETYPE": "Nehalem"},
    )
    from blockfall import evaluate

    lines = evaluate("nes-no-rotation", "birken-6", 3, seed=1).lines.tolist()
    assert emulated.stdout.strip() == f"['scalar'] {lines}", emulated.stderr
