"""aveiro2020's study at its quick budget, and its readings of the report."""

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from blockfall import Game, evaluate
from blockfall.studies.aveiro2020.plays import PLAN, variants
from tests.program import refusal
from tests.reference import straight_drop
from tests.studies.study_run import StudyRun, run_of


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> StudyRun:
    return run_of(tmp_path_factory.mktemp("study"), "aveiro2020", "--budget", "quick")


def tables(folder: Path) -> dict[str, dict[str, Any]]:
    report = json.loads((folder / "report.json").read_text())
    return {table["title"]: table for section in report["sections"] for table in section["tables"]}


def test_every_reading_has_a_row(quick: StudyRun) -> None:
    _, rows = quick
    assert set(rows) == {variant.name for variant in variants() if variant.part != "thresholds"}
    assert {"aveiro", "aveiro without guard", *(f"aveiro, look-ahead {n}" for n in (1, 2, 3))} <= set(rows)
    assert all(row["published"] is None and row["agrees"] is None for row in rows.values())
    assert all(row["sem"] > 0 for row in rows.values())


def test_points_are_those_of_the_cores_games(quick: StudyRun) -> None:
    _, rows = quick
    size = PLAN["budgets"]["quick"]
    games = evaluate("aveiro", "aveiro", size["guard_games"], 1, max_pieces=size["max_pieces"])
    assert rows["aveiro"]["ours"] == games.score.mean()


def test_look_ahead_and_better_agents_score_more(quick: StudyRun) -> None:
    """The scores are far apart: the document's agent loses most games before the cut, the others hardly any."""
    _, rows = quick
    assert rows["aveiro, look-ahead 1"]["ours"] > rows["aveiro"]["ours"] + 2 * rows["aveiro"]["sem"]
    assert all(rows[name]["ours"] > rows["aveiro"]["ours"] + 50 for name in ("dellacherie", "bcts", "dt-20"))


def test_the_client_plays_the_same_games_frame_by_frame(quick: StudyRun) -> None:
    folder, _ = quick
    frames = tables(folder)["The same games, frame by frame"]
    at = frames["columns"].index
    assert len(frames["rows"]) > 10
    assert all(row[at("equals the core's game")] is True for row in frames["rows"])
    assert all(row[at("missed")] == 0 for row in frames["rows"])
    # About 4 shifts at most, 3 turns, the drop, and the frame that locks.
    assert all(3 < row[at("frames per piece")] < 9 for row in frames["rows"])
    assert all(row[at("most keys")] <= 9 for row in frames["rows"])


def test_straight_drops_equal_those_of_a_program_without_keys() -> None:
    """On boards so low that nothing is in the way, straight drops equal those of a program without keys."""
    (straight,) = [one for one in variants() if one.name == "aveiro without guard, all keys first, straight drops"]
    game = Game(straight.rules, 3)
    rows = [0] * straight_drop.ROWS
    for _ in range(60):
        found = [board for _, _, board in straight_drop.drops(rows, game.known[0])]
        assert len(game.placements()) == len(found)
        best = max(found, key=lambda board: straight_drop.value(board, board.count(straight_drop.FULL)))
        kept = [row for row in best if row != straight_drop.FULL]
        rows = [0] * (straight_drop.ROWS - len(kept)) + kept
        game.play(game.choose(straight.agent))
        cells = [sum(1 << x for x, filled in enumerate(row) if filled) for row in game.board.cells][::-1]
        assert cells == rows


def test_a_guard_that_acts_too_soon_ruins_the_game(quick: StudyRun) -> None:
    folder, _ = quick
    found = {(row[0], row[1]): row for row in tables(folder)["The guard's thresholds"]["rows"]}
    assert len(found) == len(PLAN["guard"]["max_height"]) * len(PLAN["guard"]["bumpiness"])
    assert found[5, 10][-1] == "no guard is better"


def test_the_report_is_written(quick: StudyRun) -> None:
    folder, _ = quick
    assert len(list((folder / "figures").glob("*.png"))) == 5
    assert (folder / "report.html").stat().st_size > 50_000
    names = openpyxl.load_workbook(folder / "report.xlsx", read_only=True).sheetnames
    assert {"The guard", "The server's keys", "The server's keys, games", "The guard's thresholds, chart"} <= set(names)


def test_bad_options(tmp_path: Path) -> None:
    refusal("study", "aveiro2020", "--budget", "huge", cwd=tmp_path)
