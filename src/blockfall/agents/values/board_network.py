"""Board networks: a row of cells is a word, and convolutions run over the rows.

Each row has a vector of `channels`: a table's entry for its cells, plus one for its place on the board. Blocks of two
convolutions change these vectors, and a hidden layer reads them all. The outputs are lines to come: one for each piece
that may be in hand if the next piece is known, else a single one. All numbers are whole, so that every instruction set
plays the same games (native/include/blockfall/value/board_network.hpp).

The weights are bytes, in the order given in native/include/blockfall/board_network_file.hpp. They are in a file beside
the agent's file, which holds their file's name and checksum.

>>> small = BoardNetwork.zeros(columns=10, rows=20, channels=8, kernel=3, blocks=1, hidden=16, outputs=7)
>>> small.values(np.zeros((2, 10), dtype=np.uint32)).tolist()[0]  # two empty boards
[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
"""

import hashlib
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from blockfall import _core
from blockfall.agents.values.base import Play, Value
from blockfall.agents.values.explaining import Explainer
from blockfall.errors import FileError, SettingError, shortened
from blockfall.rulesets import PIECES, Rules
from blockfall.validation import Model, read_bytes

WEIGHTS_SUFFIX = ".weights"
"""The suffix of a file of weights."""
_SIZE = 2**31 - 1


class BoardNetworkKeys(Model):
    """The key `board_network` of an agent's file."""

    columns: int = Field(ge=1, le=_SIZE, description="a whole number, the columns of its boards")
    rows: int = Field(ge=1, le=_SIZE, description="a whole number, the rows of its boards, the hidden ones included")
    channels: int = Field(ge=1, le=_SIZE, description="a whole number, the numbers of each row")
    kernel: int = Field(ge=1, le=_SIZE, description="an odd whole number, the rows that a convolution sees")
    blocks: int = Field(ge=1, le=_SIZE, description="a whole number, the blocks of two convolutions")
    hidden: int = Field(ge=1, le=_SIZE, description="a whole number, the neurons of the hidden layer")
    outputs: int = Field(ge=1, le=_SIZE, description="7 if the next piece is known, else 1")
    mirror: bool = Field(
        default=False, description="true or false: whether a value is the mean over a board and its mirror image"
    )
    weights: str = Field(description="the name of the file of weights, which lies beside this one")
    sha256: str = Field(pattern="^[0-9a-f]{64}$", description="the checksum of that file, 64 digits of 0-9 a-f")


