"""The study's trainings: which there are, and what each came to. Every one is a run that can be resumed."""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from blockfall.agents import Agent
from blockfall.experiments.configuration import configuration_from, merged
from blockfall.experiments.statistics import describe
from blockfall.experiments.training import Progress
from blockfall.studies.base import Update, Work

PUBLISHED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
POINTS = 1_000_000  # the thesis's tables leave them out
_STEPS = 100  # of the progress bar, per training

Cell = dict[str, Any]
"""A cell of the thesis's tables: value, training, generation, max, mean."""


@dataclass(frozen=True)
class Plan:
    """A training to do."""

    experiment: str
    value: object
    keys: dict[str, Any]
    """The keys of the run's file."""
    published: Cell

    @property
    def name(self) -> str:
        """Experiment and value."""
        return f"{self.experiment}/{self.value}"

    @property
    def same(self) -> str:
        """A text that is equal for plans of the same training."""
        return json.dumps(self.keys, sort_keys=True)


@dataclass(frozen=True)
class Trained:
    """A finished training. Scores are in millions of points."""

    experiment: str
    value: object
    published: Cell
    folder: Path
    bots: tuple[Agent, ...]
    """The bot of every restart."""
    scores: tuple[tuple[float, ...], ...]
    """The scores of every bot's validation games. No bot was chosen by them."""
    test: tuple[float, ...]
    """The scores of the test games of the restart that validated best."""
    capped: int
    """How many validation games met the piece limit. Their scores are lower bounds."""
    training: tuple[float, ...]
    """The best score in training of each restart."""
    curves: tuple[tuple[float, ...], ...]
    """The best score so far of each restart, by iteration. A network that learns has its score at that moment."""
    seconds: tuple[float, ...]
    survived: tuple[bool, ...]
    """Whether each restart ended because an individual reached the piece limit."""

    @property
    def name(self) -> str:
        """Experiment and value."""
        return f"{self.experiment}/{self.value}"

    @property
    def means(self) -> list[float]:
        """The mean score of each restart's bot."""
        return [float(np.mean(scores)) for scores in self.scores]

    @property
    def mean(self) -> float:
        """The mean over the restarts."""
        return float(np.mean(self.means))

    @property
    def error(self) -> float | None:
        """The standard error of that mean: between trainings, and where there is one only, between its games."""
        return describe(self.means).sem if len(self.means) > 1 else describe(self.scores[0]).sem

    @property
    def spread(self) -> float:
        """The standard deviation between trainings. Where there is only one it is unknown, and taken as the mean."""
        return describe(self.means).std if len(self.means) > 1 else self.mean

    @property
    def generations(self) -> float:
        """The mean number of iterations of a restart."""
        return float(np.mean([len(curve) for curve in self.curves]))


def plans(budget: str) -> list[Plan]:
    """All trainings, in the order of the thesis."""
    sizes = PUBLISHED["budgets"][budget]
    base = merged(
        PUBLISHED["common"],
        {"restarts": sizes["restarts"], "optimiser": sizes["optimiser"], "games": sizes["games"]},
    )
    found = []
    for experiment in PUBLISHED["experiment"]:
        changes = {key: experiment[key] for key in ("features", "games") if key in experiment}
        for cell in experiment["cells"]:
            keys = merged(merged(base, changes), _at(experiment["setting"], cell["value"]))
            found.append(Plan(experiment["name"], cell["value"], keys, cell))
    return [*found, *_swarms(base, sizes), *_networks(base, sizes)]


def _at(path: str, value: object) -> dict[str, Any]:
    """
    >>> _at("games.training", 8)
    {'games': {'training': 8}}
    """
    first, _, rest = path.partition(".")
    return {first: _at(rest, value) if rest else value}


def swarm_name(cognitive: float, social: float, inertia: float) -> str:
    """The name of a cell of the swarm's grid."""
    return f"{cognitive:g}-{social:g}-{inertia:g}"


AGENTS = {
    "evolution (6 heuristics)": "heuristics/data-6",
    "swarm (6 heuristics)": f"swarm/{swarm_name(*PUBLISHED['swarm']['chosen'])}",
    "network, Q-learning as described": "network/data2021",
    "network, n-step": "network/n-step",
    "network, trained by a swarm": "network/swarm",
    "table, Q-learning": "network/table",
}
"""The thesis's three agents with the same six heuristics, and ours, by the trainings that made them."""


