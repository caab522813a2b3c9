"""Games by networks over the board on a GPU: every step places a piece in every game.

The boards that all placements of all games leave are valued together, in whole numbers as everywhere
(native/cuda/board_network.cu).
"""

from collections.abc import Collection
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from blockfall.agents import Agent, BoardNetwork
from blockfall.compute.cuda.device import BLOCK, Device, DeviceProgram
from blockfall.compute.cuda.seating import Seating, Way, shared_macros
from blockfall.compute.request import Request
from blockfall.errors import SettingError
from blockfall.rulesets import Rules

MOST_PLIES = 2
"""The most placements that a network may look ahead here."""
LEAVES = 2**18
"""Boards that are valued at once: enough to fill a GPU, few enough that a large network values them in a second."""

_SHARED_BYTES = 46_000
"""Of the memory that the threads of a block share; every GPU has 48 kilobytes."""
_VALUE_BLOCKS = 2048
_WHOLE = 32
"""Channels and hidden neurons are rounded up to these."""
_GROUP = 16
"""Inputs that a thread reads at once."""


def _rounded(count: int) -> int:
    return -(-count // _WHOLE) * _WHOLE


def _layout(network: BoardNetwork) -> dict[str, int]:
    """The sizes that the program is compiled for."""
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


class _Reader:
    """The arrays of a file of weights, in their order (native/include/blockfall/board_network_file.hpp)."""

    def __init__(self, weights: bytes) -> None:
        self._weights, self._at = weights, 0

    def next(self, kind: str, *shape: int) -> npt.NDArray[Any]:
        """The next array."""
        count = int(np.prod(shape))
        found = np.frombuffer(self._weights, kind, count, self._at)
        self._at += found.nbytes
        return found.reshape(shape)


def _grown(array: npt.NDArray[Any], *shape: int) -> npt.NDArray[Any]:
    """The array with zeros after the end of each axis."""
    return np.pad(array, [(0, size - had) for size, had in zip(shape, array.shape, strict=True)])


def _arrays(network: BoardNetwork) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """The weights, the other numbers and the entries of the table, as the program reads them."""
    own, all_hidden, rows, kernel = network.channels, network.hidden, network.rows, network.kernel
    channels, hidden = _rounded(own), _rounded(all_hidden)
    file = _Reader(network.weights)
    file.next("<i4", 1)  # value_bits
    entries = [_grown(file.next("<i2", count, own), count, channels).ravel() for count in (2**network.columns, rows)]
    weights, numbers = [], []
    for _ in range(2 * network.blocks):
        layer = _grown(file.next("i1", own, kernel, own), channels, kernel, channels)  # output, row, input
        grouped = layer.reshape(channels, kernel, channels // _GROUP, _GROUP)
        weights.append(grouped.transpose(2, 1, 0, 3).ravel())
        for kind in ("<i4", "<i4", "<i2"):  # bias, shift, factor
            numbers.append(_grown(file.next(kind, own), channels))
    last = _grown(file.next("i1", all_hidden, rows, own), hidden, rows, channels)
    weights.append(last.reshape(hidden, -1, _GROUP).transpose(1, 0, 2).ravel())
    numbers += [_grown(file.next("<i4", all_hidden), hidden) for _ in range(2)]
    numbers.append(_grown(file.next("<i2", network.outputs, all_hidden), network.outputs, hidden).ravel())
    numbers.append(file.next("<i4", network.outputs))
    return (
        np.concatenate(weights).astype(np.int8),
        np.concatenate([one.astype(np.int32) for one in numbers]),
        np.concatenate(entries).astype(np.int16),
    )


def _room(rules: Rules, network: BoardNetwork, plies: int) -> tuple[int, int]:
    """How many boards a game may have in a step: those that are valued, and those before them."""
    slots = [count * (1 if rules.core.drops else 2) for count in rules.core.slots]
    if plies == 1:
        return max(slots), 0
    return max(slots) * (max(slots) if network.outputs > 1 else sum(slots)), max(slots)


class NetworkSeating(Seating):
    """Seats for games by a network over the board."""

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
    def check(cls, rules: Rules, agent: Agent) -> None:  # noqa: ARG003
        """More plies than two and a guard are errors."""
        if agent.plies > MOST_PLIES:
            raise SettingError(
                f"{agent.name} looks {agent.plies} plies ahead; backend cuda plays networks over the board by 1 or 2"
            )
        if agent.guard:
            raise SettingError(f"{agent.name} has a guard; backend cuda plays networks over the board without one")

    def _find_ways(self, rules: Rules, agent: Agent) -> list[Way]:
        self.check(rules, agent)
        layout = _layout(cast(BoardNetwork, agent.value))
        return [Way(1, {**shared_macros(rules, agent), **layout, "PLIES": agent.plies})]

    def _play_slice(self, program: DeviceProgram, way: Way, pieces: int) -> None:
        """Plays so many steps, and lists the seats that still have a game."""
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
