"""The contract of every algorithm with every problem: confirmed solutions, honest counts, and a true trace."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from blockfall.errors import BlockfallError, SettingError
from blockfall.games import HopelessBoard, IstPosition, Position, scoring
from blockfall.search import HopelessProblem, IstProblem, SearchSettings, algorithms, solve
from tests.searched import (
    EXACT,
    KEEP_OPEN,
    LARGE,
    PROBLEMS,
    EightPuzzle,
    each_algorithm,
    each_pair,
    found_by,
)


@each_pair
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


@each_pair
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


@each_pair
def test_every_expanded_node_was_opened_before(algorithm: str, name: str) -> None:
    problem, _ = PROBLEMS[name]
    found = solve(problem, algorithm, SearchSettings(trace=True, node_limit=2000))
    if algorithm != "best":  # `best` is A* on problems with cycles
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


@pytest.mark.parametrize(("columns", "rows", "colours"), [(4, 4, 9), (2, 18, 3), (20, 2, 6), (32, 1, 2), (1, 32, 5)])
def test_every_size_of_board_is_searched_alike(columns: int, rows: int, colours: int) -> None:
    """States are packed by size; algorithms that keep no states must find the same answers."""
    problem = HopelessProblem(HopelessBoard.random(columns, rows, colours, seed=5), scoring("samegame"))
    limits = SearchSettings(node_limit=200_000)
    optimum = solve(problem, "best", limits)
    assert optimum.optimal
    for algorithm in ("a-star", "brute-force"):
        found = solve(problem, algorithm, limits)
        assert (found.points, found.optimal) == (optimum.points, True)
    assert solve(problem, "breadth-first", limits).moves == solve(problem, "iterative-deepening", limits).moves


def test_the_fallback_is_labelled() -> None:
    stopped = solve(LARGE["hopeless"], "brute-force", SearchSettings(node_limit=5))
    assert (stopped.fallback, stopped.stopped_by) == (True, "nodes")
    assert stopped.points == solve(LARGE["hopeless"], "greedy").points
    assert stopped.as_json()["fallback"] is True
    for name, (problem, _) in PROBLEMS.items():
        assert not found_by(problem, "a-star").fallback, name


def test_a_generated_goal_is_not_a_fallback() -> None:
    problem = IstProblem(IstPosition.start("oj"))
    stopped = solve(problem, "a-star-goal-h", SearchSettings(node_limit=3))
    assert (stopped.stopped_by, stopped.fallback) == ("nodes", False)
    assert len(stopped.moves) == 2


def test_without_skipping_seen_states_every_path_is_searched() -> None:
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
    """Visit every board that is not final, once for each path, in plain Python."""
    if position.over:
        return
    boards.add(replace(position, score=0))  # type: ignore[type-var]
    paths["walked"] += 1
    for action in position.actions():
        _walk(position.apply(action), boards, paths)


@each_algorithm
@pytest.mark.parametrize("skip_seen", [True, False])
def test_an_option_that_an_algorithm_does_not_have_is_refused(algorithm: str, skip_seen: bool) -> None:
    problem, _ = PROBLEMS["hopeless"]
    offered = algorithms()[algorithm].skip_seen
    if offered == "optional" or skip_seen == (offered == "always"):
        assert found_by(problem, algorithm, skip_seen=skip_seen).points is not None
    else:
        with pytest.raises(SettingError, match=f"{algorithm} .* skips seen states; you can choose for"):
            found_by(problem, algorithm, skip_seen=skip_seen)


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


def test_a_beam_that_dropped_children_proves_nothing() -> None:
    problem, optimum = PROBLEMS["hopeless"]
    everything = solve(problem, "beam", SearchSettings(width=100))
    assert (everything.points, everything.optimal) == (optimum, True)
    assert not solve(problem, "beam", SearchSettings(width=100, diversity=1)).optimal


@each_algorithm
@pytest.mark.parametrize("name", list(LARGE))
def test_the_same_seed_gives_the_same_solution(algorithm: str, name: str) -> None:
    first, second = (solve(LARGE[name], algorithm, SearchSettings(node_limit=2000, seed=3)) for _ in range(2))
    assert (first.moves, first.points, first.nodes_expanded) == (second.moves, second.points, second.nodes_expanded)


def test_a_problem_without_a_solution() -> None:
    parity = EightPuzzle((2, 1, 3, 4, 5, 6, 7, 8, 0))
    found = solve(parity, "breadth-first")
    assert (found.points, found.moves, found.stopped_by, found.optimal) == (None, (), "finished", False)
    assert found.nodes_expanded == 181_440  # half of 9!: the states that an even permutation can reach


def test_the_eight_puzzles_known_depth() -> None:
    """The hardest puzzles need 31 moves (Reinefeld 1993)."""
    found = solve(EightPuzzle((8, 6, 7, 2, 5, 4, 3, 0, 1)), "a-star")
    assert len(found.moves) == 31
    assert found.optimal


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
    with pytest.raises(BlockfallError, match="unknown algorithm 'magic'; the nearest of"):
        solve(LARGE["hopeless"], "magic")
