"""The page Results: runs listed, opened, compared, deleted and taken home; the studies with their figures."""

import io
import json
import os
import re
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import openpyxl
import pytest
from playwright.sync_api import Locator, Page, expect

from blockfall.app.results.stories import row_name
from blockfall.experiments.configuration import configuration_from
from blockfall.experiments.run import ID_FILE, create_run
from blockfall.files import locked
from blockfall.store import RunNote, Store, StoredRun
from blockfall.studies import STUDIES
from blockfall.studies.results import BESIDE, shipped_provenance, shipped_sheets
from blockfall.studies.soster2024 import Soster2024Settings, cells_of
from tests.app.conftest import PHONE, App, Visit
from tests.app.looking import answers, comes_to, overflow
from tests.app.test_accessibility import everybody_can_use
from tests.program import PROGRAM, output_of

# fmt: off
SIZES = ("--iterations", "4", "--population", "6", "--training", "4", "--validation", "20", "--test", "60",
         "--restarts", "2", "--no-report")
# fmt: on
NAMES = ("swarm <b>bold</b>", "chance")


@pytest.fixture(scope="module")
def runs(app: App, tmp_path_factory: pytest.TempPathFactory) -> list[StoredRun]:
    """Two runs of the command line, one of them with a name that must not become markup."""
    folder = tmp_path_factory.mktemp("runs")
    for name, optimiser in zip(NAMES, ("pso", "random"), strict=True):
        command = ("train", "--optimiser", optimiser, *SIZES, "--set", f"name='{name}'", "--out", folder / optimiser)
        output_of(*command, home=app.home)
    with closing(Store(app.home / "store.sqlite3")) as store:
        found = [run for run in store.runs.newest() if run.folder.parent == folder.resolve()]
    return sorted(found, key=lambda run: run.folder.name != "pso")


@pytest.fixture
def store(app: App) -> Iterator[Store]:
    with closing(Store(app.home / "store.sqlite3")) as opened:
        yield opened


def row_of(page: Page, run: StoredRun) -> Locator:
    return page.get_by_role("row").filter(has=page.locator(f"a[href='/results?run={run.id}']"))


