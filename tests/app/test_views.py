"""The content of the pages Train and Results, without a browser: lists, charts, progress, studies."""

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blockfall.app.parts import charts, jobs
from blockfall.app.parts.axis import Axis
from blockfall.app.parts.progress import RunProgress
from blockfall.app.parts.records import RECORDS
from blockfall.app.parts.run_list import RunRow, run_rows
from blockfall.app.results.dumbbell import dumbbell
from blockfall.app.results.stories import MEANT, Story, StoryFigure, StoryFindings, story
from blockfall.app.results.study_results import OwnRun, agreement, shipped_report
from blockfall.app.train.page import TrainingView
from blockfall.experiments.configuration import configuration_from
from blockfall.experiments.run import create_run, open_run
from blockfall.experiments.statistics import Verdict
from blockfall.experiments.training import Training
from blockfall.files import locked
from blockfall.reports import Sheet
from blockfall.store import Point, Store, StoredIteration
from blockfall.studies import STUDIES
from blockfall.studies.results import BESIDE, RESULTS, shipped_provenance, shipped_sheets
from tests.app.looking import awaited
from tests.studies.test_results import COLUMNS

GAMES = {"training": 3, "validation": 4, "test": 20}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))
    return Store()


def iteration(restart: int, number: int, seconds: float = 0.5, games: int = 100) -> StoredIteration:
    point = (restart, number, 5.0 + number, 2.0, 1.0, games, seconds)
    return StoredIteration(*point, candidates="", fitness=np.zeros(1), survived=False)


def begin(store: Store, folder: Path, **table: object) -> str:
    made = configuration_from({"games": GAMES, **table}, "the test")
    return create_run(store, made, folder).id


def test_progress_is_read_from_the_store(store: Store, tmp_path: Path) -> None:
    optimiser = {"name": "pso", "iterations": 10, "particles": 4}
    run = begin(store, tmp_path / "run", name="mine", restarts=2, optimiser=optimiser)
    progress = RunProgress(run)
    progress.read(store)
    assert (progress.state, progress.share, progress.seconds_left) == ("stopped", 0.0, None)
    assert not progress.read(store), "nothing has changed"
    for number in range(10):
        store.runs.add_iteration(run, iteration(0, number))
    store.runs.add_iteration(run, iteration(1, 0))
    with locked(tmp_path / "run"):
        assert progress.read(store)
        assert (progress.state, progress.restart, progress.share) == ("running", 1, 11 / 20)
        assert progress.games_per_second == 200
        assert progress.seconds_left == pytest.approx(9 * 0.5)
    store.runs.add_iteration(run, iteration(1, 1))
    progress.read(store)
    assert progress.state == "stopped"
    assert [point.iteration for point in progress.curve(1)] == [0, 1]
    assert len(progress.points) == 12, "each iteration is read once"


def test_a_training_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """This also holds when the page updates itself just as it begins: a chart removed at once breaks the page."""
    view = TrainingView("run")
    drawn: list[RunProgress] = []
    monkeypatch.setattr(view, "_look_at_list", lambda: asyncio.sleep(0))
    monkeypatch.setattr(view, "_draw_training", drawn.append)
    monkeypatch.setattr(RECORDS, "do", lambda _: asyncio.sleep(0))

    async def two_looks() -> None:
        await asyncio.gather(view._look(), view._look())

    awaited(two_looks())
    assert len(drawn) == 1


def test_rows_of_the_list(store: Store, tmp_path: Path) -> None:
    small = {"name": "random", "iterations": 2, "population": 2}
    done = begin(store, tmp_path / "done", name="Mine", optimiser=small, features="soster-1")
    begin(store, tmp_path / "begun", features="holes,bumpiness", rules="standard", hidden=[4])
    begin(store, tmp_path / "table", learning={"name": "table"})
    Training(store, open_run(store, tmp_path / "done")).complete()
    rows = {row.label: row for row in run_rows(store)}
    result = store.runs.find(done).result
    assert result
    assert rows["Mine"].mean == result["test"]["mean"]
    assert rows["Mine"].validation == result["validation"]["mean"]
    assert rows["Mine"].features == "soster-1"
    assert rows["Mine"].state == "finished"
    assert rows["begun"].features == "2 features network"
    assert rows["table"].features == "table"
    assert (rows["begun"].state, rows["begun"].mean) == ("stopped", None)


