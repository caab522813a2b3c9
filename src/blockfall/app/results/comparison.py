"""A comparison of runs: their live learning curves, differing settings, tests, games and weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from nicegui import ui

from blockfall.app.parts import charts, widgets
from blockfall.app.parts.records import RECORDS
from blockfall.app.results.run import RunDetails, chart, read
from blockfall.app.results.runs import MOST_COMPARED
from blockfall.errors import SettingError
from blockfall.experiments.overview import compare_runs
from blockfall.experiments.statistics import Comparison
from blockfall.reports.model import Sheet
from blockfall.store import Point, Store

_LOOK_S = 2.0


@dataclass(frozen=True)
class Pair:
    """Two runs by label, the quantity compared, and the result."""

    first: str
    second: str
    what: str
    found: Comparison


Found = tuple[dict[str, RunDetails], list[Pair]]


def build(ids: list[str]) -> None:
    """Build the view that compares these runs."""
    ui.page_title("Runs compared · Blockfall")
    widgets.back("/results", "All results")
    widgets.title("Runs compared", "Lines per test game. A 95 % interval contains the true mean in 95 of 100 cases.")
    widgets.filled_later(
        lambda: RECORDS.do(lambda store: read_all(store, ids)), lambda found: _ComparisonView(ids, found)
    )


def read_all(store: Store, ids: list[str]) -> Found:
    """Read the runs by unique names, and compare those that are finished."""
    unique = list(dict.fromkeys(ids))
    if not 2 <= len(unique) <= MOST_COMPARED:
        raise SettingError(f"{len(unique)} runs; 2 to {MOST_COMPARED} can be compared")
    named: dict[str, RunDetails] = {}
    for details in (read(store, run) for run in unique):
        label = details.row.label
        named[label if label not in named else f"{label} ({details.row.id})"] = details
    finished = {name: run for name, run in named.items() if run.overview.run.finished}
    pairs = [
        Pair(a, b, what, found)
        for (a, one), (b, other) in combinations(finished.items(), 2)
        for what, found in compare_runs(store, one.overview, other.overview).items()
    ]
    return named, pairs


class _ComparisonView:
    """The comparison on a page, updated every other second until all runs are finished."""

    def __init__(self, ids: list[str], found: Found) -> None:
        self._ids = ids
        runs, _ = found
        with widgets.panel("Learning, the best restart of each"):
            self._learning = chart(charts.best_chart({}, 1), "Best fitness by iteration")
        with widgets.panel("Settings that differ"):
            widgets.data_sheet(differences_sheet(runs))
        self._rest = ui.element("div").classes("bf-stack")
        self._states: list[str] = []
        self._show(found)
        self._timer = ui.timer(_LOOK_S, self._look, active=not _settled(runs))

    async def _look(self) -> None:
        found = await RECORDS.do(lambda store: read_all(store, self._ids))
        self._show(found)
        self._timer.active = not _settled(found[0])

    def _show(self, found: Found) -> None:
        runs, pairs = found
        iterations = max(run.overview.configuration.iterations for run in runs.values())
        curves = {name: chosen_curve(run) for name, run in runs.items()}
        widgets.redraw(self._learning, charts.best_chart(curves, iterations))
        states = [run.row.state for run in runs.values()]
        if states != self._states:
            self._states = states
            self._rest.clear()
            with self._rest:
                _draw_tests(runs, pairs)


def _settled(runs: Mapping[str, RunDetails]) -> bool:
    return all(run.row.state == "finished" for run in runs.values())


def _draw_tests(runs: dict[str, RunDetails], pairs: list[Pair]) -> None:
    with widgets.panel("Tests"):
        widgets.data_sheet(tests_sheet(runs))
    if pairs:
        with widgets.panel("Differences"):
            widgets.data_sheet(pairs_sheet(pairs))
    tested = {name: run for name, run in runs.items() if run.lines}
    with widgets.parts():
        if tested:
            with widgets.panel("Test games"):
                chart(charts.histogram({name: run.lines for name, run in tested.items()}), "Lines per test game")
        weights = {name: run.weights for name, run in runs.items() if run.weights}
        if weights:
            with widgets.panel("Weights"):
                chart(charts.weight_chart(weights), "Weights").style(charts.weight_chart_height(weights))


def differences_sheet(runs: Mapping[str, RunDetails]) -> Sheet:
    """Return the settings and notes in which the runs differ, a row each."""
    told = {name: _settings(run) for name, run in runs.items()}
    keys = list(dict.fromkeys(key for settings in told.values() for key in settings))
    rows = [(key, *(told[name].get(key, "") for name in runs)) for key in keys]
    differing = tuple(row for row in rows if len(set(row[1:])) > 1)
    note = "" if differing else "All settings are the same."
    return Sheet("Settings that differ", ("setting", *runs), differing, note)


def _settings(run: RunDetails) -> dict[str, str]:
    keys = run.overview.configuration.as_keys()
    keys.pop("name", None)
    written = {"note": run.row.note, "tags": ", ".join(run.row.tags)}
    return _flat(keys) | {name: text for name, text in written.items() if text}


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Return the values of a nested table as text, by readable names.

    >>> _flat({"seed": 1, "games": {"max_pieces": 20}, "features": ["holes", "wells"]})
    {'seed': '1', 'games: max pieces': '20', 'features': 'holes, wells'}
    """
    found: dict[str, str] = {}
    for key, value in table.items():
        name = f"{before}{key.replace('_', ' ')}"
        if isinstance(value, dict):
            found |= _flat(value, f"{name}: ")
        else:
            found[name] = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return found


def tests_sheet(runs: Mapping[str, RunDetails]) -> Sheet:
    """Return the results of the test games, a row per run. An unfinished run has only its state."""
    columns = ("run", "state", "trained by", "games", "mean", "from", "to", "std", "most", "validation")
    rows = []
    for name, run in runs.items():
        row, test = run.row, run.overview.test
        keys = ("n", "mean", "low", "high", "std", "max")
        figures = tuple(test.get(key) for key in keys)
        rows.append((name, row.state, row.optimiser, *figures, row.validation))
    return Sheet("Tests", columns, tuple(rows))


def pairs_sheet(pairs: list[Pair]) -> Sheet:
    """Return the differences, a row per pair and comparison."""
    columns = ("first", "second", "verdict", "compared", "first - second", "from", "to", "p", "effect size")
    rows = []
    for pair in pairs:
        found = pair.found
        figures = (found.difference, found.low, found.high, found.p_value, found.effect_size)
        rows.append((pair.first, pair.second, found.verdict, pair.what, *figures))
    note = (
        "Two agents differ if the 95 % interval of their difference excludes 0. Trainings are compared by the spread "
        "between their restarts."
    )
    return Sheet("Differences", columns, tuple(rows), note)


def chosen_curve(run: RunDetails) -> list[Point]:
    """Return the curve of the chosen restart or, before the run is finished, of the best one so far."""
    result = run.overview.run.result
    if result:
        return run.curves.get(f"restart {result['chosen_restart'] + 1}", [])
    return max(run.curves.values(), key=lambda points: points[-1].best, default=[])
