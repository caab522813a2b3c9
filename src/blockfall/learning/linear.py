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
from typing import Annotated, Literal

from pydantic import Field

from blockfall import _core
from blockfall.agents import Agent, WeightedFeatures
from blockfall.learning.core_learner import GAMES_PER_RESTART, CoreLearner
from blockfall.learning.method import MOST_ACTIONS, LearningMethod, Rate, Share
from blockfall.rulesets import Rules

TraceDecay = Annotated[float, Field(ge=0, le=1, description="a number from 0 to 1: lambda")]
REWARDS = {"lines": "lines-cleared", "points": "points"}
"""The feature that is the reward of a move."""


class LinearLearning(LearningMethod):
    """What `lstd` and `td` share."""

    needs_network = False
    sees_features = True

    warm_up: int = Field(default=20_000, ge=0, le=MOST_ACTIONS, description="a whole number: actions at random first")
    exploration: Share = Field(default=0.0, description="a number from 0 to 1: the share of actions at random later")
    discount: Share = 0.995
    trace_decay: TraceDecay = 0.5
    reward: Literal["lines", "points"] = Field(default="lines", description='"lines" or "points": what a move earns')
    end_reward: float = Field(default=0.0, ge=-1e9, le=1e9, description="a number from -1e9 to 1e9, for losing")

    def agent_features(self, features: Sequence[str]) -> tuple[str, ...]:
        """The features that are learned, and the reward after them."""
        reward = REWARDS[self.reward]
        return (*features, *((reward,) if reward not in features else ()))

    def start(
        self,
        rules: Rules,
        features: Sequence[str],
        hidden: Sequence[int],  # noqa: ARG002  a weighted sum has no layers
        seed: int,
        restart: int,
    ) -> "LinearLearner":
        """Begins with an agent that sees the reward of a move and nothing else."""
        return LinearLearner(rules, tuple(features), self, seed, restart)

    def _for_core(self, inputs: int, reward_place: int) -> _core.LinearSettings:
        """The core's form of the settings."""
        settings = _core.LinearSettings()
        settings.warm_up, settings.exploration, settings.max_pieces = self.warm_up, self.exploration, self.max_pieces
        settings.discount, settings.trace_decay = self.discount, self.trace_decay
        settings.by_points, settings.end_reward = self.reward == "points", self.end_reward
        settings.inputs, settings.reward_place, settings.policy_actions = inputs, reward_place, 1
        return settings


class Lstd(LinearLearning):
    """Least-squares policy iteration by LSTD(lambda): the fastest way to a linear agent.

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

    actions: int = Field(default=500_000, ge=1, le=MOST_ACTIONS, description="a whole number: placements in all")
    policy_actions: int = Field(
        default=20_000, ge=1, le=MOST_ACTIONS, description="a whole number: actions between two solutions, at least"
    )
    memory: Share = Field(
        default=0.0, description="a number from 0 to 1: how much the games before the last solution still count"
    )
    ridge: float = Field(
        default=1e-6, ge=0, le=1, description="a number from 0 to 1: what pulls the weights of scarce features to 0"
    )

    def _for_core(self, inputs: int, reward_place: int) -> _core.LinearSettings:
        settings = super()._for_core(inputs, reward_place)
        settings.least_squares, settings.policy_actions = True, self.policy_actions
        settings.memory, settings.ridge = self.memory, self.ridge
        return settings


class TemporalDifference(LinearLearning):
    """TD(lambda): the weights change after every action.

    >>> import blockfall
    >>> blockfall.TemporalDifference(learning_rate=0.01, trace_decay=0.8).discount
    0.98
    """

    name = "td"
    title = "Temporal differences of a weighted sum"

    discount: Share = 0.98
    learning_rate: Rate = 0.01

    def _for_core(self, inputs: int, reward_place: int) -> _core.LinearSettings:
        settings = super()._for_core(inputs, reward_place)
        settings.learning_rate = self.learning_rate
        return settings


class LinearLearner(CoreLearner):
    """One restart of `lstd` or `td`."""

    core: _core.LinearLearner

    def __init__(
        self, rules: Rules, features: tuple[str, ...], settings: LinearLearning, seed: int, restart: int = 0
    ) -> None:
        self.settings = settings
        self.features = settings.agent_features(features)
        reward = REWARDS[settings.reward]
        first = Agent("learner", WeightedFeatures({name: float(name == reward) for name in self.features}))
        for_core = settings._for_core(len(features), self.features.index(reward))
        learner = _core.LinearLearner(rules.core, first.core, for_core, seed, restart * GAMES_PER_RESTART)
        super().__init__(first, learner)
