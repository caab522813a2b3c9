"""The algorithms that courses teach, each compared with its promise by references in plain Python."""

import heapq
import random
from collections.abc import Iterator

import pytest

from blockfall.errors import SettingError
from blockfall.games import HopelessBoard, scoring
from blockfall.search import HopelessProblem, Problem, SearchSettings, solve
from tests.searched import LARGE, Chain, EightPuzzle

Cell = tuple[int, int]
MOVES = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}


class Hills(Problem):
    """A walk over a field from corner to corner, where a step costs the height of the cell that it leads to."""

    admissible = costs_only = True
    size = 12

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        self.height = {(x, y): draw.randint(1, 9) for x in range(self.size) for y in range(self.size)}

    def start(self) -> Cell:
        return (0, 0)

    def actions(self, state: Cell) -> list[str]:
        return [name for name, (x, y) in MOVES.items() if (state[0] + x, state[1] + y) in self.height]

    def result(self, state: Cell, action: str) -> Cell:
        return (state[0] + MOVES[action][0], state[1] + MOVES[action][1])

    def is_goal(self, state: Cell) -> bool:
        return state == (self.size - 1, self.size - 1)

    def reward(self, state: Cell, action: str, result: Cell) -> float:  # noqa: ARG002
        return -self.height[result]

    def heuristic(self, state: Cell) -> float:
        return state[0] + state[1] - 2 * (self.size - 1)  # every height is at least 1

    def goals(self) -> list[Cell]:
        return [(self.size - 1, self.size - 1)]

    def before(self, state: Cell) -> Iterator[tuple[Cell, str]]:
        for name, (x, y) in MOVES.items():
            if (state[0] - x, state[1] - y) in self.height:
                yield (state[0] - x, state[1] - y), name


def dijkstra(hills: Hills) -> float:
    """Return the least cost, found by a plain loop."""
    done, waiting = set[Cell](), [(0.0, hills.start())]
    while waiting:
        cost, cell = heapq.heappop(waiting)
        if hills.is_goal(cell):
            return cost
        if cell in done:
            continue
        done.add(cell)
        for action in hills.actions(cell):
            to = hills.result(cell, action)
            heapq.heappush(waiting, (cost + hills.height[to], to))
    raise AssertionError("the field has a way")


@pytest.mark.parametrize("seed", range(5))
def test_exact_algorithms_agree_with_dijkstra(seed: int) -> None:
    hills = Hills(seed)
    least = dijkstra(hills)
    for algorithm in ("uniform-cost", "a-star", "bidirectional", "best"):
        found = solve(hills, algorithm)
        assert (found.points, found.optimal) == (-least, True), algorithm


@pytest.mark.parametrize("seed", range(3))
def test_algorithms_of_little_memory_agree_with_dijkstra(seed: int) -> None:
    class Small(Hills):
        size = 5

    hills = Small(seed)
    for algorithm in ("ida-star", "rbfs"):
        found = solve(hills, algorithm)
        assert (found.points, found.optimal) == (-dijkstra(hills), True), algorithm


