"""The study's trainings and their results. Every training is a run that can be resumed."""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from blockfall.agents import Agent
from blockfall.compute import evaluate
from blockfall.experiments.configuration import Configuration, configuration_from, merged
from blockfall.experiments.statistics import describe
from blockfall.studies.base import Work

PUBLISHED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
POINTS = 1_000_000  # the unit of the thesis's tables
_STEPS = 100  # of the progress bar, per training
_SEEDS_APART = 1000
_TIMED_GAMES, _TIMED_PIECES = 4, 1000

PublishedCell = dict[str, Any]
"""A cell of the thesis's tables: value, training, generation, max, mean."""


@dataclass(frozen=True)
class PlannedTraining:
    """A planned training."""

    experiment: str
    value: object
    keys: dict[str, Any]
    """The keys of the run's file."""
    published: PublishedCell
    own_seed: int = 0
    """A number added to the study's seed, so that compared trainings begin differently."""

    @property
    def name(self) -> str:
        """Experiment and value."""
        return f"{self.experiment}/{self.value}"

    def configuration(self, seed: int) -> Configuration:
        """Return the run's configuration with the study's seed."""
        keys = {**self.keys, "seed": (seed + self.own_seed) % 2**63, "name": self.name}
        return configuration_from(keys, f"study data2021, {self.name}")

    @cached_property
    def same(self) -> str:
        """A text that is equal for plans of the same training."""
        return json.dumps(self.configuration(0).as_keys() | {"name": ""}, sort_keys=True)


@dataclass(frozen=True)
class TrainedBots:
    """A finished training. Scores are in millions of points."""

    experiment: str
    value: object
    published: PublishedCell
    folder: Path
    bots: tuple[Agent, ...]
    """The bot of every restart."""
    scores: tuple[tuple[float, ...], ...]
    """The scores of every bot's validation games. They chose no bot."""
    test: tuple[float, ...]
    """The scores of the test games of the restart with the best validation."""
    capped: int
    """The number of validation games that reached the piece limit. Their scores are lower bounds."""
    training: tuple[float, ...]
    """The best training score of each restart."""
    curves: tuple[tuple[float, ...], ...]
    """The best score so far of each restart, by iteration; for a network that learns, its current score."""
    seconds: tuple[float, ...]
    """The time of each restart's training."""
    game_seconds: float
    """The time of a test game."""

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
        """The standard error of the mean, between trainings or, if there is only one, between its games."""
        return describe(self.means).sem if len(self.means) > 1 else describe(self.scores[0]).sem

    @property
    def spread(self) -> float:
        """The standard deviation between trainings, taken to be the mean if there is only one."""
        return describe(self.means).std if len(self.means) > 1 else self.mean

    @property
    def spread_of_games(self) -> float:
        """The standard deviation over a bot's games, averaged over the bots."""
        return float(np.mean([describe(scores).std for scores in self.scores]))

    @property
    def unsteadiness(self) -> list[float]:
        """The standard deviation of each bot's games, in percent of its mean (5.3.1.4.1, "stable")."""
        pairs = zip(self.scores, self.means, strict=True)
        return [100 * describe(scores).std / mean if mean else 0.0 for scores, mean in pairs]

    @property
    def generations(self) -> float:
        """The mean number of iterations of a restart."""
        return float(np.mean([len(curve) for curve in self.curves]))

    @property
    def generation_seconds(self) -> float:
        """The mean time of an iteration."""
        return sum(self.seconds) / sum(len(curve) for curve in self.curves)


def plans(budget: str) -> list[PlannedTraining]:
    """Return all trainings, in the order of the thesis."""
    sizes = PUBLISHED["budgets"][budget]
    base = merged(
        PUBLISHED["common"],
        {"restarts": sizes["restarts"], "optimiser": sizes["optimiser"], "games": sizes["games"]},
    )
    found = []
    for experiment in PUBLISHED["experiment"]:
        changes = {key: experiment[key] for key in ("features", "games", "optimiser") if key in experiment}
        for cell in experiment["cells"]:
            keys = merged(merged(base, changes), _at(experiment["setting"], cell["value"]))
            found.append(PlannedTraining(experiment["name"], cell["value"], keys, cell))
    return [*found, *_swarms(base, sizes), *_networks(base, sizes)]


