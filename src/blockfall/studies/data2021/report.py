"""The thesis's tables 6 to 12 and charts 1 and 2, those that it left empty, and the comparison of its chapter 1.1."""

import math
from dataclasses import dataclass

import numpy as np

from blockfall.experiments.statistics import Description, Difference, Verdict, compare_independent, describe
from blockfall.reports import Figure, Report, Section, Sheet
from blockfall.studies.base import Row, judged
from blockfall.studies.data2021.charts import agents_dots, dots, histogram, learning_curves
from blockfall.studies.data2021.crossed import Crossing
from blockfall.studies.data2021.grid import coefficients_sheet, spread_sheet
from blockfall.studies.data2021.published_bots import SUSPECT, Bot, Slip
from blockfall.studies.data2021.trainings import AGENTS, PUBLISHED, Trained

_THEIR_ERROR = 1 / math.sqrt(100)
"""The standard error of the thesis's 100 games, by their mean: the lengths of games are close to exponential."""


@dataclass(frozen=True)
class Measured:
    """Everything that the report shows."""

    published: tuple[Bot, ...]
    suspect: tuple[tuple[float, Description], ...]
    slips: tuple[Slip, ...]
    crossed: tuple[Crossing, ...]
    trained: dict[str, Trained]


def rows(published: tuple[Bot, ...], trained: dict[str, Trained]) -> tuple[Row, ...]:
    """The mean scores of the thesis's bots on our rules, then of every training."""
    found = []
    for bot in published:
        theirs = bot.published * _THEIR_ERROR
        found.append(judged(f"published/{bot.name}", bot.ours.mean, bot.ours.sem, bot.published, theirs))
    for one in trained.values():
        mean = one.published.get("mean")
        if mean is not None and len(one.means) == 1:
            note = "one training: its spread is not known"
            found.append(Row(one.name, one.mean, one.error, mean, None, Verdict.INCONCLUSIVE, note))
            continue
        # One training of theirs spreads as one of ours does.
        theirs_of_training = None if mean is None else math.hypot(mean * _THEIR_ERROR, one.spread)
        found.append(judged(one.name, one.mean, one.error, mean, theirs_of_training))
    return tuple(found)


def report(measured: Measured, budget: str, seed: int) -> Report:
    """The study's report."""
    trained = measured.trained
    sections = [_comparison(trained)] if ranked(trained) else []
    sections += [_published(measured)] if measured.published else []
    for experiment in PUBLISHED["experiment"]:
        cells = [one for one in trained.values() if one.experiment == experiment["name"]]
        if len(cells) < 2:  # the comparison of the agents has one cell of one experiment
            continue
        title = f"{experiment['title'][0].upper()}{experiment['title'][1:]}"
        items: list[Sheet | Figure] = [_sheet(title, cells), dots(title, cells)]
        if experiment["name"] == "games":
            items.append(histogram("Chart 1: test games by games per evaluation", cells, "games per evaluation"))
        if experiment["name"] == "limit":
            items.append(histogram("Chart 2: test games by piece limit in training", cells, "piece limit"))
        if experiment["name"] == "generator":
            items.append(_crossed(measured.crossed))
        sections.append(Section(experiment["title"].split(": ")[-1].capitalize(), (), tuple(items)))
    swarm = [one for one in trained.values() if one.experiment == "swarm"]
    if len(swarm) > 1:
        title = "Swarm (5.2.2.2), all 54 cells"
        sheets = (_sheet(title, swarm), dots(title, swarm), spread_sheet(swarm, seed), coefficients_sheet(swarm))
        sections.append(Section("The swarm", (), sheets))
    if "network/n-step" in trained:
        sections.append(Section("The network", _NETWORK_WORDS, (learning_curves(trained, budget),)))
    summary = f"TetrisBot, budget {budget}, seed {seed}."
    if ranked(trained):
        label, best = ranked(trained)[0]
        summary += (
            f" Of the agents of chapter 1.1 and ours the best is {label}: {best.mean:,.0f} million points per game "
            f"over {len(best.means)} trainings."
        )
    return Report("data2021: TetrisBot", summary, tuple(sections))


_NETWORK_WORDS = (
    "Both learn from their own games. As the thesis describes it, the queue is half full of random play before the "
    "first training, and random play clears hardly a line; n-step starts early, counts a state's own reward, looks "
    "five steps ahead and has a target network.",
)


def ranked(trained: dict[str, Trained]) -> list[tuple[str, Trained]]:
    """The agents of the comparison by their labels, the best first; empty where one is missing."""
    if not set(AGENTS.values()) <= set(trained):
        return []
    return sorted(((label, trained[name]) for label, name in AGENTS.items()), key=lambda item: -item[1].mean)