@pytest.mark.parametrize("weight", [1.0, 1.5, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_weighted_a_star_pays_at_most_w_times_the_least_cost(seed: int, weight: float) -> None:
    hills = Hills(seed)
    found = solve(hills, "weighted-a-star", SearchSettings(weight=weight))
    assert found.points is not None
    assert -found.points <= weight * dijkstra(hills)
    if weight == 1:
        assert found.nodes_expanded == solve(hills, "a-star").nodes_expanded


def test_a_larger_weight_expands_fewer_nodes() -> None:
    puzzle = EightPuzzle((8, 6, 7, 2, 5, 4, 3, 0, 1))
    nodes = [
        solve(puzzle, "weighted-a-star", SearchSettings(weight=weight)).nodes_expanded for weight in (1.0, 1.5, 3.0)
    ]
    assert nodes == sorted(nodes, reverse=True)
    assert solve(puzzle, "greedy-best-first").nodes_expanded < nodes[0]


def test_ida_star_and_rbfs_need_memory_for_one_branch_only() -> None:
    puzzle = EightPuzzle((8, 6, 7, 2, 5, 4, 3, 0, 1))
    a_star = solve(puzzle, "a-star")
    for algorithm in ("ida-star", "rbfs"):
        found = solve(puzzle, algorithm)
        assert (found.points, found.optimal) == (-31, True)
        assert found.peak_bytes < a_star.peak_bytes / 100


def test_bidirectional_expands_far_fewer_nodes_than_breadth_first() -> None:
    puzzle = EightPuzzle((8, 6, 7, 2, 5, 4, 3, 0, 1))
    both, one = solve(puzzle, "bidirectional"), solve(puzzle, "breadth-first")
    assert (both.points, both.optimal) == (one.points, True)
    assert both.nodes_expanded < one.nodes_expanded / 5


def test_bidirectional_needs_moves_that_can_be_undone() -> None:
    for problem in LARGE.values():
        with pytest.raises(SettingError, match="bidirectional needs moves that can be undone"):
            solve(problem, "bidirectional")


def test_bidirectional_reports_that_there_is_no_solution() -> None:
    found = solve(EightPuzzle((2, 1, 3, 4, 5, 6, 7, 8, 0)), "bidirectional", SearchSettings(node_limit=400_000))
    assert (found.points, found.stopped_by) == (None, "finished")


@pytest.mark.parametrize("algorithm", ["uct", "tabu", "hill-climbing"])
def test_local_searches_and_uct_find_the_optimum_of_a_small_board(algorithm: str) -> None:
    problem = HopelessProblem(HopelessBoard.random(5, 5, 4, seed=1), scoring("hopeless"))
    found = solve(problem, algorithm, SearchSettings(node_limit=20_000))
    assert found.points == solve(problem, "brute-force").points


@pytest.mark.parametrize("algorithm", ["uct", "tabu", "hill-climbing"])
def test_local_searches_and_uct_improve_the_longer_they_run(algorithm: str) -> None:
    found = solve(LARGE["hopeless"], algorithm, SearchSettings(node_limit=200_000))
    points = [one.points for one in found.improvements]
    assert points == sorted(set(points))
    assert len(points) > 3
    assert found.improvements[-1].nodes_expanded > 1000
    assert points[-1] == found.points


def test_uct_ends_when_every_sequence_was_played() -> None:
    problem = HopelessProblem(HopelessBoard.from_text("12.\n112\n221"), scoring("hopeless"))
    found = solve(problem, "uct")
    assert found.stopped_by == "finished"
    assert found.points == 16 + 36


@pytest.mark.parametrize("algorithm", ["ida-star", "rbfs", "a-star", "greedy-best-first", "uniform-cost"])
def test_a_branch_longer_than_the_machines_stack(algorithm: str) -> None:
    class Guided(Chain):
        def heuristic(self, state: int) -> float:
            return state - self.length

    found = solve(Guided(), algorithm)
    assert (found.points, len(found.moves)) == (-60_000, 60_000)


def test_a_heuristic_may_mark_dead_ends() -> None:
    """Minus infinity marks a dead end. A weight of 0, and products with infinity, do no harm."""

    class Ends(Hills):
        size = 4

        def heuristic(self, state: Cell) -> float:
            return float("-inf") if state == (3, 0) else super().heuristic(state)

    least = dijkstra(Ends(1))
    for algorithm in ("a-star", "ida-star", "rbfs", "weighted-a-star", "greedy-best-first", "uniform-cost"):
        found = solve(Ends(1), algorithm, SearchSettings(node_limit=100_000))
        assert found.points is not None
        if algorithm in ("a-star", "ida-star", "rbfs", "uniform-cost"):
            assert found.points == -least
