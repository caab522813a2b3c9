"""What every algorithm owes every problem: a solution that the rules confirm, honest counts, and limits that hold."""

import re
import runpy
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blockfall.errors import BlockfallError, SettingError
from blockfall.games import HopelessBoard, IstPosition, Position, scoring
from blockfall.search import (
    HopelessProblem,
    IstProblem,
    Problem,
    Searchable,
    SearchSettings,
    Solution,
    algorithms,
    memory,
    solve,
)

EXAMPLE_FILE = Path(__file__).parent.parent / "examples" / "eight_puzzle.py"
EightPuzzle: Callable[[tuple[int, ...]], Problem] = runpy.run_path(str(EXAMPLE_FILE))["EightPuzzle"]

# What is to be found, and the optimum: of Hopeless and of ist2015 by plain Python (test_hopeless, test_ist_tetris).
PROBLEMS: dict[str, tuple[Searchable, float]] = {
    "hopeless": (HopelessProblem(HopelessBoard.from_text("12.\n112\n221"), scoring("hopeless")), 16 + 36),
    "samegame": (HopelessProblem(HopelessBoard.from_text("22.\n112\n111"), scoring("samegame")), 9 + 1 + 1000),
    "ist-tetris": (IstProblem(IstPosition.start("io", "########..\n########..")), 300),
    "8-puzzle": (EightPuzzle((1, 2, 3, 4, 5, 6, 0, 7, 8)), -2),
}
LARGE: dict[str, Searchable] = {
    "hopeless": HopelessProblem(HopelessBoard.random(20, 10, 4, seed=1), scoring("hopeless")),
    "samegame": HopelessProblem(HopelessBoard.random(15, 15, 5, seed=1), scoring("samegame")),
    "ist-tetris": IstProblem(IstPosition.start("ojltiszojlt")),
}
EXACT = {"brute-force", "a-star", "best"}
QUICK = {"depth-first", "greedy", "maxmin"}  # they end before any limit
PLAYOUTS = {"nmcs", "nrpa", "annealing"}  # they go on as long as a limit lets them

each_algorithm = pytest.mark.parametrize("algorithm", list(algorithms()))
each_problem = pytest.mark.parametrize("name", list(PROBLEMS))


def found_by(problem: Searchable, algorithm: str, **options: Any) -> Solution:
    if algorithm in PLAYOUTS:
        options = {"level": 1, "node_limit": 2000, **options}
    return solve(problem, algorithm, SearchSettings(**options))


@each_algorithm
@each_problem
def test_every_algorithm_solves_every_problem(algorithm: str, name: str) -> None:
    problem, optimum = PROBLEMS[name]
    found = found_by(problem, algorithm)
    assert found.points is not None
    assert found.points == problem.replay(found.moves)
    assert found.points <= optimum
    assert found.nodes_expanded >= len(found.moves) > 0 or found.optimal
    assert found.nodes_generated >= found.nodes_expanded - 1
    assert found.seconds >= 0
    if algorithm in EXACT:
        assert (found.points, found.optimal, found.stopped_by) == (optimum, True, "finished")
    if found.optimal:
        assert found.points == optimum


@each_algorithm
@each_problem
def test_the_trace_is_a_tree_of_all_expanded_nodes(algorithm: str, name: str) -> None:
    problem, _ = PROBLEMS[name]
    if (algorithm, name) == ("brute-force", "8-puzzle"):
        pytest.skip("181,439 nodes")
    found = found_by(problem, algorithm, trace=True)
    assert len(found.trace) == found.nodes_expanded
    assert found.trace[0].parent is None
    assert found.trace[0].action is None
    assert found.trace[0].g == 0
    seen = set()
    for node in found.trace:
        assert (node.parent is None) == (node.depth == 0)
        assert node.parent is None or node.parent in seen
        assert node.f == node.g + node.h
        seen.add(node.node)


