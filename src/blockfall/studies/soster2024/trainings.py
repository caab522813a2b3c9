"""The study's trainings and their results."""

import math
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from blockfall.experiments.configuration import Configuration, configuration_from
from blockfall.experiments.statistics import describe
from blockfall.studies.base import Work
from blockfall.studies.soster2024.plan import OWN, PUBLISHED, ThesisCell, features_of, protocol

_TEST_GAMES = 20_000  # in the thesis


@dataclass(frozen=True)
class TrainedAgent:
    """A training and its results."""

    cell: ThesisCell
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
    def published(self) -> dict[str, float]:
        """The thesis's min, mean, max and std of this group and fitness; empty if it has no such cell."""
        cells: dict[str, dict[str, float]] = PUBLISHED["lines"][self.fitness]
        return cells.get(self.group, {})

    @property
    def published_error(self) -> float | None:
        """The standard error of the thesis's mean: their one training has the spread of one of ours."""
        if not self.published:
            return None
        return math.hypot(self.published["std"] / math.sqrt(_TEST_GAMES), self.spread)

    @property
    def mean(self) -> float:
        """The mean lines of the test games."""
        return float(self.result["test"]["mean"])

    @property
    def weights(self) -> dict[str, float]:
        """The agent's weights, the largest first."""
        return _largest_first(self.result["weights"])

    @property
    def validation_means(self) -> list[float]:
        """The mean lines of every restart's validation games."""
        return [row["validation"]["mean"] for row in self.result["restarts"]]

    @property
    def spread(self) -> float:
        """The standard deviation of repeated trainings, estimated by drawing the restarts again."""
        scores = np.array([row["validation_fitness"] for row in self.result["restarts"]])
        means = np.array(self.validation_means)
        drawn = np.random.default_rng(0).integers(len(scores), size=(2000, len(scores)))
        best = drawn[np.arange(len(drawn)), np.argmax(scores[drawn], axis=1)]
        return describe(means[best]).std

    @property
    def error(self) -> float:
        """The standard error of the mean, from the test games and from the spread of trainings."""
        return float(np.hypot(self.result["test"]["sem"], self.spread))


def trainings(cells: list[ThesisCell], budget: str, seed: int, work: Work) -> list[TrainedAgent]:
    """Train all cells. Group 3 comes first: its weights choose the features of our own groups."""
    configurations: dict[str, Configuration] = {}

    def configured(found: list[ThesisCell], largest: tuple[str, ...] = ()) -> dict[str, Configuration]:
        fresh = {_folder(cell): _configuration(cell, _features(cell, largest), budget, seed) for cell in found}
        configurations.update(fresh)
        return fresh

    def chosen_by(folder: str) -> dict[str, Configuration]:
        """Return our own groups that waited for the run in this folder."""
        _run, result = work.trained(folder, configurations[folder], lambda _: None)
        waited = [cell for cell in cells if cell.group in OWN and _folder(_chooser(cell)) == folder]
        return configured(waited, tuple(_largest_first(result["weights"])))

    of_the_thesis = [cell for cell in cells if cell.group not in OWN]
    choosers = {_folder(_chooser(cell)) for cell in cells if cell.group in OWN}
    awaited = {folder: partial(chosen_by, folder) for folder in choosers}
    wanted = configured(of_the_thesis)
    with work.phase("trainings", len(cells) * _STEPS) as update:
        work.train_all(wanted, lambda share, note: update(int(share * _STEPS), note), awaited)
    return [_read(cell, configurations[_folder(cell)], work) for cell in cells]


def features_of_agents(cells: list[ThesisCell]) -> set[str]:
    """Return the features that the agents of these trainings may use. Our own groups have some of group 3's."""
    return {name for cell in cells for name in _features(cell, largest=())}


_STEPS = 100  # of the progress bar, per training
_CHOOSES = "soster-3"  # its weights choose the features of our own groups


def _folder(cell: ThesisCell) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", cell.name)


def _configuration(cell: ThesisCell, features: tuple[str, ...], budget: str, seed: int) -> Configuration:
    keys = {"seed": seed, **protocol(cell, features, budget)}
    return configuration_from(keys, f"study soster2024, {cell.name}")


def _features(cell: ThesisCell, largest: tuple[str, ...]) -> tuple[str, ...]:
    """Return the features of a cell. Our own groups have the first of `largest`."""
    if cell.features:
        return cell.features
    return largest[: OWN[cell.group]] if cell.group in OWN else features_of(cell.group, cell.fitness)


def _chooser(own: ThesisCell) -> ThesisCell:
    """Return the cell whose weights choose the features of one of our own groups."""
    return ThesisCell(own.rules, _CHOOSES, own.fitness)


def _largest_first(weights: dict[str, float]) -> dict[str, float]:
    return dict(sorted(weights.items(), key=lambda item: -abs(item[1])))


def _read(cell: ThesisCell, configuration: Configuration, work: Work) -> TrainedAgent:
    """Return the results of a finished training."""
    run, result = work.trained(_folder(cell), configuration, lambda _: None)
    curves: dict[int, list[float]] = {}
    for point in work.store.runs.curve(run):
        curves.setdefault(point.restart, []).append(point.best)
    lines = tuple(work.store.runs.test_lines(run))
    return TrainedAgent(cell, result, work.folder(_folder(cell)), lines, tuple(tuple(c) for c in curves.values()))
