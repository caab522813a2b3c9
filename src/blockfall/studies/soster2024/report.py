"""The thesis's tables 1 to 12, its figures 2 and 12 to 32 and its appendix A, ours beside the published figures."""

import numpy as np

from blockfall.experiments.statistics import describe
from blockfall.features import find_feature
from blockfall.optimisers import Pso
from blockfall.optimisers.base import Matrix, Vector
from blockfall.reports import Bars, Boxes, Curves, Figure, Landscape, Panels, Report, Section, Series, Sheet
from blockfall.studies.base import Row, judged
from blockfall.studies.soster2024.beyond import beyond, other_readings
from blockfall.studies.soster2024.conclusions import conclusions, published_means, reference_points
from blockfall.studies.soster2024.plan import DROP, FITNESS, GROUPS, OWN, PUBLISHED, SHORT, abbreviation, features_of
from blockfall.studies.soster2024.speed import Timed, speed
from blockfall.studies.soster2024.trainings import TrainedAgent

_DEMONSTRATION_ITERATIONS = 300
_IN_ROWS = ("", "optimisers", "record weight", "more particles", "by metrics")
_MOST_WEIGHT = 1.0  # table 1: weights are from -1 to 1


def rows(trained: list[TrainedAgent]) -> tuple[Row, ...]:
    """Return the mean lines of every training except other readings. Only the thesis's lists have published figures."""
    found = []
    for training in trained:
        if training.cell.part not in _IN_ROWS:
            continue
        theirs = None if training.cell.variant else training.published.get("mean")
        note = "four metrics inferred from the text" if theirs and training.group == "soster-5" else ""
        found.append(judged(training.name, training.mean, training.error, theirs, training.published_error, note=note))
    return tuple(found)


def report(trained: list[TrainedAgent], timed: list[Timed], budget: str, seed: int) -> Report:
    """Return the study's report."""
    plain = [training for training in trained if not training.cell.part]
    sections = [published_means(rows(trained)), _protocol(budget), _demonstration(seed)]
    for name in dict.fromkeys(training.rules for training in trained):
        sections += _of_rules(name, [t for t in plain if t.rules == name])
    sections += other_readings(trained)
    sections += beyond(trained)
    if timed:
        sections.append(speed(timed))
    sections.append(reference_points(plain))
    sections += conclusions(trained)
    best = max(plain, key=lambda t: t.mean)
    theirs = max(cell["mean"] for cells in PUBLISHED["lines"].values() for cell in cells.values())
    summary = (
        f"NES Tetris without rotation, budget {budget}, seed {seed}. The best mean is {best.mean:.2f} lines "
        f"({best.name}); the thesis's best is {theirs:.2f}."
    )
    return Report("soster2024: agents for NES Tetris without rotation", summary, tuple(sections))


def _protocol(budget: str) -> Section:
    ours, full = PUBLISHED["budgets"][budget], PUBLISHED["budgets"]["full"]
    swarm, theirs = Pso.model_validate(_settings(ours["optimiser"])), Pso.model_validate(_settings(full["optimiser"]))

    def pair(values: tuple[float, float]) -> str:
        return f"{values[0]:g} / {values[1]:g}"

    parameters = (
        ("iterations at most", str(theirs.iterations), str(swarm.iterations)),
        ("particles", str(theirs.particles), str(swarm.particles)),
        ("inertia, first / last", pair(theirs.inertia), pair(swarm.inertia)),
        ("cognitive coefficient, first / last", pair(theirs.cognitive), pair(swarm.cognitive)),
        ("social coefficient, first / last", pair(theirs.social), pair(swarm.social)),
        ("weights from / to", pair(theirs.weight_limits), pair(swarm.weight_limits)),
        ("speed of a particle from / to", pair(theirs.speed_limits), pair(swarm.speed_limits)),
        *(
            (f"{kind} games", f"{full['games'][kind]:,}", f"{ours['games'][kind]:,}")
            for kind in ("training", "validation", "test")
        ),
        ("restarts", str(full["restarts"]), str(ours["restarts"])),
    )
    metrics = []
    for number, name in enumerate(features_of("soster-3", "mean"), 1):
        feature = find_feature(name)
        metrics.append((number, abbreviation(name), name, feature.definition))
    groups = []
    for group in GROUPS:
        for fitness in FITNESS if group in ("soster-4", "soster-5") else ("all",):
            groups.append((group, fitness, " ".join(abbreviation(name) for name in features_of(group, fitness))))
    note = "Numbers as in the thesis's groups. Its list of definitions numbers PDP 13, AMAC 14 and AMIC 15."
    lists = (
        "Group 4 as the thesis prints it. Group 5 is inferred: four of group 4 that fit the text about the largest "
        "weights. own-4 and own-5 have the seven and the four largest weights of our own group 3."
    )
    return Section(
        "What is trained",
        (
            "An agent values a board by a weighted sum of metrics, and places two known pieces for the board of the "
            "highest value. A particle swarm finds the weights. The best particle of each restart plays the validation "
            "games, and that of the best restart the test games. Fitness `mean` is the mean lines of the training "
            "games, `record` the most lines, and `weighted` 0.4 of the record plus 0.6 of the mean (equation 8).",
        ),
        (
            Sheet("Parameters (table 1)", ("parameter", "thesis", "here"), parameters),
            Sheet("Metrics", ("number", "thesis", "feature", "definition"), tuple(metrics), note),
            Sheet("Groups", ("group", "fitness", "metrics"), tuple(groups), lists),
        ),
    )


