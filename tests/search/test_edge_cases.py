"""Edge cases of searches: claims that are contradicted, options kept or refused, true traces."""

import json
from pathlib import Path
from typing import Any

import pytest

from blockfall.games import HopelessBoard, IstPosition, scoring
from blockfall.search import (
    HopelessProblem,
    IstProblem,
    Problem,
    SearchSettings,
    TracedSearch,
    algorithms,
    core_algorithms,
    solve,
)
from tests.searched import KEEP_OPEN, PROBLEMS, EightPuzzle, found_by

HARD = (8, 6, 7, 2, 5, 4, 3, 0, 1)  # 31 moves, as many as any puzzle needs (Reinefeld 1993)


def without_heuristic(tiles: tuple[int, ...]) -> Problem:
    puzzle = EightPuzzle(tiles)
    puzzle.admissible = False
    puzzle.heuristic = lambda state: 0.0  # type: ignore[method-assign]  # noqa: ARG005
    return puzzle


def test_best_honours_unit_cost() -> None:
    found = solve(without_heuristic(HARD), "best", SearchSettings(time_limit_s=60))
    assert (found.points, found.optimal, found.stopped_by) == (-31, True, "finished")


def test_best_gives_a_solution_where_the_proof_is_too_far() -> None:
    found = solve(EightPuzzle(HARD), "best", SearchSettings(node_limit=4000))
    assert found.points is not None
    assert not found.fallback
    assert not found.optimal


@pytest.mark.parametrize("algorithm", ["a-star", "ida-star", "rbfs", "best"])
def test_a_proof_that_the_heuristic_contradicts_is_not_claimed(algorithm: str) -> None:
    """Three times the distance claims that the start needs more than the solution costs."""
    puzzle = EightPuzzle((8, 1, 3, 4, 0, 2, 7, 6, 5))
    true = type(puzzle).heuristic
    puzzle.heuristic = lambda state: 3 * true(puzzle, state)  # type: ignore[method-assign]
    found = solve(puzzle, algorithm, SearchSettings(node_limit=100_000))
    assert found.points is not None
    assert not found.optimal
    assert solve(EightPuzzle((8, 1, 3, 4, 0, 2, 7, 6, 5)), algorithm).optimal


class Toll(Problem):
    """A way from 0 to 3: by one costly step, or by three cheap ones."""

    def start(self) -> int:
        return 0

    def actions(self, state: int) -> list[str]:
        return ["ferry", "walk"] if state == 0 else ["walk"]

    def result(self, state: int, action: str) -> int:
        return 3 if action == "ferry" else state + 1

    def is_goal(self, state: int) -> bool:
        return state == 3

    def reward(self, state: int, action: str, result: int) -> float:  # noqa: ARG002
        return -10 if action == "ferry" else -1


@pytest.mark.parametrize("algorithm", ["breadth-first", "iterative-deepening"])
def test_unequal_costs_contradict_unit_cost(algorithm: str) -> None:
    """The path over 1 and 2 to a far goal has steps of two prices."""

    class Mixed(Toll):
        unit_cost = True

        def actions(self, state: int) -> list[str]:
            return ["ferry"] if state == 1 else ["walk"]

        def result(self, state: int, action: str) -> int:
            return 3 if action == "ferry" else state + 1

    found = solve(Mixed(), algorithm)
    assert (found.points, found.optimal) == (-11, False)


def test_a_step_that_earns_contradicts_costs_only() -> None:
    class Gift(Toll):
        costs_only = True

        def reward(self, state: int, action: str, result: int) -> float:  # noqa: ARG002
            return 5 if action == "ferry" else -1

    assert not solve(Gift(), "uniform-cost").optimal


OPTIONAL = [name for name, one in core_algorithms().items() if one.skip_seen == "optional"]


@pytest.mark.parametrize("algorithm", OPTIONAL)
def test_without_skipping_seen_states_a_search_meets_them_again(algorithm: str) -> None:
    """Two of the three pairs may go in either order and leave the same board."""
    problem = HopelessProblem(HopelessBoard.from_text("11422533"), scoring("hopeless"))
    nodes = [found_by(problem, algorithm, skip_seen=seen).nodes_expanded for seen in (True, False)]
    straight = {"depth-first", "greedy", "maxmin"}  # they go straight to the first goal and meet no state twice
    assert nodes[0] <= nodes[1]
    if algorithm in {"breadth-first", "brute-force"}:
        assert nodes[0] < nodes[1]
    elif algorithm in straight:
        assert nodes[0] == nodes[1]


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(row) for row in path.read_text().splitlines()]


@pytest.mark.parametrize("name", list(PROBLEMS))
@pytest.mark.parametrize("algorithm", sorted(KEEP_OPEN))
def test_a_trace_holds_states_and_the_real_open_list(algorithm: str, name: str, tmp_path: Path) -> None:
    problem, _ = PROBLEMS[name]
    traced = TracedSearch.run(problem, algorithm, SearchSettings(node_limit=300))
    traced.write(tmp_path / "trace.jsonl")
    rows = rows_of(tmp_path / "trace.jsonl")
    plain = problem.plain()
    states: dict[int, Any] = {}
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        states[row["node"]] = (
            plain.start() if row["parent"] is None else plain.result(states[row["parent"]], _action(row["action"]))
        )
        assert row["state"] == plain.text(states[row["node"]])
        assert len(row["open"]) == min(20, row["open_count"])
        assert len(set(row["open"])) == len(row["open"])
        if following:
            assert row["open"][0] == following["node"]


def _action(action: Any) -> Any:
    return tuple(action) if isinstance(action, list) else action


def test_the_order_of_the_open_list_by_hand(tmp_path: Path) -> None:
    """There are three pairs in a row, 1 2 3 from the left: the root's children are nodes 1, 2 and 3."""
    problem = HopelessProblem(HopelessBoard.from_text("11422533"), scoring("hopeless"))
    lists = {}
    for algorithm in ("breadth-first", "depth-first"):
        TracedSearch.run(problem, algorithm).write(tmp_path / "trace.jsonl")
        lists[algorithm] = [row["open"] for row in rows_of(tmp_path / "trace.jsonl")]
    assert lists["breadth-first"][:2] == [[1, 2, 3], [2, 3, 4, 5]]
    assert lists["depth-first"][:2] == [[1, 2, 3], [4, 5, 2, 3]]


def test_ties_of_a_star_are_in_the_open_lists_order(tmp_path: Path) -> None:
    """ist2015 takes the last of equals; without a heuristic all first placements of the O cost the same."""
    problem = IstProblem(IstPosition.start("oj"))
    for ties, order in (("first", [1, 2, 3]), ("last", [9, 8, 7])):
        TracedSearch.run(problem, "a-star", SearchSettings(ties=ties, node_limit=3)).write(tmp_path / "trace.jsonl")
        assert rows_of(tmp_path / "trace.jsonl")[0]["open"][:3] == order


def test_every_algorithm_says_what_it_promises() -> None:
    for one in algorithms().values():
        assert one.textbook
        assert one.promise
