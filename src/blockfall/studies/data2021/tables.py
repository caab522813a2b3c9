"""The thesis's tables 6 to 12 with our figures beside its own: scores, times, and what follows from them."""

import numpy as np

from blockfall.experiments.statistics import Difference, compare_independent, describe
from blockfall.reports import Sheet
from blockfall.studies.data2021.crossed import Crossing
from blockfall.studies.data2021.trainings import TrainedBots


def cells_sheet(title: str, tab: str, cells: list[TrainedBots]) -> Sheet:
    """A table of the thesis, ours beside it."""
    found = []
    for one in cells:
        said = one.published
        found.append(
            (
                str(one.value),
                float(np.mean(one.training)),
                said.get("training"),
                one.generations,
                said.get("generation"),
                one.mean,
                one.error,
                one.spread if len(one.means) > 1 else None,
                said.get("mean"),
                max(one.test),
                said.get("max"),
            )
        )
    columns = (
        "setting",
        "training score",
        "thesis",
        "generations",
        "thesis",
        "test score",
        "standard error",
        "spread of trainings",
        "thesis",
        "highest",
        "thesis",
    )
    capped = sum(one.capped for one in cells)
    games = sum(len(scores) for one in cells for scores in one.scores)
    note = (
        "Millions of points per game. The test score is the mean over trainings, of games that no bot was chosen by; "
        "the highest is that of 100 games of the best bot. The thesis has one training each."
    )
    note += f" {capped} of {games:,} games met the piece limit: lower bounds." if capped else ""
    return Sheet(title, columns, tuple(found), note, tab)


def times_sheet(title: str, tab: str, cells: list[TrainedBots]) -> Sheet:
    """The times of such a table."""
    found = tuple(
        (
            str(one.value),
            one.game_seconds,
            one.published.get("game_s"),
            one.generation_seconds,
            one.published.get("generation_s"),
            float(np.mean(one.seconds)),
        )
        for one in cells
    )
    columns = ("setting", "test game", "thesis", "generation", "thesis", "training")
    note = "Seconds: of a test game on one core, of a generation or iteration, and of a training beside other work."
    return Sheet(f"{title}: seconds", columns, found, note, f"{tab}, seconds")


def steadiness_sheet(cells: list[TrainedBots]) -> Sheet:
    """Table 6 by the thesis's own definition: steady is a bot whose games come close to their mean."""
    found = []
    for one in cells:
        share = describe(one.unsteadiness)
        several = share.n > 1
        found.append(
            (
                str(one.value),
                one.mean,
                one.spread_of_games,
                100 * share.mean,
                100 * max(0.0, share.low) if several else None,
                100 * share.high if several else None,
                one.spread if several else None,
            )
        )
    columns = ("games", "score", "spread of games", "% of the mean", "95 % from", "to", "spread of trainings")
    note = (
        "Millions of points. The thesis calls a bot steady when its 100 games come close to their mean (5.3.1.4.1): "
        "the spread of games is their standard deviation, the mean over the bots. That of trainings is another thing."
    )
    return Sheet("Table 6: is it steadier?", columns, tuple(found), note, "Table 6, is it steadier")


def longer_sheet(cells: list[TrainedBots]) -> Sheet:
    """Table 12: what a longer limit buys, and what it costs."""
    found = []
    for one in cells[1:]:
        if min(len(one.means), len(cells[0].means)) < 2:
            continue
        test = compare_independent(one.means, cells[0].means)
        times = float(np.mean(one.seconds)) / float(np.mean(cells[0].seconds))
        shown = {
            Difference.FIRST_BETTER: "better",
            Difference.SECOND_BETTER: "worse",
            Difference.NOT_SHOWN: "no difference shown",
        }[test.verdict]
        found.append((str(one.value), test.difference, test.low, test.high, test.p_value, times, shown))
    columns = ("limit", "more points", "95 % from", "to", "p-value", "times the training", "verdict")
    note = f"Millions of points per game more than with a limit of {cells[0].value}, by Welch's test over trainings."
    return Sheet("Table 12: what longer training buys", columns, tuple(found), note, "Table 12, longer training")


def crossed_sheet(crossed: tuple[Crossing, ...]) -> Sheet:
    """Table 9: the bots of every generator in every generator."""
    found = tuple(
        (
            one.trained_in,
            one.tested_in,
            one.mean,
            one.error,
            min(one.means),
            max(one.means),
            one.published,
            one.most,
            one.published_most,
            one.capped,
        )
        for one in crossed
    )
    columns = (
        "trained in",
        "tested in",
        "score",
        "standard error",
        "worst bot",
        "best bot",
        "thesis",
        "highest",
        "thesis",
        "games cut",
    )
    note = (
        f"Millions of points per game: means over {len(crossed[0].means)} bots, {crossed[0].games} games together; the "
        "thesis has one bot. Games that are cut at the piece limit count as what they had: lower bounds."
    )
    return Sheet("Table 9: generators in training and test", columns, found, note, "Table 9, crossed")