def _at(path: str, value: object) -> dict[str, Any]:
    """Return nested tables with a value at a path.

    >>> _at("games.training", 8)
    {'games': {'training': 8}}
    """
    first, _, rest = path.partition(".")
    return {first: _at(rest, value) if rest else value}


def swarm_name(cognitive: float, social: float, inertia: float) -> str:
    """Return the name of a cell of the swarm's grid."""
    return f"{cognitive:g}-{social:g}-{inertia:g}"


AGENTS = {
    "evolution (6 heuristics)": "heuristics/data-6",
    "swarm (6 heuristics)": f"swarm/{swarm_name(*PUBLISHED['swarm']['chosen'])}",
    "network, Q-learning as described": "network/data2021",
    "network, n-step": "network/n-step",
    "network, trained by a swarm": "network/swarm",
    "table, Q-learning": "network/table",
    "LSTD (6 heuristics)": "linear/lstd",
    "TD (6 heuristics)": "linear/td",
    "LSTD (8 heuristics)": "linear/lstd-8",
    "TD (8 heuristics)": "linear/td-8",
}
"""The trainings of the thesis's three agents, all with the same six heuristics, and of ours. The eight heuristics are
these six, row transitions and well sums."""


def _swarms(base: dict[str, Any], sizes: dict[str, Any]) -> Iterator[PlannedTraining]:
    grid, size = PUBLISHED["swarm"], sizes["swarm"]
    published = {swarm_name(*cell["at"]): cell for cell in grid["cells"]}
    number = 0
    for social in grid["social"]:
        for cognitive in grid["cognitive"]:
            for inertia in grid["inertia"]:
                name = swarm_name(cognitive, social, inertia)
                swarm = {"cognitive": [cognitive] * 2, "social": [social] * 2, "inertia": [inertia] * 2}
                keys = {**base, "restarts": size["restarts"], "optimiser": _swarm(size, 5.0, 10.0, **swarm)}
                games = {"training": size["training"], "max_pieces": grid["max_pieces"]}
                number += 1
                own_seed = number * _SEEDS_APART
                yield PlannedTraining("swarm", name, merged(keys, {"games": games}), published.get(name, {}), own_seed)


def _swarm(size: dict[str, Any], weight: float, speed: float, **more: object) -> dict[str, Any]:
    limits = {"weight_limits": [-weight, weight], "speed_limits": [-speed, speed]}
    return {"name": "pso", "particles": size["particles"], "iterations": size["iterations"], **limits, **more}


def _networks(base: dict[str, Any], sizes: dict[str, Any]) -> Iterator[PlannedTraining]:
    network = PUBLISHED["network"]
    size = sizes["network_swarm"]
    swarm = _swarm(size, 1.0, 0.2, cognitive=[1.5, 1.5], social=[1.5, 1.5], inertia=[0.7, 0.7])
    keys = {**base, "hidden": network["small"], "restarts": size["restarts"], "optimiser": swarm}
    yield PlannedTraining("network", "swarm", keys, {})
    seen = {"features": "data-6", "hidden": network["hidden"]}
    sees_lines = {**seen, "features": PUBLISHED["ablation"]["sees"]}
    for method, changes in {"data2021": seen, "n-step": sees_lines, "table": {}}.items():
        yield PlannedTraining("network", method, _learned(base, method, sizes[method], changes), {})
    for cell in PUBLISHED["ablation"]["cells"]:
        method = cell["method"]
        changed = sizes[method] | (sizes["short_warm_up"] if cell.get("short_warm_up") else {})
        size = changed | cell.get("learning", {})
        keys = _learned(base, method, size, sees_lines if cell.get("sees_lines") else seen)
        yield PlannedTraining("ablation", cell["value"], keys, {})
    for cell in PUBLISHED["linear"]["cells"]:
        whole = sizes[cell["size"]]
        size = {"restarts": whole["restarts"]} | sizes[cell["value"]] | cell.get("learning", {})
        changes = {"features": cell["features"], "games": whole["games"]}
        yield PlannedTraining("linear", cell["value"], _learned(base, cell["method"], size, changes), {})