KEEP_OPEN = ("depth-first", "breadth-first", "brute-force", "greedy", "maxmin", "a-star", "a-star-goal-h", "ist-best")


@each_algorithm
@pytest.mark.parametrize("name", list(PROBLEMS))
def test_every_expanded_node_was_opened_before(algorithm: str, name: str) -> None:
    problem, _ = PROBLEMS[name]
    found = solve(problem, algorithm, SearchSettings(trace=True, node_limit=2000))
    if algorithm != "best":  # which is A* on problems with cycles
        assert (found.opened is not None) == (algorithm in KEEP_OPEN and found.nodes_expanded > 0)
    if found.opened is None:
        return
    opened = found.opened
    rows = zip(opened.node.tolist(), opened.parent.tolist(), opened.depth.tolist(), opened.g, opened.h, strict=True)
    facts = {node: rest for node, *rest in rows}
    assert len(facts) == len(opened.node) <= found.nodes_generated + 1
    expanded = set()
    for node in found.trace:
        assert node.node not in expanded
        if node.parent is not None:
            assert facts[node.node] == [node.parent, node.depth, node.g, node.h]
        expanded.add(node.node)
    dropped = opened.dropped[:, 0].tolist()
    assert len(set(dropped)) == len(dropped)
    assert not expanded & set(dropped)
    assert {parent for parent, depth, *_ in facts.values() if depth} <= expanded


def test_without_a_trace_nothing_is_kept() -> None:
    for problem, _ in PROBLEMS.values():
        found = solve(problem, "a-star", SearchSettings(node_limit=50))
        assert (found.trace, found.opened) == ((), None)


@each_algorithm
@pytest.mark.parametrize("name", list(LARGE))
def test_the_node_limit_holds(algorithm: str, name: str) -> None:
    found = solve(LARGE[name], algorithm, SearchSettings(node_limit=30))
    assert found.nodes_expanded <= 30
    assert found.points is not None  # the best so far, or the first at hand
    if algorithm not in QUICK and found.stopped_by != "finished":
        assert found.stopped_by == "nodes"
        assert not found.optimal


@each_algorithm
@pytest.mark.parametrize("name", list(LARGE))
def test_the_time_limit_holds(algorithm: str, name: str) -> None:
    started = time.monotonic()
    found = solve(LARGE[name], algorithm, SearchSettings(time_limit_s=0.1, width=1 << 20))
    assert time.monotonic() - started < 10  # freeing what it held included, on a busy machine
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
    """Of 6.4 million nodes, those of the last layer are goals: one of them is kept."""
    found = solve(IstProblem(IstPosition.start("ojlti")), "a-star")
    assert (found.nodes_expanded, found.nodes_generated) == (364_456, 6_377_967)
    assert (found.points, found.optimal) == (100, True)
    assert found.peak_bytes < 60_000_000


@pytest.mark.parametrize(
    "board", [HopelessBoard.random(12, 12, 9, seed=1), HopelessBoard.random(8, 20, 4, seed=1)], ids=["colours", "tall"]
)
@pytest.mark.parametrize("algorithm", ["a-star", "breadth-first"])
def test_states_of_many_colours_and_tall_boards_are_small(algorithm: str, board: HopelessBoard) -> None:
    """As words of 32 bits for 32 columns and 9 colours, a state would be 1,160 bytes; each generated node has one."""
    found = solve(HopelessProblem(board, scoring("samegame")), algorithm, SearchSettings(node_limit=10_000))
    assert found.peak_bytes < 116 * found.nodes_generated


@pytest.mark.parametrize(("columns", "rows", "colours"), [(4, 4, 9), (2, 18, 3), (20, 2, 6), (32, 1, 2), (1, 32, 5)])
def test_every_size_of_board_is_searched_alike(columns: int, rows: int, colours: int) -> None:
    """States are packed by size; ways to the same answer that keep none of them must agree."""
    problem = HopelessProblem(HopelessBoard.random(columns, rows, colours, seed=5), scoring("samegame"))
    limits = SearchSettings(node_limit=200_000)
    optimum = solve(problem, "best", limits)
    assert optimum.optimal
    for algorithm in ("a-star", "brute-force"):
        found = solve(problem, algorithm, limits)
        assert (found.points, found.optimal) == (optimum.points, True)
    assert solve(problem, "breadth-first", limits).moves == solve(problem, "iterative-deepening", limits).moves


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


