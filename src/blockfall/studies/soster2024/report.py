"""The thesis's tables 2 to 12, its figures 2 and 12 to 17 and its appendix A, ours beside the published figures."""

import math

import numpy as np

from blockfall.experiments.statistics import compare, describe
from blockfall.features import find_feature
from blockfall.optimisers import Pso
from blockfall.optimisers.base import Matrix, Vector
from blockfall.reports import Bars, Boxes, Curves, Figure, Landscape, Panels, Report, Section, Series, Sheet
from blockfall.studies.base import Row, judged
from blockfall.studies.soster2024.trainings import FITNESS, GROUPS, PUBLISHED, Trained

_TEST_GAMES = 20_000  # of the thesis
_DEMONSTRATION_ITERATIONS = 300


def rows(trained: list[Trained]) -> tuple[Row, ...]:
    """The mean lines of every training."""
    found = []
    for training in trained:
        mean = theirs = None
        if training.published:
            # One training of theirs spreads as one of ours does.
            mean = training.published["mean"]
            theirs = math.hypot(training.published["std"] / math.sqrt(_TEST_GAMES), training.spread)
        found.append(judged(training.name, training.mean, training.error, mean, theirs))
    return tuple(found)


def report(trained: list[Trained], budget: str, seed: int) -> Report:
    """The study's report."""
    rules = list(dict.fromkeys(training.rules for training in trained))
    plain = [training for training in trained if not training.variant]
    sections = [_demonstration(seed)]
    for name in rules:
        sections += _of_rules(name, [t for t in plain if t.rules == name])
        extra = [t for t in trained if t.rules == name and (t.variant or t.group in PUBLISHED["extended"]["groups"])]
        if any(t.variant for t in extra):
            sections.append(_extension(name, extra))
    best = max(plain, key=lambda t: t.mean)
    summary = (
        f"NES Tetris without rotation, budget {budget}, seed {seed}. The best mean is {best.mean:.2f} lines "
        f"({best.name}); the thesis's best is 9.73."
    )
    return Report("soster2024: agents for NES Tetris without rotation", summary, tuple(sections))


def _of_rules(rules: str, trained: list[Trained]) -> list[Section]:
    kinds = [fitness for fitness in FITNESS if any(t.fitness == fitness for t in trained)]
    by_fitness = {fitness: [t for t in trained if t.fitness == fitness] for fitness in kinds}
    sections = []
    for number, fitness in enumerate(kinds):
        group = by_fitness[fitness]
        best = max(group, key=lambda t: t.mean)
        title = f"{rules}, fitness {fitness}"
        items: list[Sheet | Figure] = [
            _statistics(f"{title}: lines per game (table {2 + number})", group, [t.group for t in group]),
            _distribution(f"{title}: lines per game (figure {12 + 2 * number})", group),
            _weights(f"{title}: weights of {best.group}, the best (figure {13 + 2 * number})", best),
            _curves(f"{title}: learning curves of {best.group}", best),
        ]
        if len(group) > 1:
            items.append(_boxes(f"{title}: groups compared", group))
            items.append(
                Panels(
                    f"{title}: weights of every group (appendix A)",
                    figures=tuple(_weights(t.group, t) for t in group),
                    columns=2,
                )
            )
        sections.append(Section(title, (), tuple(items)))
    sheets = [
        _statistics(
            f"{rules}: {group} by fitness (table {8 + number})", [t for t in trained if t.group == group], kinds
        )
        for number, group in enumerate(GROUPS)
        if any(t.group == group for t in trained)
    ]
    if len(kinds) == len(FITNESS):
        sections.append(Section(f"{rules}, by group", ("Tables 5 to 7 are tables 10 to 12 here.",), tuple(sheets)))
        sections.append(Section(f"{rules}, weights that the text names", (), (_ranks(rules, trained),)))
    sections.append(
        Section(
            f"{rules}, from training to test",
            (
                "The best of a swarm on the same few games is a winner's curse: it was chosen because it was "
                "lucky on them. Validation games, never trained on, show what is left; test games, never chosen by, "
                "what a player can expect.",
            ),
            (_gaps(rules, trained),),
        )
    )
    return sections


