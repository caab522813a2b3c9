"""The part beyond the thesis's tables: other readings of its groups 4 and 5, and its future work."""

import math

import numpy as np

from blockfall.experiments.statistics import Comparison, compare_independent, describe, judge
from blockfall.reports import Bars, Curves, Section, Series, Sheet
from blockfall.studies.soster2024.plan import DROP, FITNESS, PUBLISHED, SHORT, ThesisCell, abbreviation, features_of
from blockfall.studies.soster2024.trainings import TrainedAgent

WEIGHT_OF = {"mean": 0.0, "weighted": 0.4, "record": 1.0}
"""The weight of the record in each kind of fitness."""


def plain(trained: list[TrainedAgent], rules: str, group: str, fitness: str) -> TrainedAgent:
    """Return the training by the thesis's protocol."""
    return next(t for t in trained if t.cell == ThesisCell(rules, group, fitness))


def by_restarts(one: TrainedAgent, other: TrainedAgent) -> Comparison:
    """Compare two ways of training by the means of their restarts, on the same validation games."""
    return compare_independent(one.validation_means, other.validation_means)


def other_readings(trained: list[TrainedAgent]) -> list[Section]:
    """Return groups 4 and 5 by other readings of the thesis's text."""
    sections = []
    readings = [t for t in trained if t.cell.part == "readings"]
    if readings:
        title = "Group 4, other readings of its metrics"
        found = []
        for fitness in FITNESS:
            named = plain(trained, DROP, "soster-4", fitness)
            mine = [named, *(t for t in readings if t.fitness == fitness)]
            found += [_reading(t, t.cell.variant or "the metrics that the thesis names") for t in mine]
        sections.append(Section(title, (), (Sheet(title, _READING, tuple(found), tab="Group 4, other readings"),)))
    repeated = [t for t in trained if t.cell.part == "repeated"]
    if repeated:
        sections.append(_repeated(trained, repeated))
    fours = [t for t in trained if t.cell.part == "fours"]
    if fours:
        sections.append(_fours(trained, fours))
    return sections


_READING = ("fitness", "reading", "mean lines", "standard error", "thesis", "verdict")


def _reading(t: TrainedAgent, what: str) -> tuple[str | float | None, ...]:
    theirs = t.published["mean"]
    return (t.fitness, what, t.mean, t.error, theirs, str(judge(t.mean, t.error, theirs, t.published_error)))


def _repeated(trained: list[TrainedAgent], repeated: list[TrainedAgent]) -> Section:
    title = "The same training with other random numbers"
    fitness = PUBLISHED["repeated"]["fitness"]
    by_group = {
        group: [plain(trained, DROP, group, fitness), *(t for t in repeated if t.group == group)]
        for group in PUBLISHED["repeated"]["groups"]
    }
    sheet = Sheet.of(
        title,
        by_group.items(),
        ("group", lambda row: row[0]),
        ("mean lines by seed", lambda row: ", ".join(f"{t.mean:.2f}" for t in row[1])),
        ("their mean", lambda row: describe([t.mean for t in row[1]]).mean),
        ("standard deviation", lambda row: describe([t.mean for t in row[1]]).std),
        ("spread estimated", lambda row: float(np.mean([t.spread for t in row[1]]))),
        ("thesis", lambda row: row[1][0].published.get("mean")),
        tab="Repeated trainings",
    )
    text = (
        "Each is a whole training of five restarts, beside the spread that is estimated from one training's restarts."
    )
    return Section(title, (text,), (sheet,))


def _fours(trained: list[TrainedAgent], fours: list[TrainedAgent]) -> Section:
    title = "Group 5: every possible four"
    found, summary = [], []
    for fitness in FITNESS:
        inferred = plain(trained, DROP, "soster-5", fitness)
        mine = sorted([inferred, *(t for t in fours if t.fitness == fitness)], key=lambda t: -t.mean)
        verdicts = []
        for t in mine:
            names = t.cell.variant or " ".join(abbreviation(name) for name in features_of("soster-5", fitness))
            row = _reading(t, names)
            verdicts.append(row[-1])
            found.append((*row, "inferred from the text" if t is inferred else None))
        summary.append(
            (
                fitness,
                len(mine),
                mine[-1].mean,
                mine[0].mean,
                inferred.published["mean"],
                verdicts.count("agrees"),
                inferred.mean,
            )
        )
    summary_columns = ("fitness", "groups", "least mean", "most mean", "thesis", "agreeing", "inferred from the text")
    text = (
        "The thesis does not print group 5. It has four of group 4's seven metrics, because both have the largest "
        "weights of the same training; under record fitness the text names three of them."
    )
    return Section(
        title,
        (text,),
        (
            Sheet(f"{title}, in short", summary_columns, tuple(summary), tab="Group 5, in short"),
            Sheet(title, (*_READING, "note"), tuple(found), tab="Group 5, every four"),
        ),
    )


def beyond(trained: list[TrainedAgent]) -> list[Section]:
    """Return the thesis's future work, if it was run."""
    sections = []
    for rules in dict.fromkeys(t.rules for t in trained):
        optimisers = [t for t in trained if t.rules == rules and t.cell.part == "optimisers"]
        if optimisers:
            sections.append(_optimisers(rules, trained, optimisers))
    if any(t.cell.part == "record weight" for t in trained):
        sections.append(_record_weights(trained))
    for part, title, tab, text in (
        (
            "more particles",
            "More particles, more games",
            "More particles",
            "With equally many iterations, more particles play more games.",
        ),
        (
            "by metrics",
            "A swarm whose size follows the metrics",
            "Particles by metrics",
            f"{PUBLISHED['extended']['particles_per_metric']} particles for each metric, with equally many iterations.",
        ),
    ):
        mine = [t for t in trained if t.cell.part == part]
        if mine:
            sections.append(Section(title, (text,), (_swarms(title, tab, trained, mine),)))
    return sections


