"""A network that learns from its own games; the loop is the core's (native/include/blockfall/learning/network.hpp).

It learns the same numbers on every machine and in every instruction set, and goes on from a checkpoint, taken between
two games, as if it had never stopped.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents import Agent, FeatureNetwork
from blockfall.errors import FileError
from blockfall.learning import checkpoint
from blockfall.learning.settings import NetworkLearning
from blockfall.rulesets import Rules

_GAMES_PER_RESTART = 1 << 40  # so that no two restarts share a game


def initial_weights(inputs: int, hidden: Sequence[int], seed: int | list[int]) -> tuple[float, ...]:
    """Glorot & Bengio's uniform weights and biases of zero, as Keras begins.

    >>> len(initial_weights(6, (32, 32, 32), seed=1))
    2369
    """
    rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(seed)))
    numbers: list[float] = []
    for before, width in pairwise((inputs, *hidden, 1)):
        limit = np.sqrt(6 / (before + width))
        numbers += [*rng.uniform(-limit, limit, before * width), *np.zeros(width)]
    return tuple(np.array(numbers, dtype=np.float32).tolist())


class NetworkLearner:
    """One restart of learning."""

    def __init__(
        self,
        rules: Rules,
        features: tuple[str, ...],
        hidden: tuple[int, ...],
        settings: NetworkLearning,
        seed: int,
        restart: int = 0,
    ) -> None:
        self.settings = settings
        network = FeatureNetwork(features, hidden, initial_weights(len(features), hidden, [seed, restart]))
        first = Agent("learner", network)
        self.core = _core.Learner(
            rules.core, first.core, settings.core, settings.queue, seed, restart * _GAMES_PER_RESTART
        )

    def learn(self, until: int, progress: Callable[[int], None] | None = None) -> None:
        """Plays whole games until so many actions are done in all."""
        self.core.learn(until, progress)

    @property
    def parameters(self) -> npt.NDArray[np.float32]:
        return self.core.parameters

    def save(self, path: Path, **more: npt.NDArray[Any]) -> None:
        checkpoint.save(path, {**self.core.state(), **more})

    def load(self, path: Path) -> checkpoint.Arrays | None:
        """Goes back to a checkpoint, and gives all of it; None where there is none."""
        arrays = checkpoint.load(path)
        if arrays is None:
            return None
        try:
            self.core.set_state(arrays)
        except ValueError as error:
            raise FileError(f"{path}: not a checkpoint of this run: {error}") from None
        return arrays
