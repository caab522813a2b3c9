"""No input makes a parser raise anything but a BlockfallError, hang, or take much memory."""

import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from blockfall.errors import BlockfallError
from tests import ROOT
from tests.fuzz.limits import TooSlowError, feed, little_memory
from tests.fuzz.mutation import SEED, many
from tests.fuzz.targets import CASES, TARGETS, kept

FEW = 100
MANY = 1_000_000 // len(TARGETS) + 1


@pytest.mark.parametrize("name", TARGETS)
def test_a_well_formed_input_is_read(name: str) -> None:
    TARGETS[name].parse(TARGETS[name].seeds()[0])


@pytest.mark.parametrize("name", TARGETS)
def test_mutations(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for data in many(TARGETS[name].seeds(), FEW, seed=19):
            feed(TARGETS[name].parse, data)


@pytest.mark.parametrize("path", sorted(CASES.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_inputs_that_failed_once(path: Path) -> None:
    with little_memory():
        feed(TARGETS[path.parent.name].parse, path.read_bytes())


def test_every_saved_input_belongs_to_a_parser() -> None:
    assert sum(len(kept(name)) for name in TARGETS) == len(list(CASES.glob("*/*")))


def test_a_slow_greedy_or_faulty_parser_is_detected() -> None:
    def slow(data: bytes) -> None:
        while data:
            pass

    def greedy(data: bytes) -> None:
        bytearray(len(data) * 200_000_000)

    def long_winded(data: bytes) -> None:
        raise BlockfallError(repr(data * 3000))

    with pytest.raises(TooSlowError):
        feed(slow, b"x")
    with little_memory(), pytest.raises(MemoryError):
        feed(greedy, b"x")
    with pytest.raises(AssertionError):
        feed(long_winded, b"x")
    with pytest.raises(KeyError):
        feed(lambda data: {b"y": 1}[data], b"x")


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_a_million_inputs(name: str, tmp_path: Path) -> None:
    """A million inputs over all parsers, guided by coverage if Atheris is installed."""
    if find_spec("atheris") is None:
        with little_memory(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for data in many(TARGETS[name].seeds(), MANY, seed=SEED):
                feed(TARGETS[name].parse, data)
        return
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.guided", name, str(MANY), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=4 * 3600,
    )
    found = [path.read_bytes()[:200] for path in tmp_path.glob("crash-*")]
    assert done.returncode == 0, f"{found}\n{done.stderr[-3000:]}"
    assert f"Done {MANY} runs" in done.stderr
