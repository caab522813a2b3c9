"""The Hopeless study: its table beside the report's and an independent control, its settings, its files."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from blockfall import solve
from blockfall.errors import SettingError
from blockfall.games import HopelessBoard
from blockfall.search import Searchable, SearchSettings, Solution
from blockfall.store import Store
from blockfall.studies import Work
from blockfall.studies.feup2016.measure import ALGORITHMS, PUBLISHED, distinct_boards, measure
from tests.program import refusal
from tests.studies.study_run import StudyRun, run_of

# The means of an independent program on 100,000 boards; their standard error is about 0.3.
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


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> StudyRun:
    return run_of(tmp_path_factory.mktemp("feup"), "feup2016", "--boards", "1500", "--workbook", "mine.xlsx")


def test_the_means_are_the_controls(found: StudyRun) -> None:
    _, rows = found
    assert set(rows) == set(CONTROL) == set(ALGORITHMS)
    for name, row in rows.items():
        assert abs(row["ours"] - CONTROL[name]) < 4 * row["sem"] + 0.3, name
        assert row["published"] == PUBLISHED["algorithms"][name]["points"]
        assert row["agrees"] is (row["verdict"] == "agrees")
        assert row["published_sem"] > 0
    assert rows["brute-force"]["ours"] == rows["a-star"]["ours"]
    assert rows["breadth-first"]["ours"] == rows["iterative-deepening"]["ours"]


def test_the_workbook_has_the_users_name(found: StudyRun) -> None:
    folder, _ = found
    book = openpyxl.load_workbook(folder / "mine.xlsx")
    cells = {cell.value for sheet in book for row in sheet.iter_rows() for cell in row}
    assert {"efficiency [points/ms]", "maxmin", "memory [bytes]"} <= cells
    assert {path.name for path in folder.iterdir()} >= {"mine.xlsx", "report.html", "report.json", "figures"}


def test_the_report_checks_the_conclusions(found: StudyRun) -> None:
    folder, _ = found
    report = json.loads((folder / "report.json").read_text())
    tables = {table["title"]: table for section in report["sections"] for table in section["tables"]}
    holds = {row[0]: row[1] for row in tables["What the report concludes"]["rows"]}
    assert holds["1. breadth-first and iterative deepening give the same result on every board"] == "yes"
    # The report's brute force has no table: it passes through thousands of nodes.
    assert holds["3. brute force is the slowest and the least efficient"] == "yes"
    assert len(holds) == 6
    assert set(holds.values()) <= {"yes", "no", "inconclusive"}


def test_times_and_efficiencies_are_means(found: StudyRun) -> None:
    """The table's times are means over the boards, and the efficiency is the ratio of two means."""
    folder, _ = found
    report = json.loads((folder / "report.json").read_text())
    table = report["sections"][1]["tables"][0]
    place = table["columns"].index
    by_board = {sheet["title"]: sheet for sheet in report["data"]}
    times = by_board["Time by board [ms]"]
    for row in table["rows"]:
        column = times["columns"].index(row[0])
        own = [each[column] for each in times["rows"] if each[column] is not None]
        assert len(own) == row[place("boards")] == (250 if "no table" in row[0] else 1500)
        assert row[place("time [ms]")] == pytest.approx(sum(own) / len(own))
        assert row[place("efficiency [points/ms]")] == pytest.approx(row[place("points")] / row[place("time [ms]")])


def test_every_board_is_in_the_workbook_and_the_json(found: StudyRun) -> None:
    folder, rows = found
    sheets = {sheet["title"]: sheet for sheet in json.loads((folder / "report.json").read_text())["data"]}
    points = sheets["Points by board"]
    assert len(points["rows"]) == 1500
    board = points["rows"][0][1].split("/")
    assert [len(row) for row in board] == [5] * 5
    column = points["columns"].index("greedy")
    mean = sum(row[column] for row in points["rows"]) / 1500
    assert mean == pytest.approx(rows["greedy"]["ours"])
    optimum = solve("hopeless", "brute-force", board="\n".join(board)).points
    assert points["rows"][0][points["columns"].index("a-star")] == optimum
    book = openpyxl.load_workbook(folder / "mine.xlsx", read_only=True)
    assert {"Points by board", "Time by board, ms", "Nodes expanded by board"} <= set(book.sheetnames)
    cells = list(book["Points by board"].iter_rows(values_only=True))
    assert cells[4][: len(board)] == tuple(points["rows"][0][: len(board)])


