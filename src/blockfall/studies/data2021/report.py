"""The thesis's tables 6 to 12 and charts 1 and 2, those that it left empty, and the comparison of its chapter 1.1."""

import math
from dataclasses import dataclass

import numpy as np

from blockfall.experiments.statistics import Description, Difference, Verdict, compare_independent, describe
from blockfall.reports import Figure, Report, Section, Sheet
from blockfall.studies.base import Row, judged
from blockfall.studies.data2021.ablation import ablation_section, changes
from blockfall.studies.data2021.charts import agents_dots, dots, histogram, learning_curves
from blockfall.studies.data2021.crossed import Crossing
from blockfall.studies.data2021.floods import Floods, claims_sheet, floods_sheet
from blockfall.studies.data2021.grid import coefficients_sheet, spread_sheet
from blockfall.studies.data2021.published_bots import SUSPECT, PublishedBot, Slip
from blockfall.studies.data2021.tables import cells_sheet, crossed_sheet, longer_sheet, steadiness_sheet, times_sheet
from blockfall.studies.data2021.trainings import AGENTS, PUBLISHED, TrainedBots

_THEIR_ERROR = 1 / math.sqrt(100)
"""The standard error of the thesis's 100 games, by their mean: the lengths of games are close to exponential."""


@dataclass(frozen=True)
class Data2021Results:
    """Everything that the report shows."""

    published: tuple[PublishedBot, ...]
    suspect: tuple[tuple[float, Description], ...]
    slips: tuple[Slip, ...]
    floods: tuple[Floods, ...]
    crossed: tuple[Crossing, ...]
    trained: dict[str, TrainedBots]


def rows(
    published: tuple[PublishedBot, ...], trained: dict[str, TrainedBots], crossed: tuple[Crossing, ...] = ()
) -> tuple[Row, ...]:
    """The mean scores of the thesis's bots on our rules, of every training, and of table 9's bots."""
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
    for cell in crossed:
        error = math.hypot(cell.published * _THEIR_ERROR, describe(cell.means).std)
        note = f"{cell.capped} games met the piece limit: a lower bound" if cell.capped else ""
        name = f"crossed/{cell.trained_in} in {cell.tested_in}"
        found.append(judged(name, cell.mean, cell.error, cell.published, error, note=note))
    return tuple(found)


def report(measured: Data2021Results, budget: str, seed: int) -> Report:
    """The study's report."""
    trained = measured.trained
    sections = [_comparison(trained)] if ranked(trained) else []
    sections += [_verdicts(trained)] if any("mean" in one.published for one in trained.values()) else []
    sections += [_published(measured)] if measured.published else []
    if measured.floods:
        dealt = (floods_sheet(measured.floods, budget), claims_sheet(measured.floods))
        sections.append(Section("Floods and droughts", (), dealt))
    for experiment in PUBLISHED["experiment"]:
        cells = [one for one in trained.values() if one.experiment == experiment["name"]]
        if len(cells) < 2:  # the comparison of the agents has one cell of one experiment
            continue
        title = f"{experiment['title'][0].upper()}{experiment['title'][1:]}"
        tab = title.partition(":")[0] if ":" in title else experiment["name"].capitalize()
        items: list[Sheet | Figure] = [make(title, tab, cells) for make in (cells_sheet, times_sheet, dots)]
        if experiment["name"] == "games":
            items.append(steadiness_sheet(cells))
            items.append(histogram("Chart 1: test games by games per evaluation", cells, "games per evaluation"))
        if experiment["name"] == "limit":
            items.append(longer_sheet(cells))
            items.append(histogram("Chart 2: test games by piece limit in training", cells, "piece limit"))
        if experiment["name"] == "generator":
            items.append(crossed_sheet(measured.crossed))
        sections.append(Section(experiment["title"].split(": ")[-1].capitalize(), (), tuple(items)))
    swarm = [one for one in trained.values() if one.experiment == "swarm"]
    if len(swarm) > 1:
        title = "Swarm (5.2.2.2), all 54 cells"
        sheets = (
            cells_sheet(title, "Swarm", swarm),
            dots(title, "Swarm", swarm),
            spread_sheet(swarm, seed),
            coefficients_sheet(swarm, seed),
        )
        sections.append(Section("The swarm", (), sheets))
    if "network/n-step" in trained:
        sections.append(Section("The network", (), (learning_curves(trained, budget),)))
    if found := changes(trained):
        sections.append(ablation_section(found))
    summary = f"TetrisBot, budget {budget}, seed {seed}."
    if ranked(trained):
        label, best = ranked(trained)[0]
        summary += (
            f" Of the agents of chapter 1.1 and ours the best is {label}: {best.mean:,.0f} million points per game "
            f"over {len(best.means)} trainings."
        )
    return Report("data2021: TetrisBot", summary, tuple(sections))