def test_this_machine_says_how_much_memory_is_free() -> None:
    free = memory.free_bytes()
    assert free is not None
    assert 0 < free < 1 << 50


def test_the_greedy_way_out_is_labelled() -> None:
    stopped = solve(LARGE["hopeless"], "brute-force", SearchSettings(node_limit=5))
    assert (stopped.fallback, stopped.stopped_by) == (True, "nodes")
    assert stopped.points == solve(LARGE["hopeless"], "greedy").points
    assert stopped.as_json()["fallback"] is True
    for name, (problem, _) in PROBLEMS.items():
        assert not found_by(problem, "a-star").fallback, name


def test_a_goal_that_was_made_but_not_taken_is_the_searchs_own() -> None:
    problem = IstProblem(IstPosition.start("oj"))
    stopped = solve(problem, "a-star-goal-h", SearchSettings(node_limit=3))
    assert (stopped.stopped_by, stopped.fallback) == ("nodes", False)
    assert len(stopped.moves) == 2


def test_without_a_table_every_path_is_searched() -> None:
    problem = HopelessProblem(HopelessBoard.random(5, 5, 4, seed=1), scoring("hopeless"))
    for algorithm in ("brute-force", "breadth-first", "a-star"):
        table = solve(problem, algorithm, SearchSettings(skip_seen=True))
        every = solve(problem, algorithm, SearchSettings(skip_seen=False))
        assert table.points == every.points, algorithm
        assert every.nodes_generated >= table.nodes_generated
    small = HopelessProblem(HopelessBoard.random(4, 4, 4, seed=1), scoring("hopeless"))
    boards, paths = set[Position](), Counter[str]()
    _walk(small.position, boards, paths)
    for skip_seen, nodes in ((True, len(boards)), (False, paths["walked"])):
        assert solve(small, "brute-force", SearchSettings(skip_seen=skip_seen)).nodes_expanded == nodes
    assert len(boards) < paths["walked"]


def _walk(position: Position, boards: set[Position], paths: Counter[str]) -> None:
    """Meets every board that is not final by every way there, in plain Python."""
    if position.over:
        return
    boards.add(replace(position, score=0))  # type: ignore[type-var]
    paths["walked"] += 1
    for action in position.actions():
        _walk(position.apply(action), boards, paths)


@each_algorithm
@pytest.mark.parametrize("skip_seen", [True, False])
def test_a_table_that_is_no_choice_is_refused(algorithm: str, skip_seen: bool) -> None:
    problem, _ = PROBLEMS["hopeless"]
    table = algorithms()[algorithm].table
    if table == "optional" or skip_seen == (table == "always"):
        assert found_by(problem, algorithm, skip_seen=skip_seen).points is not None
    else:
        with pytest.raises(SettingError, match=f"{algorithm} .* states met before; the table is a choice of"):
            found_by(problem, algorithm, skip_seen=skip_seen)


@pytest.mark.parametrize("name", list(LARGE))
def test_best_does_without_what_needs_more_memory(name: str) -> None:
    """A proof or a beam that runs out of memory is given up; the nodes are then spent on what needs less."""
    found = solve(LARGE[name], "best", SearchSettings(memory_limit_bytes=3_000_000, node_limit=100_000))
    assert (found.stopped_by, found.nodes_expanded) == ("nodes", 100_000)
    assert found.peak_bytes <= 3_000_000