def statistics(trained: Trained) -> Sheet:
    """One training's test games beside the thesis's."""
    return _statistics(f"{trained.name}: lines per game", [trained], [trained.group])


def _statistics(title: str, trained: list[Trained], names: list[str]) -> Sheet:
    rows = []
    for key, label in (("min", "min"), ("mean", "mean"), ("max", "max"), ("std", "std")):
        cells: list[float | None] = []
        for training in trained:
            published = training.published
            ours = training.result["test"][key]
            cells += [int(ours) if key in ("min", "max") else ours, published[key] if published else None]
        rows.append((label, *cells))
    columns = ("", *(column for name in names for column in (f"{name}, ours", "thesis")))
    return Sheet(title, columns, tuple(rows))


def _distribution(title: str, trained: list[Trained]) -> Curves:
    most = max(max(t.lines) for t in trained)
    series = []
    for training in trained:
        shares = np.bincount(training.lines, minlength=most + 1) / len(training.lines)
        series.append(Series(training.group, tuple(range(most + 1)), tuple(shares.tolist())))
    return Curves(title, "lines per game", "share of games", series=tuple(series), steps=True)


def _weights(title: str, training: Trained) -> Bars:
    weights = training.weights
    labels = tuple(_short(name) for name in weights)
    return Bars(
        title, "", "size of the weight", labels=labels, series=(("weight", tuple(weights.values())),), absolute=True
    )


def _short(feature: str) -> str:
    """The thesis's abbreviation, where it has one."""
    aliases = [alias for alias in find_feature(feature).aliases if alias.isupper() and alias.isalpha()]
    return aliases[0] if aliases else feature


def _curves(title: str, training: Trained) -> Curves:
    series = tuple(
        Series(f"restart {number}", tuple(range(1, len(curve) + 1)), curve)
        for number, curve in enumerate(training.curves, 1)
    )
    return Curves(title, "iteration", f"best {training.fitness} fitness so far", series=series)


def _boxes(title: str, trained: list[Trained]) -> Boxes:
    return Boxes(
        title,
        "",
        "lines per game",
        "Boxes: quartiles; whiskers: 5 and 95 percent; points: means.",
        labels=tuple(t.group for t in trained),
        samples=tuple(t.lines for t in trained),
    )


def _ranks(rules: str, trained: list[Trained]) -> Sheet:
    by_cell = {(t.group, t.fitness): list(t.weights) for t in trained}
    found: list[tuple[str | int | None, ...]] = []
    for fitness, said in PUBLISHED["ranks"].items():
        for kind in ("largest", "smallest"):
            for place, alias in enumerate(said[kind], 1):
                feature = find_feature(alias).name
                all_ranks, own = by_cell["soster-3", fitness], by_cell[said["group"], fitness]
                rank = own.index(feature) + 1 if feature in own else None
                found.append((fitness, said["group"], f"{kind} {place}", alias, all_ranks.index(feature) + 1, rank))
    columns = ("fitness", "thesis's group", "the thesis says", "metric", "our rank of 17 in soster-3", "in that group")
    return Sheet(f"{rules}: ranks of the weights", columns, tuple(found), "Empty: not among our group's metrics.")


