"""The core survives random calls with hostile values, made in a separate process."""

import subprocess
import sys

import pytest

from tests import ROOT
from tests.fuzz.mutation import SEED


def fuzz(calls: int, seed: int) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.core_fuzz", str(calls), str(seed)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, f"seed {seed}: {done.stderr[-2000:]}"
    calls_made, answers = (int(word) for word in done.stdout.replace(",", "").split() if word.isdigit())
    assert calls_made == calls
    assert answers > calls / 3, "most calls should succeed"


def test_random_calls() -> None:
    fuzz(1000, SEED)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_many_random_calls(seed: int) -> None:
    fuzz(10_000, 100 * SEED + seed)
