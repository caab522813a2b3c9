"""Shipped results: their origin, whether today's program still plays alike, and their verdicts."""

import json
import re
from pathlib import Path

import pytest

from blockfall.errors import SettingError
from blockfall.experiments.provenance import changes
from blockfall.experiments.statistics import Verdict, judge
from blockfall.reports import Report
from blockfall.search import Problem
from blockfall.store import Store
from blockfall.studies import STUDIES, Findings, Row, Study, StudySettings, Work, run_study
from blockfall.studies.base import judged
from blockfall.studies.results import BESIDE, shipped_provenance, shipped_sheets
from blockfall.studies.running import BEGUN_FILE

COLUMNS = ("what", "ours", "error", "published", "published error", "verdict", "note")


@pytest.mark.parametrize("study", STUDIES)
def test_shipped_results_were_played_as_today(study: str) -> None:
    stale = changes(shipped_provenance(study).signature, STUDIES[study].signature())
    assert not stale, f"{study} rests on play that has changed; run `{shipped_provenance(study).command}` again"


@pytest.mark.parametrize("study", STUDIES)
def test_shipped_results_say_what_made_them(study: str) -> None:
    made = shipped_provenance(study)
    assert made.command.startswith(f"blockfall study {study} --budget {made.budget} --seed {made.seed}")
    assert made.version
    kind = STUDIES[study].settings_type
    extended = {"extended": True} if "extended" in kind.model_fields and made.command.endswith(" --extended") else {}
    settings = kind.model_validate({"budget": made.budget, "seed": made.seed, **extended})
    assert STUDIES[study].command(settings) == made.command, "no other option was needed"


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_names_what_its_figures_rest_on(study: str) -> None:
    assert STUDIES[study].signature()
    one = STUDIES[study]
    assert len(one.signature()) == len(one.plays) + len(one.searches) + len(one.trainings)


@pytest.mark.parametrize("study", [name for name in STUDIES if name != "ist2015"])
def test_shipped_verdicts_are_those_of_the_shipped_figures(study: str) -> None:
    beside = shipped_sheets(study)[BESIDE]
    assert beside.columns == COLUMNS
    for _, ours, sem, published, published_sem, verdict, note in beside.rows:
        assert isinstance(ours, float | int)
        if published is None:
            assert verdict is None
        elif not note:
            assert verdict == judge(ours, sem, published, published_sem)  # type: ignore[arg-type]


VERDICTS = {*map(str, Verdict), "holds", "holds in part", "does not hold", "not contradicted", "shown", "not shown"}
VERDICTS |= {"yes", "no", "no difference shown", "worse than the best", "the guard is better", "no guard is better"}


@pytest.mark.parametrize("study", STUDIES)
def test_a_column_of_verdicts_holds_nothing_else(study: str) -> None:
    """A remark on a verdict has its own column."""
    for title, sheet in shipped_sheets(study).items():
        for column in {"verdict", "holds", "holds here"} & {*sheet.columns}:
            assert {cell for cell in sheet.column(column) if cell} <= VERDICTS, title


def test_counts_of_ist2015_agree_where_they_are_equal() -> None:
    for _, ours, _, published, _, verdict, _ in shipped_sheets("ist2015")[BESIDE].rows:
        if published is not None:
            assert verdict == (Verdict.AGREES if ours == published else Verdict.DIFFERS)


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_says_how_long_its_quick_budget_takes(study: str) -> None:
    assert re.fullmatch(r"about (ten|half a|a|one|two|three|\d+)( (seconds|minutes?))", STUDIES[study].quick_takes)


def test_an_interrupted_study_says_what_is_kept(tmp_path: Path) -> None:
    work = Work(tmp_path, Store(tmp_path / "store.sqlite3"))
    assert work.kept.startswith("Nothing is kept")
    for name, file in (("one", "result.json"), ("two", "run.toml")):
        work.folder(name).mkdir(parents=True)
        (work.folder(name) / "run.id").write_text("1")
        (work.folder(name) / file).write_text("{}")
    assert "keeps 1 finished and 1 unfinished runs: the same command continues from there" in work.kept


