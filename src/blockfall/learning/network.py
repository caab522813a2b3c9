"""Q-learning of a network: the methods, the settings of each, and the learner.

`data2021` is Q-learning as the thesis describes it (5.4.3, 5.4.4): first only random actions, until a queue of a
million states is half full; then the best action by the network, and every 5 actions 10 epochs over 128 states of the
queue, with x + discount * r(next state) for a target. It leaves open the discount ("usually 0.8 to 0.99"), the batches
of an epoch and the learning rate; the last two are Keras's own here.

`n-step` changes what makes that weak. Random play hardly ever clears a line, so a queue full of it teaches that no
board is worth anything: here the warm-up is short and a little chance stays. The network's value of a board leaves out
the lines just cleared, so the greedy action ignores them: here the state counts its own reward. One step carries a
reward back one state per training: here five. And the targets come from a copy of the network that stands still
between two updates of it.

The loop is the core's (native/include/blockfall/learning/network.hpp). It learns the same numbers on every machine and
in every instruction set, and goes on from a checkpoint, taken between two games, as if it had never stopped.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from blockfall import _core
from blockfall.agents import Agent, FeatureNetwork
from blockfall.errors import FileError
from blockfall.learning import checkpoint
from blockfall.learning.base import MOST_ACTIONS, SHARE, Learner, LearningMethod
from blockfall.rulesets import Rules

Reward = Annotated[float, Field(ge=-1e6, le=1e6)]

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


class NetworkLearning(LearningMethod):
    """Q-learning of a network as data2021 describes it."""

    name = "data2021"
    title = "Q-learning of a network"
    needs_network = True

    queue: int = Field(default=1_000_000, ge=1000, le=100_000_000, description="a whole number from 1000 to 100000000")
    exploration: float = Field(default=0.0, ge=0, le=1, description=f"{SHARE}: actions at random after that")
    train_every: int = Field(default=5, ge=1, le=1_000_000, description="a whole number of actions")
    sample: int = Field(
        default=128, ge=1, le=_core.MAX_SAMPLE, description=f"a whole number of states from 1 to {_core.MAX_SAMPLE}"
    )
    batch: int = Field(default=32, ge=1, le=_core.MAX_SAMPLE, description="a whole number, at most the sample")
    epochs: int = Field(default=10, ge=1, le=10_000, description="a whole number from 1 to 10000")
    steps: int = Field(default=1, ge=1, le=1000, description="a whole number: rewards before the network's estimate")
    target_every: int = Field(
        default=0, ge=0, le=1_000_000, description="a whole number of updates, 0 for no target network"
    )
    own_reward: bool = Field(default=False, description="true to count a state's own reward with it")
    line_reward: tuple[Reward, Reward, Reward, Reward] = Field(
        default=(1.0, 2.0, 3.0, 4.0), description="four numbers, for 1 to 4 lines at once, each from -1e6 to 1e6"
    )
    piece_reward: Reward = Field(default=0.0, description="a number from -1e6 to 1e6")
    end_reward: Reward = Field(default=0.0, description="a number from -1e6 to 1e6, for losing the game")

    @model_validator(mode="after")
    def _batches_fit(self) -> "NetworkLearning":
        if self.batch > self.sample:
            raise ValueError(f"batch is {self.batch}; it must be at most the sample, {self.sample}")
        return self

    def start(self, rules: Rules, features: Sequence[str], hidden: Sequence[int], seed: int, restart: int) -> Learner:
        """Begins with Keras's random weights."""
        return NetworkLearner(rules, tuple(features), tuple(hidden), self, seed, restart)

    @property
    def core(self) -> _core.LearningSettings:
        """The core's form of the settings."""
        settings = _core.LearningSettings()
        for name in type(self).model_fields:
            if name not in ("actions", "stages", "queue"):
                value = getattr(self, name)
                setattr(settings, name, list(value) if isinstance(value, tuple) else value)
        return settings


class NStepLearning(NetworkLearning):
    """Ours: n-step Q-learning with a target network. What it changes is said at the top of this module."""

    name = "n-step"
    title = "Q-learning of a network"

    queue: int = Field(default=100_000, ge=1000, le=100_000_000, description="a whole number from 1000 to 100000000")
    warm_up: int = Field(default=20_000, ge=4, le=MOST_ACTIONS, description="a whole number: actions at random first")
    exploration: float = Field(default=0.002, ge=0, le=1, description=f"{SHARE}: actions at random after that")
    train_every: int = Field(default=2, ge=1, le=1_000_000, description="a whole number of actions")
    batch: int = Field(default=128, ge=1, le=4096, description="a whole number, at most the sample")
    epochs: int = Field(default=1, ge=1, le=10_000, description="a whole number from 1 to 10000")
    discount: float = Field(default=0.97, ge=0, le=1, description=SHARE)
    steps: int = Field(default=5, ge=1, le=1000, description="a whole number: rewards before the network's estimate")
    target_every: int = Field(
        default=500, ge=0, le=1_000_000, description="a whole number of updates, 0 for no target network"
    )
    own_reward: bool = Field(default=True, description="true to count a state's own reward with it")


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
        """The numbers that the network has learned."""
        return self.core.parameters

    def save(self, path: Path, **more: npt.NDArray[Any]) -> None:
        """Writes a checkpoint, with more arrays in it."""
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
