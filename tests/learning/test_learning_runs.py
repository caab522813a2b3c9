"""Runs as in data2021: networks that learn or are trained, points as fitness, killed and resumed."""

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from blockfall import agent, evaluate
from blockfall.compute import Purpose
from blockfall.errors import FileError
from blockfall.experiments.configuration import configuration_from, load_configuration
from blockfall.experiments.result import Result
from blockfall.experiments.run import ID_FILE, create_run, open_run
from blockfall.experiments.training import Training
from blockfall.learning import METHODS, LinearLearning
from blockfall.store import Store
from tests.program import PROGRAM, output_of, refusal

COMMON = """
rules = "tetrisbot"
features = "data-6"
pieces_known = 1
fitness = "score"
restarts = 2
seed = 5
"""
GAMES = """
[games]
training = 2
validation = 5
test = 10
max_pieces = 300
"""
RUNS = {
    "evolution": COMMON
    + '[optimiser]\nname = "genetic"\niterations = 200\npopulation = 20\nweight_limits = [-5, 5]\n'
    + GAMES
    + "fresh = true\n",
    "swarm of networks": COMMON
    + 'hidden = [8]\n[optimiser]\nname = "pso"\niterations = 150\nparticles = 20\nspeed_limits = [-0.5, 0.5]\n'
    + GAMES,
    "Q-learning": COMMON
    + 'hidden = [32, 32, 32]\n[learning]\nname = "n-step"\nactions = 45000\nstages = 30\nwarm_up = 3000\n'
    + GAMES,
    "Q-learning of a table": COMMON.replace('features = "data-6"\n', "")
    + '[learning]\nname = "table"\nactions = 600000\nstages = 60\n'
    + GAMES,
    "board network": """
rules = "nes-no-rotation"
restarts = 2
seed = 5
[learning]
name = "board-network"
actions = 6000
stages = 12
channels = 8
seats = 8
"""
    + GAMES,
    **{
        name: COMMON + f'[learning]\nname = "{name}"\nactions = 600000\nstages = 60\n' + GAMES
        for name, kind in METHODS.items()
        if issubclass(kind, LinearLearning)
    },
}


def iterations_done(folder: Path) -> int:
    number = folder / ID_FILE
    return len(Store().runs.iterations(number.read_text().strip())) if number.exists() else 0


KINDS = [
    pytest.param(kind, marks=pytest.mark.long if kind == "board network" else ())  # PyTorch starts slowly
    for kind in RUNS
]


