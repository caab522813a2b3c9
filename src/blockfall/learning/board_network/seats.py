"""Many games at once for a learner, as tensors: in the core, or on a GPU."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from blockfall import _core
from blockfall.rulesets import Rules


@dataclass(frozen=True)
class Successors:
    """The boards after placements, seat by seat."""

    rows: Tensor
    """rows[successor][row]: words, the floor row first, bit i is column i."""
    seat: Tensor
    """The seat of each."""
    piece: Tensor
    """The piece that was placed."""
    lines: Tensor
    """The lines that the placement removed."""
    room: Tensor
    """A bit for each piece that can appear on the board."""


@dataclass(frozen=True)
class SeatProgress:
    """The result of a step in each seat."""

    over: Tensor
    """Whether it ended the game; the seat's next game has then begun."""
    total: Tensor
    """The lines of the game so far."""


class LearningSeats(Protocol):
    """Many games that are played at once."""

    device: torch.device

    @property
    def rows(self) -> Tensor:
        """The boards: rows[seat][row]."""

    @property
    def known(self) -> Tensor:
        """The pieces known: known[seat][place]."""

    @property
    def law(self) -> Tensor:
        """The probabilities of the last known piece before it was drawn: law[seat][piece]."""

    def successors(self) -> Successors:
        """Return the boards after every placement of every seat."""

    def play(self, choices: Tensor) -> SeatProgress:
        """Play one successor of each seat; -1 if it has none."""

    def state(self) -> Tensor:
        """Return the seats as bytes, for a checkpoint."""

    def set_state(self, state: Tensor) -> None:
        """Go back to a checkpoint."""


class LocalSeats:
    """Games in the core of this machine."""

    def __init__(self, rules: Rules, seats: int, seed: int, first_number: int, pieces_known: int) -> None:
        self.device = torch.device("cpu")
        self._core = _core.Seats(rules.core, seats, seed, first_number, pieces_known)

    @property
    def rows(self) -> Tensor:
        """The boards: rows[seat][row]."""
        return _tensor(self._core.rows)

    @property
    def known(self) -> Tensor:
        """The pieces known: known[seat][place]."""
        return _tensor(self._core.known)

    @property
    def law(self) -> Tensor:
        """The probabilities of the last known piece before it was drawn: law[seat][piece]."""
        return _tensor(self._core.law)

    def successors(self) -> Successors:
        """Return the boards after every placement of every seat."""
        return Successors(**{name: _tensor(array) for name, array in self._core.successors().items()})

    def play(self, choices: Tensor) -> SeatProgress:
        """Play one successor of each seat; -1 if it has none."""
        done = self._core.play(choices.numpy())
        return SeatProgress(_tensor(done["over"]), _tensor(done["total"]))

    def state(self) -> Tensor:
        """Return the seats as bytes, for a checkpoint."""
        return _tensor(self._core.state())

    def set_state(self, state: Tensor) -> None:
        """Go back to a checkpoint."""
        self._core.set_state(state.numpy())


def _tensor(array: object) -> Tensor:
    tensor = torch.from_numpy(array)
    return tensor.int() if tensor.dtype == torch.uint16 else tensor
