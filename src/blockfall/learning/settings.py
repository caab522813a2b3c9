"""How a network, or a table, learns from its own games: the settings, and the methods that are named.

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

from typing import Annotated, Any

from pydantic import Field, model_validator

from blockfall import _core
from blockfall.errors import UnknownNameError
from blockfall.validation import Model, check

MOST_ACTIONS = 10**10
_SHARE = "a number from 0 to 1"
Reward = Annotated[float, Field(ge=-1e6, le=1e6)]


class LearningSettings(Model):
    """What every method has."""

    name: str = Field(default="data2021", description='"data2021", "n-step" or "table"')
    actions: int = Field(default=1_000_000, ge=1, le=MOST_ACTIONS, description="a whole number: placements in all")
    stages: int = Field(
        default=20, ge=1, le=100_000, description="a whole number: so often progress is kept and the agent tried"
    )
    warm_up: int = Field(default=500_000, ge=4, le=MOST_ACTIONS, description="a whole number: actions at random first")
    discount: float = Field(default=0.95, ge=0, le=1, description=_SHARE)
    learning_rate: float = Field(default=0.001, gt=0, le=1, description="a number above 0, at most 1")
    max_pieces: int = Field(default=5000, ge=0, description="a whole number: ends longer learning games; 0 for never")


class TableSettings(LearningSettings):
    """Of tabular Q-learning: `learning_rate` and `discount` are the formula's alpha and gamma."""

    warm_up: int = Field(default=200_000, ge=0, le=MOST_ACTIONS, description="a whole number: actions at random first")
    discount: float = Field(default=0.8, ge=0, le=1, description=_SHARE)
    learning_rate: float = Field(default=0.02, gt=0, le=1, description="a number above 0, at most 1")


class NetworkSettings(LearningSettings):
    """The defaults are those of `data2021`."""

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

    @model_validator(mode="before")
    @classmethod
    def _start_from_the_method(cls, table: object) -> object:
        if not isinstance(table, dict):
            return table
        _, changes = METHODS[table.get("name", "data2021")]
        lists = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
        return changes | lists

    @model_validator(mode="after")
    def _batches_fit(self) -> "NetworkSettings":
        if self.batch > self.sample:
            raise ValueError(f"batch is {self.batch}; it must be at most the sample, {self.sample}")
        return self

    @property
    def core(self) -> _core.LearningSettings:
        settings = _core.LearningSettings()
        for name in type(self).model_fields:
            if name not in ("name", "actions", "stages", "queue"):
                value = getattr(self, name)
                setattr(settings, name, list(value) if isinstance(value, tuple) else value)
        return settings


METHODS: dict[str, tuple[type[LearningSettings], dict[str, Any]]] = {
    "data2021": (NetworkSettings, {}),
    "n-step": (
        NetworkSettings,
        {
            "queue": 100_000,
            "warm_up": 20_000,
            "exploration": 0.002,
            "train_every": 2,
            "batch": 128,
            "epochs": 1,
            "discount": 0.97,
            "steps": 5,
            "target_every": 500,
            "own_reward": True,
        },
    ),
    "table": (TableSettings, {}),
}
"""What settings each method has, and what it changes of their defaults. To add one, name it here."""


def learning_settings(table: dict[str, Any], where: str = "learning", text: str = "") -> LearningSettings:
    """
    >>> learning_settings({"name": "table"}).discount
    0.8
    """
    name = table.get("name", "data2021")
    if name not in METHODS:
        raise UnknownNameError("learning method", str(name), list(METHODS))
    return check(METHODS[name][0], table, where, text, inside="learning")
