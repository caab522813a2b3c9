"""Downloads: the reports of runs and studies. Visitors give an id and a kind; paths and file names are ours."""

import json
import threading
from collections.abc import Callable

from fastapi import HTTPException, Response
from nicegui import app

from blockfall.app.results.study_results import OwnRun, shipped_report
from blockfall.errors import SettingError, UnknownNameError
from blockfall.reports import Report
from blockfall.reports.of_run import run_everything, run_report, run_workbook
from blockfall.reports.page import page
from blockfall.server.tournament import Tournament
from blockfall.store import Store, StoredRun
from blockfall.studies import STUDIES

MEDIA = {
    "html": "text/html; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
    "png": "image/png",
}
KINDS = {"html": "Page (HTML)", "xlsx": "Workbook (XLSX)", "json": "Data (JSON)"}
_TURN = threading.Lock()  # Matplotlib is not thread-safe


def add_routes() -> None:
    """Add the addresses of the files. Functions without `async` run in threads beside the event loop."""
    app.get("/files/runs/{run}/figures/{number}")(run_figure)
    app.get("/files/runs/{run}/{kind}")(run_file)
    app.get("/files/studies/{study}/figures/{number}")(study_figure)
    app.get("/files/studies/{study}/{kind}")(study_file)
    app.get("/files/own-studies/{study}/figures/{number}")(own_study_figure)
    app.get("/files/own-studies/{study}/{kind}")(own_study_file)
    app.get("/files/tournaments/{name}/{kind}")(tournament_file)


def run_file(run: str, kind: str) -> Response:
    """Return a run's report as a file of one of `KINDS`."""
    return _with_run(run, lambda store, found: _answer(_run_content(store, found, kind), f"run-{found.id}", kind))


def run_figure(run: str, number: int) -> Response:
    """Return a figure of a run's report as a picture, by number from 1."""

    def draw(store: Store, found: StoredRun) -> Response:
        return _figure(run_report(store, found), number, f"run-{found.id}")

    return _with_run(run, draw)


def _with_run(run: str, work: Callable[[Store, StoredRun], Response]) -> Response:
    with Store() as store:
        try:
            found = store.runs.find(run)
        except UnknownNameError:
            raise HTTPException(404, "no such run") from None
        return work(store, found)


def _run_content(store: Store, run: StoredRun, kind: str) -> str | bytes:
    if kind == "html":
        return _page(run_report(store, run))
    if kind == "xlsx":
        return run_workbook(store, run)
    if kind == "json":
        return json.dumps(run_everything(store, run), indent=1)
    raise HTTPException(404, f"no such kind; there are {', '.join(KINDS)}")


def study_file(study: str, kind: str) -> Response:
    """Return the report of a study's shipped results as a file of one of `KINDS`."""
    from blockfall.reports.workbook import workbook_bytes

    report = shipped_report(STUDIES[_known(study)])
    if kind == "html":
        return _answer(_page(report), study, kind)
    if kind == "xlsx":
        return _answer(workbook_bytes(report), study, kind)
    if kind == "json":
        return _answer(json.dumps(report.as_json(), indent=1), study, kind)
    raise HTTPException(404, f"no such kind; there are {', '.join(KINDS)}")


def study_figure(study: str, number: int) -> Response:
    """Return a figure of a study's shipped results as a picture, by number from 1."""
    return _figure(shipped_report(STUDIES[_known(study)]), number, study)


def own_study_file(study: str, kind: str) -> Response:
    """Return the report of a study run in this app, as a file of one of `KINDS`."""
    path = OwnRun(_known(study)).file(kind) if kind in KINDS else None
    if path is None:
        raise HTTPException(404, "no such file; has the study been run here?")
    return _answer(path.read_bytes(), f"{study}-here", kind)


def own_study_figure(study: str, number: int) -> Response:
    """Return a figure of a study run in this app, as a picture, by number from 1."""
    figures = OwnRun(_known(study)).figures
    if not 1 <= number <= len(figures):
        raise HTTPException(404, f"no such figure; there are {len(figures)}")
    return _answer(figures[number - 1].read_bytes(), f"{study}-here-{number}", "png")


def tournament_file(name: str, kind: str) -> Response:
    """Return the results of a tournament, as a workbook or JSON."""
    try:
        found = Tournament.read(name)
    except (UnknownNameError, SettingError):
        raise HTTPException(404, "no such tournament") from None
    if kind == "xlsx":
        return _answer(found.workbook(), "tournament", kind)
    if kind == "json":
        return _answer(json.dumps(found.as_json(), indent=1), "tournament", kind)
    raise HTTPException(404, "no such kind; there are xlsx and json")


def _known(study: str) -> str:
    if study not in STUDIES:
        raise HTTPException(404, f"no such study; there are {', '.join(STUDIES)}")
    return study


def _page(report: Report) -> str:
    from blockfall.reports.plots import png  # Matplotlib takes a second to import, too long for the app's start

    with _TURN:
        return page(report, {figure.title: png(figure) for figure in report.figures})


def _figure(report: Report, number: int, name: str) -> Response:
    from blockfall.reports.plots import png

    if not 1 <= number <= len(report.figures):
        raise HTTPException(404, f"no such figure; there are {len(report.figures)}")
    with _TURN:
        return _answer(png(report.figures[number - 1]), f"{name}-{number}", "png")


def _answer(content: str | bytes, name: str, kind: str) -> Response:
    where = "inline" if kind == "png" else "attachment"
    headers = {"Content-Disposition": f'{where}; filename="blockfall-{name}.{kind}"', "Cache-Control": "no-store"}
    return Response(content, media_type=MEDIA[kind], headers=headers)
