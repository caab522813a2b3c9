"""The calls of `CudaSeats` (learning/board_network/cuda_seats.py) on NumPy's arrays, without PyTorch."""

from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.compute.cuda import Device
from blockfall.rulesets import PIECES, Rules

Array = npt.NDArray[Any]


class HostSeats:
    """Seats in the memory of a device. The keys of its results are those of `_core.Seats`."""

    def __init__(
        self, device: Device, rules: Rules, seats: int, seed: int, first_number: int, pieces_known: int
    ) -> None:
        self._device, self._count, self._height, self._pieces_known = device, seats, rules.rows, pieces_known
        self._rules = device.copy(np.frombuffer(rules.core.image(), dtype=np.uint8))
        self._settings = device.copy(np.array([seed, seats, first_number, pieces_known], np.uint64))
        self._program = device.program("seats.cu", {"RULES_BYTES": self._rules.nbytes, "DROPS": rules.core.drops})
        size = device.empty((1,), np.int64)
        self._program.run("find_seat_bytes", 1, size)
        self._seats = device.empty((seats, int(size[0])), np.uint8)
        self._placement = device.empty((0,), np.uint32)
        self._run("start_seats")

    def _run(self, kernel: str, *arguments: Any) -> None:
        self._program.run(kernel, self._count, self._rules, self._settings, self._seats, *arguments)

    def read(self) -> dict[str, Array]:
        """Return the boards, the known pieces, and the probabilities of the piece after them."""
        rows = self._device.empty((self._count, self._height), np.uint16)
        known = self._device.empty((self._count, self._pieces_known), np.uint8)
        law = self._device.empty((self._count, len(PIECES)), np.float32)
        self._run("read_seats", rows, known, law)
        return {"rows": rows, "known": known, "law": law}

    def successors(self) -> dict[str, Array]:
        """Return the boards that the placements of every seat leave."""
        count = self._device.empty((self._count,), np.int32)
        self._run("count_seat_successors", count)
        total = int(count.sum())
        first = np.cumsum(count, dtype=np.int64) - count
        rows, seat = self._device.empty((total, self._height), np.uint16), self._device.empty((total,), np.int32)
        piece, lines, room = (self._device.empty((total,), np.uint8) for _ in range(3))
        self._placement = self._device.empty((total,), np.uint32)
        self._run("write_seat_successors", first, rows, seat, self._placement, piece, lines, room)
        return {"rows": rows, "seat": seat, "piece": piece, "lines": lines, "room": room}

    def play(self, choices: Array) -> dict[str, Array]:
        """Play one successor of each seat; -1 for a seat that has none."""
        over, total = self._device.empty((self._count,), np.uint8), self._device.empty((self._count,), np.int64)
        self._run("play_seats", choices, self._placement, over, total)
        return {"over": over, "total": total}

    def state(self) -> Array:
        """Return the seats as bytes."""
        return self._device.bring(self._seats)