def fetched(app: App, path: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(app.url.rstrip("/") + path) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


def test_list_filter_and_open(visit: Visit, runs: list[StoredRun]) -> None:
    page = visit("/results")
    for run, name in zip(runs, NAMES, strict=True):
        expect(row_of(page, run)).to_contain_text(name)
    page.get_by_label("Filter").fill("swarm pso")
    expect(row_of(page, runs[1])).to_have_count(0)
    expect(row_of(page, runs[0])).to_have_count(1)
    page.get_by_role("link", name=NAMES[0]).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(NAMES[0])
    expect(page).to_have_title(f"{NAMES[0]} · Runs · Blockfall")
    expect(page.get_by_text("NES Tetris without rotation · ")).to_be_visible()  # the usual rules by their title
    assert runs[0].result
    test = runs[0].result["test"]
    expect(page.get_by_text(f"{test['mean']:,.2f} ± {test['sem']:,.2f}")).to_be_visible()
    for name in ("Best fitness by iteration", "Lines per test game", "Weights"):
        expect(page.get_by_role("img", name=name).locator("svg")).to_be_visible()


def test_compare_two(visit: Visit, runs: list[StoredRun]) -> None:
    page = visit("/results")
    for run in runs:
        row_of(page, run).get_by_role("checkbox").click()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs compared")
    differences = page.get_by_role("region", name="Differences")
    expect(differences.get_by_role("row").filter(has_text="agents, on the same games")).to_be_visible()
    expect(differences.get_by_role("row").filter(has_text="trainings, by their restarts")).to_be_visible()
    for run, name in zip(runs, NAMES, strict=True):
        assert run.result
        tests = page.get_by_role("region", name="Tests", exact=True).get_by_role("row").filter(has_text=name)
        expect(tests).to_contain_text(f"{run.result['test']['mean']:,.2f}")
    expect(page.get_by_role("img", name="Weights").locator("svg")).to_be_visible()


def test_one_run_cannot_be_compared(visit: Visit, runs: list[StoredRun]) -> None:
    page = visit("/results")
    row_of(page, runs[0]).get_by_role("checkbox").click()
    expect(page.get_by_role("status").filter(has_text="1 run chosen. Tick 2 to 5 runs")).to_be_visible()
    expect(page.get_by_role("button", name="Compare")).to_be_disabled()


def test_notes_and_tags_are_kept_and_found(visit: Visit, runs: list[StoredRun]) -> None:
    page = visit(f"/results?run={runs[1].id}")
    page.get_by_label("Note", exact=True).fill("luck <b>only</b>")
    page.get_by_label("Tags", exact=True).fill("Baseline, slow")
    page.get_by_label("Tags", exact=True).press("Enter")
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    page.goto(page.url.split("?")[0])
    answers(page)
    expect(row_of(page, runs[1])).to_contain_text("baseline")
    page.get_by_label("Filter").fill("baseline luck")
    expect(row_of(page, runs[0])).to_have_count(0)
    expect(row_of(page, runs[1])).to_have_count(1)


def test_a_running_training_is_compared_live(app: App, visit: Visit, runs: list[StoredRun], tmp_path: Path) -> None:
    command = [*PROGRAM, "train", "--optimiser", "random", "--iterations", "100000", "--training", "2", "--no-report"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path / "live")],
        env=os.environ | {"BLOCKFALL_HOME": str(app.home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        number = tmp_path / "live" / ID_FILE
        comes_to(number.is_file, True)
        page = visit(f"/results?compare={runs[1].id},{number.read_text().strip()}")
        settings = page.get_by_role("region", name="Settings that differ")
        expect(settings.get_by_role("row").filter(has_text="optimiser: iterations")).to_contain_text("100000")
        expect(settings).not_to_contain_text("pieces known")
        tests = page.get_by_role("region", name="Tests", exact=True)
        expect(tests.get_by_role("row").filter(has_text="live")).to_contain_text("running")
        process.send_signal(signal.SIGINT)
        expect(tests.get_by_role("row").filter(has_text="live")).to_contain_text("stopped")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)


@pytest.mark.parametrize("path", ["/results", "/results?run={0}", "/results?compare={0},{1}"])
def test_everybody_can_use_the_runs(visit: Visit, runs: list[StoredRun], store: Store, path: str) -> None:
    store.runs.set_note(runs[0].id, RunNote("seen", ("tagged",)))
    page = visit(path.format(*(run.id for run in runs)))
    expect(page.get_by_text("finished").first).to_be_visible()
    everybody_can_use(page)


def test_everybody_can_choose_and_delete_a_run(visit: Visit, runs: list[StoredRun]) -> None:
    page = visit("/results")
    row_of(page, runs[0]).get_by_role("checkbox", name=f"Choose {NAMES[0]}").click()
    expect(page.get_by_role("checkbox", name="Choose all runs")).to_have_attribute("aria-checked", "mixed")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("dialog", name="Delete this run")).to_contain_text(NAMES[0])
    everybody_can_use(page)


def test_the_workbook_holds_what_the_store_holds(visit: Visit, runs: list[StoredRun], store: Store) -> None:
    page = visit(f"/results?run={runs[0].id}")
    with page.expect_download() as started:
        page.get_by_role("link", name="Workbook (XLSX)").click()
    assert started.value.suggested_filename == f"blockfall-run-{runs[0].id}.xlsx"
    book = openpyxl.load_workbook(io.BytesIO(started.value.path().read_bytes()))
    rows = list(book["Test games"].iter_rows(values_only=True))
    assert rows[3] == ("game", "lines", "pieces", "score", "termination")
    games = store.runs.test_games(runs[0].id)
    assert rows[4:] == [(one.game, one.lines, one.pieces, one.score, one.termination.value) for one in games]
    iterations = [row[:7] for row in book["Iterations"].iter_rows(min_row=5, values_only=True)]
    kept = store.runs.curve(runs[0].id)
    assert [(row[0], row[1], row[5]) for row in iterations] == [(p.restart, p.iteration, p.games) for p in kept]
    assert [row[2:5] for row in iterations] == [pytest.approx((p.best, p.mean, p.spread)) for p in kept]


