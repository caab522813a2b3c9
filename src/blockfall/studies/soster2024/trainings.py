"""The study's trainings, and what each came to."""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from blockfall.experiments.configuration import Configuration, configuration_from
from blockfall.experiments.statistics import describe
from blockfall.studies.base import Work
from blockfall.studies.soster2024.plan import OWN, PUBLISHED, Cell, features_of, protocol

_TEST_GAMES = 20_000  # of the thesis


@dataclass(frozen=True)
class Trained:
    """A training and what it came to."""

    cell: Cell
    result: dict[str, Any]
    folder: Path
    lines: tuple[int, ...]
    """The lines of every test game."""
    curves: tuple[tuple[float, ...], ...]
    """The best fitness so far, by iteration, of each restart."""

    @property
    def rules(self) -> str:
        """The rules of its games."""
        return self.cell.rules

    @property
    def group(self) -> str:
        """Its group of metrics."""
        return self.cell.group

    @property
    def fitness(self) -> str:
        """Its kind of fitness."""
        return self.cell.fitness

    @property
    def name(self) -> str:
        """Rules, group, fitness and variant."""
        return self.cell.name

    @property
    def published(self) -> dict[str, float] | None:
        """The thesis's min, mean, max and std of this group and fitness; None where it has no such cell."""
        cells: dict[str, dict[str, float]] = PUBLISHED["lines"][self.fitness]
        return cells.get(self.group)

    @property
    def published_error(self) -> float | None:
        """The standard error of the thesis's mean: one training of theirs spreads as one of ours does."""
        if self.published is None:
            return None
        return math.hypot(self.published["std"] / math.sqrt(_TEST_GAMES), self.spread)

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


def trainings(cells: list[Cell], budget: str, seed: int, work: Work) -> list[Trained]:
    """Trains all cells. The groups of our own come last: weights of group 3 choose their features."""
    done: dict[str, Trained] = {}
    with work.phase("trainings", len(cells) * _STEPS) as update:
        for own in (False, True):
            wanted = {
                _folder(cell): (cell, _configuration(cell, _features(cell, done), budget, seed))
                for cell in cells
                if (cell.group in OWN) == own
            }

            def show(share: float, note: str, before: int = len(done)) -> None:
                update(int((before + share) * _STEPS), note)

            work.train_all({folder: configuration for folder, (_, configuration) in wanted.items()}, show)
            done |= {cell.name: _read(cell, configuration, work) for cell, configuration in wanted.values()}
    return [done[cell.name] for cell in cells]


_STEPS = 100  # of the progress bar, per training


def _folder(cell: Cell) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", cell.name)


def _configuration(cell: Cell, features: tuple[str, ...], budget: str, seed: int) -> Configuration:
    keys = {"seed": seed, **protocol(cell, features, budget)}
    return configuration_from(keys, f"study soster2024, {cell.name}")


def _features(cell: Cell, done: dict[str, Trained]) -> tuple[str, ...]:
    if cell.features:
        return cell.features
    if cell.group not in OWN:
        return features_of(cell.group, cell.fitness)
    all_metrics = done[Cell(cell.rules, "soster-3", cell.fitness).name]
    return tuple(all_metrics.weights)[: OWN[cell.group]]


def _read(cell: Cell, configuration: Configuration, work: Work) -> Trained:
    """What a finished training came to."""
    run, result = work.trained(_folder(cell), configuration, lambda _: None)
    curves: dict[int, list[float]] = {}
    for row in work.store.runs.iterations(run):
        curves.setdefault(row.restart, []).append(row.best)
    lines = tuple(game.lines for game in work.store.runs.test_games(run))
    return Trained(cell, result, work.folder(_folder(cell)), lines, tuple(tuple(c) for c in curves.values()))
