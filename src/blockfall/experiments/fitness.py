"""What a training maximises, of the lines of a candidate's games (soster2024, 4.2)."""

from typing import Literal

import numpy as np
import numpy.typing as npt

FitnessKind = Literal["mean", "record", "weighted"]

RECORD_WEIGHT, MEAN_WEIGHT = 0.4, 0.6  # soster2024, 4.2


def fitness_of(
    kind: FitnessKind,
    lines: npt.NDArray[np.int64],
    record_weight: float = RECORD_WEIGHT,
    mean_weight: float = MEAN_WEIGHT,
) -> npt.NDArray[np.float64]:
    """One value per row of games.

    >>> fitness_of("weighted", np.array([[5, 10, 15]])).tolist()  # 0.4 * 15 + 0.6 * 10
    [12.0]
    """
    if kind == "mean":
        return np.asarray(lines.mean(axis=-1))
    record = np.asarray(lines.max(axis=-1), dtype=np.float64)
    if kind == "record":
        return record
    return np.asarray(record_weight * record + mean_weight * lines.mean(axis=-1))  # equation 8