def _variants(title: str, tab: str, pairs: list[tuple[TrainedAgent, TrainedAgent]]) -> Sheet:
    """Return trainings, each compared with the thesis's swarm unless it is that."""

    def training_fitness(t: TrainedAgent) -> float | None:
        chosen = t.result["restarts"][t.result["chosen_restart"]]
        return None if t.cell.changes.get("games", {}).get("fresh") else float(chosen["training_fitness"])

    return Sheet.of(
        title,
        [(t, None if t is base else by_restarts(t, base)) for t, base in pairs],
        ("group", lambda row: row[0].group),
        ("fitness", lambda row: row[0].fitness),
        ("variant", lambda row: row[0].cell.variant or "pso, the thesis's"),
        ("worst restart", lambda row: min(row[0].validation_means)),
        ("mean of the restarts", lambda row: float(np.mean(row[0].validation_means))),
        ("gain", lambda row: row[1].difference if row[1] else None),
        ("at least", lambda row: row[1].low if row[1] else None),
        ("at most", lambda row: row[1].high if row[1] else None),
        ("in training", lambda row: training_fitness(row[0])),
        ("in test", lambda row: row[0].mean),
        ("standard error", lambda row: row[0].error),
        ("restarts compared", lambda row: row[1].sentence("it", "the thesis's swarm") if row[1] else ""),
        note="The restarts' columns are mean lines of the validation games. The gain is in the mean of the restarts, "
        "compared with the thesis's swarm, with its 95 % interval (Welch's test). The training column is the fitness "
        "of the chosen restart.",
        tab=tab,
    )


def _optimisers(rules: str, trained: list[TrainedAgent], mine: list[TrainedAgent]) -> Section:
    title = f"{rules}: other optimisers and a neural network"
    found = []
    for group in dict.fromkeys(t.group for t in mine):
        for fitness in FITNESS:
            cells = [t for t in mine if (t.group, t.fitness) == (group, fitness)]
            if not cells:
                continue
            base = plain(trained, rules, group if group != "wide" else "soster-3", fitness)
            both = [base, *cells] if group != "wide" else cells
            found += [(t, base) for t in sorted(both, key=lambda t: -float(np.mean(t.validation_means)))]
    text = (
        "Each plays as many games as the thesis's swarm. A network with one hidden layer values the board by the same "
        "metrics, and is trained like weights. `fresh games`: new training games in every iteration. `wide`: all 17 "
        "metrics and BCTS's eight, beside group 3."
    )
    shown = [t for t in mine if t.fitness == "mean"]
    bars = Bars(
        f"{title}, fitness mean",
        "",
        "mean of the restarts' lines",
        labels=tuple(f"{t.group} {t.cell.variant}" for t in shown),
        series=(("lines", tuple(float(np.mean(t.validation_means)) for t in shown)),),
        errors=(tuple(_error(t.validation_means) for t in shown),),
        tab=f"{SHORT[rules]}, optimisers, chart",
    )
    sheet = _variants(title, f"{SHORT[rules]}, optimisers", found)
    return Section(title, (text,), (sheet, bars))


def _error(values: list[float]) -> float:
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def _record_weights(trained: list[TrainedAgent]) -> Section:
    title = "The weight of the record"
    found: list[tuple[str | float | None, ...]] = []
    series, sentences = [], []
    for group in PUBLISHED["extended"]["groups"]:
        cells = {weight: plain(trained, DROP, group, fitness) for fitness, weight in WEIGHT_OF.items()}
        for t in trained:
            if t.cell.part == "record weight" and t.group == group:
                cells[t.cell.changes["record_weight"]] = t
        cells = dict(sorted(cells.items()))
        for weight, t in cells.items():
            restarts = float(np.mean(t.validation_means))
            found.append((group, weight, restarts, _error(t.validation_means), t.mean, t.error, int(max(t.lines))))
        points = [float(np.mean(t.validation_means)) for t in cells.values()]
        errors = [_error(t.validation_means) for t in cells.values()]
        low, high = ([p + sign * e for p, e in zip(points, errors, strict=True)] for sign in (-1, 1))
        series.append(Series(group, tuple(cells), points, low, high))
        best = max(cells, key=lambda weight: float(np.mean(cells[weight].validation_means)))
        against = by_restarts(cells[best], cells[WEIGHT_OF["weighted"]])
        sentences.append(
            f"{group}: {best:g} is the best by the mean of the restarts. Compared with the thesis's 0.4 it gains "
            f"{against.difference:.2f} lines ({against.low:.2f} to {against.high:.2f}), and plays "
            f"{cells[best].mean:.2f} lines in test."
        )
    columns = (
        "group",
        "record weight",
        "mean of the restarts",
        "standard error",
        "in test",
        "its error",
        "most in test",
    )
    curves = Curves(
        title,
        "weight of the record",
        "mean of the restarts' lines",
        "Bands: standard errors.",
        tuple(series),
        points=True,
        tab="The weight of the record, chart",
    )
    text = "Fitness is w times the record and 1 - w times the mean of the training games (equation 8 with w = 0.4)."
    return Section(title, (text, *sentences), (Sheet(title, columns, tuple(found)), curves))


def _swarms(title: str, tab: str, trained: list[TrainedAgent], mine: list[TrainedAgent]) -> Sheet:
    found = []
    for group in dict.fromkeys(t.group for t in mine):
        base = plain(trained, DROP, group, "mean")
        found += [(t, base) for t in (base, *(t for t in mine if t.group == group))]
    return _variants(title, tab, found)
