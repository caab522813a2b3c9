"""The Hopeless study: its table beside the report's and an independent control, its settings, its files."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from blockfall.errors import SettingError
from blockfall.studies.feup2016.measure import ALGORITHMS, PUBLISHED, distinct_boards
from tests.program import PROGRAM

# An independent program on 100,000 boards; standard error about 0.3.
CONTROL = {
    "brute-force": 251.22,
    "a-star": 251.22,
    "a-star-goal-h": 242.96,
    "breadth-first": 181.71,
    "iterative-deepening": 181.71,
    "depth-first": 147.57,
    "greedy": 154.70,
    "maxmin": 220.64,
}


def study(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"BLOCKFALL_HOME": str(folder / "home")}
    command = [*PROGRAM, "study", "feup2016", *arguments, "--json"]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("feup")
    done = study(folder, "--boards", "1500", "--workbook", "mine.xlsx", "--out", "out")
    assert done.returncode == 0, done.stderr
    return folder / "out", {row["name"]: row for row in json.loads(done.stdout)["rows"]}


def test_the_means_are_the_controls(found: tuple[Path, dict[str, dict[str, Any]]]) -> None:
    _, rows = found
    assert set(rows) == set(CONTROL) == set(ALGORITHMS)
    for name, row in rows.items():
        assert abs(row["ours"] - CONTROL[name]) < 4 * row["sem"] + 0.3, name
        assert row["published"] == PUBLISHED["algorithms"][name]["points"]
        assert row["agrees"] is (row["verdict"] == "agrees")
        assert row["published_sem"] > 0
    assert rows["brute-force"]["ours"] == rows["a-star"]["ours"]
    assert rows["breadth-first"]["ours"] == rows["iterative-deepening"]["ours"]


def test_the_workbook_has_the_users_name(found: tuple[Path, dict[str, dict[str, Any]]]) -> None:
    folder, _ = found
    book = openpyxl.load_workbook(folder / "mine.xlsx")
    cells = {cell.value for sheet in book for row in sheet.iter_rows() for cell in row}
    assert {"efficiency [points/ms]", "maxmin", "memory [bytes]"} <= cells
    assert {path.name for path in folder.iterdir()} >= {"mine.xlsx", "report.html", "report.json", "figures"}


def test_the_report_checks_the_conclusions(found: tuple[Path, dict[str, dict[str, Any]]]) -> None:
    folder, _ = found
    report = json.loads((folder / "report.json").read_text())
    tables = {table["title"]: table for section in report["sections"] for table in section["tables"]}
    holds = {row[0]: row[1] for row in tables["What the report concludes"]["rows"]}
    assert holds["1. breadth-first and iterative deepening give the same result on every board"] is True
    assert len(holds) == 6


def test_other_boards_have_nothing_published(tmp_path: Path) -> None:
    done = study(tmp_path, "--boards", "20", "--size", "6x4", "--colours", "3", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert all(row["published"] is None and row["agrees"] is None for row in json.loads(done.stdout)["rows"])


def test_boards_without_a_move_are_no_error(tmp_path: Path) -> None:
    done = study(tmp_path, "--boards", "2", "--size", "1x2", "--colours", "9", "--seed", "3", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert {row["ours"] for row in json.loads(done.stdout)["rows"]} == {0}


def test_boards_are_distinct() -> None:
    boards = list(distinct_boards(200, 3, 2, 3, seed=1))  # of 729
    assert len({str(board) for board in boards}) == 200
    with pytest.raises(SettingError, match="too few"):
        next(distinct_boards(100, 2, 2, 3, seed=1))  # of 81


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--boards", "0"], "boards"),
        (["--size", "5"], "size '5'"),
        (["--size", "40x5"], "40x5"),
        (["--colours", "10"], "colours"),
        (["--workbook", "../up.xlsx"], "workbook"),
    ],
)
def test_bad_settings(arguments: list[str], part: str, tmp_path: Path) -> None:
    done = study(tmp_path, *arguments)
    assert done.returncode == 2
    assert part in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
