"""Algorithms and problems in a student's file: in Python, on the command line, in traces, listings and studies."""

import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import blockfall
from blockfall.errors import BlockfallError, SettingError
from blockfall.games import IstPosition
from blockfall.search import (
    IstProblem,
    SearchSettings,
    TracedSearch,
    algorithms,
    core_algorithms,
    find_algorithm,
    solve,
)
from tests import ROOT
from tests.program import output_of, refusal
from tests.registries import restored
from tests.searched import LARGE, PROBLEMS, EightPuzzle

OWN = ROOT / "tests" / "data" / "own_search.py"
BREADTH_FIRST = f"{OWN}:breadth_first"


@pytest.fixture
def registries() -> Iterator[None]:
    with restored():
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(OWN, tmp_path / "mine.py")
    (tmp_path / "board.txt").write_text("12.\n112\n221\n")
    return tmp_path


@pytest.mark.parametrize("name", list(PROBLEMS))
def test_a_students_breadth_first_is_as_short_as_ours(name: str) -> None:
    problem, optimum = PROBLEMS[name]
    mine, ours = solve(problem, BREADTH_FIRST), solve(problem, "breadth-first")
    assert len(mine.moves) == len(ours.moves)
    assert mine.points == problem.replay(mine.moves)
    assert mine.points is not None
    assert mine.points <= optimum
    assert (mine.stopped_by, mine.fallback, mine.optimal) == ("finished", False, False)
    assert mine.nodes_expanded > 0
    assert mine.nodes_generated >= mine.nodes_expanded


def test_nodes_are_counted_as_ours_are() -> None:
    puzzle = EightPuzzle((8, 1, 3, 4, 0, 2, 7, 6, 5))
    mine, ours = solve(puzzle, BREADTH_FIRST), solve(puzzle, "breadth-first")
    assert (mine.nodes_expanded, mine.nodes_generated) == (ours.nodes_expanded, ours.nodes_generated)


def test_limits_hold_and_the_fallback_is_labelled() -> None:
    for settings, by in (
        (SearchSettings(node_limit=20), "nodes"),
        (SearchSettings(time_limit_s=0.2), "time"),
        (SearchSettings(memory_limit_bytes=1_000_000), "memory"),
    ):
        found = solve(LARGE["samegame"], BREADTH_FIRST, settings)
        assert found.stopped_by == by
        assert found.fallback
        assert found.points == LARGE["samegame"].replay(found.moves)
    assert solve(LARGE["samegame"], BREADTH_FIRST, SearchSettings(node_limit=20)).nodes_expanded == 20


@pytest.mark.parametrize("name", ["never_asks", "yields_for_ever"])
def test_an_algorithm_that_never_asks_the_problem_is_stopped(name: str) -> None:
    """It is stopped in the main thread and in another one, as in the app."""
    limit = SearchSettings(time_limit_s=0.3)
    with ThreadPoolExecutor(1) as thread:
        for run in (solve, lambda *given: thread.submit(solve, *given).result(timeout=60)):
            found = run(PROBLEMS["hopeless"][0], f"{OWN}:{name}", limit)
            assert (found.stopped_by, found.fallback, found.nodes_expanded) == ("time", True, 0)
            assert 0.3 <= found.seconds < 10
        assert thread.submit(len, "still there").result(timeout=60) == 11, "nothing is raised afterwards"


def test_an_algorithm_that_never_asks_the_problem_cannot_fill_the_memory() -> None:
    found = solve(PROBLEMS["hopeless"][0], f"{OWN}:hoards", SearchSettings(memory_limit_bytes=200_000_000))
    assert (found.stopped_by, found.fallback) == ("memory", True)
    assert found.peak_bytes < 2_000_000_000


def test_solve_stops_an_algorithm_that_never_asks_the_problem(folder: Path) -> None:
    began = time.monotonic()
    done = output_of(
        "solve", "--board", "board.txt", "--algorithm", "mine.py:never_asks", "--time-limit", "1", cwd=folder
    )
    assert "(stopped by time)" in done
    assert "the greedy fallback, because a limit stopped the search" in done
    assert time.monotonic() - began < 30


def test_an_algorithm_may_yield_better_and_better_solutions() -> None:
    found = solve(LARGE["hopeless"], f"{OWN}:better_and_better", SearchSettings(node_limit=3000))
    points = [one.points for one in found.improvements]
    assert points == sorted(set(points))
    assert found.points == points[-1]
    assert (found.stopped_by, found.fallback) == ("nodes", False)


def test_the_trace_of_a_students_search() -> None:
    problem, _ = PROBLEMS["hopeless"]
    traced = TracedSearch.run(problem, BREADTH_FIRST)
    assert len(traced) == traced.solution.nodes_expanded
    assert traced.solution.trace[0].parent is None
    for step, node in enumerate(traced.solution.trace):
        moment = traced.at(step)
        assert moment.path is not None
        assert len(moment.path) == node.depth
        assert moment.points == node.g
        assert moment.open is None


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("gives_a_number", "returned 42; it must return a list of actions, or None"),
        ("cheats", "move 1 of 3, 31,31, cannot be made there"),
        ("stops_early", "its 0 moves do not lead to a goal"),
        ("nothing", "has no nothing; it defines Needs, Stairs, Wrong"),
        ("not_a_problem", "is not a function"),
    ],
)
def test_a_wrong_solution_is_a_one_line_error(name: str, part: str) -> None:
    with pytest.raises(BlockfallError, match=part):
        solve(PROBLEMS["hopeless"][0], f"{OWN}:{name}")


