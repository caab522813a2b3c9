"""How a network, or a table, learns from its own games: the methods, and the settings of each.

`data2021` is Q-learning as the thesis describes it (5.4.3, 5.4.4): first only random actions, until a queue of a
million states is half full; then the best action by the network, and every 5 actions 10 epochs over 128 states of the
queue, with x + discount * r(next state) for a target. It leaves open the discount ("usually 0.8 to 0.99"), the batches
of an epoch and the learning rate; the last two are Keras's own here.

`n-step` changes what makes that weak. Random play hardly ever clears a line, so a queue full of it teaches that no
board is worth anything: here the warm-up is short and a little chance stays. The network's value of a board leaves out
the lines just cleared, so the greedy action ignores them: here the state counts its own reward. One step carries a
reward back one state per training: here five. And the targets come from a copy of the network that stands still
between two updates of it.

`table` is the thesis's tabular Q-learning (5.4.3). The thesis gives the formula and the states (3.5.1); rates are ours.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from blockfall import _core
from blockfall.errors import FileError, UnknownNameError
from blockfall.learning.checkpoint import Arrays
from blockfall.rulesets import Rules
from blockfall.validation import Settings, check

MOST_ACTIONS = 10**10
_SHARE = "a number from 0 to 1"
Reward = Annotated[float, Field(ge=-1e6, le=1e6)]


class Learner(Protocol):
    """One restart of learning at work."""

    @property
    def parameters(self) -> npt.NDArray[np.float32]:
        """The numbers that it has learned."""

    def learn(self, until: int) -> None:
        """Plays whole games until so many actions are done in all."""

    def save(self, path: Path, **more: npt.NDArray[Any]) -> None:
        """Writes a checkpoint, with more arrays in it."""

    def load(self, path: Path) -> Arrays | None:
        """Goes back to a checkpoint, and gives all of its arrays; None where there is no such file."""


class LearningMethod(Settings, ABC):
    """A way of learning: its settings, and how to begin. Each kind adds its own."""

    name: ClassVar[str]
    title: ClassVar[str]
    needs_network: ClassVar[bool]
    """Whether the agent is a network over features; else it has neither."""

    actions: int = Field(default=1_000_000, ge=1, le=MOST_ACTIONS, description="a whole number: placements in all")
    stages: int = Field(
        default=20, ge=1, le=100_000, description="a whole number: so often progress is kept and the agent tried"
    )
    warm_up: int = Field(default=500_000, ge=4, le=MOST_ACTIONS, description="a whole number: actions at random first")
    discount: float = Field(default=0.95, ge=0, le=1, description=_SHARE)
    learning_rate: float = Field(default=0.001, gt=0, le=1, description="a number above 0, at most 1")
    max_pieces: int = Field(default=5000, ge=0, description="a whole number: ends longer learning games; 0 for never")

    @abstractmethod
    def start(self, rules: Rules, features: Sequence[str], hidden: Sequence[int], seed: int, restart: int) -> Learner:
        """Begins a restart. A table has no features and no hidden layers."""

    def as_keys(self) -> dict[str, Any]:
        """The `[learning]` table of a run's file: its name and all settings."""
        return {"name": self.name, **self.model_dump(mode="json")}


class TableLearning(LearningMethod):
    """Tabular Q-learning: `learning_rate` and `discount` are the formula's alpha and gamma."""

    name = "table"
    title = "Q-learning of a table"
    needs_network = False

    warm_up: int = Field(default=200_000, ge=0, le=MOST_ACTIONS, description="a whole number: actions at random first")
    discount: float = Field(default=0.8, ge=0, le=1, description=_SHARE)
    learning_rate: float = Field(default=0.02, gt=0, le=1, description="a number above 0, at most 1")

    def start(
        self,
        rules: Rules,
        features: Sequence[str],  # noqa: ARG002  a table sees the contour
        hidden: Sequence[int],  # noqa: ARG002
        seed: int,
        restart: int,
    ) -> Learner:
        """Begins with an empty table."""
        from blockfall.learning.table import TableLearner  # it needs these settings first

        return TableLearner(rules, self, seed, restart)


class NetworkLearning(LearningMethod):
    """Q-learning of a network as data2021 describes it."""

    name = "data2021"
    title = "Q-learning of a network"
    needs_network = True

    queue: int = Field(default=1_000_000, ge=1000, le=100_000_000, description="a whole number from 1000 to 100000000")
    exploration: float = Field(default=0.0, ge=0, le=1, description=f"{_SHARE}: actions at random after that")
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
        from blockfall.learning.network import NetworkLearner  # it needs these settings first

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
    exploration: float = Field(default=0.002, ge=0, le=1, description=f"{_SHARE}: actions at random after that")
    train_every: int = Field(default=2, ge=1, le=1_000_000, description="a whole number of actions")
    batch: int = Field(default=128, ge=1, le=4096, description="a whole number, at most the sample")
    epochs: int = Field(default=1, ge=1, le=10_000, description="a whole number from 1 to 10000")
    discount: float = Field(default=0.97, ge=0, le=1, description=_SHARE)
    steps: int = Field(default=5, ge=1, le=1000, description="a whole number: rewards before the network's estimate")
    target_every: int = Field(
        default=500, ge=0, le=1_000_000, description="a whole number of updates, 0 for no target network"
    )
    own_reward: bool = Field(default=True, description="true to count a state's own reward with it")


METHODS: dict[str, type[LearningMethod]] = {
    method.name: method for method in (NetworkLearning, NStepLearning, TableLearning)
}
"""By name. To add one, write its settings and its learner, and put it here."""


def find_method(name: str) -> type[LearningMethod]:
    """The method of this name."""
    if name not in METHODS:
        raise UnknownNameError("learning method", name, list(METHODS))
    return METHODS[name]


def learning_from(keys: dict[str, Any], where: str = "learning", text: str = "") -> LearningMethod:
    """The method of a `[learning]` table: its `name`, data2021 where none is given, and its settings.

    >>> learning_from({"name": "table"}).discount
    0.8
    """
    try:
        method = find_method(str(keys.get("name", NetworkLearning.name)))
    except UnknownNameError as error:
        raise FileError(f"{where}: learning.name: {error}") from None
    settings = {key: value for key, value in keys.items() if key != "name"}
    return check(method, settings, where, text, inside="learning")
