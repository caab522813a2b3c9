"""`blockfall runs` and `blockfall compare`, on one small store."""

import csv
import json
import subprocess
from pathlib import Path

import openpyxl
import pytest

from blockfall.optimisers import OPTIMISERS
from tests.program import run_program

SIZES = ("--iterations", "4", "--population", "5", "--training", "4", "--validation", "20", "--test", "60")


class Home:
    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run_program(*arguments, home=self.path / "home", cwd=self.path)

    def json(self, *arguments: str) -> object:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("runs"))
    for name, optimiser in (("swarm", "pso"), ("chance", "random")):
        done = home.run("train", "--optimiser", optimiser, "--restarts", "3", *SIZES, "--out", f"runs/{name}")
        assert done.returncode == 0, done.stderr
        assert f" watch --rules nes-no-rotation --agent runs/{name}/agent.json" in done.stdout
    return home


def test_train_writes_the_report(home: Home) -> None:
    folder = home.path / "runs" / "swarm"
    files = {path.name for path in folder.iterdir()}
    assert files == {
        "run.toml",
        "run.id",
        "agent.json",
        "result.json",
        "report.html",
        "report.json",
        "report.xlsx",
        "figures",
    }
    assert len(list((folder / "figures").iterdir())) == 4


def test_list_and_show(home: Home) -> None:
    rows = home.json("runs")
    assert isinstance(rows, list)
    assert {(row["name"], row["state"], row["optimiser"]) for row in rows} == {
        ("swarm", "finished", "pso"),
        ("chance", "finished", "random"),
    }
    table = home.run("runs").stdout
    assert all(row["id"] in table for row in rows)
    for name in ("runs/swarm", rows[1]["id"], rows[1]["id"][:6]):
        row = home.json("runs", "show", name)
        assert isinstance(row, dict)
        assert row["iterations"] == 12
        assert row["result"]["test"]["n"] == 60
        assert row["machine"]["simd"]
    assert "Test games" in home.run("runs", "show", "runs/swarm").stdout


def test_compare_runs_and_agents(home: Home) -> None:
    found = home.json("runs", "compare", "runs/swarm", "runs/chance")
    assert isinstance(found, list)
    assert [(row["name"], row["paired"]) for row in found] == [
        ("agents, on the same games", True),
        ("trainings, by their restarts", False),
    ]
    assert home.run("runs", "compare", "runs/swarm", "runs/swarm").stdout.count("no difference shown") == 2
    compared = home.json("compare", "birken-6", "runs/swarm/agent.json", "--games", "60")
    assert isinstance(compared, list)
    assert compared[0]["n"] == [60, 60]
    assert "effect size" in home.run("compare", "birken-6", "birken-6", "--games", "10").stdout


def test_export(home: Home) -> None:
    for form in ("csv", "xlsx", "json"):
        assert home.run("runs", "export", "runs/swarm", "--format", form, "--out", f"out.{form}").returncode == 0
    with (home.path / "out.csv").open() as file:
        games = list(csv.DictReader(file))
    everything = json.loads((home.path / "out.json").read_text())
    assert len(games) == len(everything["games"]) == 60
    assert len(everything["iterations"]) == 12
    assert len(everything["validations"]) == 60
    mean = sum(int(game["lines"]) for game in games) / 60
    assert mean == pytest.approx(everything["result"]["test"]["mean"])
    book = openpyxl.load_workbook(home.path / "out.xlsx")
    assert {"Iterations", "Validation games", "Test games"} <= set(book.sheetnames)


def test_parquet_needs_pyarrow(home: Home) -> None:
    done = home.run("runs", "export", "runs/swarm", "--format", "parquet", "--out", "out.parquet")
    try:
        import pyarrow.parquet
    except ImportError:
        assert done.returncode == 2
        assert "pip install pyarrow" in done.stderr
    else:
        assert pyarrow.parquet.read_table(home.path / "out.parquet").num_rows == 60


def test_bad_names(home: Home) -> None:
    for arguments in (("runs", "show", "nosuch"), ("resume", "nowhere"), ("compare", "birken-6", "nobody")):
        done = home.run(*arguments)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), arguments


def test_delete(home: Home) -> None:
    assert home.run("train", "--optimiser", "random", *SIZES, "--no-report", "--out", "runs/gone").returncode == 0
    assert home.run("runs", "delete", "runs/gone").returncode != 0  # nobody said yes
    assert (home.path / "runs" / "gone").exists()
    assert home.run("runs", "delete", "runs/gone", "--yes").returncode == 0
    assert not (home.path / "runs" / "gone").exists()
    rows = home.json("runs")
    assert isinstance(rows, list)
    assert "gone" not in {row["name"] for row in rows}


def test_optimisers_are_listed_with_their_settings(home: Home) -> None:
    rows = home.json("optimisers")
    assert isinstance(rows, list)
    assert [row["name"] for row in rows] == list(OPTIMISERS)
    assert all(row["source"] and row["settings"]["iterations"] for row in rows)
