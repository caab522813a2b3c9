"""Charts of runs as ECharts options. They are drawn as SVG, so that style.css can colour the text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from blockfall.reports.colours import COLOURS
from blockfall.store import Point

Options = dict[str, Any]
Prediction = Literal["loss", "value"]
PREDICTIONS: tuple[Prediction, ...] = ("loss", "value")

MOST_POINTS = 600  # in a curve; screens show no more
_MOST_BARS = 60
_QUIET = "rgba(128, 138, 158, 0.28)"  # the grid, on light and on dark
_BEST, _MEAN = COLOURS[0], COLOURS[1]


def fitness_chart(points: Sequence[Point], iterations: int) -> Options:
    """The curve of one restart: the best fitness so far, and the candidates' mean and spread."""
    shown = thinned(points)
    at = [point.iteration + 1 for point in shown]

    def line(name: str, values: list[float], colour: str) -> Options:
        return _line(name, list(zip(at, values, strict=True)), colour)

    low, high = ([point.mean + sign * point.spread for point in shown] for sign in (-1, 1))
    best = line("best so far", [point.best for point in shown], _BEST)
    mean = line("mean of the candidates", [point.mean for point in shown], _MEAN)
    options = _axes("iteration", "fitness", most_x=iterations)
    if all(point.mean >= 0 for point in shown):
        options["yAxis"]["min"] = 0  # fitness is never negative here, even if the spread is
    return options | {
        "legend": _legend(["best so far", "mean of the candidates"]),
        "series": [*_band(at, low, high, _MEAN), mean, best],
    }


def prediction_chart(curves: Mapping[str, Sequence[Point]], of: Prediction, iterations: int) -> Options:
    """The predictions of a learning run's restarts, or their errors."""
    series = [
        _line(
            name,
            [(point.iteration + 1, found) for point in thinned(points) if (found := getattr(point, of)) is not None],
            _colour(number),
        )
        for number, (name, points) in enumerate(curves.items())
    ]
    what = {"loss": "loss (mean squared error)", "value": "value (mean prediction)"}[of]
    return _axes("stage", what, most_x=iterations) | {"legend": _legend(list(curves)), "series": series}


def learns(points: Iterable[Point]) -> bool:
    """Return whether these points come from a run that learns predictions."""
    return any(point.loss is not None for point in points)


def speed_chart(points: Sequence[Point]) -> Options:
    """The games per second of each iteration."""
    shown = thinned(points)
    pairs = [(place, point.games / point.seconds if point.seconds else 0) for place, point in enumerate(shown, 1)]
    options = _axes("", "games per second", most_x=max(2, len(shown)))
    options["xAxis"]["axisLabel"] = {"show": False}
    options["grid"]["top"] = 34
    return options | {"series": [_line("games per second", pairs, COLOURS[2]) | {"areaStyle": {"opacity": 0.12}}]}


def best_chart(curves: Mapping[str, Sequence[Point]], iterations: int) -> Options:
    """The best fitness so far of several restarts or runs."""
    series = [
        _line(name, [(point.iteration + 1, point.best) for point in thinned(points)], _colour(number))
        for number, (name, points) in enumerate(curves.items())
    ]
    return _axes("iteration", "best fitness so far", most_x=iterations) | {
        "legend": _legend(list(curves)),
        "series": series,
    }


def restarts_chart(curves: Mapping[str, Sequence[Point]], iterations: int) -> Options:
    """The best fitness so far of all restarts: each as a thin line, with their mean and spread.

    The mean and the spread end where the first restart ends, as a mean of fewer restarts would not compare.
    """
    full = [points for points in curves.values() if points]
    shared = min((len(points) for points in full), default=0) if len(full) > 1 else 0
    places = [point.iteration + 1 for point in thinned(full[0][:shared])] if shared else []
    best = np.array([[points[place - 1].best for place in places] for points in full]) if places else np.zeros((1, 0))
    thin = [
        _line(name, [(point.iteration + 1, point.best) for point in thinned(points)], _colour(number + 1))
        | {"lineStyle": {"width": 1.5, "color": _colour(number + 1), "opacity": 0.8}}
        for number, (name, points) in enumerate(curves.items())
    ]
    low, high = best.min(axis=0).tolist(), best.max(axis=0).tolist()
    mean = _line("mean of the restarts", list(zip(places, best.mean(axis=0).tolist(), strict=True)), _BEST)
    mean["lineStyle"]["width"] = 3
    names = [*curves, *(["mean of the restarts"] if places else [])]
    return _axes("iteration", "best fitness so far", most_x=iterations) | {
        "legend": _legend(names),
        "series": [*_band(places, low, high, _BEST), *thin, *([mean] if places else [])],
    }