@each_algorithm
@pytest.mark.parametrize("name", list(LARGE))
def test_every_search_counts_its_memory(algorithm: str, name: str) -> None:
    assert solve(LARGE[name], algorithm, SearchSettings(node_limit=500)).peak_bytes > 0


@pytest.mark.parametrize("name", [*LARGE, "8-puzzle"])
def test_a_diverse_beam_keeps_few_children_of_each_parent(name: str) -> None:
    problem = LARGE[name] if name in LARGE else EightPuzzle((8, 6, 7, 2, 5, 4, 3, 0, 1))

    def largest_family(diversity: int | None) -> int:
        settings = SearchSettings(width=20, diversity=diversity, node_limit=400, trace=True)
        trace = solve(problem, "beam", settings).trace
        return max(Counter(node.parent for node in trace if node.parent is not None).values())

    assert largest_family(None) > 1
    assert largest_family(1) == 1
    assert largest_family(2) == 2


def test_a_beam_that_gave_up_children_proves_nothing() -> None:
    problem, optimum = PROBLEMS["hopeless"]
    everything = solve(problem, "beam", SearchSettings(width=100))
    assert (everything.points, everything.optimal) == (optimum, True)
    assert not solve(problem, "beam", SearchSettings(width=100, diversity=1)).optimal


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
def test_a_search_holds_what_it_says(problem: str, limit: int) -> None:
    """The process grows by what the search counts, give or take a tenth and its code's own needs."""
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, problem, str(limit)], capture_output=True, text=True, check=True
    )
    stopped_by, *sizes = done.stdout.split()
    peak, grew = map(int, sizes)
    assert stopped_by == "memory"
    assert limit / 2 < peak <= limit
    assert 0.8 * peak < grew < 1.1 * peak + (2 << 20)


@each_algorithm
@pytest.mark.parametrize("name", list(LARGE))
def test_the_same_seed_gives_the_same_solution(algorithm: str, name: str) -> None:
    first, second = (solve(LARGE[name], algorithm, SearchSettings(node_limit=2000, seed=3)) for _ in range(2))
    assert (first.moves, first.points, first.nodes_expanded) == (second.moves, second.points, second.nodes_expanded)


def test_a_problem_without_a_solution() -> None:
    parity = EightPuzzle((2, 1, 3, 4, 5, 6, 7, 8, 0))
    found = solve(parity, "breadth-first")
    assert (found.points, found.moves, found.stopped_by, found.optimal) == (None, (), "finished", False)
    assert found.nodes_expanded == 181_440  # half of 9!: what an even permutation can reach


def test_the_eight_puzzles_known_depth() -> None:
    """The hardest puzzles need 31 moves (Reinefeld 1993)."""
    found = solve(EightPuzzle((8, 6, 7, 2, 5, 4, 3, 0, 1)), "a-star")
    assert len(found.moves) == 31
    assert found.optimal


