"""ist2015's study: the report's tables on the empty board, equal to the node, and its files."""

import json
from pathlib import Path

import pytest

from blockfall.studies.ist2015.measure import PIECES, PUBLISHED
from tests.program import refusal
from tests.studies.study_run import StudyRun, run_of


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> StudyRun:
    return run_of(tmp_path_factory.mktemp("ist"), "ist2015")


def test_another_heuristic_has_nothing_published(tmp_path: Path) -> None:
    _, rows = run_of(tmp_path, "ist2015", "--heuristic", "lines")
    for name, row in rows.items():
        if "/5/" not in name:  # the report did not finish all of them
            assert (row["published"] is None) == ("4.1.2" in name)
    _, rows = run_of(tmp_path, "ist2015", "--heuristic", "qualidade")
    assert rows["4.1.2/empty/3/nodes"]["agrees"]


def test_the_empty_boards_counts_are_the_reports(found: StudyRun) -> None:
    _, rows = found
    empty = {name: row for name, row in rows.items() if "/empty/" in name}
    compared = [row for row in empty.values() if row["published"] is not None]
    assert len(compared) == 2 * 5 + 2 * 3  # nodes and points of five searches, and of the three that ended
    assert all(row["agrees"] and row["verdict"] == "agrees" for row in compared)
    # What the report's Lisp could not finish.
    assert empty["4.1.2/empty/4/nodes"]["ours"] == 10_720 + 1
    assert empty["4.1.2/empty/4/points"]["ours"] == 100
    assert empty["4.1.2/empty/5/points"]["ours"] == 100


def test_the_filled_boards_counts_are_the_reports_but_for_five(found: StudyRun) -> None:
    """The published figures are the report's own; the five that differ are named."""
    folder, rows = found
    filled = {name: row for name, row in rows.items() if "/filled/" in name and row["published"] is not None}
    off = {name: (row["ours"], row["published"]) for name, row in filled.items() if not row["agrees"]}
    assert len(filled) == 2 * (5 + 4 + 4 + 4 + 5)
    assert off == {
        "4.2.1, H1/filled/3/nodes": (129, 131),
        "4.2.1, H1/filled/4/nodes": (147, 150),
        "4.2.1, H2/filled/3/nodes": (29, 30),
        "4.2.1, H2/filled/4/nodes": (96, 99),
        "4.2.1, H3/filled/5/nodes": (666, 684),
    }
    assert all(rows[name]["verdict"] == "differs" for name in off)
    sheets = {
        sheet["title"]: sheet["rows"]
        for section in json.loads((folder / "report.json").read_text())["sections"]
        for sheet in section["tables"]
    }
    assert [row[:4] for row in sheets["Counts that differ from the report's"]] == [
        [name, ours, theirs, ours - theirs] for name, (ours, theirs) in off.items()
    ]


def test_every_table_and_chart_is_there(found: StudyRun) -> None:
    folder, rows = found
    tables = {name.split("/")[0] for name in rows}
    assert tables == {table["name"] for table in PUBLISHED["tables"]}
    assert len(list((folder / "figures").glob("*.png"))) == 3  # of 4.1.1, of 4.1.2, and of H1 to H3 together
    report = json.loads((folder / "report.json").read_text())
    titles = [table["title"] for section in report["sections"] for table in section["tables"]]
    assert "Optimum by pieces" in titles
    assert any(title.startswith("Table 4.2.1, H3") for title in titles)


def test_the_conclusions_are_judged_by_the_reports_figures_and_ours(
    found: StudyRun,
) -> None:
    folder, _ = found
    report = json.loads((folder / "report.json").read_text())
    tables = {table["title"]: table for section in report["sections"] for table in section["tables"]}
    verdicts = {row[0]: row[1:] for row in tables["What the report concludes"]["rows"]}
    assert verdicts["A* visits fewer nodes on the filled board than on the empty one"] == ["yes", "yes"]
    # With three pieces A* got 400 and the best search with H2 got 500 (table 4.2.1); 500 is the optimum.
    contradicted = ["no: with 3 pieces 400 beside 500"] * 2
    assert verdicts["A* always gets the most points that there are"] == contradicted
    assert len(verdicts) == 9


def test_own_board_pieces_and_weights(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("####..####\n")
    options = ("--board", "board.txt", "--pieces", "so", "--weights", "30,5,10,25,-0.6")
    _, rows = run_of(tmp_path, "ist2015", *options)
    assert {name.split("/")[1] for name in rows} == {"empty", "given"}
    assert all(row["published"] is None for row in rows.values())
    for count in (1, 2):
        for what in ("nodes", "points"):  # the weights are those of H3
            own, h3 = (rows[f"4.2.1, {table}/given/{count}/{what}"] for table in ("own", "H3"))
            assert own["ours"] == h3["ours"]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--pieces", "ox"], "no piece 'x'"),
        (["--weights", "1,2"], "2 weights"),
        (["--weights", "1,2,3,4,many"], "five numbers"),
        (["--board", "missing.txt"], "missing.txt"),
        (["--heuristic", "ist-h9"], "ist-h9"),
    ],
)
def test_bad_settings(arguments: list[str], part: str, tmp_path: Path) -> None:
    assert part in refusal(
        *("study", "ist2015", *arguments, "--out", "out"),
        home=tmp_path / "home",
        cwd=tmp_path,
        timeout=300,
    )


def test_the_filled_board_is_playable() -> None:
    rows = PUBLISHED["filled"].split()
    assert all(len(row) == 10 and set(row) <= set("#.") for row in rows)
    assert not any(set(row) == {"#"} for row in rows)
    assert PIECES == "ojlti"
