"""The study data2021: every cell of the thesis's tables is planned, and the quick budget runs, stops and resumes."""

import json
import os
import re
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from blockfall import Store, evaluate
from blockfall.compute import LocalBackend
from blockfall.errors import BlockfallError
from blockfall.experiments.configuration import load_configuration
from blockfall.learning import NetworkLearning
from blockfall.optimisers import Pso
from blockfall.studies import STUDIES, Work
from blockfall.studies.data2021.floods import claims_sheet, measure_floods
from blockfall.studies.data2021.grid import spread_of_cells
from blockfall.studies.data2021.trainings import AGENTS, PUBLISHED, TrainedBots, in_part, plans
from tests import ROOT
from tests.program import PROGRAM, output_of, refusal


def test_the_plan_has_every_experiment() -> None:
    planned: dict[str, list[object]] = {}
    for plan in plans("full"):
        planned.setdefault(plan.experiment, []).append(plan.value)
    assert planned["games"] == [1, 2, 4, 8]
    assert planned["scenario"] == [False, True]
    assert planned["generator"] == ["tetrisbot-7-bag", "tetrisbot-uniform", "tetrisbot"]
    assert planned["heuristics"] == [f"data-{n}" for n in (4, 5, 6, 7, 8, 10, 14)]
    assert planned["limit"] == [500, 1000, 2000, 5000, 10000]
    assert planned["selection"] == ["roulette", "ranking", "tournament"]
    assert planned["population"] == [50, 110, 170, 230, 300]
    assert planned["mutation"] == [0.05, 0.1, 0.2, 0.4]
    assert len(set(planned["swarm"])) == 54
    assert planned["network"] == ["swarm", "data2021", "n-step", "table"]
    assert planned["ranked"] == [10, 40]
    assert planned["self-adaptive"] == [False, True]
    assert planned["linear"] == ["lstd", "td", "lstd-8", "td-8"]
    assert len(planned["ablation"]) == 14


def test_the_ablation_changes_one_thing_at_a_time_over_ten_seeds() -> None:
    made = {str(plan.value): plan.configuration(1) for plan in plans("full") if plan.experiment == "ablation"}
    assert {run.restarts for run in made.values()} == {10}
    base, ours = made["as-described"], made["n-step"]
    described, n_step = base.as_keys()["learning"], ours.as_keys()["learning"]
    ours_only = {key for key in described if described[key] != n_step[key]} - {"name", "actions", "stages"}
    changed: set[str] = set()
    for name, run in made.items():
        keys = run.as_keys()["learning"]
        start, learning = (ours, n_step) if name.startswith("n-step") else (base, described)
        different = {key for key in keys if keys[key] != learning[key]} - {"actions"}
        different |= {"features"} if run.features != start.features else set()
        changed |= different
        if name in ("as-described", "n-step"):
            assert not different
        elif name in ("both", "n-step-neither"):
            assert different == {"own_reward", "features"}
        elif name == "short-warm-up":
            assert different == {"warm_up", "queue"}
            assert keys["actions"] - keys["warm_up"] == described["actions"] - described["warm_up"]
        elif name == "schedule":
            assert different == {"train_every", "epochs", "batch"}
        else:
            assert len(different) == 1
    assert changed == ours_only | {"features"}  # every change that n-step makes is tried


def test_every_cell_of_the_swarm_begins_with_a_swarm_of_its_own() -> None:
    seeds = [plan.configuration(1).seed for plan in plans("full") if plan.experiment == "swarm"]
    assert len(set(seeds)) == len(seeds) == 54


@pytest.mark.parametrize(
    ("file", "name"),
    [("evolution", "heuristics/data-6"), ("swarm", "swarm/1-1-0.7"), ("network", "network/data2021")],
)
def test_each_of_the_thesiss_bots_is_one_command(file: str, name: str) -> None:
    """The example's run differs from the study's only in its name, so it has the same result."""
    [plan] = [plan for plan in plans("full") if plan.name == name]
    example = load_configuration(ROOT / "examples" / f"data2021-{file}.toml")
    assert example.model_copy(update={"name": name}) == plan.configuration(1)


def trained(value: object, means: list[float]) -> TrainedBots:
    """Return a training of which only the restarts' scores matter."""
    scores = tuple((mean,) for mean in means)
    empty = ((0.0,),) * len(means)
    return TrainedBots("swarm", value, {}, Path(), (), scores, (), 0, (), empty, (1.0,) * len(means), 1.0)


