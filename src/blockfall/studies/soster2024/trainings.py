"""The study's trainings: which there are, and what each came to."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from blockfall.experiments.configuration import Configuration, configuration_from, merged
from blockfall.experiments.statistics import describe
from blockfall.experiments.training import Progress, Watch
from blockfall.features import feature_list
from blockfall.studies.base import Work

PUBLISHED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
RULES = ("nes-no-rotation-drop", "nes-no-rotation")
GROUPS = ("soster-1", "soster-2", "soster-3", "soster-4", "soster-5")
FITNESS = ("mean", "record", "weighted")
DERIVED = {"soster-4": 7, "soster-5": 4}  # so many of the largest weights of group 3 (thesis, 4.2)


@dataclass(frozen=True)
class Trained:
    """One cell of the thesis's tables, or of the extension's."""

    rules: str
    group: str
    fitness: str
    variant: str
    """Empty for the thesis's own protocol; else what differs from it."""
    result: dict[str, Any]
    folder: Path
    lines: tuple[int, ...]
    """The lines of every test game."""
    curves: tuple[tuple[float, ...], ...]
    """The best fitness so far, by iteration, of each restart."""

    @property
    def name(self) -> str:
        """Rules, group, fitness and variant."""
        return "/".join(part for part in (self.rules, self.group, self.fitness, self.variant) if part)

    @property
    def published(self) -> dict[str, float] | None:
        """The thesis's min, mean, max and std; None where it has no such cell."""
        cells: dict[str, dict[str, float]] = PUBLISHED["lines"][self.fitness]
        return cells.get(self.group) if not self.variant else None

    @property
    def mean(self) -> float:
        """The mean lines of the test games."""
        return float(self.result["test"]["mean"])

    @property
    def weights(self) -> dict[str, float]:
        """The agent's weights, the largest first."""
        return dict(sorted(self.result["weights"].items(), key=lambda item: -abs(item[1])))

    @property
    def validation_means(self) -> list[float]:
        """The mean lines of every restart's validation games."""
        return [row["validation"]["mean"] for row in self.result["restarts"]]

    @property
    def spread(self) -> float:
        """The standard deviation of a whole training, if it were repeated; estimated by drawing its restarts again."""
        scores = np.array([row["validation_fitness"] for row in self.result["restarts"]])
        means = np.array(self.validation_means)
        drawn = np.random.default_rng(0).integers(len(scores), size=(2000, len(scores)))
        best = drawn[np.arange(len(drawn)), np.argmax(scores[drawn], axis=1)]
        return describe(means[best]).std

    @property
    def error(self) -> float:
        """The standard error of the mean: that of its test games, and that of training at all."""
        return float(np.hypot(self.result["test"]["sem"], self.spread))


def trainings(rules: tuple[str, ...], budget: str, extended: bool, seed: int, work: Work) -> list[Trained]:
    """All trainings, in the order of the thesis's tables. Groups 4 and 5 have the largest weights of group 3."""
    done: dict[str, Trained] = {}
    plan = [
        (name, group, fitness)
        for name in rules
        for fitness in (FITNESS if budget != "taste" else FITNESS[:1])
        for group in (GROUPS if budget != "taste" else GROUPS[:1])
    ]
    extra = [variant for name in rules for variant in variants(name, budget)] if extended else []
    with work.phase("trainings", (len(plan) + len(extra)) * _STEPS) as update:

        def train(name: str, group: str, fitness: str, variant: str, keys: dict[str, Any]) -> None:
            configuration = configuration_from({**keys, "seed": seed}, f"study soster2024, {name} {group}")
            folder = "-".join(part for part in (name, group, fitness, variant.replace(" ", "-")) if part)
            before = len(done) * _STEPS

            def show(progress: Progress) -> None:
                share = progress.iterations_done / progress.iterations
                note = f"{folder}: best {progress.best:.2f}, {progress.games_per_second:,.0f} games/s"
                update(before + int(share * _STEPS), note)

            found = _training(name, group, fitness, variant, configuration, folder, work, show)
            done[found.name] = found

        for name, group, fitness in plan:
            features = list(feature_list(group)) if group not in DERIVED else _largest(done, name, group, fitness)
            train(name, group, fitness, "", protocol(name, features, fitness, budget))
        for name, group, fitness, variant, changes in extra:
            features = list(feature_list(group if group != "wide" else PUBLISHED["extended"]["wide"]))
            train(name, group, fitness, variant, varied(protocol(name, features, fitness, budget), changes))
    return list(done.values())


_STEPS = 100  # of the progress bar, per training


def _training(
    name: str,
    group: str,
    fitness: str,
    variant: str,
    configuration: Configuration,
    folder: str,
    work: Work,
    show: Watch,
) -> Trained:
    run, result = work.trained(folder, configuration, show)
    curves: dict[int, list[float]] = {}
    for row in work.store.runs.iterations(run):
        curves.setdefault(row.restart, []).append(row.best)
    lines = tuple(game.lines for game in work.store.runs.test_games(run))
    return Trained(
        name, group, fitness, variant, result, work.folder(folder), lines, tuple(tuple(c) for c in curves.values())
    )


def _largest(done: dict[str, Trained], name: str, group: str, fitness: str) -> list[str]:
    return list(done[f"{name}/soster-3/{fitness}"].weights)[: DERIVED[group]]


def protocol(name: str, features: list[str], fitness: str, budget: str) -> dict[str, Any]:
    """The keys of a run's file: the thesis's protocol for these rules, features and fitness."""
    return {
        "rules": name,
        "features": features,
        "pieces_known": 2,
        "fitness": fitness,
        **PUBLISHED["budgets"][budget],
    }


def varied(keys: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The keys with some changed; another optimiser takes no setting from the swarm."""
    return merged({key: value for key, value in keys.items() if key != "optimiser" or key not in changes}, changes)


def variants(name: str, budget: str) -> list[tuple[str, str, str, str, dict[str, Any]]]:
    """Rules, group, fitness, variant, and what it changes. Every optimiser plays as many games as the swarm."""
    extended, swarm = PUBLISHED["extended"], PUBLISHED["budgets"][budget]["optimiser"]
    candidates = swarm["iterations"] * swarm["particles"]
    found: list[tuple[str, str, str, str, dict[str, Any]]] = []
    for group in extended["groups"]:
        for fitness in FITNESS:
            for optimiser in extended["optimisers"]:
                found.append((name, group, fitness, optimiser, {"optimiser": _equal(optimiser, swarm)}))
        for weight in extended["record_weights"]:
            changes = {"record_weight": weight, "mean_weight": round(1 - weight, 3)}
            found.append((name, group, "weighted", f"record weight {weight:g}", changes))
        particles = max(2, extended["particles_per_metric"] * len(feature_list(group)))
        grown = {**swarm, "particles": particles, "iterations": max(1, candidates // particles)}
        found.append((name, group, "mean", f"{particles} particles", {"optimiser": grown}))
        fresh = {"optimiser": _equal("cma-es", swarm), "games": {"fresh": True}}
        found.append((name, group, "mean", "cma-es fresh games", fresh))
    fresh = {"optimiser": _equal("cma-es", swarm), "games": {"fresh": True}}
    found.append((name, "wide", "mean", "cma-es fresh games", fresh))
    return found


def _equal(optimiser: str, swarm: dict[str, Any]) -> dict[str, Any]:
    """The settings of an optimiser with as many candidates and iterations as the swarm."""
    chosen = {"name": optimiser, "population": swarm["particles"], "iterations": swarm["iterations"]}
    if optimiser == "cross-entropy":
        chosen["noise_iterations"] = swarm["iterations"]
    return chosen