def _gaps(rules: str, trained: list[Trained]) -> Sheet:
    found = []
    for t in trained:
        chosen = t.result["restarts"][t.result["chosen_restart"]]
        test = describe(t.lines)
        own = {"mean": test.mean, "record": test.max}.get(t.fitness, 0.4 * test.max + 0.6 * test.mean)
        found.append(
            (
                t.group,
                t.fitness,
                chosen["training_fitness"],
                chosen["validation_fitness"],
                chosen["training_fitness"] - chosen["validation_fitness"],
                own,
                min(t.validation_means),
                max(t.validation_means),
                t.spread,
            )
        )
    columns = (
        "group",
        "fitness",
        "training",
        "validation",
        "gap",
        "test",
        "worst restart's mean",
        "best restart's mean",
        "spread of a training",
    )
    note = "Records grow with the number of games: only fitness mean can be compared between columns."
    return Sheet(
        f"{rules}: fitness in training, validation and test; means of the restarts", columns, tuple(found), note
    )


def _extension(rules: str, trained: list[Trained]) -> Section:
    swarm = {(t.group, t.fitness): t for t in trained if not t.variant}
    found: list[tuple[str | float | None, ...]] = []
    for t in sorted(trained, key=lambda t: (t.group, t.fitness, -t.mean)):
        base = swarm.get((t.group, t.fitness))
        verdict = ""
        if base and t is not base:
            verdict = compare(t.lines, base.lines).sentence("its agent", "the swarm's agent")
        found.append(
            (t.group, t.fitness, t.variant or "pso, the thesis's", t.mean, t.error, min(t.validation_means), verdict)
        )
    columns = (
        "group",
        "fitness",
        "variant",
        "mean lines",
        "standard error",
        "worst restart's mean",
        "on the same games",
    )
    note = (
        "Every variant plays as many games as the swarm. The standard error counts the spread between restarts; the "
        "last column compares the two agents, not the two ways of training, by a paired test."
    )
    sheet = Sheet(f"{rules}: beyond the thesis", columns, tuple(found), note)
    shown = [t for t in trained if t.fitness == "mean"]
    bars = Bars(
        f"{rules}: optimisers compared, fitness mean",
        "",
        "mean lines per game",
        labels=tuple(f"{t.group} {t.variant or 'pso'}" for t in shown),
        series=(("lines", tuple(t.mean for t in shown)),),
        errors=(tuple(t.error for t in shown),),
    )
    return Section(f"{rules}, beyond the thesis", (), (sheet, bars))


def himmelblau(points: Matrix) -> Vector:
    """Equation 6, of points as rows; its four minima are 0."""
    x, y = points[:, 0], points[:, 1]
    return np.asarray((x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2)


def demonstrate(seed: int) -> tuple[Matrix, Matrix, Matrix]:
    """A swarm on equation 6: where it started, where it ended, and its best point.

    The thesis does not say how long its swarm flew; after 200 iterations ours is where it ended, about 1e-19.
    """
    optimiser = Pso(
        iterations=_DEMONSTRATION_ITERATIONS, particles=30, speed_limits=(-1.0, 1.0), weight_limits=(-5.0, 5.0)
    )
    swarm = optimiser.start(optimiser.space(2), seed)
    before = swarm.ask().copy()
    while not swarm.finished:
        swarm.tell(-himmelblau(swarm.ask()))
    return before, swarm.ask().copy(), swarm.answer[None, :]


def _demonstration(seed: int) -> Section:
    before, after, best = demonstrate(seed)
    grid = np.linspace(-5, 5, 161)
    x, y = np.meshgrid(grid, grid)
    z = himmelblau(np.column_stack([x.ravel(), y.ravel()])).reshape(x.shape)
    panels = tuple(
        Landscape(name, "x", "y", x=x, y=y, z=z, points=points)
        for name, points in (
            ("The swarm at the start", before),
            (f"After {_DEMONSTRATION_ITERATIONS} iterations", after),
        )
    )
    least = float(himmelblau(best)[0])
    return Section(
        "The swarm on equation 6",
        (
            f"The least value found is {least:.3g} at ({best[0, 0]:.6f}, {best[0, 1]:.6f}); the thesis found "
            f"{PUBLISHED['himmelblau']:.3g}. The true minimum is 0.",
        ),
        (Panels("Equation 6 before and after (figure 2)", figures=panels, columns=2),),
    )
