"""Games of board networks on a GPU: every step places a piece in every game.

The boards after all placements in all games are valued together, in whole numbers as on every backend
(native/cuda/board_network.cu).
"""

from collections.abc import Collection
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from blockfall.agents import BoardNetwork
from blockfall.compute.cuda.device import BLOCK, Device, DeviceProgram
from blockfall.compute.cuda.seating import Seating, Way, shared_macros
from blockfall.compute.request import Request
from blockfall.errors import SettingError
from blockfall.rulesets import Rules

MOST_PLIES = 2
"""The most placements that a network may look ahead on a GPU."""
LEAVES = 2**18
"""The boards valued at once: enough to fill a GPU, few enough for a large network to value in a second."""

_SHARED_BYTES = 46_000
"""The memory that the threads of a block share; every GPU has 48 kilobytes."""
_VALUE_BLOCKS = 2048
_WHOLE = 32
"""Channels and hidden neurons are rounded up to multiples of this."""
_GROUP = 16
"""The inputs that a thread reads at once."""


def _rounded(count: int) -> int:
    return -(-count // _WHOLE) * _WHOLE


def _layout(network: BoardNetwork) -> dict[str, int]:
    """Return the sizes that the program is compiled for."""
    channels, hidden = _rounded(network.channels), _rounded(network.hidden)
    padded = (network.rows + network.kernel - 1) * channels
    crews = max(BLOCK // channels, 1)
    layers = crews * (2 * padded + 2 * network.rows * channels + 2 * hidden + _GROUP)
    return {
        "COLUMNS": network.columns,
        "ROWS": network.rows,
        "CHANNELS": channels,
        "KERNEL": network.kernel,
        "BLOCKS": network.blocks,
        "HIDDEN": hidden,
        "OUTPUTS": network.outputs,
        "VALUE_BITS": network.core.value_bits,
        "MIRROR": network.mirror,
        "BOARDS": 2 if 2 * layers <= _SHARED_BYTES else 1,
        "BLOCK": BLOCK,
    }


def _arrays(network: BoardNetwork) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the weights, the other numbers and the entries of the table, as the program reads them."""
    found = network.core.arrays()
    channels = found["position"].shape[1]
    orders = [(2, 1, 0, 3)] * (2 * network.blocks) + [(1, 2, 0, 3)]  # the hidden layer is read row by row
    weights, numbers = [], []
    for (weight, *others), order in zip(found["layers"], orders, strict=True):
        grouped = weight.reshape(len(weight), -1, channels // _GROUP, _GROUP)  # output, row, group, input
        weights.append(grouped.transpose(order).ravel())
        numbers += others
    numbers += [found["output"].ravel(), found["output_bias"]]
    return (
        np.concatenate(weights),
        np.concatenate([one.astype(np.int32) for one in numbers]),
        np.concatenate([found["table"].ravel(), found["position"].ravel()]),
    )


def _room(rules: Rules, network: BoardNetwork, plies: int) -> tuple[int, int]:
    """Return the most boards of a game in a step: those that are valued, and those before them."""
    slots = [count * (1 if rules.core.drops else 2) for count in rules.core.slots]
    if plies == 1:
        return max(slots), 0
    return max(slots) * (max(slots) if network.outputs > 1 else sum(slots)), max(slots)


class NetworkSeating(Seating):
    """Seats for games of a board network."""

    _source = "board_network.cu"
    _first_pieces = 1

    def __init__(
        self,
        device: Device,
        request: Request,
        seats: int,
        games: int,
        threads_per_game: int | None = None,
        prepared: Collection[str] = (),
    ) -> None:
        agent = request.agent
        network = cast(BoardNetwork, agent.value)
        leaves, parents = _room(request.rules, network, agent.plies)
        seats = min(seats, games, max(LEAVES // leaves, 1))
        super().__init__(device, request, seats, games, threads_per_game, prepared)
        self._network = [device.copy(array) for array in _arrays(network)]
        self._plies = agent.plies
        layout = _layout(network)
        self._most_leaves, self._most_parents = seats * leaves, seats * parents
        boards = self._most_leaves * (1 + network.mirror)
        at_once = max(BLOCK // layout["CHANNELS"], 1) * layout["BOARDS"]
        self._value_threads = min(-(-boards // at_once), _VALUE_BLOCKS) * BLOCK
        program = self._program(self._ways[0])
        sizes = device.empty((4,), np.int64)
        program.run("find_step_sizes", 1, sizes)
        step, leaf, parent, branch = (int(size) for size in device.bring(sizes))
        self._step = device.empty((step,), np.uint8)
        self._leaves = device.empty((self._most_leaves * leaf,), np.uint8)
        self._parents = device.empty((max(self._most_parents * parent, 1),), np.uint8)
        self._branches = device.empty((seats * branch,), np.uint8)
        self._values = device.empty((boards * network.outputs,), np.int32)
        program.run(
            "prepare_step",
            1,
            *(self._step, self._leaves, np.int64(self._most_leaves), self._parents, np.int64(self._most_parents)),
            *(self._branches, self._values),
        )

    @classmethod
    def check(cls, request: Request) -> None:
        """Raise a SettingError for more than two plies, and for a guard."""
        agent = request.agent
        if agent.plies > MOST_PLIES:
            raise SettingError(
                f"{agent.name} looks {agent.plies} plies ahead; backend cuda plays board networks of 1 or 2 plies"
            )
        if agent.guard:
            raise SettingError(f"{agent.name} has a guard; backend cuda plays board networks without one")

    def _find_ways(self, request: Request) -> list[Way]:
        self.check(request)
        layout = _layout(cast(BoardNetwork, request.agent.value))
        return [Way(1, {**shared_macros(request), **layout, "PLIES": request.agent.plies})]

    def _play_slice(self, program: DeviceProgram, way: Way, pieces: int) -> None:
        """Play this many steps, and list the seats that still have a game."""
        seated = self._seated * way.threads
        at_seats = (self._seats, self._lists[0], np.int64(self._seated))
        at_parents = (self._played, self._step, self._seats, self._lists[0])
        for _ in range(pieces):
            program.run("clear_step", 1, self._step)
            program.run("branch_out", seated, self._played, self._step, *at_seats)
            if self._plies > 1:
                program.run("branch_further", self._most_parents, *at_parents)
            program.run("value_leaves", self._value_threads, self._step, *self._network)
            if self._plies > 1:
                program.run("weigh_parents", self._most_parents, *at_parents)
            program.run("play_step", seated, self._played, self._step, *at_seats, self._outcomes)
        program.run("list_seats", seated, self._played, *at_seats, self._lists[1])
