"""The thesis's tables 6 to 12 and charts 1 and 2, its empty tables, and the comparison of its chapter 1.1."""

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
from blockfall.studies.data2021.tables import (
    cells_sheet,
    crossed_sheet,
    interval,
    longer_sheet,
    steadiness_sheet,
    times_sheet,
)
from blockfall.studies.data2021.trainings import AGENTS, PUBLISHED, TrainedBots

_THEIR_ERROR = 1 / math.sqrt(100)
"""The thesis's standard error over 100 games, relative to the mean: the lengths of games are nearly exponential."""


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
    """Return the mean scores of the thesis's bots on our rules, of every training, and of table 9's bots."""
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
        # Their one training has the spread of one of ours.
        theirs_of_training = None if mean is None else math.hypot(mean * _THEIR_ERROR, one.spread)
        found.append(judged(one.name, one.mean, one.error, mean, theirs_of_training))
    for cell in crossed:
        error = math.hypot(cell.published * _THEIR_ERROR, describe(cell.means).std)
        note = f"{cell.capped} games reached the piece limit: a lower bound" if cell.capped else ""
        name = f"crossed/{cell.trained_in} in {cell.tested_in}"
        found.append(judged(name, cell.mean, cell.error, cell.published, error, note=note))
    return tuple(found)


def report(measured: Data2021Results, budget: str, seed: int) -> Report:
    """Return the study's report."""
    trained = measured.trained
    sections = []
    if ranked(trained):
        sections.append(Section("The agents compared", (), (ranking(trained), agents_dots(ranked(trained)))))
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
            f" The best of our agents and those of chapter 1.1 is {label}, with {best.mean:,.0f} million points per "
            f"game over {len(best.means)} trainings."
        )
    return Report("data2021: TetrisBot", summary, tuple(sections))


def _verdicts(trained: dict[str, TrainedBots]) -> Section:
    """Return the verdicts on the published trainings, by name."""
    by_verdict: dict[str, list[str]] = {}
    for row in rows((), trained):
        if row.published is not None:
            by_verdict.setdefault(str(row.verdict), []).append(f"{row.name} ({row.ours:,.0f}; {row.published:,.0f})")
    found = tuple((verdict, len(names), ", ".join(names)) for verdict, names in sorted(by_verdict.items()))
    note = "Each with our score and the thesis's, in millions of points."
    sheet = Sheet("Published trainings by verdict", ("verdict", "trainings", "which"), found, note)
    return Section("The published trainings", (), (sheet,))


def ranked(trained: dict[str, TrainedBots]) -> list[tuple[str, TrainedBots]]:
    """Return the compared agents with their labels, best first; none if one is missing."""
    if not set(AGENTS.values()) <= set(trained):
        return []
    return sorted(((label, trained[name]) for label, name in AGENTS.items()), key=lambda item: -item[1].mean)


def ranking(trained: dict[str, TrainedBots]) -> Sheet:
    """Return the comparison that chapter 1.1 promises: score over a series of games, and training time."""
    order = ranked(trained)
    best = order[0][1]

    def verdict(one: TrainedBots) -> str:
        if one is best or min(len(best.means), len(one.means)) < 2:
            return ""
        worse = compare_independent(best.means, one.means).verdict is Difference.FIRST_BETTER
        return "worse than the best" if worse else "no difference from the best shown"

    return Sheet.of(
        "Comparison of the agents",
        enumerate(order, 1),
        ("place", lambda row: row[0]),
        ("agent", lambda row: row[1][0]),
        ("trainings", lambda row: len(row[1][1].means)),
        ("score", lambda row: row[1][1].mean),
        ("95 % from", lambda row: interval(row[1][1].means)[0]),
        ("to", lambda row: interval(row[1][1].means)[1]),
        ("best training", lambda row: max(row[1][1].means)),
        ("highest game", lambda row: max(row[1][1].test)),
        ("seconds per training", lambda row: float(np.mean(row[1][1].seconds))),
        ("verdict", lambda row: verdict(row[1][1])),
        note="Millions of points per game, the mean over trainings with its 95 % interval by Student's t. Seconds are "
        "of this machine beside other work.",
    )


def short_ranking(trained: dict[str, TrainedBots]) -> Sheet:
    """Return the comparison of the agents with fewer columns, for a terminal."""
    return Sheet.of(
        "The agents compared",
        ranked(trained),
        ("agent", lambda row: row[0]),
        ("score", lambda row: row[1].mean),
        ("95 %", lambda row: "{:,.0f} to {:,.0f}".format(*interval(row[1].means)) if len(row[1].means) > 1 else ""),
        ("seconds", lambda row: float(np.mean(row[1].seconds))),
    )


def _published(measured: Data2021Results) -> Section:
    bots = measured.published
    weights = Sheet.of(
        "Tables 10 and 11: the thesis's own weights on our rules",
        bots,
        ("set", lambda bot: bot.name),
        ("thesis", lambda bot: bot.published),
        ("ours", lambda bot: bot.ours.mean),
        ("standard error", lambda bot: bot.ours.sem),
        ("std of games", lambda bot: bot.ours.std),
        ("transitions swapped", lambda bot: _mean(bot.swapped)),
        ("uniform pieces", lambda bot: bot.uniform.mean),
        note="Millions of points per game. The last two columns are other readings of the thesis.",
        tab="The thesis's own weights",
    )
    readings = Sheet.of(
        "Tables 10 and 11: other readings of the heuristics",
        bots,
        ("set", lambda bot: bot.name),
        ("thesis", lambda bot: bot.published),
        ("our reading", lambda bot: bot.ours.mean),
        ("lowest row of the piece", lambda bot: bot.lowest.mean),
        ("rows with a cell", lambda bot: _mean(bot.occupied)),
        ("below the tops", lambda bot: _mean(bot.inner)),
        note="Millions of points per game. The position of the piece (4.7) is its lowest row instead of its highest; "
        "horizontal transitions (4.8) count only in rows with a filled cell; vertical ones only below the tops of the "
        "columns. The thesis counts 17 vertical and 29 horizontal transitions on a board of ten columns: between "
        "filled walls, and between the floor and an empty sky, both counts are even.",
        tab="Other readings",
    )
    suspect = Sheet.of(
        f"Set 7 with another weight of {SUSPECT[1]}",
        measured.suspect,
        ("weight", lambda row: row[0]),
        ("score", lambda row: row[1].mean),
        ("standard error", lambda row: row[1].sem),
        note="Table 10 prints -2.824 for set 7 and, one row below, for set 8. Table 11 gives set 7 a score of 2,311.",
        tab="Set 7, another weight",
    )
    slips = Sheet.of(
        "One number of table 10 changed",
        measured.slips,
        ("set", lambda slip: slip.name),
        ("heuristic", lambda slip: slip.feature),
        ("printed", lambda slip: slip.printed),
        ("score, negated", lambda slip: slip.negated),
        ("score, left out", lambda slip: slip.left_out),
        note="Millions of points per game. The thesis has 2,311 for set 7, 711 for set 10 and 503 for set 14.",
    )
    theirs, ours = (sorted(bots, key=key) for key in (lambda bot: -bot.published, lambda bot: -bot.ours.mean))
    words = (
        f"By strength the thesis has {', '.join(bot.name for bot in theirs)}; "
        f"we have {', '.join(bot.name for bot in ours)}."
    )
    return Section("The thesis's own bots", (words,), (weights, readings, suspect, slips))


def _mean(scores: Description | None) -> float | None:
    return scores.mean if scores else None
