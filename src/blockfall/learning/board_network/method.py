"""The settings of learning a board network. PyTorch is needed only once learning begins."""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, ValidationInfo, field_validator, model_validator

from blockfall.agents import BoardNetwork
from blockfall.compute import Backend, device_of
from blockfall.errors import SettingError
from blockfall.learning.method import MOST_ACTIONS, Beginning, LearningMethod, Rate, Share, first_value, refused
from blockfall.rulesets import PIECES, Rules
from blockfall.validation import whole_number

if TYPE_CHECKING:
    from blockfall.learning.board_network.learner import BoardNetworkLearner

_MOST_CHANNELS = 1024
_MOST_SEATS = 1 << 20
Size = Annotated[int, Field(ge=1, le=_MOST_CHANNELS, description=f"a whole number from 1 to {_MOST_CHANNELS}")]
Scale = Annotated[float, Field(gt=0, le=1000)]
Keep = Annotated[float, Field(ge=0, lt=1)]


class BoardNetworkLearning(LearningMethod):
    """Temporal differences of a board network, which sees every cell and learns what a position will earn.

    It needs PyTorch: the extra `learn`.

    The defaults suit a laptop and rules without rotation. docs/learning.md explains each setting and gives those of the
    strongest agents.

    >>> import blockfall
    >>> blockfall.BoardNetworkLearning(actions=100_000, channels=8).trace_decay
    0.7
    """

    name = "board-network"
    title = "Temporal differences of a board network"
    source = "Blockfall, after Sutton 1988"
    repeatable = False
    sees_features = False
    learns = BoardNetwork
    refused_keys = ("features", "hidden", "unknown_piece")
    known = (2, 1)

    actions: int = Field(default=500_000, ge=1, le=MOST_ACTIONS, description="a whole number: placements in all")
    channels: Size = Field(default=16, description="a whole number: the numbers of each row")
    blocks: int = whole_number(1, 64, 2, more=": each has two convolutions")
    kernel: int = Field(default=3, ge=1, le=31, description="an odd number from 1 to 31: rows that a convolution sees")
    hidden: Size = Field(default=64, description="a whole number: the neurons of the hidden layer")
    seats: int = whole_number(1, _MOST_SEATS, 64, more=": games at once")
    segment: int = Field(default=16, ge=1, le=1000, description="a whole number: placements of a game between epochs")
    batch: int = Field(default=128, ge=1, le=1 << 20, description="a whole number: positions of an update")
    learning_rate: Rate = 0.004
    rising_updates: int = Field(
        default=100, ge=1, le=1_000_000, description="a whole number: updates until the learning rate is full"
    )
    trace_decay: Share = Field(default=0.7, description="a number from 0 to 1: lambda")
    weight_decay: float = Field(default=0.01, ge=0, le=1, description="a number from 0 to 1")
    clip: float = Field(default=1.0, gt=0, le=1e6, description="a number above 0: the longest gradient")
    noise: tuple[Scale, Scale] = Field(
        default=(0.03, 0.2), description="two numbers above 0, in lines: the least and the most that games explore with"
    )
    averaging: tuple[Keep, Keep] = Field(
        default=(0.99, 0.999),
        description="two numbers from 0 to below 1: the averages' share kept by an update, first and last",
    )
    mirror: bool = Field(
        default=False, description="true or false: whether mirror images of positions are learned, and count in play"
    )

    @model_validator(mode="before")
    @classmethod
    def _drops_device(cls, settings: object, info: ValidationInfo) -> object:
        if not isinstance(settings, dict) or "device" not in settings:
            return settings
        if info.context is None:  # not of a stored run
            said = "learning.device has no effect: --backend cuda computes on the GPU, every other backend on the CPU"
            warnings.warn(said, FutureWarning, stacklevel=2)
        return {key: value for key, value in settings.items() if key != "device"}

    @field_validator("kernel", mode="after")
    @classmethod
    def _kernel_is_odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError(f"kernel is {value}; it must be odd")
        return value

    def sizes(self, rules: Rules, pieces_known: int) -> dict[str, int]:
        """Return the sizes of the agent's network under these rules."""
        return {
            "columns": rules.columns,
            "rows": rules.rows,
            "channels": self.channels,
            "kernel": self.kernel,
            "blocks": self.blocks,
            "hidden": self.hidden,
            "outputs": len(PIECES) if pieces_known == 2 else 1,
        }

    def check_rules(self, rules: Rules, pieces_known: int) -> None:
        """Raise a SettingError if a network of these sizes cannot play the rules."""
        BoardNetwork.zeros(**self.sizes(rules, pieces_known))

    def check_machine(self, backend: Backend | None = None) -> None:
        """Raise a SettingError if PyTorch is missing or does not find the backend's GPU."""
        try:
            torch = import_module("torch")
        except (ImportError, OSError):
            raise SettingError(f"{self.name} needs PyTorch; install it with: pip install 'blockfall[learn]'") from None
        if device_of(backend) is not None and not torch.cuda.is_available():
            raise SettingError(f"{self.name} on the backend cuda needs a PyTorch that finds the GPU; this one does not")

    def check_first(self, beginning: Beginning) -> None:
        """Raise a SettingError if the first agent is not a board network with the same layers."""
        first = beginning.first_agent
        network = first_value(first, BoardNetwork)
        wanted = (self.channels, self.blocks, self.kernel, self.hidden)
        found = (network.channels, network.blocks, network.kernel, network.hidden)
        if found != wanted:
            has, wants = (", ".join(map(str, sizes)) for sizes in (found, wanted))
            raise refused(first, f"its channels, blocks, kernel and hidden are {has}, the run's are {wants}")

    def start(self, beginning: Beginning) -> "BoardNetworkLearner":
        """Begin with a random network, or with the first agent's.

        The network has an output for each next piece if that is known, else a single output.
        """
        self.check_machine(beginning.backend)
        from blockfall.learning.board_network.learner import BoardNetworkLearner
        from blockfall.learning.board_network.trainer import Hyperparameters

        tuned = Hyperparameters(
            self.actions,
            self.learning_rate,
            self.trace_decay,
            self.segment,
            self.batch,
            self.rising_updates,
            self.weight_decay,
            self.clip,
            self.noise,
            self.averaging,
            self.mirror,
        )
        return BoardNetworkLearner(beginning, self.sizes(beginning.rules, beginning.pieces_known), tuned, self.seats)