def _learned(base: dict[str, Any], method: str, size: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a training that learns. `size` has its restarts and its settings."""
    keys = {key: value for key, value in base.items() if key not in ("optimiser", "features")}
    learning = {"name": method} | {key: value for key, value in size.items() if key != "restarts"}
    no_optimiser = {"games": {"fresh": False, "until_limit": False}, "learning": learning}
    return merged(merged(keys, {"restarts": size["restarts"]} | no_optimiser), changes)


def trainings(part: str, budget: str, seed: int, work: Work) -> dict[str, TrainedBots]:
    """Return the trainings of a part by name. Finished ones are read."""
    every = plans(budget)
    first: dict[str, PlannedTraining] = {}  # tables share trainings, as the thesis's tables share bots
    for plan in every:
        first.setdefault(plan.same, plan)
    planned = [plan for plan in every if in_part(plan.experiment, plan.name, part)]
    wanted = {_folder(first[plan.same]): first[plan.same].configuration(seed) for plan in planned}
    done: dict[str, TrainedBots] = {}
    with work.phase("trainings", len(wanted) * _STEPS) as update:
        work.train_all(wanted, lambda share, note: update(int(share * _STEPS), note))
    with work.phase("bots timed", len(planned)) as update:
        for place, plan in enumerate(planned, 1):
            trained = _trained(first[plan.same], seed, work)
            done[plan.name] = replace(trained, experiment=plan.experiment, value=plan.value, published=plan.published)
            update(place, plan.name)
    return done


def in_part(experiment: str, name: str, part: str) -> bool:
    """Return whether a training belongs to the part that the user chose."""
    return part in ("all", experiment) or (part == "agents" and name in AGENTS.values())


def _folder(plan: PlannedTraining) -> str:
    return plan.name.replace("/", "-")


def _trained(plan: PlannedTraining, seed: int, work: Work) -> TrainedBots:
    """Return the results of a finished training."""
    folder, configuration = _folder(plan), plan.configuration(seed)
    run, _ = work.trained(folder, configuration, lambda _: None)
    curves: dict[int, list[float]] = {}
    seconds: dict[int, float] = {}
    best: dict[int, float] = {}
    for row in work.store.runs.iterations(run):
        worth = row.mean if configuration.learning else row.best
        curves.setdefault(row.restart, []).append(worth / POINTS)
        seconds[row.restart] = seconds.get(row.restart, 0.0) + row.seconds
        best[row.restart] = row.best / POINTS
    validations = work.store.runs.validations(run)
    bots = tuple(configuration.agent(row.weights) for row in validations)
    games = work.store.runs.test_games(run)
    timed = evaluate(configuration.rules, bots[0], _TIMED_GAMES, seed, max_pieces=_TIMED_PIECES, backend="local:1")
    pace = timed.seconds / int(timed.pieces.sum())
    return TrainedBots(
        plan.experiment,
        plan.value,
        plan.published,
        work.folder(folder),
        bots,
        tuple(tuple(score / POINTS for score in row.points) for row in validations),
        tuple(game.score / POINTS for game in games),
        sum(row.capped for row in validations),
        tuple(best.values()),
        tuple(tuple(curve) for curve in curves.values()),
        tuple(seconds.values()),
        pace * float(np.mean([game.pieces for game in games])),
    )