def histogram(samples: Mapping[str, Sequence[int]], what: str = "lines") -> Options:
    """The share of games by lines or points, with the same bins for all samples."""
    most = max((max(sample) for sample in samples.values() if sample), default=0)
    width = max(1, -(-(most + 1) // _MOST_BARS))
    edges = np.arange(0, most + width + 1, width)
    names = [str(left) if width == 1 else f"{left} to {left + width - 1}" for left in edges[:-1].tolist()]
    series = []
    for number, (name, sample) in enumerate(samples.items()):
        shares = np.histogram(sample, edges)[0] / max(1, len(sample))
        series.append(
            {
                "type": "bar",
                "name": name,
                "data": [round(100 * share, 4) for share in shares.tolist()],
                "itemStyle": {"color": _colour(number), "opacity": 0.85},
                "barGap": "0%",
                "barCategoryGap": "12%",
            }
        )
    options = _axes(f"{what} per game", "percent of games")
    options["xAxis"] |= {"type": "category", "data": names}
    for key in ("min", "max"):
        options["xAxis"].pop(key, None)
    if len(samples) < 2:
        options["grid"]["top"] = 34
    return options | {"legend": _legend(list(samples)) if len(samples) > 1 else {"show": False}, "series": series}


def weight_chart(weights: dict[str, dict[str, float]]) -> Options:
    """One bar per feature and agent, the first agent's largest weight on top."""
    first = next(iter(weights.values()))
    names = sorted({name for values in weights.values() for name in values}, key=lambda name: abs(first.get(name, 0)))
    series = [
        {
            "type": "bar",
            "name": agent,
            "data": [values.get(name) for name in names],
            "itemStyle": {"color": _colour(number)},
        }
        for number, (agent, values) in enumerate(weights.items())
    ]
    options = _axes("weight", "")
    options["xAxis"].pop("min")
    options["yAxis"] = {
        "type": "category",
        "data": names,
        "axisTick": {"show": False},
        "axisLine": {"show": False},
        "axisLabel": {"width": 150, "overflow": "truncate"},
    }
    options["grid"] |= {"top": 30 if len(weights) > 1 else 6}
    return options | {"legend": _legend(list(weights)) if len(weights) > 1 else {"show": False}, "series": series}


def weight_chart_height(weights: dict[str, dict[str, float]]) -> str:
    """The CSS height at which `weight_chart` is easy to read."""
    rows = len({name for values in weights.values() for name in values}) * max(1, len(weights))
    return f"height: {5 + (1.25 if len(weights) == 1 else 0.7) * max(4, rows):.1f}rem"


def thinned(points: Sequence[Point]) -> Sequence[Point]:
    """Return at most MOST_POINTS of the points, evenly chosen, always with the last one."""
    if len(points) <= MOST_POINTS:
        return points
    places = np.unique(np.linspace(0, len(points) - 1, MOST_POINTS).astype(int))
    return [points[place] for place in places.tolist()]


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _line(name: str, pairs: Sequence[tuple[float, float]], colour: str) -> Options:
    return {
        "type": "line",
        "name": name,
        "data": [[x, round(y, 4)] for x, y in pairs],
        "showSymbol": len(pairs) < 2,
        "lineStyle": {"width": 2, "color": colour},
        "itemStyle": {"color": colour},
    }


def _band(at: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str) -> list[Options]:
    """A shaded band between two curves: an invisible line, and stacked on it an area as high as the band."""
    silent = {
        "stack": "spread",
        "lineStyle": {"opacity": 0},
        "silent": True,
        "tooltip": {"show": False},
        "stackStrategy": "all",
    }
    floor = _line("floor", list(zip(at, low, strict=True)), colour) | silent
    heights = [top - bottom for bottom, top in zip(low, high, strict=True)]
    band = _line("spread", list(zip(at, heights, strict=True)), colour) | silent
    return [floor, band | {"areaStyle": {"color": colour, "opacity": 0.16}}]


def _legend(names: list[str]) -> Options:
    return {"data": names, "top": 0, "left": 0, "type": "scroll", "itemWidth": 18, "itemHeight": 8}


def _axes(x: str, y: str, most_x: float | None = None) -> Options:
    line = {"lineStyle": {"color": _QUIET}}
    across: Options = {
        "type": "value",
        "name": x,
        "nameLocation": "middle",
        "nameGap": 26,
        "splitLine": {"show": False},
        "axisLine": line,
        "minInterval": 1,
        "min": 1,
    }
    if most_x is not None:
        across["max"] = max(2, most_x)
    else:
        across["min"] = None
    return {
        "animation": False,
        "grid": {"left": 8, "right": 16, "top": 58, "bottom": 34 if x else 12, "containLabel": True},
        "tooltip": {"trigger": "axis", "className": "bf-tooltip", "confine": True},
        "xAxis": across,
        "yAxis": {
            "type": "value",
            "name": y,
            "nameLocation": "end",
            "nameTextStyle": {"align": "left", "padding": [0, 0, 0, -20]},
            "splitLine": line,
            "axisLine": {"show": False},
            "axisTick": {"show": False},
        },
    }