def test_the_other_file_formats(app: App, runs: list[StoredRun]) -> None:
    run = runs[0]
    assert b"<h1>Training run pso</h1>" in fetched(app, f"/files/runs/{run.id}/html")[1]
    told = json.loads(fetched(app, f"/files/runs/{run.id}/json")[1])
    assert told["result"] == run.result
    assert len(told["games"]) == 60
    assert fetched(app, f"/files/runs/{run.id}/figures/1")[1].startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "path",
    [
        "/files/runs/nobody/xlsx",
        "/files/runs/..%2F..%2Fstore/json",
        "/files/runs/{run}/exe",
        "/files/runs/{run}/figures/99",
        "/files/studies/none/html",
        "/files/studies/soster2024/..%2F__init__.py",
        "/files/own-studies/soster2024/html",
        "/files/own-studies/soster2024/figures/1",
    ],
)
def test_only_offered_files_can_be_downloaded(app: App, runs: list[StoredRun], path: str) -> None:
    assert fetched(app, path.format(run=runs[0].id))[0] == 404


def test_delete_asks_first(app: App, visit: Visit, runs: list[StoredRun], store: Store, tmp_path: Path) -> None:
    command = ("train", *SIZES, "--set", "name='unwanted'", "--out", tmp_path / "unwanted")
    output_of(*command, home=app.home)
    run = next(run for run in store.runs.newest() if run.folder.name == "unwanted")
    page = visit("/results")
    row_of(page, run).get_by_role("checkbox").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(row_of(page, run)).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete for good").click()
    expect(row_of(page, run)).to_have_count(0)
    assert not run.folder.exists()
    assert run.id not in [kept.id for kept in store.runs.newest()]
    assert {one.id for one in runs} <= {kept.id for kept in store.runs.newest()}


def test_a_running_training_cannot_be_deleted(visit: Visit, store: Store, tmp_path: Path) -> None:
    run = create_run(store, configuration_from({"name": "busy"}, "the test"), tmp_path / "busy")
    with locked(tmp_path / "busy"):
        page = visit(f"/results?run={run.id}")
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_have_text("busy is being trained. Stop it first.")
        expect(page.get_by_role("button", name="Delete for good")).to_be_disabled()
        page.get_by_role("button", name="Keep").click()
    page.reload()
    answers(page)
    page.get_by_role("button", name="Delete", exact=True).click()
    with locked(tmp_path / "busy"):  # begun again meanwhile
        page.get_by_role("button", name="Delete for good").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("a process is working on it; stop it")
    page.get_by_role("button", name="Delete for good").click()
    expect(page).to_have_url(re.compile("/results$"))
    expect(page.locator(".q-notification")).to_have_count(0)


def test_all_studies_are_shown(visit: Visit) -> None:
    page = visit("/results?show=studies")
    for study in STUDIES.values():
        card = page.get_by_role("link").filter(has_text=study.title)
        expect(card).to_have_attribute("href", f"/results?study={study.name}")
        expect(card).to_contain_text(study.source)
    page.get_by_role("link").filter(has_text=STUDIES["feup2016"].title).click()
    story = page.get_by_role("region", name="The question")
    expect(story).to_contain_text("Mean points of 5,000 boards: all 8 figures agree.")
    figures = page.get_by_role("region", name="All figures")
    expect(figures).to_contain_text(str(shipped_provenance("feup2016")))
    chart = page.get_by_role("region", name="Ours and the published figures")
    for name, ours, error, published, published_error, *_ in shipped_sheets("feup2016")[BESIDE].rows:
        part, english = row_name("feup2016", str(name))
        row = figures.get_by_role("row").filter(has=page.get_by_role("cell", name=f"{part}: {english}", exact=True))
        expect(row).to_contain_text(f"{ours:,.2f} ± {error:,.2f}")
        expect(row).to_contain_text(f"{published:,.2f} ± {published_error:,.2f}")
        expect(row).to_contain_text("agrees")
        expect(chart.get_by_role("listitem", name=f"{english}: ours {ours:,.2f} ± {error:,.2f}")).to_be_visible()


