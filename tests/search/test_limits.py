"""The limits of searches: nodes, time and memory."""

import subprocess
import sys
import time

import pytest

from blockfall.games import HopelessBoard, IstPosition, scoring
from blockfall.search import HopelessProblem, IstProblem, SearchSettings, memory, solve
from tests.searched import EXAMPLE_FILE, LARGE, QUICK, each_algorithm


@each_algorithm
@pytest.mark.parametrize("name", list(LARGE))
def test_the_node_limit_holds(algorithm: str, name: str) -> None:
    found = solve(LARGE[name], algorithm, SearchSettings(node_limit=30))
    assert found.nodes_expanded <= 30
    assert found.points is not None  # the best so far, or the fallback
    if algorithm not in QUICK and found.stopped_by != "finished":
        assert found.stopped_by == "nodes"
        assert not found.optimal


@each_algorithm
@pytest.mark.parametrize("name", list(LARGE))
def test_the_time_limit_holds(algorithm: str, name: str) -> None:
    started = time.monotonic()
    found = solve(LARGE[name], algorithm, SearchSettings(time_limit_s=0.1, width=1 << 20))
    assert time.monotonic() - started < 10  # this includes freeing the memory, on a busy machine
    assert found.points is not None
    assert found.stopped_by in ("time", "finished")


@pytest.mark.parametrize("algorithm", ["breadth-first", "brute-force", "a-star", "a-star-goal-h", "beam"])
@pytest.mark.parametrize("name", ["hopeless", "samegame"])
def test_the_memory_limit_holds(algorithm: str, name: str) -> None:
    limit = 4 << 20
    settings = SearchSettings(memory_limit_bytes=limit, width=1 << 20, time_limit_s=20)
    found = solve(LARGE[name], algorithm, settings)
    assert found.peak_bytes <= limit
    assert found.stopped_by in ("memory", "time")
    assert found.points is not None


def test_five_pieces_take_little_memory() -> None:
    """The last layer of the 6.4 million nodes consists of goals, of which only one is kept."""
    found = solve(IstProblem(IstPosition.start("ojlti")), "a-star")
    assert (found.nodes_expanded, found.nodes_generated) == (364_456, 6_377_967)
    assert (found.points, found.optimal) == (100, True)
    assert found.peak_bytes < 60_000_000


@pytest.mark.parametrize(
    "board", [HopelessBoard.random(12, 12, 9, seed=1), HopelessBoard.random(8, 20, 4, seed=1)], ids=["colours", "tall"]
)
@pytest.mark.parametrize("algorithm", ["a-star", "breadth-first"])
def test_states_of_many_colours_and_tall_boards_are_small(algorithm: str, board: HopelessBoard) -> None:
    """In 32-bit words for 32 columns and 9 colours, a state would take 1,160 bytes, for each generated node."""
    found = solve(HopelessProblem(board, scoring("samegame")), algorithm, SearchSettings(node_limit=10_000))
    assert found.peak_bytes < 116 * found.nodes_generated


def test_the_memory_limit_looks_at_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, limit in ((None, 8 << 30), (100 << 30, 8 << 30), (6 << 30, 3 << 30)):
        monkeypatch.setattr(memory, "free_bytes", lambda free=free: free)
        memory._limit_in.cache_clear()
        assert memory.default_limit_bytes() == limit
    monkeypatch.setattr(memory, "free_bytes", lambda: 2_000_000)
    memory._limit_in.cache_clear()
    found = solve(LARGE["samegame"], "breadth-first")
    assert found.stopped_by == "memory"
    assert found.peak_bytes <= 1_000_000
    memory._limit_in.cache_clear()


def test_the_free_memory_of_this_machine_is_known() -> None:
    free = memory.free_bytes()
    assert free is not None
    assert 0 < free < 1 << 50


@pytest.mark.parametrize("name", list(LARGE))
def test_best_falls_back_to_methods_that_need_less_memory(name: str) -> None:
    """A proof or a beam that runs out of memory is given up; the nodes are then spent on what needs less."""
    found = solve(LARGE[name], "best", SearchSettings(memory_limit_bytes=3_000_000, node_limit=100_000))
    assert (found.stopped_by, found.nodes_expanded) == ("nodes", 100_000)
    assert found.peak_bytes <= 3_000_000


@each_algorithm
@pytest.mark.parametrize("name", list(LARGE))
def test_every_search_counts_its_memory(algorithm: str, name: str) -> None:
    assert solve(LARGE[name], algorithm, SearchSettings(node_limit=500)).peak_bytes > 0


GROWTH = """
import re, runpy, sys
from pathlib import Path
from blockfall.games import HopelessBoard, scoring
from blockfall.search import HopelessProblem, SearchSettings, solve

if sys.argv[1] == "samegame":
    problem = HopelessProblem(HopelessBoard.random(15, 15, 5, seed=1), scoring("samegame"))
else:
    problem = runpy.run_path(sys.argv[1])["EightPuzzle"]((8, 6, 7, 2, 5, 4, 3, 0, 1))
def peak():  # the kernel's; getrusage's begins with the parent's
    return 1024 * int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])

before = peak()
found = solve(problem, "breadth-first", SearchSettings(memory_limit_bytes=int(sys.argv[2])))
print(found.stopped_by, found.peak_bytes, peak() - before)
"""


@pytest.mark.parametrize(("problem", "limit"), [("samegame", 64 << 20), (str(EXAMPLE_FILE), 24 << 20)])
def test_a_search_holds_as_much_memory_as_it_counts(problem: str, limit: int) -> None:
    """The process grows by what the search counts, within a tenth and what its own code needs."""
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, problem, str(limit)], capture_output=True, text=True, check=True
    )
    stopped_by, *sizes = done.stdout.split()
    peak, grew = map(int, sizes)
    assert stopped_by == "memory"
    assert limit / 2 < peak <= limit
    assert 0.8 * peak < grew < 1.1 * peak + (2 << 20)