def ranking(trained: dict[str, Trained]) -> Sheet:
    """The comparison that chapter 1.1 promises: score over a series of games, and training time, with intervals."""
    order = ranked(trained)
    best = order[0][1]
    found = []
    for place, (label, one) in enumerate(order, 1):
        interval = describe(one.means)
        verdict = ""
        if one is not best and min(len(best.means), len(one.means)) > 1:
            shown = compare_independent(best.means, one.means).verdict is Difference.FIRST_BETTER
            verdict = "worse than the best" if shown else "no difference to the best shown"
        several = len(one.means) > 1
        found.append(
            (
                place,
                label,
                len(one.means),
                one.mean,
                max(0.0, interval.low) if several else None,
                interval.high if several else None,
                max(one.means),
                max(one.test),
                float(np.mean(one.seconds)),
                verdict,
            )
        )
    columns = (
        "place",
        "agent",
        "trainings",
        "score",
        "95 % from",
        "to",
        "best training",
        "highest game",
        "seconds per training",
        "verdict",
    )
    note = (
        "Millions of points per game, the mean over trainings; the interval is of that mean, over trainings, by "
        "Student's t. Seconds are of this machine with whatever else it did."
    )
    return Sheet("Comparison of the agents", columns, tuple(found), note)


def short_ranking(trained: dict[str, Trained]) -> Sheet:
    """The comparison of the agents with fewer columns, for a terminal."""
    found = []
    for _, label, _, score, low, high, _, _, seconds, _ in ranking(trained).rows:
        interval = "" if low is None else f"{low:,.0f} to {high:,.0f}"
        found.append((label, score, interval, seconds))
    return Sheet("The agents compared", ("agent", "score", "95 %", "seconds"), tuple(found))


def _comparison(trained: dict[str, Trained]) -> Section:
    return Section("The agents compared", (), (ranking(trained), agents_dots(ranked(trained))))


def _published(measured: Measured) -> Section:
    bots = measured.published
    found = []
    for bot in bots:
        other = bot.swapped
        found.append(
            (
                bot.name,
                bot.published,
                bot.ours.mean,
                bot.ours.sem,
                bot.ours.std,
                other.mean if other else None,
                bot.uniform.mean,
            )
        )
    columns = ("set", "thesis", "ours", "standard error", "std of games", "transitions swapped", "uniform pieces")
    note = "Millions of points per game. The last two columns are other readings of the thesis."
    order = [sorted(bots, key=key) for key in (lambda b: -b.published, lambda b: -b.ours.mean)]
    words = (
        f"In the order of strength the thesis has {', '.join(b.name for b in order[0])}; "
        f"we have {', '.join(b.name for b in order[1])}."
    )
    sheet = Sheet("Tables 10 and 11: the thesis's own weights on our rules", columns, tuple(found), note)
    _, feature, _ = SUSPECT
    slip = Sheet(
        f"Set 7 with another weight of {feature}",
        ("weight", "score", "standard error"),
        tuple((value, score.mean, score.sem) for value, score in measured.suspect),
        "Table 10 prints -2.824 for set 7 and, one row below, for set 8. Table 11 gives set 7 a score of 2,311.",
    )
    slips = Sheet(
        "One number of table 10 changed",
        ("set", "heuristic", "printed", "score, negated", "score, left out"),
        tuple((slip.name, slip.feature, slip.printed, slip.negated, slip.left_out) for slip in measured.slips),
        "Millions of points per game. The thesis has 2,311 for set 7, 711 for set 10 and 503 for set 14.",
    )
    return Section("The thesis's own bots", (words,), (sheet, slip, slips))


def _sheet(title: str, cells: list[Trained]) -> Sheet:
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
                float(np.mean(one.seconds)),
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
        "seconds",
    )
    capped = sum(one.capped for one in cells)
    games = sum(len(scores) for one in cells for scores in one.scores)
    note = (
        "Millions of points per game. The test score is the mean over trainings, of games that no bot was chosen by; "
        "the highest is that of 100 games of the best bot. The thesis has one training each."
    )
    note += f" {capped} of {games:,} games met the piece limit: lower bounds." if capped else ""
    return Sheet(title, columns, tuple(found), note)


def _crossed(crossed: tuple[Crossing, ...]) -> Sheet:
    found = tuple(
        (one.trained_in, one.tested_in, one.mean, one.error, min(one.means), max(one.means), one.published, one.capped)
        for one in crossed
    )
    columns = ("trained in", "tested in", "score", "standard error", "worst bot", "best bot", "thesis", "games cut")
    note = (
        f"Millions of points per game: means over {len(crossed[0].means)} bots, {crossed[0].games} games together; the "
        "thesis has one bot. Games that are cut at the piece limit count as what they had: lower bounds."
    )
    return Sheet("Table 9: generators in training and test", columns, found, note)
