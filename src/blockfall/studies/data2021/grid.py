"""Tests of whether the swarm's coefficients matter, over all of its 54 cells."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blockfall.experiments.statistics import describe
from blockfall.reports import Sheet
from blockfall.studies.data2021.trainings import PUBLISHED, TrainedBots, swarm_name

_SHUFFLES = 10_000


@dataclass(frozen=True)
class Spread:
    """Standard deviations of scores, in millions of points."""

    within: float
    """Between trainings of one cell: the root of the mean variance."""
    by_chance: float
    """Between the means of cells, if all cells were equal."""
    between: float
    """Between the means of cells, as measured."""
    p_value: float
    """The share of random permutations of the cells within every restart whose means spread at least as far."""


def spread_of_cells(cells: list[TrainedBots], seed: int) -> Spread:
    """Return the spread of the cells, with a permutation test because scores are far from normal.

    Restarts are blocks: a training changes places only with the same restart of other cells.
    """
    scores = np.array([cell.means for cell in cells])
    within = math.sqrt(float(scores.var(axis=1, ddof=1).mean()))
    rng = np.random.default_rng(seed)
    dealt = [_between(rng.permuted(scores, axis=0)) for _ in range(_SHUFFLES)]
    found = _between(scores)
    share = (1 + sum(other >= found for other in dealt)) / (1 + _SHUFFLES)
    return Spread(within, within / math.sqrt(scores.shape[1]), found, share)


def _between(scores: npt.NDArray[np.float64]) -> float:
    return float(scores.mean(axis=1).std(ddof=1))


def spread_sheet(cells: list[TrainedBots], seed: int) -> Sheet:
    """Return the spread of the cells as a sheet."""
    found = spread_of_cells(cells, seed)
    rows = (
        ("trainings of one cell", found.within),
        ("means of cells, if all cells were equal", found.by_chance),
        ("means of cells, found", found.between),
        ("p-value of this spread if all cells were equal", found.p_value),
    )
    note = (
        "Standard deviations, in millions of points. Every cell has its own initial swarms and games. The p-value is "
        f"from {_SHUFFLES:,} random permutations of the cells within every restart."
    )
    return Sheet("Swarm: do the coefficients matter?", ("spread of", "found"), rows, note)


def coefficients_sheet(cells: list[TrainedBots], seed: int) -> Sheet:
    """Return the scores of each value of each coefficient, over all cells that have it, with a permutation test."""
    grid = PUBLISHED["swarm"]
    named = {str(cell.value): cell.means for cell in cells}
    means: dict[tuple[str, float], list[list[float]]] = {}
    for cognitive in grid["cognitive"]:
        for social in grid["social"]:
            for inertia in grid["inertia"]:
                scores = named[swarm_name(cognitive, social, inertia)]
                for of in (("phi 1 (own best)", cognitive), ("phi 2 (swarm's best)", social), ("w (inertia)", inertia)):
                    means.setdefault(of, []).append(scores)
    chances = {
        coefficient: _chance_of_levels(
            [np.array(scores) for (of, _), scores in sorted(means.items()) if of == coefficient], seed
        )
        for coefficient in dict.fromkeys(coefficient for coefficient, _ in means)
    }
    rows = []
    for (coefficient, value), found in sorted(means.items()):
        said = describe([score for scores in found for score in scores])
        rows.append((coefficient, value, said.n, said.mean, said.low, said.high, chances[coefficient]))
    note = (
        "Millions of points per game: means over the trainings of all cells with that value, and their intervals. The "
        f"p-value is the coefficient's: the share of {_SHUFFLES:,} random permutations of the cells within every "
        "restart that separate the means of its values at least as far."
    )
    columns = ("coefficient", "value", "trainings", "score", "95 % from", "to", "p-value")
    return Sheet("Swarm: by coefficient", columns, tuple(rows), note)


def _chance_of_levels(levels: list[npt.NDArray[np.float64]], seed: int) -> float:
    """Return the p-value of a coefficient from cells x restarts for each of its values."""
    scores = np.vstack(levels)
    ends = np.cumsum([len(level) for level in levels])[:-1]

    def apart(of: npt.NDArray[np.float64]) -> float:
        return float(np.std([part.mean() for part in np.split(of, ends)]))

    rng = np.random.default_rng(seed)
    found = apart(scores)
    as_far = sum(apart(rng.permuted(scores, axis=0)) >= found for _ in range(_SHUFFLES))
    return (1 + as_far) / (1 + _SHUFFLES)
