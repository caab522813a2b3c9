"""Runs side by side: their tests with intervals, every pair's difference, their games, curves and weights."""

from dataclasses import dataclass
from itertools import combinations

from blockfall.app.parts import charts, widgets
from blockfall.app.parts.records import RECORDS
from blockfall.app.results.run import RunDetails, chart, read
from blockfall.app.results.runs import MOST_COMPARED
from blockfall.errors import SettingError
from blockfall.experiments.overview import compare_runs
from blockfall.experiments.statistics import Comparison
from blockfall.reports.model import Sheet
from blockfall.store import Point, Store


@dataclass(frozen=True)
class Pair:
    """Two runs by their labels, what of them was compared, and what the comparison found."""

    first: str
    second: str
    what: str
    found: Comparison


def build(ids: list[str]) -> None:
    """Builds the view that compares the runs of these ids."""
    widgets.back("/results", "All results")
    widgets.title("Runs compared", "Lines per test game; intervals are of the mean, 95 %.")
    widgets.filled_later(lambda: RECORDS.do(lambda store: _read(store, ids)), lambda found: _draw(*found))


def _read(store: Store, ids: list[str]) -> tuple[dict[str, RunDetails], list[Pair]]:
    unique = list(dict.fromkeys(ids))
    if not 2 <= len(unique) <= MOST_COMPARED:
        raise SettingError(f"{len(unique)} runs; 2 to {MOST_COMPARED} can be compared")
    named: dict[str, RunDetails] = {}
    for details in (read(store, run) for run in unique):
        label = details.row.label
        named[label if label not in named else f"{label} ({details.row.id})"] = details
    pairs = [
        Pair(a, b, what, found)
        for (a, one), (b, other) in combinations(named.items(), 2)
        for what, found in compare_runs(store, one.overview, other.overview).items()
    ]
    return named, pairs


def _draw(runs: dict[str, RunDetails], pairs: list[Pair]) -> None:
    with widgets.panel("Tests"):
        widgets.data_sheet(tests_sheet(runs))
    with widgets.panel("Differences"):
        widgets.data_sheet(pairs_sheet(pairs))
    with widgets.parts():
        with widgets.panel("Test games"):
            chart(charts.histogram({name: run.lines for name, run in runs.items()}), "Lines per test game")
        with widgets.panel("Learning, the chosen restarts"):
            curves = {name: _chosen_curve(run) for name, run in runs.items()}
            chart(charts.best_chart(curves, max(run.iterations for run in runs.values())), "Best fitness by iteration")
    weights = {name: run.weights for name, run in runs.items() if run.weights}
    if weights:
        with widgets.panel("Weights"):
            chart(charts.weight_chart(weights), "Weights").style(charts.weight_chart_height(weights))


def tests_sheet(runs: dict[str, RunDetails]) -> Sheet:
    """The test games of each run, a row per run."""
    columns = ("run", "rules", "features", "trained by", "games", "mean", "from", "to", "std", "most", "validation")
    rows = []
    for name, run in runs.items():
        row, test = run.row, run.overview.test
        figures = (test["n"], test["mean"], test["low"], test["high"], test["std"], int(test["max"]), row.validation)
        rows.append((name, row.rules, row.features, row.optimiser, *figures))
    return Sheet("Tests", columns, tuple(rows))


def pairs_sheet(pairs: list[Pair]) -> Sheet:
    """The differences, a row per pair and comparison."""
    columns = ("first", "second", "compared", "verdict", "first - second", "from", "to", "p", "effect size")
    rows = []
    for pair in pairs:
        found = pair.found
        figures = (found.difference, found.low, found.high, found.p_value, found.effect_size)
        rows.append((pair.first, pair.second, pair.what, found.verdict, *figures))
    note = (
        "A difference is shown where its 95 % interval leaves out 0; trainings differ by the spread of their restarts."
    )
    return Sheet("Differences", columns, tuple(rows), note)


def _chosen_curve(run: RunDetails) -> list[Point]:
    result = run.overview.run.result
    assert result, "only finished runs are compared"
    return run.curves.get(f"restart {result['chosen_restart'] + 1}", [])
