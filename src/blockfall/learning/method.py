"""The base class of all ways of learning: settings, and a learner that they start."""

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from blockfall.agents import Agent, Value
from blockfall.compute import Backend
from blockfall.errors import SettingError
from blockfall.learning.checkpoint import Arrays
from blockfall.rulesets import Rules
from blockfall.trainers import Trainer

MOST_ACTIONS = 10**10
"""The most actions of a restart."""

AnyValue = TypeVar("AnyValue", bound=Value)

Share = Annotated[float, Field(ge=0, le=1, description="a number from 0 to 1")]
Rate = Annotated[float, Field(gt=0, le=1, description="a number above 0, at most 1")]


@dataclass(frozen=True)
class LearningFigures:
    """The predictions of a learner while it learned: their mean squared error, and their mean.

    >>> LearningFigures(loss=0.25, value=12.0).loss
    0.25
    """

    loss: float
    value: float


class Learner(Protocol):
    """One restart of learning at work."""

    @property
    def parameters(self) -> npt.NDArray[Any]:
        """The learned numbers, or their bytes in a file. They are not finite if learning diverged."""

    def value(self, parameters: npt.NDArray[Any]) -> Value:
        """Return the value of an agent with these parameters. Raise a SettingError if they do not fit."""

    @property
    def figures(self) -> LearningFigures | None:
        """The predictions in the last stage; None if it made none."""

    def learn(self, until: int) -> bool | None:
        """Play a stage, until this many actions are done in all, or a few more to end a game or a step of every game.

        A learner whose stages take long returns True about once a minute, so that its caller can save it and go on.
        """

    def save(self, path: Path, **more: npt.NDArray[Any]) -> None:
        """Write a checkpoint, with more arrays in it."""

    def load(self, path: Path) -> Arrays | None:
        """Go back to a checkpoint and return all of its arrays; None if there is no such file."""


@dataclass(frozen=True)
class Beginning:
    """Everything that a restart of learning begins with."""

    rules: Rules
    features: tuple[str, ...] = ()
    hidden: tuple[int, ...] = ()
    """The neurons of the hidden layers, if the agent is a network over features."""
    pieces_known: int = 1
    seed: int = 1
    restart: int = 0
    first: Agent | None = None
    """The agent whose numbers learning starts from. There is then no warm-up with random actions."""
    backend: Backend | None = None
    """The backend that plays the run's games. A board network is computed on its GPU, if it has one."""

    @property
    def first_agent(self) -> Agent:
        """The first agent, for callers that need one."""
        assert self.first is not None, "learning starts from no agent"
        return self.first


class LearningMethod(Trainer):
    """A way of learning: its settings, and how to begin. Each kind adds its own."""

    steps_name = "stages"
    needs_network: ClassVar[bool] = False
    """Whether the agent is a network, and so has hidden layers."""
    sees_features: ClassVar[bool] = True
    """Whether the agent sees features."""
    learns: ClassVar[type[Value]] = Value
    """The kind of the agent's value."""
    refused_keys: ClassVar[tuple[str, ...]] = ()
    """The keys of a run's file that the agent cannot have."""
    known: ClassVar[tuple[int, ...]] = (1,)
    """The pieces that the agent may know; the first is the default of a form."""

    actions: int = Field(default=1_000_000, ge=1, le=MOST_ACTIONS, description="a whole number: placements in all")
    stages: int = Field(
        default=20, ge=1, le=100_000, description="a whole number: how often progress is kept and the agent tried"
    )

    small_settings: ClassVar[dict[str, Any]] = {}
    """The settings of its short training in the behaviour signature, beside `actions` and `stages`."""

    @classmethod
    def small(cls) -> dict[str, Any]:
        """Return the settings of its short training in the behaviour signature."""
        return {"actions": 400, "stages": 2, **cls.small_settings}

    def check_rules(self, rules: Rules, pieces_known: int) -> None:
        """Raise a SettingError if the method cannot learn under these rules."""

    def check_machine(self, backend: Backend | None = None) -> None:
        """Raise a SettingError if this machine lacks what learning needs."""

    def check_first(self, beginning: Beginning) -> None:
        """Raise a SettingError if learning cannot start from the first agent."""
        first_value(beginning.first_agent, self.learns)

    @abstractmethod
    def start(self, beginning: Beginning) -> Learner:
        """Begin a restart."""


class DiscountedLearning(LearningMethod):
    """The base of the ways that count later rewards for less and begin with random actions."""

    warm_up: int = Field(
        default=500_000, ge=4, le=MOST_ACTIONS, description="a whole number: random actions at the start"
    )
    discount: Share = 0.95
    max_pieces: int = Field(default=5000, ge=0, description="a whole number: ends longer learning games; 0 for never")


def numbers_of(parameters: npt.NDArray[Any]) -> list[float]:
    """Return parameters that are a row of binary32 numbers as a list."""
    if parameters.dtype != np.float32 or parameters.ndim != 1:
        raise SettingError("the parameters must be a row of binary32 numbers")
    found: list[float] = parameters.tolist()
    return found


def first_value(first: Agent, kind: type[AnyValue]) -> AnyValue:
    """Return the value of the agent that learning starts from. Raise a SettingError if it is of another kind."""
    if not isinstance(first.value, kind):
        raise refused(first, f"it has {first.value.title}, not {kind.title}")
    return first.value


def refused(first: Agent, why: str) -> SettingError:
    """Return the error to raise for an agent that learning cannot start from."""
    return SettingError(f"learning cannot start from the agent {first.name!r}: {why}")