def _swarms(base: dict[str, Any], sizes: dict[str, Any]) -> Iterator[Plan]:
    grid, size = PUBLISHED["swarm"], sizes["swarm"]
    published = {swarm_name(*cell["at"]): cell for cell in grid["cells"]}
    for social in grid["social"]:
        for cognitive in grid["cognitive"]:
            for inertia in grid["inertia"]:
                name = swarm_name(cognitive, social, inertia)
                swarm = {"cognitive": [cognitive] * 2, "social": [social] * 2, "inertia": [inertia] * 2}
                keys = {**base, "restarts": size["restarts"], "optimiser": _swarm(size, 5.0, 10.0, **swarm)}
                games = {"training": size["training"], "max_pieces": grid["max_pieces"]}
                yield Plan("swarm", name, merged(keys, {"games": games}), published.get(name, {}))


def _swarm(size: dict[str, Any], weight: float, speed: float, **more: object) -> dict[str, Any]:
    limits = {"weight_limits": [-weight, weight], "speed_limits": [-speed, speed]}
    return {"name": "pso", "particles": size["particles"], "iterations": size["iterations"], **limits, **more}


def _networks(base: dict[str, Any], sizes: dict[str, Any]) -> Iterator[Plan]:
    network = PUBLISHED["network"]
    size = sizes["network_swarm"]
    swarm = _swarm(size, 1.0, 0.2, cognitive=[1.5, 1.5], social=[1.5, 1.5], inertia=[0.7, 0.7])
    keys = {**base, "hidden": network["small"], "restarts": size["restarts"], "optimiser": swarm}
    yield Plan("network", "swarm", keys, {})
    seen = {"features": "data-6", "hidden": network["hidden"]}
    learners = {"data2021": seen, "n-step": {**seen, "features": "data-6,lines-cleared"}, "table": {}}
    for method, changes in learners.items():
        size = dict(sizes[method])
        learned = {key: value for key, value in base.items() if key not in ("optimiser", "features")}
        games = {**base["games"], "fresh": False, "until_limit": False}
        keys = {**learned, **changes, "restarts": size.pop("restarts"), "games": games}
        yield Plan("network", method, {**keys, "learning": {"name": method, **size}}, {})


def trainings(part: str, budget: str, seed: int, work: Work) -> dict[str, Trained]:
    """The trainings of a part, or all of them, by name. Those that are finished are read."""
    every = plans(budget)
    first: dict[
        str, Plan
    ] = {}  # tables share trainings, as the thesis's share bots; the part that comes first does not matter
    for plan in every:
        first.setdefault(plan.same, plan)
    planned = [plan for plan in every if in_part(plan.experiment, plan.name, part)]
    done: dict[str, Trained] = {}
    with work.phase("trainings", len(planned) * _STEPS) as update:
        for place, plan in enumerate(planned):
            trained = _training(first[plan.same], seed, place, work, update)
            done[plan.name] = replace(trained, experiment=plan.experiment, value=plan.value, published=plan.published)
    return done


def in_part(experiment: str, name: str, part: str) -> bool:
    """Whether a training belongs to the part that the user chose."""
    return part in ("all", experiment) or (part == "agents" and name in AGENTS.values())


def _training(plan: Plan, seed: int, place: int, work: Work, update: Update) -> Trained:
    keys = {**plan.keys, "seed": seed, "name": plan.name}
    configuration = configuration_from(keys, f"study data2021, {plan.name}")

    def show(progress: Progress) -> None:
        share = progress.iterations_done / progress.iterations
        update(place * _STEPS + int(share * _STEPS), f"{plan.name}: best {progress.best / POINTS:.0f}")

    folder = plan.name.replace("/", "-")
    run, _ = work.trained(folder, configuration, show)
    update((place + 1) * _STEPS, plan.name)
    curves: dict[int, list[float]] = {}
    seconds: dict[int, float] = {}
    best: dict[int, float] = {}
    for row in work.store.runs.iterations(run):
        worth = row.mean if configuration.learning else row.best
        curves.setdefault(row.restart, []).append(worth / POINTS)
        seconds[row.restart] = seconds.get(row.restart, 0.0) + row.seconds
        best[row.restart] = row.best / POINTS
    validations = work.store.runs.validations(run)
    return Trained(
        plan.experiment,
        plan.value,
        plan.published,
        work.folder(folder),
        tuple(configuration.agent(row.weights) for row in validations),
        tuple(tuple(score / POINTS for score in row.points or ()) for row in validations),
        tuple(game.score / POINTS for game in work.store.runs.test_games(run)),
        sum(row.capped or 0 for row in validations),
        tuple(best.values()),
        tuple(tuple(curve) for curve in curves.values()),
        tuple(seconds.values()),
        tuple(row.stopped_by == "piece limit" for row in validations),
    )