@dataclass(frozen=True)
class BoardNetwork(Value):
    """A board network, in whole numbers. It values boards in lines to come.

    >>> import blockfall
    >>> network = blockfall.BoardNetwork.zeros(columns=4, rows=8, channels=8, kernel=3, blocks=1, hidden=16, outputs=7)
    >>> blockfall.Agent("mine", network, pieces_known=2, plies=2).plies
    2
    """

    key: ClassVar[str] = "board_network"
    title: ClassVar[str] = "a board network"
    file_type: ClassVar[Any] = Annotated[
        BoardNetworkKeys | None, Field(description="an object of sizes, weights and sha256")
    ]
    options: ClassVar[frozenset[str]] = frozenset({"guard", "plies"})

    columns: int
    rows: int
    """All rows of its boards, the hidden ones included."""
    channels: int
    kernel: int
    """The rows that a convolution sees; an odd number."""
    blocks: int
    hidden: int
    outputs: int
    """7, one for each piece in hand, if the next piece is known; else 1."""
    weights: bytes
    """The content of the file of weights."""
    mirror: bool = False
    """Whether a board's value is the mean of its own and its mirror image's."""

    def __post_init__(self) -> None:
        _ = self.core  # checks everything

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
        mirror = ", mirror=True" if self.mirror else ""
        return f"BoardNetwork({sizes}, weights={len(self.weights):,} bytes{mirror})"

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: everything else is made from them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def zeros(
        cls, *, columns: int, rows: int, channels: int, kernel: int, blocks: int, hidden: int, outputs: int
    ) -> "BoardNetwork":
        """Return a network of these sizes whose numbers are all 0."""
        count = _byte_count(columns, rows, channels, kernel, blocks, hidden, outputs)
        return cls(columns, rows, channels, kernel, blocks, hidden, outputs, bytes(count))

    @classmethod
    def small(cls) -> "BoardNetwork":
        """Return a network of one block."""
        return cls.zeros(columns=10, rows=20, channels=4, kernel=3, blocks=1, hidden=4, outputs=1)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes, by their keys in an agent's file."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.type is int}

    @cached_property
    def core(self) -> _core.BoardNetwork:
        """The core's form of the network. It is not part of the interface and may change."""
        try:
            return _core.BoardNetwork(**self.sizes, weights=self.weights, mirror=self.mirror)
        except (ValueError, TypeError) as error:
            reason = str(error).splitlines()[0] if isinstance(error, ValueError) else "sizes are whole numbers"
            raise SettingError(f"a board network: {reason}") from None

    @property
    def pieces_known(self) -> int | None:
        """2 if it values boards with the next piece in hand, else 1."""
        return 1 if self.outputs == 1 else 2

    def values(self, boards: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
        """Return a row of outputs, in lines to come, for each board: a row of columns, bit 0 the floor.

        It does not check whether a piece has room to appear.
        """
        try:
            found = self.core.values(np.ascontiguousarray(boards, dtype=np.uint32))
        except (OverflowError, TypeError, ValueError) as error:
            raise SettingError(f"boards are {shortened(boards)}; they must be rows of {self.columns} words") from error
        return np.asarray(found / float(1 << self.core.value_bits), dtype=np.float64)

    def effects(self, board: npt.ArrayLike, piece: str | None) -> npt.NDArray[np.float64]:
        """Return how much each cell matters: by how many lines the value falls when the cell is flipped.

        `board` has a number per column. `piece` is in hand; None if no next piece is known. The result has the rows of
        the board, the floor first.
        """
        whole = np.array(board, dtype=np.uint32)
        cells = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        turned = np.tile(whole, (len(cells), 1))
        for number, (row, column) in enumerate(cells):
            turned[number, column] ^= np.uint32(1 << row)
        output = PIECES.index(piece) if piece and self.outputs > 1 else 0
        lost = self.values(whole[None])[0, output] - self.values(turned)[:, output]
        return np.asarray(lost.reshape(self.rows, self.columns))

    def check_rules(self, rules: Rules) -> None:
        """Raise a SettingError for rules with a board of another size."""
        if (rules.columns, rules.rows) != (self.columns, self.rows):
            raise SettingError(
                f"a network for boards of {self.columns}x{self.rows}; {rules.name} has boards of "
                f"{rules.columns}x{rules.rows}"
            )

    @classmethod
    def from_file(cls, found: BoardNetworkKeys, folder: Path) -> "BoardNetwork":
        """Return the network of the key `board_network`, whose file of weights is in this folder."""
        name = found.weights
        if not name or Path(name).name != name or name in (".", ".."):
            raise SettingError(
                f"board_network.weights is {shortened(name)}; it must be the name of a file beside the agent's"
            )
        sizes = found.model_dump(exclude={"mirror", "weights", "sha256"})
        weights = read_bytes(folder / name, _byte_count(**sizes))
        if hashlib.sha256(weights).hexdigest() != found.sha256:
            raise FileError(f"{name}: its checksum differs from the one in the agent's file")
        return cls(**sizes, weights=weights, mirror=found.mirror)

    def as_json(self, stem: str = "agent") -> dict[str, Any]:
        """Return the sizes, and the name and checksum of the file of weights."""
        digest = hashlib.sha256(self.weights).hexdigest()
        mirror = {"mirror": True} if self.mirror else {}
        return {**self.sizes, **mirror, "weights": f"{stem}{WEIGHTS_SUFFIX}", "sha256": digest}

    @property
    def files(self) -> dict[str, bytes]:
        """The file of its weights."""
        return {WEIGHTS_SUFFIX: self.weights}

    @property
    def explainer(self) -> Explainer:
        """The cells that matter."""
        remark = "It values the whole board, in lines to come."
        return Explainer("lines to come", remark, effects=self.effects)

    def _for_core(self, play: Play) -> _core.Agent:
        return _core.Agent.of_board_network(self.core, play.plies, play.guard)


def _byte_count(columns: int, rows: int, channels: int, kernel: int, blocks: int, hidden: int, outputs: int) -> int:
    try:
        return _core.BoardNetwork.weight_bytes(columns, rows, channels, kernel, blocks, hidden, outputs)
    except (ValueError, TypeError) as error:
        reason = str(error) if isinstance(error, ValueError) else "sizes are whole numbers"
        raise SettingError(f"board_network: {reason}") from None