def test_the_grid_is_judged_with_restarts_as_blocks() -> None:
    """If cells differ little and restarts much, only a comparison within restarts can show it."""
    cells = [trained(number, [1000.0 * restart + 10 * number for restart in range(5)]) for number in range(12)]
    assert spread_of_cells(cells, seed=1).p_value < 0.001
    rng = np.random.default_rng(3)
    alike = [trained(number, (1000 * np.arange(5) + rng.normal(0, 10, 5)).tolist()) for number in range(12)]
    assert spread_of_cells(alike, seed=1).p_value > 0.05


def test_steadiness_is_the_spread_of_games_around_their_mean() -> None:
    one = replace(trained("8", [1.0, 1.0]), scores=((10.0, 30.0), (100.0, 100.0)))
    assert one.unsteadiness == pytest.approx([100 * (2 * 10**2) ** 0.5 / 20, 0.0])
    assert one.spread_of_games == pytest.approx((2 * 10**2) ** 0.5 / 2)


def test_the_claims_on_floods_and_droughts_are_counted(tmp_path: Path) -> None:
    found = measure_floods("quick", 1, Work(tmp_path, Store(tmp_path / "store.sqlite3")))
    claims = {str(row[0]): row[1] for row in claims_sheet(found).rows}
    assert claims["permutations of seven: at most 2 alike, 4 of S and Z, 12 between"] == "yes"
    assert claims["NES makes floods a little rarer"] == "yes"
    assert claims["TGM3 itself keeps droughts shorter than a history alone"] == "yes"
    assert claims["TGM3 as the thesis describes it keeps floods as small as permutations of seven do"] == "no"
    by_name = {one.generator: one for one in found}
    assert by_name["uniform"].repeats == pytest.approx(1 / 7, abs=0.005)
    assert by_name["7-bag"].repeats == pytest.approx(1 / 49, abs=0.003)


def test_runs_trained_side_by_side_are_those_trained_one_by_one(tmp_path: Path) -> None:
    chosen = [plan for plan in plans("quick") if plan.name in ("games/1", "linear/td")]
    wanted = {plan.name.replace("/", "-"): plan.configuration(3) for plan in chosen}
    results = []
    for threads in (1, 3):
        store = Store(tmp_path / f"{threads}.sqlite3")
        work = Work(tmp_path / str(threads), store, LocalBackend(threads))
        shares: list[float] = []

        def update(share: float, _note: str, seen: list[float] = shares) -> None:
            seen.append(share)

        work.train_all(wanted, update)
        assert 0 < max(shares) <= len(wanted)
        results.append({name: (work.folder(name) / "result.json").read_bytes() for name in wanted})
        work.train_all(wanted, lambda *_: None)  # finished runs are read
    assert results[0] == results[1]
    broken = {"broken": next(iter(wanted.values())).model_copy(update={"rules": "none"})}
    with pytest.raises(BlockfallError, match="none"):
        Work(tmp_path / "broken", Store(tmp_path / "3.sqlite3"), LocalBackend(3)).train_all(broken, lambda *_: None)


@pytest.mark.parametrize("budget", ["quick", "full"])
def test_every_planned_training_is_a_run_that_can_be_made(budget: str) -> None:
    for plan in plans(budget):
        made = plan.configuration(1)
        assert made.fitness == "score"
        assert made.pieces_known == 1
        if plan.experiment == "swarm":
            assert isinstance(made.optimiser, Pso)
            assert made.optimiser.inertia[0] == made.optimiser.inertia[1]  # formula 11 has constants
        if plan.name == "network/data2021" and budget == "full":
            learned = made.learning
            assert isinstance(learned, NetworkLearning)
            # 5.4.4
            assert (learned.queue, learned.warm_up, learned.train_every) == (1_000_000, 500_000, 5)
            assert (learned.epochs, learned.sample, learned.steps) == (10, 128, 1)
            assert made.hidden == (32, 32, 32)
            assert len(made.features) == 6


def test_every_published_cell_of_the_swarm_is_in_the_grid() -> None:
    found = [plan.published["at"] for plan in plans("full") if plan.experiment == "swarm" and plan.published]
    assert sorted(found) == sorted(cell["at"] for cell in PUBLISHED["swarm"]["cells"])


def test_published_weights_keep_the_order_of_table_11() -> None:
    """Sets 8 and 6 score far more than 4 and 5, each about its score; docs/studies/data2021.md explains the others."""
    cells = next(part for part in PUBLISHED["experiment"] if part["name"] == "heuristics")["cells"]
    thesis = {cell["value"]: cell["mean"] for cell in cells}
    ours = {name: evaluate("tetrisbot", name, 200, seed=1).score.mean() / 1e6 for name in thesis}
    assert ours["data-8"] > ours["data-6"] > 3 * max(ours["data-4"], ours["data-5"])
    for name in ("data-4", "data-5", "data-6", "data-8"):
        assert 0.6 < ours[name] / thesis[name] < 1.6


