"""A network that learns from its own games; the loop is the core's (native/include/blockfall/learning/network.hpp).

It learns the same numbers on every machine and in every instruction set, and continues from a checkpoint, taken
between two games, as if it had never stopped.

`data2021` is Q-learning as the thesis describes it (5.4.3, 5.4.4): first only random actions, until a queue of a
million states is half full; then the best action by the network, and every 5 actions 10 epochs over 128 states of the
queue, with x + discount * r(next state) for a target. It leaves open the discount ("usually 0.8 to 0.99"), the batches
of an epoch and the learning rate; the last two are Keras's own here.

`n-step` corrects its weakness. As described, the value of a board leaves out the lines just cleared, so the greedy
action ignores them. In `n-step` a state counts its own reward, and sees it if `lines-cleared` is an input. The study's
ablation shows that these two matter together (`blockfall study data2021 --part ablation`). The rest is common practice:
a short warm-up, a little exploration later, rewards over five steps, and targets from a copy of the network that is
updated only now and then.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, model_validator

from blockfall import _core
from blockfall.agents import Agent, FeatureNetwork
from blockfall.learning.core_learner import GAMES_PER_RESTART, CoreLearner
from blockfall.learning.method import MOST_ACTIONS, Beginning, DiscountedLearning, Rate, Share, first_value, refused

WarmUp = Annotated[int, Field(ge=4, le=MOST_ACTIONS, description="a whole number: random actions at the start")]
Queue = Annotated[int, Field(ge=1000, le=100_000_000, description="a whole number from 1000 to 100000000")]
Exploration = Annotated[
    float, Field(ge=0, le=1, description="a number from 0 to 1: the share of random actions after the warm-up")
]
Every = Annotated[int, Field(ge=1, le=1_000_000, description="a whole number of actions")]
SampleSize = Annotated[
    int, Field(ge=1, le=_core.MAX_SAMPLE, description=f"a whole number of states from 1 to {_core.MAX_SAMPLE}")
]
Batch = Annotated[int, Field(ge=1, le=_core.MAX_SAMPLE, description="a whole number, at most the sample")]
Epochs = Annotated[int, Field(ge=1, le=10_000, description="a whole number from 1 to 10000")]
RewardSteps = Annotated[int, Field(ge=1, le=1000, description="a whole number: rewards before the network's estimate")]
Updates = Annotated[int, Field(ge=0, le=1_000_000, description="a whole number of updates, 0 for no target network")]
OwnReward = Annotated[bool, Field(description="true to count a state's own reward with it")]
Reward = Annotated[float, Field(ge=-1e6, le=1e6)]


class NetworkLearning(DiscountedLearning):
    """Q-learning of a network as data2021 describes it: from its own games it learns what a position will still earn.

    >>> import blockfall
    >>> blockfall.NetworkLearning(actions=100_000, warm_up=20_000).discount
    0.95
    """

    name = "data2021"
    title = "Q-learning of a network"
    source = "data2021, 5.4"
    needs_network = True
    learns = FeatureNetwork
    small_settings: ClassVar[dict[str, Any]] = {"queue": 1000, "warm_up": 200}

    learning_rate: Rate = 0.001
    queue: Queue = 1_000_000
    exploration: Exploration = 0.0
    train_every: Every = 5
    sample: SampleSize = 128
    batch: Batch = 32
    epochs: Epochs = 10
    steps: RewardSteps = 1
    target_every: Updates = 0
    own_reward: OwnReward = False
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

    def check_first(self, beginning: Beginning) -> None:
        """Raise a SettingError if the first agent is not a network of the same shape."""
        _network_of(beginning.first_agent, beginning.features, beginning.hidden)

    def start(self, beginning: Beginning) -> "NetworkLearner":
        """Begin with Keras's random weights, or with those of the first agent."""
        return NetworkLearner(self, beginning)

    def _for_core(self, random_warm_up: bool) -> _core.LearningSettings:
        """Return the core's form of the settings."""
        settings = _core.LearningSettings()
        settings.random_warm_up = random_warm_up
        for name in type(self).model_fields:
            if name not in ("actions", "stages", "queue"):
                value = getattr(self, name)
                setattr(settings, name, list(value) if isinstance(value, tuple) else value)
        return settings


class NStepLearning(NetworkLearning):
    """N-step Q-learning of a network, our own: it learns from the rewards of several steps instead of one.

    The top of this module explains its other changes.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import blockfall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = blockfall.train(
    ...         rules="tetrisbot",
    ...         features="data-6",
    ...         hidden=[8],
    ...         pieces_known=1,
    ...         learning=blockfall.NStepLearning(actions=2000, stages=2, warm_up=500),
    ...         games=blockfall.GameSettings(training=2, validation=2, test=3, max_pieces=100),
    ...         out=Path(folder, "run"),
    ...         store=blockfall.Store(Path(folder, "store.sqlite3")),
    ...     )
    >>> result.agent.value.hidden
    (8,)
    """

    name = "n-step"
    title = "N-step Q-learning of a network"
    source = "Blockfall, after data2021"
    small_settings: ClassVar[dict[str, Any]] = {}

    queue: Queue = 100_000
    warm_up: WarmUp = 20_000
    exploration: Exploration = 0.002
    train_every: Every = 2
    batch: Batch = 128
    epochs: Epochs = 1
    discount: Share = 0.97
    steps: RewardSteps = 5
    target_every: Updates = 500
    own_reward: OwnReward = True


def initial_weights(inputs: int, hidden: Sequence[int], seed: int | list[int]) -> tuple[float, ...]:
    """Return Glorot & Bengio's uniform weights and biases of zero, Keras's defaults.

    >>> len(initial_weights(6, (32, 32, 32), seed=1))
    2369
    """
    rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(seed)))
    numbers: list[float] = []
    for before, width in pairwise((inputs, *hidden, 1)):
        limit = np.sqrt(6 / (before + width))
        numbers += [*rng.uniform(-limit, limit, before * width), *np.zeros(width)]
    return tuple(np.array(numbers, dtype=np.float32).tolist())


class NetworkLearner(CoreLearner):
    """One restart of learning a network."""

    core: _core.Learner

    def __init__(self, settings: NetworkLearning, it: Beginning) -> None:
        self.settings = settings
        if it.first is None:
            weights = initial_weights(len(it.features), it.hidden, [it.seed, it.restart])
            network = FeatureNetwork(it.features, it.hidden, weights)
        else:
            network = _network_of(it.first, it.features, it.hidden)
        agent, core = Agent("learner", network), settings._for_core(random_warm_up=it.first is None)
        first_game = it.restart * GAMES_PER_RESTART
        learner = _core.Learner(it.rules.core, agent.core, core, settings.queue, it.seed, first_game)
        super().__init__(agent, learner)


def _network_of(first: Agent, features: tuple[str, ...], hidden: tuple[int, ...]) -> FeatureNetwork:
    """Return the agent's network. Raise a SettingError if the run's network has another shape."""
    value = first_value(first, FeatureNetwork)
    if (value.features, value.hidden) != (features, hidden):
        raise refused(
            first,
            f"its network sees {', '.join(value.features)} with hidden = {list(value.hidden)}, the run's sees "
            f"{', '.join(features)} with hidden = {list(hidden)}",
        )
    return value
