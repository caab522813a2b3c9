"""A learner whose loop, numbers and memory are the core's."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents import Agent, Value
from blockfall.learning import checkpoint
from blockfall.learning.method import LearningFigures, numbers_of

GAMES_PER_RESTART = 1 << 40
"""The distance between the first games of two restarts, which therefore never share a game."""


class CoreLearner:
    """One restart of learning in the core. It continues from a checkpoint as if it had never stopped."""

    def __init__(self, agent: Agent, core: _core.Learner | _core.LinearLearner) -> None:
        self._agent, self.core = agent, core

    def learn(self, until: int) -> None:
        """Play whole games until this many actions are done in all.

        Raise a FeatureError if a user's feature gave a number that is not finite: it cannot be learned from.
        """
        self.core.learn(until, lambda _: self._agent.raise_if_failed())
        self._agent.raise_if_failed()

    @property
    def parameters(self) -> npt.NDArray[np.float32]:
        """The numbers that the agent has learned."""
        return self.core.parameters

    def value(self, parameters: npt.NDArray[Any]) -> Value:
        """Return the value of an agent with these numbers. Raise a SettingError if they do not fit."""
        return self._agent.value.with_parameters(numbers_of(parameters))

    @property
    def figures(self) -> LearningFigures | None:
        """The predictions in the last stage; None if it made none."""
        return LearningFigures(*self.core.curve) if self.core.curve else None

    def save(self, path: Path, **more: npt.NDArray[Any]) -> None:
        """Write a checkpoint, with more arrays in it."""
        checkpoint.save(path, {**self.core.state(), **more})

    def load(self, path: Path) -> checkpoint.Arrays | None:
        """Go back to a checkpoint and return all of its arrays; None if there is none."""
        return checkpoint.restore(path, self.core.set_state)