def test_an_interrupt_ends_a_study_and_not_only_its_search(tmp_path: Path) -> None:
    class Stopped(Problem):
        def start(self) -> int:
            return 0

        def actions(self, state: int) -> list[int]:  # noqa: ARG002
            raise KeyboardInterrupt

        def result(self, state: int, action: int) -> int:
            return state + action

        def is_goal(self, state: int) -> bool:  # noqa: ARG002
            return False

    with pytest.raises(KeyboardInterrupt):
        Work(tmp_path, Store(tmp_path / "store.sqlite3")).solved(Stopped(), "breadth-first")


def test_a_row_as_json_has_the_documented_fields() -> None:
    fields = {"name", "ours", "sem", "published", "published_sem", "verdict", "agrees", "note"}
    cases = (
        (judged("a", 10.0, 0.5, 10.9, 0.1), "agrees", True),
        (judged("b", 10.0, 0.1, 11.0, 0.1), "worse", False),
        (judged("c", 10.0, 5.0, 11.0, 0.1), "inconclusive", False),
        (judged("d", 10.0, 0.5, None, 0.1), "not comparable", None),
    )
    for row, verdict, agrees in cases:
        said = json.loads(json.dumps(row.as_json()))
        assert set(said) == fields
        assert (said["verdict"], said["agrees"]) == (verdict, agrees)
    assert cases[3][0].published_sem is None


def test_a_study_without_published_figures_compares_with_none() -> None:
    report = Report("a study", "", ())
    alone = Findings((judged("a", 10.0, 0.5, None),), report).beside
    assert alone.title == "Our figures"
    assert alone.without_empty_columns().columns == ("what", "ours", "error")
    both = Findings((judged("a", 10.0, 0.5, None), judged("b", 10.0, 0.5, 10.2, 0.5)), report).beside
    assert (both.title, both.columns) == (BESIDE, COLUMNS)


class StubSettings(StudySettings):
    """Settings of a study for tests."""

    large_boards: int = 10
    extended: bool = False


def stub(plays: tuple[tuple[str, str], ...] = (("nes", "lee"),)) -> Study:
    """Return a study that keeps one run's folder and finds one figure."""

    def run(_: StubSettings, work: Work) -> Findings:
        work.folder("one").mkdir(parents=True, exist_ok=True)
        return Findings((Row("x", 1.0, None, 1.0, None, Verdict.AGREES),), Report("stub: a study", "", ()))

    return Study("stub", "A study", "nobody", StubSettings, run, "no time", plays=plays)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))
    return Work(tmp_path / "out", Store())


def test_the_command_names_what_is_not_default() -> None:
    assert stub().command(StubSettings(budget="full")) == "blockfall study stub --budget full --seed 1"
    chosen = StubSettings(seed=3, large_boards=2, extended=True)
    expected = "blockfall study stub --budget quick --seed 3 --large-boards 2 --extended"
    assert stub().command(chosen) == expected


def test_a_report_says_what_made_it(work: Work) -> None:
    _, files = run_study(stub(), StubSettings(seed=5), work)
    assert {path.name for path in files} == {"report.html", "report.xlsx", "report.json"}
    made = json.loads((work.out / "report.json").read_text())["provenance"]
    assert made["command"] == "blockfall study stub --budget quick --seed 5"
    assert (made["seed"], made["budget"]) == (5, "quick")
    assert made["signature"] == stub().signature()
    assert made["command"] in (work.out / "report.html").read_text()


def test_runs_of_a_program_that_plays_otherwise_are_refused(work: Work) -> None:
    run_study(stub(), StubSettings(), work)
    run_study(stub(), StubSettings(seed=2), work)  # played alike
    begun = work.out / BEGUN_FILE
    begun.write_text(begun.read_text().replace(stub().signature()["nes lee"], "00000000"))
    with pytest.raises(SettingError, match=r"plays differently \(nes lee: 00000000 is now"):
        run_study(stub(), StubSettings(), work)
    begun.unlink()
    with pytest.raises(SettingError, match=r"contains runs but no valid begun.json"):
        run_study(stub(), StubSettings(), work)
