"""A weighted sum of features that learns from its own games, by temporal differences on afterstates.

The loop is the core's (native/include/blockfall/learning/linear.hpp). The value of a board is what the moves after it
will earn. The agent adds to it what the move itself earns: one weight of 1 on the feature `lines-cleared`, or `points`,
which is not learned.

`lstd` is least-squares policy iteration: LSTD(lambda) (Boyan 1999) finds the weights that explain the games since the
last solution, and the next games are played with them (Bertsekas & Ioffe 1996; Lagoudakis, Parr & Littman 2002). `td`
is TD(lambda) (Sutton 1988): it changes the weights after every action. Each feature's step is divided by the mean of
its squares, so that the learning rate does not depend on the features' units.
"""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from blockfall import _core
from blockfall.agents import Agent, Value, WeightedFeatures
from blockfall.learning.core_learner import GAMES_PER_RESTART, CoreLearner
from blockfall.learning.method import MOST_ACTIONS, Beginning, DiscountedLearning, Rate, Share, first_value, refused

TraceDecay = Annotated[float, Field(ge=0, le=1, description="a number from 0 to 1: lambda")]
REWARDS = {"lines": "lines-cleared", "points": "points"}
"""The feature that is the reward of a move."""


class LinearLearning(DiscountedLearning):
    """The base of `lstd` and `td`."""

    learns = WeightedFeatures
    small_settings: ClassVar[dict[str, Any]] = {"warm_up": 200, "end_reward": -1}

    warm_up: int = Field(
        default=20_000, ge=0, le=MOST_ACTIONS, description="a whole number: random actions at the start"
    )
    exploration: Share = Field(
        default=0.0, description="a number from 0 to 1: the share of random actions after the warm-up"
    )
    discount: Share = 0.995
    trace_decay: TraceDecay = 0.5
    reward: Literal["lines", "points"] = Field(default="lines", description='"lines" or "points": what a move earns')
    end_reward: float = Field(default=0.0, ge=-1e9, le=1e9, description="a number from -1e9 to 1e9, for losing")

    def agent_features(self, features: Sequence[str]) -> tuple[str, ...]:
        """Return the features that are learned, and the reward after them."""
        reward = REWARDS[self.reward]
        return (*features, *((reward,) if reward not in features else ()))

    def untrained(self, features: Sequence[str], hidden: Sequence[int]) -> Value:
        """Return the agent's value before training: all of its weights are 0."""
        return super().untrained(self.agent_features(features), hidden)

    def check_first(self, beginning: Beginning) -> None:
        """Raise a SettingError if the first agent has features that the run lacks."""
        _weights_of(beginning.first_agent, self.agent_features(beginning.features))

    def start(self, beginning: Beginning) -> "LinearLearner":
        """Begin with an agent that sees only the reward of a move, or with the first agent."""
        return LinearLearner(self, beginning)

    def _for_core(self, inputs: int, reward_place: int) -> _core.LinearSettings:
        """Return the core's form of the settings."""
        settings = _core.LinearSettings()
        settings.warm_up, settings.exploration, settings.max_pieces = self.warm_up, self.exploration, self.max_pieces
        settings.discount, settings.trace_decay = self.discount, self.trace_decay
        settings.by_points, settings.end_reward = self.reward == "points", self.end_reward
        settings.inputs, settings.reward_place, settings.policy_actions = inputs, reward_place, 1
        return settings


class Lstd(LinearLearning):
    """Least-squares policy iteration by LSTD(lambda): play, solve for the weights that explain it, and play by them.

    It is the fastest way to a linear agent.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import blockfall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = blockfall.train(
    ...         rules="tetrisbot",
    ...         features="data-6",
    ...         pieces_known=1,
    ...         learning=blockfall.Lstd(actions=50_000, stages=2),
    ...         games=blockfall.GameSettings(training=2, validation=2, test=3, max_pieces=100),
    ...         out=Path(folder, "run"),
    ...         store=blockfall.Store(Path(folder, "store.sqlite3")),
    ...     )
    >>> result.agent.value.weights["lines-cleared"]  # the move's own reward: fixed
    1.0
    """

    name = "lstd"
    title = "Least-squares policy iteration"
    source = "Boyan 1999; Bertsekas & Ioffe 1996"
    small_settings: ClassVar[dict[str, Any]] = LinearLearning.small_settings | {"policy_actions": 50}

    actions: int = Field(default=500_000, ge=1, le=MOST_ACTIONS, description="a whole number: placements in all")
    policy_actions: int = Field(
        default=20_000, ge=1, le=MOST_ACTIONS, description="a whole number: actions between two solutions, at least"
    )
    memory: Share = Field(
        default=0.0, description="a number from 0 to 1: the weight of the games before the last solution"
    )
    ridge: float = Field(
        default=1e-6, ge=0, le=1, description="a number from 0 to 1: pulls the weights of rare features to 0"
    )

    def _for_core(self, inputs: int, reward_place: int) -> _core.LinearSettings:
        settings = super()._for_core(inputs, reward_place)
        settings.least_squares, settings.policy_actions = True, self.policy_actions
        settings.memory, settings.ridge = self.memory, self.ridge
        return settings


class TemporalDifference(LinearLearning):
    """TD(lambda): every action moves the weights towards a better prediction of its outcome.

    >>> import blockfall
    >>> blockfall.TemporalDifference(learning_rate=0.01, trace_decay=0.8).discount
    0.98
    """

    name = "td"
    title = "Temporal differences of a weighted sum"
    source = "Sutton 1988"

    discount: Share = 0.98
    learning_rate: Rate = 0.01

    def _for_core(self, inputs: int, reward_place: int) -> _core.LinearSettings:
        settings = super()._for_core(inputs, reward_place)
        settings.learning_rate = self.learning_rate
        return settings


class LinearLearner(CoreLearner):
    """One restart of `lstd` or `td`."""

    core: _core.LinearLearner

    def __init__(self, settings: LinearLearning, it: Beginning) -> None:
        self.settings = settings
        self.features = settings.agent_features(it.features)
        reward = REWARDS[settings.reward]
        weights = {name: float(name == reward) for name in self.features}
        for_core = settings._for_core(len(it.features), self.features.index(reward))
        if it.first is not None:
            weights = _weights_of(it.first, self.features)
            for_core.warm_up = 0
        agent = Agent("learner", WeightedFeatures(weights))
        learner = _core.LinearLearner(it.rules.core, agent.core, for_core, it.seed, it.restart * GAMES_PER_RESTART)
        super().__init__(agent, learner)
        if it.first is not None:
            self._take_as_learned([weights[name] - (name == reward) for name in it.features])

    def _take_as_learned(self, weights: Sequence[float]) -> None:
        """Start from an agent's weights, which are the discount times the value's. The value's constant is unknown."""
        state = self.core.state()
        learned = np.zeros(len(weights) + 1)
        learned[:-1] = np.array(weights) / (self.settings.discount or 1.0)
        self.core.set_state({**state, "weights": learned})


def _weights_of(first: Agent, features: Sequence[str]) -> dict[str, float]:
    """Return the agent's weights in this order, 0 for a feature that it lacks."""
    value = first_value(first, WeightedFeatures)
    others = [name for name in value.weights if name not in features]
    if others:
        raise refused(first, f"it has weights of {', '.join(others)}, which are not among the run's features")
    return {name: float(value.weights.get(name, 0.0)) for name in features}