@pytest.mark.parametrize("kind", KINDS)
def test_killed_and_resumed_it_ends_with_the_identical_result(tmp_path: Path, kind: str) -> None:
    if kind == "board network":
        pytest.importorskip("torch")
    file = tmp_path / "run.toml"
    file.write_text(RUNS[kind])
    whole, folder = tmp_path / "whole", tmp_path / "killed"
    train = ["train", "--config", str(file), "--no-report", "--out"]
    resume = ["resume", str(folder), "--no-report"]
    output_of(*train, whole)
    for command, share in (([*train, str(folder)], 0.2), (resume, 0.6)):  # in the first restart, and in the second
        process = subprocess.Popen([*PROGRAM, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and iterations_done(folder) < share * iterations_done(whole):
            time.sleep(0.01)
        process.kill()
        process.wait()
        assert process.returncode == -signal.SIGKILL
        assert not (folder / "result.json").exists()
    output_of(*resume)
    for name in ("result.json", "agent.json", *(path.name for path in whole.glob("*.weights"))):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()
    assert not list(folder.glob("*.npz"))


def trained(tmp_path: Path, text: str) -> Result:
    (tmp_path / "run.toml").write_text(text)
    store = Store()
    run = create_run(store, load_configuration(tmp_path / "run.toml"), tmp_path / "run")
    return Training(store, run).complete()


@pytest.mark.parametrize("fitness", ["score", "mean"])
def test_a_run_until_the_limit_stops_at_the_first_survivor(tmp_path: Path, fitness: str) -> None:
    """Training ends once an individual plays every piece (data2021, 5.3.1.4.1)."""
    text = RUNS["evolution"].replace("restarts = 2", "restarts = 1").replace('"score"', f'"{fitness}"')
    result = trained(tmp_path, text + "until_limit = true\n")
    store = Store()
    rows = store.runs.iterations(store.runs.newest()[0].id)
    assert [row.survived for row in rows] == [False] * (len(rows) - 1) + [True]
    assert result.restarts[0].stopped_by == "piece limit"
    if fitness == "score":  # a line scores millions there and a piece 1, so the score shows the pieces
        pieces = [np.round(row.fitness * 2) % 1_000_000 for row in rows]
        assert all((found < 600).all() for found in pieces[:-1])
        assert (pieces[-1] == 600).any()


def test_the_score_is_the_fitness_and_tests_may_have_a_limit_of_their_own(tmp_path: Path) -> None:
    text = RUNS["evolution"].replace("restarts = 2", "restarts = 1").replace("iterations = 200", "iterations = 2")
    result = trained(tmp_path, text + "max_test_pieces = 700\n")
    player = agent(tmp_path / "run" / "agent.json")
    test = evaluate("tetrisbot", player, 10, seed=5, max_pieces=700)
    validation = evaluate("tetrisbot", player, 5, seed=5, max_pieces=700, purpose=Purpose.VALIDATION)
    written = json.loads((tmp_path / "run" / "result.json").read_text())
    for name, played, figures in (("test", test, result.test), ("validation", validation, result.validation)):
        assert written[name]["lines"]["mean"] == figures.lines.mean == pytest.approx(played.lines.mean())
        assert written[name]["points"]["mean"] == figures.points.mean == pytest.approx(played.score.mean())
        assert figures.capped == played.capped
    # The older keys: those of the validation are of the fitness, those of the test of lines.
    assert written["score"]["mean"] == result.test.points.mean
    assert written["test"]["mean"] == result.test.lines.mean
    assert written["validation"]["mean"] == result.validation.points.mean


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            {"learning": {"name": "sarsa"}},
            "learning.name: unknown learning method 'sarsa'; known: data2021",
        ),
        ({"learning": {"batch": 500}}, "batch is 500; it must be at most the sample, 128"),
        ({"learning": {"discount": 2.0}}, "learning.discount is 2.0; it must be a number from 0 to 1"),
        ({"learning": {"moves": 2}}, "unknown key 'learning.moves'"),
        ({"learning": {}, "hidden": []}, "learning needs a network"),
        ({"learning": {"name": "lstd"}}, "lstd learns weights; leave hidden out"),
        ({"learning": {"name": "lstd", "learning_rate": 0.1}, "hidden": []}, "unknown key 'learning.learning_rate'"),
        ({"learning": {"name": "td", "trace_decay": 2.0}, "hidden": []}, "it must be a number from 0 to 1: lambda"),
        ({"learning": {"name": "td", "reward": "holes"}, "hidden": []}, 'it must be "lines" or "points"'),
        ({"learning": {}, "pieces_known": 2}, "for learning it must be 1"),
        ({"learning": {}, "games": {"fresh": True}}, "games.until_limit and games.fresh are for optimisers"),
        ({"learning": {"line_reward": [1.0, float("inf"), 3.0, 4.0]}}, "learning.line_reward.1 is inf"),
        ({"learning": {"line_reward": [1.0, 2.0, 3.0, 1e7]}}, "each from -1e6 to 1e6"),
        ({"optimiser": {"name": "pso", "inertia": [0.9, float("nan")]}}, "optimiser.inertia.1 is nan"),
        ({"optimiser": {"name": "pso", "weight_limits": [-1e300, 1e300]}}, "both from -1e30 to 1e30"),
        ({"learning": {"name": "table"}}, "a table has no features, hidden, guard or unknown_piece"),
        ({"learning": {"name": "table", "queue": 5}, "hidden": [], "features": []}, "unknown key 'learning.queue'"),
        ({"features": []}, "features is empty"),
        ({"learning": {}, "optimiser": {"name": "pso"}}, "both an optimiser and learning"),
        ({"hidden": [0]}, "a layer has 1 to 256 neurons"),
        ({"games": {"until_limit": True}}, "games.until_limit needs games.max_pieces"),
        ({"start": "data-6"}, "start is for learning"),
        (
            {"learning": {}, "start": "data-6"},
            "start: learning cannot start from the agent 'data-6': it has weights, not a network",
        ),
        ({"learning": {}, "start": "nobody"}, "start: unknown agent 'nobody'"),
        ({"learning": {}, "start": "none.json"}, "none.json: No such file"),
    ],
)
def test_a_wrong_run_is_refused_with_the_reason(change: dict[str, object], complaint: str) -> None:
    table = {"rules": "tetrisbot", "features": "data-6", "pieces_known": 1, "hidden": [8]}
    with pytest.raises(FileError) as raised:
        configuration_from(table | change, "a test")
    assert complaint in str(raised.value)
    assert "\n" not in str(raised.value)


