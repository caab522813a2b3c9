"""The thesis's tables 6 to 12 with our figures beside its own: scores, times, and what follows from them."""

from collections.abc import Sequence

import numpy as np

from blockfall.experiments.statistics import Difference, compare_independent, describe
from blockfall.reports import Sheet
from blockfall.studies.data2021.crossed import Crossing
from blockfall.studies.data2021.trainings import TrainedBots


def interval(values: Sequence[float]) -> tuple[float, float] | tuple[None, None]:
    """Return the 95 % interval of the mean, of which no part is negative; Nones for a single value."""
    found = describe(values)
    return (max(0.0, found.low), found.high) if found.n > 1 else (None, None)


def cells_sheet(title: str, tab: str, cells: list[TrainedBots]) -> Sheet:
    """Return a table of the thesis with our figures beside its own."""
    capped = sum(one.capped for one in cells)
    games = sum(len(scores) for one in cells for scores in one.scores)
    note = (
        "Millions of points per game. The test score is the mean over trainings; its games chose no bot. The highest "
        "is over 100 games of the best bot. The thesis has one training each."
    )
    return Sheet.of(
        title,
        cells,
        ("setting", lambda one: str(one.value)),
        ("training score", lambda one: float(np.mean(one.training))),
        ("thesis", lambda one: one.published.get("training")),
        ("generations", lambda one: one.generations),
        ("thesis", lambda one: one.published.get("generation")),
        ("test score", lambda one: one.mean),
        ("standard error", lambda one: one.error),
        ("spread of trainings", lambda one: one.spread if len(one.means) > 1 else None),
        ("thesis", lambda one: one.published.get("mean")),
        ("highest", lambda one: max(one.test)),
        ("thesis", lambda one: one.published.get("max")),
        note=note + (f" {capped} of {games:,} games reached the piece limit: lower bounds." if capped else ""),
        tab=tab,
    )


def times_sheet(title: str, tab: str, cells: list[TrainedBots]) -> Sheet:
    """Return the times of such a table."""
    return Sheet.of(
        f"{title}: seconds",
        cells,
        ("setting", lambda one: str(one.value)),
        ("test game", lambda one: one.game_seconds),
        ("thesis", lambda one: one.published.get("game_s")),
        ("generation", lambda one: one.generation_seconds),
        ("thesis", lambda one: one.published.get("generation_s")),
        ("training", lambda one: float(np.mean(one.seconds))),
        note="Seconds of a test game on one core, of a generation or iteration, and of a training beside other work.",
        tab=f"{tab}, seconds",
    )


def steadiness_sheet(cells: list[TrainedBots]) -> Sheet:
    """Return table 6 by the thesis's own definition: a bot is steady if its games come close to their mean."""
    return Sheet.of(
        "Table 6: is it steadier?",
        cells,
        ("games", lambda one: str(one.value)),
        ("score", lambda one: one.mean),
        ("spread of games", lambda one: one.spread_of_games),
        ("% of the mean", lambda one: float(np.mean(one.unsteadiness))),
        ("95 % from", lambda one: interval(one.unsteadiness)[0]),
        ("to", lambda one: interval(one.unsteadiness)[1]),
        ("spread of trainings", lambda one: one.spread if len(one.means) > 1 else None),
        note="Millions of points. The thesis calls a bot steady if its 100 games come close to their mean "
        "(5.3.1.4.1). The spread of games is their standard deviation, averaged over the bots; the spread of trainings "
        "is between bots.",
        tab="Table 6, is it steadier",
    )


def longer_sheet(cells: list[TrainedBots]) -> Sheet:
    """Return table 12: what a longer limit gains, and what it costs."""
    first, *longer = cells
    shown = {
        Difference.FIRST_BETTER: "better",
        Difference.SECOND_BETTER: "worse",
        Difference.NOT_SHOWN: "no difference shown",
    }
    several = [one for one in longer if min(len(one.means), len(first.means)) > 1]
    return Sheet.of(
        "Table 12: what longer training buys",
        [(one, compare_independent(one.means, first.means)) for one in several],
        ("limit", lambda pair: str(pair[0].value)),
        ("more points", lambda pair: pair[1].difference),
        ("95 % from", lambda pair: pair[1].low),
        ("to", lambda pair: pair[1].high),
        ("p-value", lambda pair: pair[1].p_value),
        ("times the training", lambda pair: float(np.mean(pair[0].seconds)) / float(np.mean(first.seconds))),
        ("verdict", lambda pair: shown[pair[1].verdict]),
        note=f"Millions of points per game more than with a limit of {first.value}, by Welch's test over trainings.",
        tab="Table 12, longer training",
    )


def crossed_sheet(crossed: tuple[Crossing, ...]) -> Sheet:
    """Return table 9: the bots of every generator in every generator."""
    return Sheet.of(
        "Table 9: generators in training and test",
        crossed,
        ("trained in", lambda one: one.trained_in),
        ("tested in", lambda one: one.tested_in),
        ("score", lambda one: one.mean),
        ("standard error", lambda one: one.error),
        ("worst bot", lambda one: min(one.means)),
        ("best bot", lambda one: max(one.means)),
        ("thesis", lambda one: one.published),
        ("highest", lambda one: one.most),
        ("thesis", lambda one: one.published_most),
        ("games cut", lambda one: one.capped),
        note=f"Millions of points per game: means over {len(crossed[0].means)} bots and {crossed[0].games} games; the "
        "thesis has one bot. The scores of games that were cut at the piece limit are lower bounds.",
        tab="Table 9, crossed",
    )