def test_errors_in_a_users_problem_reach_the_user() -> None:
    class Broken(Problem):
        def start(self) -> int:
            return 0

        def actions(self, state: int) -> list[int]:
            return [1 // state]

        def result(self, state: int, action: int) -> int:
            return state + action

        def is_goal(self, state: int) -> bool:
            return state > 3

    for algorithm in algorithms():
        with pytest.raises(ZeroDivisionError):
            solve(Broken(), algorithm)


class Ternary(Problem):
    """Numbers that grow by a ternary digit each step; the goals are what a test says."""

    def start(self) -> int:
        return 1

    def actions(self, state: int) -> Iterator[int]:  # noqa: ARG002
        yield from range(3)

    def result(self, state: int, action: int) -> int:
        return 3 * state + action

    def is_goal(self, state: int) -> bool:
        return state > 30

    def reward(self, state: int, action: int, result: int) -> float:  # noqa: ARG002
        return action


def test_a_users_problem_may_answer_in_numpys_types() -> None:
    class InNumpy(Ternary):
        def is_goal(self, state: int) -> bool:
            return np.bool_(state > 30)  # type: ignore[return-value]

        def reward(self, state: int, action: int, result: int) -> float:  # noqa: ARG002
            return np.int64(action)  # type: ignore[return-value]

    assert solve(InNumpy(), "brute-force").points == solve(Ternary(), "brute-force").points


@pytest.mark.parametrize("reward", [None, "3", float("nan"), float("inf"), float("-inf"), 1e300])
def test_a_reward_is_a_finite_number(reward: Any) -> None:
    class Odd(Ternary):
        def reward(self, state: int, action: int, result: int) -> float:  # noqa: ARG002
            return reward  # type: ignore[no-any-return]

    with pytest.raises(SettingError, match=re.escape(f"the problem's reward gave {reward!r}; it must give a number")):
        solve(Odd(), "a-star")


@each_algorithm
def test_the_time_limit_holds_where_every_step_is_slow(algorithm: str) -> None:
    class Slow(Ternary):
        def result(self, state: int, action: int) -> int:
            time.sleep(0.01)
            return super().result(state, action)

        def is_goal(self, state: int) -> bool:  # noqa: ARG002
            return False

    started = time.monotonic()
    found = solve(Slow(), algorithm, SearchSettings(time_limit_s=0.05))
    assert (found.points, found.stopped_by) == (None, "time")
    assert time.monotonic() - started < 10  # 1.1 s on a free core; 2,000 nodes of the way out would be a minute


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Interrupts are heard, also where a shell that started the tests in the background has them ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@each_algorithm
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_in_the_problems_own_code_is_a_limit(algorithm: str) -> None:
    class Interrupted(Ternary):
        calls = 0

        def actions(self, state: int) -> Iterator[int]:
            yield from super().actions(state)
            self.calls += 1
            if self.calls == 3:
                signal.raise_signal(signal.SIGINT)

    found = solve(Interrupted(), algorithm)
    assert found.stopped_by == "interrupt"
    assert found.points is not None


@each_algorithm
@pytest.mark.parametrize("is_goal", [True, False])
def test_a_start_without_moves_ends_every_search(algorithm: str, is_goal: bool) -> None:
    class Stuck(Ternary):
        def actions(self, state: int) -> Iterator[int]:  # noqa: ARG002
            return iter(())

        def is_goal(self, state: int) -> bool:  # noqa: ARG002
            return is_goal

    found = solve(Stuck(), algorithm, SearchSettings(time_limit_s=60))
    assert (found.points, found.stopped_by) == (0 if is_goal else None, "finished")


def test_a_long_way_to_the_goal_needs_no_deep_stack() -> None:
    class Chain(Problem):
        admissible = acyclic = unit_cost = True

        def start(self) -> int:
            return 0

        def actions(self, state: int) -> list[int]:  # noqa: ARG002
            return [1]

        def result(self, state: int, action: int) -> int:
            return state + action

        def is_goal(self, state: int) -> bool:
            return state == 60_000

    found = solve(Chain(), "best")
    assert (found.points, found.optimal) == (-60_000, True)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"time_limit_s": 0}, "time limit of 0"),
        ({"time_limit_s": float("nan")}, "time limit of nan"),
        ({"node_limit": 0}, "node limit of 0"),
        ({"memory_limit_bytes": 0}, "memory limit of 0"),
        ({"node_limit": -3}, "node limit of -3"),
        ({"width": 0}, "width of 0"),
        ({"diversity": 0}, "diversity of 0"),
        ({"level": 9}, "level 9"),
        ({"ties": "nope"}, "unknown tie rule 'nope'"),
        ({"seed": -1}, "seed -1"),
    ],
)
def test_bad_settings(options: dict[str, Any], part: str) -> None:
    with pytest.raises(BlockfallError, match=part):
        SearchSettings(**options)


def test_unknown_algorithm() -> None:
    with pytest.raises(BlockfallError, match="unknown algorithm 'magic'; known: depth-first"):
        solve(LARGE["hopeless"], "magic")
