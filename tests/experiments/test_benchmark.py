"""The benchmark suite: fixed tasks, one JSON object per result, and the leaderboard made of them."""

import json
from pathlib import Path

import pytest

import blockfall
from blockfall.errors import BlockfallError
from blockfall.experiments.benchmark import _chosen, tasks
from tests import ROOT
from tests.program import output_of

SHIPPED = sorted((ROOT / "docs" / "data" / "benchmark").glob("*.json"))


def test_there_are_about_ten_tasks_and_each_can_be_played() -> None:
    assert 8 <= len(tasks()) <= 12
    assert len({task.name for task in tasks()}) == len(tasks())
    for task in tasks():
        assert task.budgets["quick"]["games"] <= task.budgets["full"]["games"]
        if not task.of_search:
            assert blockfall.rules(task.rules)


def test_the_command_prints_the_contracts_fields(tmp_path: Path) -> None:
    command = ["benchmark", "--agent", "lee", "--tasks", "no-rotation", "--json", "--out", str(tmp_path / "lee.json")]
    found = json.loads(output_of(*command))
    (task,) = found["tasks"]
    assert {"name", "rules", "games", "mean", "sem", "seconds", "best_published"} <= set(task)
    assert (task["name"], task["rules"], task["games"]) == ("no-rotation", "nes-no-rotation", 2000)
    assert json.loads((tmp_path / "lee.json").read_text()) == found


def test_a_task_is_what_evaluate_plays() -> None:
    (task,) = blockfall.benchmark("lee", ["ten"]).tasks
    played = blockfall.evaluate(rules="standard-10x10", agent="lee", games=100, seed=2024).summary()
    assert (task.mean, task.sem, task.decisions) == (played.mean, played.sem, played.pieces)
    assert task.low < task.mean < task.high
    (knowing_two,) = blockfall.benchmark(blockfall.agent("lee").knowing(2), ["ten"]).tasks
    assert knowing_two.mean == task.mean, "one piece is known in this task"


def test_search_algorithms_play_the_games_of_search() -> None:
    (exact,) = blockfall.benchmark("a-star", ["hopeless"]).tasks
    (quick,) = blockfall.benchmark("maxmin", ["hopeless"]).tasks
    assert (exact.unit, exact.games) == ("points", 200)
    assert exact.mean > quick.mean > 0


def test_without_task_names_an_agent_plays_every_task_that_it_can() -> None:
    """A bot plays boards of ten columns; the course's board has eight."""
    every = {task.name for task in tasks() if not task.of_search}
    assert {task.name for task in _chosen(None, blockfall.agent("lee"))} == every
    assert {task.name for task in _chosen(None, blockfall.agent("tbp:true"))} == every - {"course"}
    assert {task.name for task in _chosen(None, "maxmin")} == {"hopeless", "samegame"}


@pytest.mark.parametrize(
    ("agent", "names", "message"),
    [
        ("lee", ["hopeless"], "is for a search algorithm, which lee is not"),
        ("best", ["ten"], "is for an agent of Tetris, which best is not"),
        ("lee", ["eleven"], "unknown task 'eleven'"),
        ("lee", [], "at least one"),
        ("nonsense", ["ten"], "unknown agent"),
    ],
)
def test_a_task_that_cannot_be_played_is_refused(agent: str, names: list[str], message: str) -> None:
    with pytest.raises(BlockfallError, match=message):
        blockfall.benchmark(agent, names)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_shipped_results_are_of_these_tasks(path: Path) -> None:
    found = json.loads(path.read_text())
    known = {task.name: task for task in tasks()}
    assert found["tasks"]
    for row in found["tasks"]:
        task = known[row["name"]]
        assert (row["rules"], row["seed"], row["games"]) == (
            task.rules,
            task.seed,
            task.budgets[found["budget"]]["games"],
        )


def test_a_shipped_result_is_played_again() -> None:
    found = {row["name"]: row for row in json.loads(next(p for p in SHIPPED if p.stem == "lee").read_text())["tasks"]}
    (again,) = blockfall.benchmark("lee", ["no-rotation-timed"]).tasks
    assert again.mean == found["no-rotation-timed"]["mean"]