@pytest.mark.long
def test_the_quick_budget_survives_a_kill(tmp_path: Path) -> None:
    environment = os.environ | {"BLOCKFALL_HOME": str(tmp_path / "home")}
    study = ("study", "data2021", "--budget", "quick", "--out", str(tmp_path / "out"), "--json")
    nowhere = subprocess.DEVNULL
    killed = subprocess.Popen([*PROGRAM, *study], env=environment, stdout=nowhere, stderr=nowhere)
    while killed.poll() is None and not (tmp_path / "out" / "runs" / "games-4").exists():
        time.sleep(0.05)
    killed.kill()
    assert killed.wait() == -signal.SIGKILL
    before = {path.parent.name: path.stat().st_mtime_ns for path in tmp_path.glob("out/runs/*/result.json")}
    assert before

    done = output_of(*study, home=tmp_path / "home", timeout=900)
    after = {path.parent.name: path.stat().st_mtime_ns for path in tmp_path.glob("out/runs/*/result.json")}
    assert {name: after[name] for name in before} == before  # what was finished was read, not done again

    report = json.loads((tmp_path / "out" / "report.json").read_text())
    pictures = len(list((tmp_path / "out" / "figures").glob("*.png")))
    rows = {row["name"]: row for row in json.loads(done)["rows"]}
    assert len(rows) == 7 + len(plans("quick")) + 9
    assert rows["crossed/tetrisbot in tetrisbot-7-bag"]["published"] == 1962
    assert set(AGENTS.values()) <= set(rows)
    assert rows["games/8"]["published"] == 551.55
    # Wide bounds, but real ones: random placement clears a line in one of sixty games.
    assert 300 < rows["published/data-4"]["ours"] < 700
    assert rows["heuristics/data-6"]["ours"] > 10
    assert rows["network/n-step"]["ours"] > 5 * rows["network/data2021"]["ours"]
    assert rows["network/table"]["ours"] > 5

    agents = output_of(*study, "--part", "agents", home=tmp_path / "home", timeout=300)
    assert {row["name"]: row for row in json.loads(agents)["rows"]} == {n: rows[n] for n in AGENTS.values()}
    left = sorted(path.name for path in (tmp_path / "out" / "figures").iterdir())  # the whole report's figures are gone
    assert left == ["01-score-of-the-agents.png", "02-q-learning-score-of-the-network-as-it-learns.png"]

    titles = {table["title"] for section in report["sections"] for table in section["tables"] + section["figures"]}
    for part in (
        "Comparison of the agents",
        "Chart 1",
        "Chart 2",
        "Table 6",
        "Table 9",
        "Table 11",
        "Table 12",
        "Swarm: do",
    ):
        assert any(title.startswith(part) for title in titles), part
    names = openpyxl.load_workbook(tmp_path / "out" / "report.xlsx").sheetnames
    assert {"Table 9, crossed", "Self-adaptive, every training", "The thesis's own weights"} <= set(names)
    assert not [
        name for name in names if re.search(r"(?<!Table)(?<!Chart) \d+$", name)
    ]  # no sheet needs a number in its name
    assert pictures == 16
    assert "The agents compared" in (tmp_path / "out" / "report.html").read_text()


def test_every_part_has_its_trainings() -> None:
    names = {plan.name for plan in plans("quick") if in_part(plan.experiment, plan.name, "agents")}
    assert names == set(AGENTS.values())
    limits = [plan.value for plan in plans("quick") if in_part(plan.experiment, plan.name, "limit")]
    assert limits == [500, 1000, 2000, 5000, 10000]


def test_a_part_alone(tmp_path: Path) -> None:
    command = ("study", "data2021", "--part", "scenario", "--out", tmp_path / "out", "--json")
    done = output_of(*command, home=tmp_path / "home", timeout=200)
    assert [row["name"] for row in json.loads(done)["rows"]] == ["scenario/False", "scenario/True"]
    # Table 6's single random game is table 7's: one training, wherever it is asked for first.
    assert sorted(path.name for path in (tmp_path / "out" / "runs").iterdir()) == ["games-1", "scenario-False"]
    (tmp_path / "file").touch()
    for words, complaint in (
        (["--part", "none"], "'none' is not one of"),
        (["--out", tmp_path / "file"], "file: File exists"),
        (["--seed", "2"], "contains a run with other settings"),
    ):
        assert complaint in refusal(*command, *words, home=tmp_path / "home")


def test_it_is_listed() -> None:
    assert STUDIES["data2021"].source.startswith("Data 2021")