def test_a_short_search_is_timed_by_the_median_of_three_runs(tmp_path: Path) -> None:
    """A single run of a few microseconds also measures the rest of the machine; a long search is run once."""

    class Pausing(Work):
        """Work in which every second run of a search seems to take 9 seconds, the others 1."""

        def solved(self, problem: Searchable, algorithm: str, settings: SearchSettings | None = None) -> Solution:
            runs[algorithm] += 1
            return replace(super().solved(problem, algorithm, settings), seconds=(1.0, 9.0)[runs[algorithm] % 2])

    runs: Counter[str] = Counter()
    work = Pausing(tmp_path, Store(tmp_path / "store.sqlite3"))
    boards = [HopelessBoard.random(5, 5, 4, 1, 0), HopelessBoard.random(8, 8, 4, 1, 0)]
    found = measure(boards, ("greedy", "iterative-deepening"), 0, 3000, work)
    assert [one.seconds for one in found["greedy"].solutions if one] == [9.0, 1.0]  # of 9, 1, 9 and of 1, 9, 1
    assert [one.nodes_expanded for one in found["iterative-deepening"].solutions if one][1] == 3000
    assert runs["greedy"] == 6
    assert runs["iterative-deepening"] in (2, 4)  # the large board once


def test_the_study_runs_some_algorithms_only(tmp_path: Path) -> None:
    _, rows = run_of(tmp_path, "feup2016", "--boards", "30", "--algorithms", "greedy, a-star")
    assert list(rows) == ["a-star", "greedy"]
    assert "'best'" in refusal("study", "feup2016", "--algorithms", "a-star,best", cwd=tmp_path, home=tmp_path)


def test_a_stopped_search_does_not_count_in_the_means(tmp_path: Path) -> None:
    """The fallback is not the result of the stopped algorithm."""
    algorithms = ("--algorithms", "brute-force,greedy")
    out, rows = run_of(tmp_path, "feup2016", "--boards", "40", "--node-limit", "60", *algorithms)
    data = json.loads((out / "report.json").read_text())["data"]
    points = next(sheet for sheet in data if sheet["title"] == "Points by board")
    column = points["columns"].index("brute-force")
    ended = [row[column] for row in points["rows"] if row[column] is not None]
    stopped = [row for row in points["rows"] if row[column] is None]
    assert 0 < len(ended) < 40
    assert rows["brute-force"]["ours"] == pytest.approx(sum(ended) / len(ended))
    assert rows["brute-force"]["verdict"] == "not comparable"
    assert f"{len(ended)} of 40" in rows["brute-force"]["note"]
    assert all("brute-force by nodes" in row[-1] for row in stopped)
    assert any("greedy fallback" in row[-1] for row in stopped)
    assert rows["greedy"]["verdict"] in ("agrees", "inconclusive", "better", "worse")


def test_other_boards_have_nothing_published(tmp_path: Path) -> None:
    _, rows = run_of(tmp_path, "feup2016", "--boards", "20", "--size", "6x4", "--colours", "3")
    assert all(row["published"] is None and row["agrees"] is None for row in rows.values())


def test_boards_without_a_move_are_no_error(tmp_path: Path) -> None:
    _, rows = run_of(tmp_path, "feup2016", "--boards", "2", "--size", "1x2", "--colours", "9", "--seed", "3")
    assert {row["ours"] for row in rows.values()} == {0}


def test_boards_are_distinct() -> None:
    boards = list(distinct_boards(200, 3, 2, 3, seed=1))  # of 729
    assert len({str(board) for board in boards}) == 200
    with pytest.raises(SettingError, match="there are not enough"):
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
    assert part in refusal("study", "feup2016", *arguments, cwd=tmp_path, home=tmp_path / "home")
