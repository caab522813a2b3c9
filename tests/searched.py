"""The problems and algorithms of the tests of searches."""

import runpy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from blockfall.games import HopelessBoard, IstPosition
from blockfall.games.hopeless import scoring, scorings
from blockfall.search import (
    HopelessProblem,
    IstProblem,
    Problem,
    Searchable,
    SearchSettings,
    Solution,
    core_algorithms,
    solve,
)
from tests import ROOT

EXAMPLE_FILE = ROOT / "examples" / "eight_puzzle.py"
EightPuzzle: Callable[[tuple[int, ...]], Problem] = runpy.run_path(str(EXAMPLE_FILE))["EightPuzzle"]

# Each problem with its optimum, which plain Python found for Hopeless and ist2015 (test_hopeless, test_ist_tetris).
PROBLEMS: dict[str, tuple[Searchable, float]] = {
    "hopeless": (HopelessProblem(HopelessBoard.from_text("12.\n112\n221"), scoring("hopeless")), 16 + 36),
    "samegame": (HopelessProblem(HopelessBoard.from_text("22.\n112\n111"), scoring("samegame")), 9 + 1 + 1000),
    "ist-tetris": (IstProblem(IstPosition.start("io", "########..\n########..")), 300),
    "8-puzzle": (EightPuzzle((1, 2, 3, 4, 5, 6, 0, 7, 8)), -2),
}
LARGE: dict[str, Searchable] = {
    **{
        one.name: HopelessProblem(HopelessBoard.random(one.columns, one.rows, one.colours, seed=1), one)
        for one in scorings().values()
    },
    "ist-tetris": IstProblem(IstPosition.start("ojltiszojlt")),
}
EXACT = {"brute-force", "a-star", "ida-star", "rbfs", "best"}
QUICK = {"depth-first", "greedy", "maxmin", "greedy-best-first"}  # they end before any limit
PLAYOUTS = {name for name, one in core_algorithms().items() if one.promise == "better solutions the longer it runs"}
"""They continue until a limit stops them."""
KEEP_OPEN = {name for name, one in core_algorithms().items() if one.skip_seen == "optional"}

ALGORITHMS = [name for name, one in core_algorithms().items() if not one.undoes]
"""The algorithms that can search any problem."""
PAIRS = [
    (name, problem)
    for name, one in core_algorithms().items()
    for problem, (searched, _) in PROBLEMS.items()
    if searched.undoes or not one.undoes
]
each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)
each_pair = pytest.mark.parametrize(("algorithm", "name"), PAIRS)


def found_by(problem: Searchable, algorithm: str, **options: Any) -> Solution:
    if algorithm in PLAYOUTS:
        options = {"level": 1, "node_limit": 2000, **options}
    return solve(problem, algorithm, SearchSettings(**options))


class Ternary(Problem):
    """Numbers that grow by a ternary digit in each step."""

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


class Chain(Problem):
    """One way of steps, longer than the machine's stack would bear as calls."""

    length = 60_000
    admissible = acyclic = unit_cost = True

    def start(self) -> int:
        return 0

    def actions(self, state: int) -> list[int]:  # noqa: ARG002
        return [1]

    def result(self, state: int, action: int) -> int:
        return state + action

    def is_goal(self, state: int) -> bool:
        return state == self.length