def _verdicts(trained: dict[str, TrainedBots]) -> Section:
    """How the trainings compare with the published ones, by name."""
    by_verdict: dict[str, list[str]] = {}
    for row in rows((), trained):
        if row.published is not None:
            by_verdict.setdefault(str(row.verdict), []).append(f"{row.name} ({row.ours:,.0f}; {row.published:,.0f})")
    found = tuple((verdict, len(names), ", ".join(names)) for verdict, names in sorted(by_verdict.items()))
    note = "Each with our score and the thesis's, in millions of points."
    sheet = Sheet("Published trainings by verdict", ("verdict", "trainings", "which"), found, note)
    return Section("The published trainings", (), (sheet,))


def ranked(trained: dict[str, TrainedBots]) -> list[tuple[str, TrainedBots]]:
    """The agents of the comparison by their labels, the best first; empty where one is missing."""
    if not set(AGENTS.values()) <= set(trained):
        return []
    return sorted(((label, trained[name]) for label, name in AGENTS.items()), key=lambda item: -item[1].mean)


def ranking(trained: dict[str, TrainedBots]) -> Sheet:
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


def short_ranking(trained: dict[str, TrainedBots]) -> Sheet:
    """The comparison of the agents with fewer columns, for a terminal."""
    found = []
    for _, label, _, score, low, high, _, _, seconds, _ in ranking(trained).rows:
        interval = "" if low is None else f"{low:,.0f} to {high:,.0f}"
        found.append((label, score, interval, seconds))
    return Sheet("The agents compared", ("agent", "score", "95 %", "seconds"), tuple(found))


def _comparison(trained: dict[str, TrainedBots]) -> Section:
    return Section("The agents compared", (), (ranking(trained), agents_dots(ranked(trained))))


def _published(measured: Data2021Results) -> Section:
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
    readings = Sheet(
        "Tables 10 and 11: other readings of the heuristics",
        ("set", "thesis", "our reading", "lowest row of the piece", "rows with a cell", "below the tops"),
        tuple(
            (
                bot.name,
                bot.published,
                bot.ours.mean,
                bot.lowest.mean,
                bot.occupied.mean if bot.occupied else None,
                bot.inner.mean if bot.inner else None,
            )
            for bot in bots
        ),
        "Millions of points per game. The position of the piece (4.7) read as its lowest row in place of its highest; "
        "horizontal transitions (4.8) counted only in rows that have a filled cell; vertical ones only below the tops "
        "of the columns. The thesis counts 17 vertical and 29 horizontal transitions on a board of ten columns: "
        "between filled walls, and between the floor and an empty sky, both counts are even.",
        "Other readings",
    )
    order = [sorted(bots, key=key) for key in (lambda b: -b.published, lambda b: -b.ours.mean)]
    words = (
        f"In the order of strength the thesis has {', '.join(b.name for b in order[0])}; "
        f"we have {', '.join(b.name for b in order[1])}."
    )
    title = "Tables 10 and 11: the thesis's own weights on our rules"
    sheet = Sheet(title, columns, tuple(found), note, "The thesis's own weights")
    _, feature, _ = SUSPECT
    slip = Sheet(
        f"Set 7 with another weight of {feature}",
        ("weight", "score", "standard error"),
        tuple((value, score.mean, score.sem) for value, score in measured.suspect),
        "Table 10 prints -2.824 for set 7 and, one row below, for set 8. Table 11 gives set 7 a score of 2,311.",
        "Set 7, another weight",
    )
    slips = Sheet(
        "One number of table 10 changed",
        ("set", "heuristic", "printed", "score, negated", "score, left out"),
        tuple((slip.name, slip.feature, slip.printed, slip.negated, slip.left_out) for slip in measured.slips),
        "Millions of points per game. The thesis has 2,311 for set 7, 711 for set 10 and 503 for set 14.",
    )
    return Section("The thesis's own bots", (words,), (sheet, readings, slip, slips))
