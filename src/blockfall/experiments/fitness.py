"""The fitness that a training maximises, from lines (soster2024, 4.2) or from the score (data2021, 5.2)."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from blockfall.compute import Evaluation

FitnessKind = Literal["mean", "record", "weighted", "score"]

RECORD_WEIGHT, MEAN_WEIGHT = 0.4, 0.6  # soster2024, 4.2


def counted(kind: FitnessKind, played: Evaluation) -> npt.NDArray[np.int64]:
    """Return the counts of each game that make up the fitness."""
    return played.score if kind == "score" else played.lines


def fitness_of(
    kind: FitnessKind,
    counts: npt.NDArray[np.int64],
    record_weight: float = RECORD_WEIGHT,
    mean_weight: float = MEAN_WEIGHT,
) -> npt.NDArray[np.float64]:
    """Return the fitness of each row of games.

    >>> fitness_of("weighted", np.array([[5, 10, 15]])).tolist()  # 0.4 * 15 + 0.6 * 10
    [12.0]
    """
    if kind in ("mean", "score"):
        return np.asarray(counts.mean(axis=-1))
    record = np.asarray(counts.max(axis=-1), dtype=np.float64)
    if kind == "record":
        return record
    return np.asarray(record_weight * record + mean_weight * counts.mean(axis=-1))  # equation 8