@pytest.mark.parametrize("study", STUDIES)
def test_every_figure_of_a_study_has_an_english_name(study: str) -> None:
    names = [str(row[0]) for row in shipped_sheets(study)[BESIDE].rows]
    assert [name for name in names if not row_name(study, name)[0]] == []


def test_every_training_of_soster2024_has_an_english_name() -> None:
    """This includes our own groups and the future work, which the package does not ship."""
    names = [
        cell.name
        for cell in cells_of(Soster2024Settings(extended=True))
        if cell.part not in ("readings", "repeated", "fours")
    ]
    assert any("network" in name for name in names)
    assert [name for name in names if not row_name("soster2024", name)[0]] == []
    assert row_name("soster2024", "nes-no-rotation/own-4/mean") == (
        "With slides, fitness mean",
        "Group 4, of our own weights",
    )


@pytest.mark.parametrize("study", STUDIES)
def test_a_studys_files(app: App, study: str) -> None:
    beside = shipped_sheets(study)[BESIDE]
    book = openpyxl.load_workbook(io.BytesIO(fetched(app, f"/files/studies/{study}/xlsx")[1]))
    rows = list(book[book.sheetnames[0]].iter_rows(min_row=5, max_col=3, values_only=True))
    assert [row[0] for row in rows] == [row[0] for row in beside.rows]
    assert [row[1] for row in rows] == pytest.approx([row[1] for row in beside.rows])
    told = json.loads(fetched(app, f"/files/studies/{study}/json")[1])
    assert [tuple(row) for row in told["sections"][0]["tables"][0]["rows"]] == list(beside.rows)


def test_a_study_runs_here_and_can_be_stopped(visit: Visit) -> None:
    page = visit("/results?study=feup2016")
    page.get_by_role("button", name=re.compile("Run it here")).click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.reload()
    answers(page)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Resume (quick budget)")).to_be_visible()


@pytest.mark.parametrize(
    "path", ["/results", "/results?run={0}", "/results?compare={0},{1}", "/results?study=data2021"]
)
def test_phone(visit: Visit, runs: list[StoredRun], path: str) -> None:
    page = visit(path.format(*(run.id for run in runs)), PHONE)
    expect(page.get_by_role("table").first).to_be_visible()
    assert overflow(page) <= 0


@pytest.mark.parametrize("path", ["/results?run=nobody", "/results?compare=a,b", "/results?study=none", "/train?run=x"])
def test_missing_runs_and_studies_are_reported(visit: Visit, path: str) -> None:
    page = visit(path)
    expect(page.get_by_text(re.compile("unknown (run|study)|Nothing is being trained")).first).to_be_visible()


def test_filters_and_chosen_runs_are_in_the_address(visit: Visit, runs: list[StoredRun]) -> None:
    chance = runs[1]
    page = visit("/results")
    expect(row_of(page, runs[0])).to_be_visible()
    page.get_by_label("Filter").fill("chance")
    expect(row_of(page, runs[0])).to_have_count(0)
    row_of(page, chance).get_by_role("checkbox").click()
    page.wait_for_url(re.compile(f"filter=chance.*chosen={chance.id}"))
    friend = visit(str(page.evaluate("location.pathname + location.search")))
    expect(row_of(friend, chance).get_by_role("checkbox")).to_be_checked()
    expect(row_of(friend, runs[0])).to_have_count(0)
    expect(friend.get_by_label("Filter")).to_have_value("chance")