def _settings(keys: dict[str, object]) -> dict[str, object]:
    """Return the settings of a swarm as its class takes them."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in keys.items() if key != "name"}


def _of_rules(rules: str, trained: list[TrainedAgent]) -> list[Section]:
    kinds = [fitness for fitness in FITNESS if any(t.fitness == fitness for t in trained)]
    sections = []
    for number, fitness in enumerate(kinds):
        group = [t for t in trained if t.fitness == fitness and t.group in GROUPS]
        own = [t for t in trained if t.fitness == fitness and t.group in OWN]
        shown = next((t for t in group if t.group == PUBLISHED["best"][fitness]), group[0])
        first = max(group, key=lambda t: t.mean)
        title, tab = f"{rules}, fitness {fitness}", f"{SHORT[rules]}, {fitness}"
        items: list[Sheet | Figure] = [
            _statistics(f"{title}: lines per game (table {2 + number})", group, f"{tab}, table {2 + number}"),
            _distribution(_figure(rules, 12 + 2 * number), f"lines per game, fitness {fitness}", group),
            _weights(_figure(rules, 13 + 2 * number), shown),
            *(_weights(_figure(rules, 18 + 5 * number + place), t) for place, t in enumerate(group)),
            _curves(f"{title}: learning curves of {first.group}, the best", first, f"{tab}, curves"),
        ]
        if own:
            items.insert(1, _statistics(f"{title}: our own groups", own, f"{tab}, own groups"))
            items.append(_boxes(f"{title}: groups compared", [*group, *own], f"{tab}, boxes"))
            items.append(_appendix(f"{title}: weights (appendix A)", [*group, *own], f"{tab}, appendix A"))
        sections.append(Section(f"{rules}, fitness {fitness}", (), tuple(items)))
    if len(kinds) == len(FITNESS):
        sheets = tuple(
            _statistics(
                f"{rules}: {group} by fitness (table {8 + number})",
                [t for t in trained if t.group == group],
                f"{SHORT[rules]}, {group}, table {8 + number}",
                by="fitness",
            )
            for number, group in enumerate(GROUPS)
        )
        sections.append(
            Section(f"{rules}, by group", ("The thesis's tables 5 to 7 are tables 10 to 12 here.",), sheets)
        )
        sections.append(Section(f"{rules}, weights named in the text", (), (_ranks(rules, trained),)))
    sections.append(
        Section(
            f"{rules}, from training to test",
            (
                "The best of a swarm was partly lucky on its few training games. Validation games, which did not train "
                "it, show what is left; test games, which did not choose it, show what a player can expect.",
            ),
            (_gaps(rules, trained),),
        )
    )
    return sections


def _figure(rules: str, number: int) -> str:
    """Return the number of a figure in the thesis, whose game has straight drops."""
    return f"Figure {number}" if rules == DROP else f"With slides, figure {number}"


def statistics(trained: TrainedAgent) -> Sheet:
    """Return one training's test games beside the thesis's."""
    return _statistics(f"{trained.name}: lines per game", [trained], "Lines per game")


def _statistics(title: str, trained: list[TrainedAgent], tab: str, by: str = "group") -> Sheet:
    rows = []
    for key in ("min", "mean", "max", "std"):
        cells: list[float | None] = []
        for training in trained:
            ours = training.result["test"][key]
            cells.append(int(ours) if key in ("min", "max") else ours)
            if training.published:
                cells.append(training.published[key])
        rows.append((key, *cells))
    columns = [""]
    for training in trained:
        name = training.group if by == "group" else training.fitness
        columns += [f"{name}, ours", "thesis"] if training.published else [name]
    return Sheet(title, tuple(columns), tuple(rows), tab=tab)


def _appendix(title: str, trained: list[TrainedAgent], tab: str) -> Sheet:
    metrics = features_of("soster-3", "mean")
    rows = tuple(
        (abbreviation(name), *(training.result["weights"].get(name) for training in trained)) for name in metrics
    )
    return Sheet(
        title, ("metric", *(training.group for training in trained)), rows, "Empty cells: not in that group.", tab
    )


def _distribution(figure: str, what: str, trained: list[TrainedAgent]) -> Curves:
    most = max(max(t.lines) for t in trained)
    series = []
    for training in trained:
        shares = np.bincount(training.lines, minlength=most + 1) / len(training.lines)
        series.append(Series(training.group, tuple(range(most + 1)), tuple(shares.tolist())))
    return Curves(f"{figure}: {what}", "lines per game", "share of games", series=tuple(series), steps=True, tab=figure)


def _weights(figure: str, training: TrainedAgent) -> Bars:
    weights = training.weights
    labels = tuple(abbreviation(name) for name in weights)
    return Bars(
        f"{figure}: weights of {training.group}, fitness {training.fitness}",
        "",
        "size of the weight",
        labels=labels,
        series=(("weight", tuple(weights.values())),),
        absolute=True,
        most=_MOST_WEIGHT,
        tab=figure,
    )


def _curves(title: str, training: TrainedAgent, tab: str) -> Curves:
    series = tuple(
        Series(f"restart {number}", tuple(range(1, len(curve) + 1)), curve)
        for number, curve in enumerate(training.curves, 1)
    )
    return Curves(title, "iteration", f"best {training.fitness} fitness so far", series=series, tab=tab)


def _boxes(title: str, trained: list[TrainedAgent], tab: str) -> Boxes:
    return Boxes(
        title,
        "",
        "lines per game",
        "Boxes: quartiles; whiskers: 5 and 95 percent; points: means.",
        labels=tuple(t.group for t in trained),
        samples=tuple(t.lines for t in trained),
        tab=tab,
    )


def _ranks(rules: str, trained: list[TrainedAgent]) -> Sheet:
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
    note = "Empty cells: not among our group's metrics."
    return Sheet(f"{rules}: ranks of the weights", columns, tuple(found), note, f"{SHORT[rules]}, ranks of weights")


def _gaps(rules: str, trained: list[TrainedAgent]) -> Sheet:
    def chosen(t: TrainedAgent, key: str) -> float:
        return float(t.result["restarts"][t.result["chosen_restart"]][f"{key}_fitness"])

    def tested(t: TrainedAgent) -> float:
        test = describe(t.lines)
        return {"mean": test.mean, "record": test.max}.get(t.fitness, 0.4 * test.max + 0.6 * test.mean)

    return Sheet.of(
        f"{rules}: fitness in training, validation and test; means of the restarts",
        trained,
        ("group", lambda t: t.group),
        ("fitness", lambda t: t.fitness),
        ("training", lambda t: chosen(t, "training")),
        ("validation", lambda t: chosen(t, "validation")),
        ("gap", lambda t: chosen(t, "training") - chosen(t, "validation")),
        ("test", tested),
        ("worst restart's mean", lambda t: min(t.validation_means)),
        ("best restart's mean", lambda t: max(t.validation_means)),
        ("spread of a training", lambda t: t.spread),
        note="Records grow with the number of games, so only fitness mean can be compared between columns.",
        tab=f"{SHORT[rules]}, training to test",
    )


def himmelblau(points: Matrix) -> Vector:
    """Return equation 6 for points in rows. Its four minima are 0."""
    x, y = points[:, 0], points[:, 1]
    return np.asarray((x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2)


def demonstrate(seed: int) -> tuple[Matrix, Matrix, Matrix]:
    """Run a swarm on equation 6, and return its first points, its last points and its best.

    The thesis does not give its iterations; after 200 ours is at its value, about 1e-19.
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