def test_no_checkpoint_outlives_its_run(tmp_path: Path) -> None:
    """A kill can come between the validation and the deletion of the checkpoint, or while one is written."""
    text = RUNS["Q-learning of a table"].replace("3000000", "30000").replace("stages = 60", "stages = 2")
    result = trained(tmp_path, text)
    (tmp_path / "run" / "result.json").unlink()
    for name in ("learner-1.npz", ".learner-2.npz.x1y2"):
        (tmp_path / "run" / name).write_bytes(b"left behind")
    store = Store()
    assert Training(store, open_run(store, tmp_path / "run")).complete() == result
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "agent.json",
        "result.json",
        "run.id",
        "run.toml",
    ]


def test_a_network_that_diverges_is_reported_and_not_kept(tmp_path: Path) -> None:
    plugin = 'import blockfall\n\n@blockfall.feature("huge")\ndef huge(board):\n    return 1e30 * board.heights[0]\n'
    (tmp_path / "huge.py").write_text(plugin)
    text = RUNS["Q-learning"].replace('features = "data-6"', 'features = "huge"\nplugins = ["huge.py"]')
    (tmp_path / "run.toml").write_text(text)
    assert "learning diverged in stage" in refusal(
        "train", "--config", tmp_path / "run.toml", "--out", tmp_path / "run"
    )
    assert not (tmp_path / "run" / "agent.json").exists()


def test_the_report_and_the_listing_of_a_learned_network(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(RUNS["Q-learning"].replace("45000", "4000").replace("stages = 30", "stages = 2"))
    done = output_of("train", "--config", tmp_path / "run.toml", "--out", tmp_path / "run")
    score = json.loads((tmp_path / "run" / "result.json").read_text())["score"]
    unit, name = (1e6, "M points") if score["mean"] >= 1e6 else (1, "points")
    assert f"test, {name}" in done
    mean, error = re.findall(r"test, (?:M )?points +10 +([\d,.]+) ± ([\d,.]+) ", done)[0]  # in 80 columns
    assert (float(mean.replace(",", "")), float(error.replace(",", ""))) == pytest.approx(
        (score["mean"] / unit, score["sem"] / unit), abs=0.6
    )
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert "n-step on tetrisbot" in report["summary"]
    tables = {table["title"]: table for section in report["sections"] for table in section["tables"]}
    assert ["mean", score["mean"]] in tables["Points per test game"]["rows"]
    assert any("fitness-after-each-stage" in name for name in report["pictures"])
    assert json.loads(output_of("runs", "--json"))[0]["optimiser"] == "n-step"


def test_runs_are_compared_by_lines_or_points(tmp_path: Path) -> None:
    text = RUNS["evolution"].replace("iterations = 200", "iterations = 2")
    texts = {"a": text, "b": text + "max_test_pieces = 100\n", "c": text.replace('"score"', '"mean"')}
    for name, written in texts.items():
        (tmp_path / f"{name}.toml").write_text(written)
        train = ("train", "--config", tmp_path / f"{name}.toml", "--no-report", "--out", tmp_path / name)
        output_of(*train)

    def compared(first: str, second: str) -> list[str]:
        done = output_of("runs", "compare", tmp_path / first, tmp_path / second, "--json")
        return [row["name"] for row in json.loads(done)]

    assert compared("a", "b") == ["agents, on different games", "trainings, by the points of their restarts"]
    assert compared("a", "c") == ["agents, on the same games"]  # points and lines are not compared


def test_a_finished_run_is_extended_and_its_curves_are_kept(tmp_path: Path) -> None:
    short = RUNS["lstd"].replace("600000", "60000").replace("stages = 60", "stages = 3")
    (tmp_path / "run.toml").write_text(short)
    train = ("train", "--config", tmp_path / "run.toml")
    first, second = tmp_path / "first", tmp_path / "second"
    output_of(*train, "--out", first, "--no-report")
    output_of(*train, "--start", first, "--seed", "6", "--out", second)
    assert (second / "start.json").read_bytes() == (first / "agent.json").read_bytes()
    assert load_configuration(second / "run.toml").start == "start.json"

    store = Store()
    [newest, oldest] = [store.runs.curve(run.id) for run in store.runs.newest()]
    assert [point.loss is not None and point.value is not None for point in newest] == [True] * 6
    # It begins where the other ended, so its first stage plays well; the other's first stage was partly random.
    assert newest[0].value is not None
    assert oldest[0].value is not None
    assert newest[0].mean > 0.5 * oldest[-1].best
    shown = output_of("runs", "show", second)
    assert "Learning" in shown
    assert "loss" in shown
    report = json.loads((second / "report.json").read_text())
    assert any("loss" in name for name in report["pictures"])
    assert any("value" in name for name in report["pictures"])
    refusal(*train, "--start", tmp_path / "none", "--out", tmp_path / "third")
    assert not (tmp_path / "third").exists()