ROW = RunRow(
    "1a",
    "First",
    "nes",
    "NES Tetris (NTSC)",
    "soster-1",
    "pso",
    "mean",
    "finished",
    1.0,
    2.0,
    0.1,
    "2026",
    3.0,
    "tried twice",
    ("slow",),
)


@pytest.mark.parametrize(
    ("text", "rules", "state", "shown"),
    [
        ("", "", "", True),
        ("FIRST pso", "", "", True),
        ("first genetic", "", "", False),
        ("twice slow", "", "", True),
        ("ntsc", "", "", True),
        ("", "nes", "finished", True),
        ("", "standard", "", False),
        ("", "", "running", False),
    ],
)
def test_filter(text: str, rules: str, state: str, shown: bool) -> None:
    assert ROW.matches(text, rules, state) is shown


def test_the_spread_lies_around_the_mean() -> None:
    points = [Point(0, n, 9.0, 5.0 + n, 2.0, 10, 1.0) for n in range(3)]
    series = {part["name"]: part["data"] for part in charts.fitness_chart(points, 10)["series"]}
    assert series["best so far"] == [[1, 9.0], [2, 9.0], [3, 9.0]]
    assert series["floor"] == [[1, 3.0], [2, 4.0], [3, 5.0]]
    assert series["spread"] == [[1, 4.0], [2, 4.0], [3, 4.0]], "stacked on the series `floor`"


def test_a_run_that_learns_shows_its_loss_and_its_values() -> None:
    optimised = [Point(0, number, 5.0, 2.0, 1.0, 100, 0.5) for number in range(3)]
    learned = [replace(point, loss=0.5 / (point.iteration + 1), value=1.0 * point.iteration) for point in optimised]
    assert charts.learns(learned)
    assert not charts.learns(optimised)
    curves: tuple[tuple[charts.Prediction, list[tuple[int, float]]], ...] = (
        ("loss", [(1, 0.5), (2, 0.25), (3, 0.1667)]),
        ("value", [(1, 0.0), (2, 1.0), (3, 2.0)]),
    )
    for of, expected in curves:
        [series] = charts.prediction_chart({"restart 1": learned}, of, 3)["series"]
        assert [tuple(pair) for pair in series["data"]] == expected


def test_a_histogram_counts_every_game_once() -> None:
    drawn = charts.histogram({"few": [0, 1, 1, 3], "long": [0, 500, 1000, 1000]})
    for part in drawn["series"]:
        assert sum(part["data"]) == pytest.approx(100)
    whole = charts.histogram({"few": [0, 1, 1, 3]})
    assert whole["xAxis"]["data"] == ["0", "1", "2", "3"]
    assert whole["series"][0]["data"] == [25, 50, 0, 25]


def test_long_curves_are_thinned_to_their_ends() -> None:
    points = [Point(0, n, 1.0, 1.0, 0.0, 1, 1.0) for n in range(10_000)]
    shown = charts.thinned(points)
    assert len(shown) <= charts.MOST_POINTS
    assert (shown[0], shown[-1]) == (points[0], points[-1])


def test_every_study_ships_its_figures() -> None:
    assert {path.stem for path in RESULTS.glob("*.json")} == set(STUDIES)


@pytest.mark.parametrize("study", STUDIES)
def test_shipped_figures(study: str) -> None:
    beside = shipped_sheets(study)[BESIDE]
    assert beside.columns == COLUMNS
    assert beside.rows
    assert len({row[0] for row in beside.rows}) == len(beside.rows), "every figure has a name of its own"
    report = shipped_report(STUDIES[study])
    sheets = [item for section in report.sections for item in section.items if isinstance(item, Sheet)]
    assert {sheet.title for sheet in sheets} == set(shipped_sheets(study))
    assert report.provenance == shipped_provenance(study)


def test_agreement_counts_what_is_published() -> None:
    rows = (
        ("a", 1.0, 0.1, 1.0, None, "agrees", None),
        ("b", 2.0, 0.1, 1.0, None, "better", None),
        ("c", 1.0, 3.0, 3.0, 0.5, "inconclusive", None),
        ("d", 1.0, None, None, None, None, "cut"),
    )
    found = agreement(Sheet("t", COLUMNS, rows))
    assert str(found) == "1 of 3 published figures agree, 1 better, 1 inconclusive"
    differing = (*rows[:1], *[("e", 2, None, 1, None, "differs", None)] * 2)
    assert str(agreement(Sheet("t", COLUMNS, differing))) == "1 of 3 published figures agree, 2 differ"
    assert str(agreement(Sheet("t", COLUMNS, rows[3:]))) == "nothing published to compare with"


