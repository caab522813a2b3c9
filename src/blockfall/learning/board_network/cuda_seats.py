"""Games on a GPU for a learner whose network is there too, so that no data moves to the host and back."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from blockfall.compute.cuda import Device, find_device
from blockfall.learning.board_network.seats import SeatProgress, Successors
from blockfall.rulesets import Rules

_PIECES = 7


class CudaSeats:
    """Games in the memory of a GPU, the same games as those of `LocalSeats`."""

    def __init__(
        self, rules: Rules, seats: int, seed: int, first_number: int, pieces_known: int, gpu: Device | None = None
    ) -> None:
        self._gpu = gpu or find_device()
        self._count, self._rows, self._pieces_known = seats, rules.rows, pieces_known
        self._rules = self._gpu.copy(np.frombuffer(rules.core.image(), dtype=np.uint8))
        self._settings = self._gpu.copy(np.array([seed, seats, first_number, pieces_known], np.uint64))
        macros = {"RULES_BYTES": self._rules.nbytes, "DROPS": rules.core.drops}
        self._program = self._gpu.program("seats.cu", macros)
        size = self._gpu.empty((1,), np.int64)
        self._program.run("find_seat_bytes", 1, size)
        self._seats = self._gpu.empty((seats, int(self._gpu.bring(size)[0])), np.uint8)
        self._run("start_seats")
        self.device = _tensor(self._seats).device
        self._placement: Any = None
        self._read()

    def _run(self, kernel: str, *arguments: Any) -> None:
        self._program.run(kernel, self._count, self._rules, self._settings, self._seats, *arguments)

    def _new(self, shape: tuple[int, ...], kind: type[np.generic]) -> Any:
        return self._gpu.empty(shape, kind)

    def _read(self) -> None:
        rows = self._new((self._count, self._rows), np.int16)
        known = self._new((self._count, self._pieces_known), np.uint8)
        law = self._new((self._count, _PIECES), np.float32)
        self._run("read_seats", rows, known, law)
        self.rows, self.known, self.law = _tensor(rows).int(), _tensor(known), _tensor(law)

    def successors(self) -> Successors:
        """Return the boards after every placement of every seat."""
        count = self._new((self._count,), np.int32)
        self._run("count_seat_successors", count)
        last = _tensor(count).cumsum(0)
        total = int(last[-1])
        first = last - _tensor(count)
        rows = self._new((total, self._rows), np.int16)
        seat = self._new((total,), np.int32)
        self._placement = self._new((total,), np.uint32)
        piece, lines, room = (self._new((total,), np.uint8) for _ in range(3))
        self._run("write_seat_successors", self._gpu.borrow(first), rows, seat, self._placement, piece, lines, room)
        return Successors(_tensor(rows).int(), *(_tensor(array) for array in (seat, piece, lines, room)))

    def play(self, choices: Tensor) -> SeatProgress:
        """Play one successor of each seat; -1 if it has none."""
        over, total = self._new((self._count,), np.uint8), self._new((self._count,), np.int64)
        self._run("play_seats", self._gpu.borrow(choices), self._placement, over, total)
        self._read()
        return SeatProgress(_tensor(over).bool(), _tensor(total))

    def state(self) -> Tensor:
        """Return the seats as bytes, for a checkpoint."""
        return _tensor(self._seats).cpu()

    def set_state(self, state: Tensor) -> None:
        """Go back to a checkpoint."""
        _tensor(self._seats).copy_(state)
        self._read()


def _tensor(array: Any) -> Tensor:
    return torch.from_dlpack(array)
