"""A training run's report: how it learned, what it weighs, and how it plays."""

from typing import Any

import numpy as np

from blockfall.experiments.overview import Overview
from blockfall.reports.model import Bars, Curves, Figure, Report, Section, Series, Sheet
from blockfall.store import Store, StoredRun


def run_sheets(store: Store, run: StoredRun) -> dict[str, Sheet]:
    """Return a run's iterations, validation games and test games from the store, as sheets."""
    iterations = tuple(
        (row.restart, row.iteration, row.best, row.mean, row.spread, row.games, row.seconds, row.loss, row.value)
        for row in store.runs.iterations(run.id)
    )
    validations = tuple(
        (row.restart, row.stopped_by, game, lines, points)
        for row in store.runs.validations(run.id)
        for game, (lines, points) in enumerate(zip(row.lines, row.points, strict=True))
    )
    games = tuple(
        (game.game, game.lines, game.pieces, game.score, game.termination.value)
        for game in store.runs.test_games(run.id)
    )
    columns = ("restart", "iteration", "best", "mean", "spread", "games", "seconds", "loss", "value")
    return {
        "iterations": Sheet("Iterations", columns, iterations),
        "validations": Sheet("Validation games", ("restart", "stopped by", "game", "lines", "points"), validations),
        "games": Sheet("Test games", ("game", "lines", "pieces", "score", "termination"), games),
    }


def run_report(store: Store, run: StoredRun) -> Report:
    """Return the report of a run, finished or not."""
    result = run.result
    sections = [_learning(store, run)]
    if result:
        sections = [_outcome(result), *sections, _restarts(result)]
    title = f"Training run {run.folder.name}"
    summary = "Not finished yet."
    if result:
        test = result["test"]
        trainer = (result.get("learning") or result["optimiser"])["name"]
        summary = (
            f"{trainer} on {result['rules']}, fitness {result['fitness']}, seed {result['seed']}: "
            f"{test['mean']:.2f} lines per game ({test['low']:.2f} to {test['high']:.2f}, 95 %) over {test['n']:,} "
            "test games."
        )
    lines = store.runs.test_lines(run.id)
    if lines:
        sections.append(Section("Test games", (), (_distribution(lines),)))
    sections.append(Section("Provenance", (), (provenance(run),)))
    return Report(title, summary, tuple(sections))


def run_everything(store: Store, run: StoredRun) -> dict[str, Any]:
    """Return everything in the store about a run, for JSON."""
    seen = Overview(run)
    sheets = run_sheets(store, run)
    rows = {key: [dict(zip(s.columns, row, strict=True)) for row in s.rows] for key, s in sheets.items()}
    return {**seen.as_json(), "configuration": seen.configuration.as_keys(), **rows, "result": run.result}


def run_workbook(store: Store, run: StoredRun) -> bytes:
    """Return everything in the store about a run as a workbook, the report's sheets first."""
    from blockfall.reports.workbook import workbook_bytes

    report = run_report(store, run)
    everything = Section("Everything", (), tuple(run_sheets(store, run).values()))
    return workbook_bytes(Report(report.title, report.summary, (*report.sections, everything)))


def _outcome(result: dict[str, object]) -> Section:
    weights = result.get("weights", {})
    assert isinstance(weights, dict)
    ordered = sorted(weights.items(), key=lambda item: -abs(item[1]))
    bars = Bars(
        "Weights, largest first",
        "",
        "absolute weight",
        labels=tuple(name for name, _ in ordered),
        series=(("weight", tuple(value for _, value in ordered)),),
        absolute=True,
    )
    sheets = [_described("Lines per test game", result["test"])]
    if "score" in result:
        sheets.append(_described("Points per test game", result["score"]))
    return Section("The agent", (), (*sheets, bars) if weights else tuple(sheets))


def _described(title: str, games: object) -> Sheet:
    assert isinstance(games, dict)
    names = {"n": "games", "mean": "mean", "sem": "standard error", "std": "standard deviation", "min": "least"}
    rows: list[tuple[str, float]] = [(label, games[key]) for key, label in (names | {"max": "most"}).items()]
    rows += [(f"quantile {q}", value) for q, value in games["quantiles"].items()]
    if games.get("capped"):
        rows.append(("ended by the piece limit: the mean is a lower bound", games["capped"]))
    return Sheet(title, ("", "value"), tuple(rows))


