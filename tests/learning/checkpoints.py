"""Checks of checkpoints that hold for every learner in the core."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from blockfall.learning.core_learner import CoreLearner


def resumes(fresh: Callable[[], CoreLearner], folder: Path, first: int, last: int) -> bool:
    """Return whether a learner that stops and resumes holds the same numbers as one that does not."""
    whole, stopped, resumed = fresh(), fresh(), fresh()
    for until in (first, last):
        whole.learn(until)
    stopped.learn(first)
    stopped.save(folder / "kept.npz", answer=stopped.parameters)
    assert resumed.load(folder / "kept.npz") is not None
    resumed.learn(last)
    return all(np.array_equal(array, resumed.core.state()[name]) for name, array in whole.core.state().items())