def test_a_users_own_study(store: Store) -> None:
    assert store.path.exists()
    own = OwnRun("ist2015")
    assert (own.state, own.beside, own.figures) == ("not run yet", None, [])
    jobs.DESK.start(own.job)
    process = jobs.DESK._started[own.job.folder]
    assert own.state == "running"
    assert process.wait(timeout=120) == 0, jobs.last_words(own.job)
    assert own.state == "finished"
    assert own.beside
    assert set(own.beside.column("verdict")) == {"agrees", "differs", None}
    assert all(path and path.stat().st_size for path in (own.file("html"), own.file("xlsx"), own.file("json")))
    assert len(own.figures) == 3  # tables 4.1.1, 4.1.2 and 4.2.1


@pytest.mark.parametrize("name", STUDIES)
def test_every_row_of_a_study_has_a_name_in_english(name: str) -> None:
    told = story(name, shipped_sheets(name)[BESIDE])
    assert told.question.endswith("?")
    for one in told.figures:
        assert one.part, one
        assert "/" not in one.name, one
    assert len({(one.part, one.name) for one in told.figures}) == len(told.figures)


def test_a_verdict_stands_beside_both_errors() -> None:
    """486.32 ± 9.30 against 551.55 alone would not agree: the published error, 55.16, is what makes it."""
    told = story("data2021", shipped_sheets("data2021")[BESIDE])
    first = told.figures[0]
    assert (first.ours_shown, first.published_shown, first.verdict) == ("486.32 ± 9.30", "551.55 ± 55.16", "agrees")
    assert told.sheet().rows[0][1:4] == ("486.32 ± 9.30", "551.55 ± 55.16", "agrees")
    drawn = dumbbell(told.compared, told.unit)
    assert drawn.count('role="listitem"') == len(told.compared)
    assert "ours 486.32 ± 9.30, published 551.55 ± 55.16, agrees" in drawn


def test_every_verdict_is_explained() -> None:
    assert [*MEANT] == [*Verdict]


@pytest.mark.parametrize("name", STUDIES)
def test_errors_are_explained_where_there_are_some(name: str) -> None:
    """Every published error was computed here, and the page says how. A study without errors does not mention them."""
    told = story(name, shipped_sheets(name)[BESIDE])
    errors = any(one.published_error for one in told.compared)
    assert ("bars are standard errors" in dumbbell(told.compared, told.unit) if told.compared else False) is errors
    assert ("± is a standard error" in told.sheet().note) is errors
    assert bool(told.errors) is bool(told.compared)
    assert told.sheet().note.endswith(told.errors)


def test_findings_count_every_part_once() -> None:
    told = story("feup2016", shipped_sheets("feup2016")[BESIDE]).findings()
    assert told == StoryFindings(["Mean points of 5,000 boards: all 8 figures agree."], [], [])


def test_a_part_holds_where_its_figures_agree() -> None:
    def figure(part: str, verdict: Verdict) -> StoryFigure:
        return StoryFigure(part, "", 1.0, 0.1, 1.0, 0.1, verdict, "")

    agrees, better, worse = Verdict.AGREES, Verdict.BETTER, Verdict.WORSE
    parts = {
        "A": (agrees, agrees, better),
        "B": (agrees, agrees, worse),
        "C": (agrees, worse, worse),
        "D": (agrees, better, better),
    }
    told = Story(
        "", "", "", tuple(figure(part, one) for part, verdicts in parts.items() for one in verdicts)
    ).findings()
    assert [[sentence[0] for sentence in kind] for kind in (told.hold, told.fail, told.open)] == [
        ["A"],
        ["C"],
        ["B", "D"],
    ]


def test_the_axis_of_a_dumbbell() -> None:
    plain, wide = Axis([0, 250]), Axis([2, 20_000])
    assert [plain.place(value) for value in (0, 125, 250, 999)] == [0, 50, 100, 100]
    assert plain.ticks() == [0, 100, 200]
    assert wide.logarithmic
    assert wide.ticks() == [10, 100, 1000, 10_000]
    assert wide.place(200) == pytest.approx(50)