def test_an_algorithm_may_return_none() -> None:
    found = solve(PROBLEMS["hopeless"][0], f"{OWN}:gives_up")
    assert (found.points, found.moves, found.stopped_by) == (None, (), "finished")


@pytest.mark.usefixtures("registries")
def test_a_registered_algorithm_is_listed_beside_ours() -> None:
    @blockfall.register_algorithm
    def always_first(problem: Any) -> list[Any]:
        """Choose the first action every time."""
        state, moves = problem.start(), []
        while not problem.is_goal(state):
            moves.append(problem.actions(state)[0])
            state = problem.result(state, moves[-1])
        return moves

    assert algorithms()["always-first"].title == "Choose the first action every time."
    assert "always-first" not in core_algorithms()
    assert solve(PROBLEMS["hopeless"][0], "always-first").points is not None
    with pytest.raises(SettingError, match="belongs to an algorithm of Blockfall"):

        @blockfall.register_algorithm
        def beam(problem: Any) -> None: ...


def test_ist2015_in_plain_python_is_the_cores_problem() -> None:
    """Rewards and heuristics of the Python form agree with the trace of the core's search."""
    for heuristic in (None, "ist-h3", "qualidade", "lines", "max-height"):
        for cost in ("custo-oportunidade", "qualidade"):
            problem = IstProblem(IstPosition.start("ojl", "########..\n########.."), cost, heuristic)
            plain = problem.plain()
            traced = TracedSearch.run(problem, "a-star", SearchSettings(node_limit=60))
            for step, node in enumerate(traced.solution.trace):
                state: Any = plain.start()
                earned = 0.0
                for action in traced.at(step).path or ():
                    result = plain.result(state, action)
                    earned += plain.reward(state, action, result)
                    state = result
                assert earned == -node.g
                assert plain.heuristic(state) == pytest.approx(-node.h, abs=1e-9), (heuristic, cost)


def test_solve_with_a_function_of_the_students(folder: Path) -> None:
    done = output_of("solve", "--board", "board.txt", "--algorithm", "mine.py:breadth_first", "--json", cwd=folder)
    found = json.loads(done)
    assert (found["algorithm"], found["stopped_by"]) == ("mine.py:breadth_first", "finished")
    assert found["points"] > 0


def test_solve_with_a_problem_of_the_students(folder: Path) -> None:
    for algorithm in ("breadth-first", "a-star", "ida-star", "beam", "best", "mine.py:breadth_first"):
        done = output_of("solve", "--problem", "mine.py:Stairs", "--algorithm", algorithm, "--json", cwd=folder)
        assert len(json.loads(done)["moves"]) == 16
    needs = ("--problem", "mine.py:Needs", "--set", "steps=14")
    assert "Moves (actions):  7 7" in output_of("solve", *needs, "--algorithm", "a-star", "--show", cwd=folder)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--board", "board.txt", "--algorithm", "mine.py:divides_by_zero"], "mine.py, line 65: ZeroDivisionError"),
        (["--board", "board.txt", "--algorithm", "mine.py:cheats"], "cannot be made there"),
        (["--board", "board.txt", "--algorithm", "other.py:x"], "plugin other.py: no such file"),
        (["--board", "board.txt", "--algorithm", "mine.py:"], "it must be FILE.py:NAME"),
        (["--problem", "mine.py:Nothing"], "mine.py has no Nothing; it defines Needs, Stairs"),
        (["--problem", "mine.py:not_a_problem"], "is not a problem"),
        (["--problem", "mine.py:Needs"], "--set NAME=VALUE gives what it needs"),
        (["--problem", "mine.py:Stairs", "--game", "hopeless"], "with --game; give one of them"),
        (["--problem", "mine.py:Stairs", "--algorithm", "bidirectional"], "needs moves that can be undone"),
        (["--problem", "broken.py:Stairs"], "plugin broken.py, line 1: SyntaxError"),
        (["--board", "board.txt", "--algorithm", "a-star", "--weight", "-1"], "a weight of -1"),
    ],
)
def test_errors_are_reported_in_one_line(arguments: list[str], part: str, folder: Path) -> None:
    (folder / "broken.py").write_text("def :\n")
    before = sorted(folder.iterdir())
    assert part in refusal("solve", *arguments, "--trace", "trace.jsonl", "--json", cwd=folder)
    assert [one for one in sorted(folder.iterdir()) if one.name != "__pycache__"] == before


def test_find_algorithm_reads_a_functions_docstring() -> None:
    one = find_algorithm(BREADTH_FIRST)
    assert one.title == "The fewest moves, as in the textbook."
    assert one.function


def test_the_studies_take_a_students_algorithm(folder: Path) -> None:
    words = ("study", "feup2016", "--boards", "3", "--algorithms", "greedy,mine.py:breadth_first", "--out", "feup")
    rows = {row["name"]: row for row in json.loads(output_of(*words, "--json", cwd=folder))["rows"]}
    assert set(rows) == {"greedy", "mine.py:breadth_first"}
    assert rows["mine.py:breadth_first"]["verdict"] == "not comparable"
    words = ("study", "ist2015", "--pieces", "o", "--algorithm", "mine.py:breadth_first", "--out", "ist")
    done = output_of(*words, "--json", cwd=folder)
    assert "own/empty/1" in (folder / "ist" / "report.json").read_text() or "own" in done