def _learning(store: Store, run: StoredRun) -> Section:
    curves: dict[int, list[tuple[int, float, float, float]]] = {}
    for row in store.runs.iterations(run.id):
        curves.setdefault(row.restart, []).append((row.iteration + 1, row.best, row.mean, row.spread))
    best = tuple(
        Series(f"restart {restart + 1}", tuple(p[0] for p in points), tuple(p[1] for p in points))
        for restart, points in curves.items()
    )
    mean = tuple(
        Series(
            f"restart {restart + 1}",
            tuple(p[0] for p in points),
            tuple(p[2] for p in points),
            tuple(p[2] - p[3] for p in points),
            tuple(p[2] + p[3] for p in points),
        )
        for restart, points in curves.items()
    )
    learns = Overview(run).configuration.learning is not None  # one agent instead of candidates
    step, title = (
        ("stage", "Fitness after each stage")
        if learns
        else ("iteration", "Mean fitness of the candidates, with their spread")
    )
    figures: tuple[Figure, ...] = (
        Curves("Best fitness so far", step, "fitness", series=best),
        Curves(title, step, "fitness", series=mean),
        *_predictions(store, run),
    )
    return Section("Learning", (), figures if curves else ())


def _predictions(store: Store, run: StoredRun) -> tuple[Figure, ...]:
    """Draw the error and the size of the predictions in a run that learns."""
    points: dict[int, list[tuple[int, float, float]]] = {}
    for point in store.runs.curve(run.id):
        if point.loss is not None and point.value is not None:
            points.setdefault(point.restart, []).append((point.iteration + 1, point.loss, point.value))
    if not points:
        return ()

    def curves(title: str, what: str, place: int) -> Curves:
        series = tuple(
            Series(f"restart {restart + 1}", tuple(p[0] for p in found), tuple(p[place] for p in found))
            for restart, found in points.items()
        )
        return Curves(title, "stage", what, series=series)

    return (
        curves("Loss: the error of predictions", "mean squared error", 1),
        curves("Value: the mean prediction", "mean prediction", 2),
    )


def _restarts(result: dict[str, object]) -> Section:
    return Section("Restarts", (), (restarts_sheet(result),))


def restarts_sheet(result: dict[str, object]) -> Sheet:
    """Return each restart's fitness in training and validation, and which one was chosen."""
    rows = result["restarts"]
    assert isinstance(rows, list)
    found = tuple(
        (
            number,
            row["training_fitness"],
            row["validation_fitness"],
            row["training_fitness"] - row["validation_fitness"],
            row["validation"]["mean"],
            row["stopped_by"],
            number - 1 == result["chosen_restart"],
        )
        for number, row in enumerate(rows, 1)
    )
    columns = ("restart", "training fitness", "validation fitness", "gap", "validation mean", "stopped by", "chosen")
    note = "The training fitness is the luckiest candidate's on its training games, so it is probably too high."
    return Sheet("Training and validation", columns, found, note)


def _distribution(lines: list[int]) -> Curves:
    shares = np.bincount(lines) / len(lines)
    if len(shares) <= 200:
        series = Series("games", tuple(range(len(shares))), tuple(shares.tolist()))
        return Curves("Lines per test game", "lines", "share of games", series=(series,), steps=True)
    ordered = np.sort(lines)
    left = 1 - np.arange(len(ordered)) / len(ordered)
    series = Series("games", tuple(ordered.tolist()), tuple(left.tolist()))
    return Curves("Games with at least this many lines", "lines", "share of games", series=(series,))


def provenance(run: StoredRun) -> Sheet:
    """Return a run's provenance: its id, folder, times, version and machine."""
    rows = [("run", run.id), ("folder", str(run.folder)), ("started", run.started), ("finished", run.finished or "")]
    rows += [("version", run.version), *((key, str(value)) for key, value in run.machine.items())]
    return Sheet("Provenance", ("", "value"), tuple(rows))
