"""The study's pictures: every training as a dot, the thesis's charts 1 and 2, and how the networks learn."""

import math
from itertools import pairwise

import numpy as np

from blockfall.reports import Bars, Curves, Dots, Series
from blockfall.studies.data2021.trainings import PUBLISHED, TrainedBots

_BINS = 12


def agents_dots(order: list[tuple[str, TrainedBots]]) -> Dots:
    """Return every training of the compared agents as a dot."""
    return Dots(
        "Score of the agents",
        "million points per game",
        "",
        "Each dot is a training: the mean of its bot's validation games.",
        labels=tuple(label for label, _ in order),
        samples=tuple(one.means for _, one in order),
        dot_label="a training",
        log_x=True,
    )


def dots(title: str, tab: str, cells: list[TrainedBots]) -> Dots:
    """Return every training of an experiment as a dot, and the thesis's as a mark."""
    return Dots(
        f"{title}: every training",
        "million points per game",
        "",
        "Each dot is a training: the mean of its bot's validation games.",
        labels=tuple(str(one.value) for one in cells),
        samples=tuple(one.means for one in cells),
        dot_label="a training",
        marks=tuple(one.published.get("mean") for one in cells),
        mark_label="the thesis's",
        log_x=True,
        tab=f"{tab}, every training",
    )


def histogram(title: str, cells: list[TrainedBots], legend: str) -> Bars:
    """Return the number of test games in each range of scores."""
    most = max(max(one.test) for one in cells)
    step = _round_up(most / _BINS)
    edges = np.arange(math.ceil(most / step) + 1) * step
    labels = tuple(f"{low:,.0f}-{high:,.0f}" for low, high in pairwise(edges))
    counted = ((str(one.value), np.histogram(one.test, edges)[0]) for one in cells)
    series = tuple((label, tuple(float(n) for n in counts)) for label, counts in counted)
    tab = title.partition(":")[0]
    return Bars(
        title, "score, million points", "test games of 100", labels=labels, series=series, legend=legend, tab=tab
    )


def _round_up(step: float) -> float:
    """Return the next round number.

    >>> _round_up(183.0)
    200.0
    """
    power = 10.0 ** math.floor(math.log10(step))
    return next(n * power for n in (1, 2, 2.5, 5, 10) if n * power >= step)


def learning_curves(trained: dict[str, TrainedBots], budget: str) -> Curves:
    """Return the scores of the two networks as they learn."""
    limit = PUBLISHED["common"]["games"]["max_pieces"]
    series = []
    for name in ("network/data2021", "network/n-step"):
        one = trained[name]
        actions = PUBLISHED["budgets"][budget][one.value]["actions"]
        for number, curve in enumerate(one.curves, 1):
            done = tuple(actions * (place + 1) // len(curve) for place in range(len(curve)))
            series.append(Series(f"{one.value}, training {number}", done, curve, group=str(one.value)))
    return Curves(
        "Q-learning: score of the network as it learns",
        "actions",
        "million points per training game",
        f"A training game ends after at most {limit:,} pieces, little more than {limit * 4 // 10:,} lines.",
        series=tuple(series),
        tab="How the networks learn",
    )
