"""The seats of a GPU: its memory for games, allocated once, and the loop over slices of pieces.

Each game has a seat. When the game is over, the seat takes the next game that has not begun. Between two slices the
host sees how far the games are.
"""

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.agents import Agent
from blockfall.compute.cuda.device import Device, DeviceProgram
from blockfall.compute.evaluation import Evaluation
from blockfall.compute.request import Request
from blockfall.errors import SettingError
from blockfall.features import find_feature
from blockfall.rulesets import Rules

MOST_KNOWN = 2
"""The most pieces that an agent may know on a GPU."""
COUNTS = 9
"""The counts of a game: lines, pieces, placements, score, four clears, termination."""
OUTCOME_BYTES = COUNTS * 8
THREADS_THAT_SHARE = {1: 32, 2: 8}
"""The threads that share a game, by the pieces that its agent knows: about as many as a piece has placements."""

_MOST_PREPARED = 32
"""The most features of a program for agents that weigh some of them: one bit each."""
_SLICE_SECONDS = 0.1
_FIRST_PIECES_PER_LIST = 8
_GAMES_PER_END = 4
"""The seats are listed anew after about one in this many games has ended, so that the running ones are adjacent."""
_MOST_PIECES = 2**20
_FEW_SEATS = 2**15
"""The number of games below which one thread each does not fill the GPU."""
_TRY_SHARING_AFTER_SECONDS = 2.0
"""The seconds before shared games are tried: compiling their own program does not pay for shorter requests."""
_CLEARLY = 2.0
"""The ratio at which the faster way stays the faster one with half or twice as many games."""

Counts = npt.NDArray[np.int64]


def value_policy(rules: Rules, agent: Agent, prepared: Collection[str] = ()) -> str:
    """Return the C++ type that values boards as the agent does. Raise a SettingError if a GPU cannot play it.

    It is the same for all agents that weigh some of the prepared features.
    """
    value, name, features = agent.value, agent.name, agent.features
    if agent.pieces_known > MOST_KNOWN:
        raise SettingError(f"{name} knows {agent.pieces_known} pieces; backend cuda plays agents that know 1 or 2")
    own = [feature.name for feature in features if feature.custom]
    if own:
        raise SettingError(f"{name} has {own[0]}, a feature of your own; backend cuda has only those of the catalogue")
    policy = value.gpu_policy
    if policy is None:
        raise SettingError(f"{name} has {value.title}; backend cuda plays weights, networks and tables")
    if not features:
        return policy
    if agent.weights and set(agent.weights) <= set(prepared) and len(prepared) <= _MOST_PREPARED:
        policy, features = "SomeFeatures", tuple(find_feature(name) for name in prepared)
    numbers = ", ".join(str(number) for number in (rules.columns, *(feature.number for feature in features)))
    return f"{policy}<{numbers}>"


def shared_macros(request: Request) -> dict[str, object]:
    """Return the macros of every program that plays."""
    rules, agent = request.rules, request.agent
    return {
        "RULES_BYTES": len(rules.core.image()),
        "AGENT_BYTES": len(agent.core.image()),
        "DROPS": rules.core.drops,
        "STATES": rules.core.states,
        "COLUMNS": rules.columns,
        "PIECES": agent.pieces_known,
    }


@cache
def _sizes(device: Device, program: DeviceProgram) -> tuple[int, int]:
    """Return the bytes of the program's data, and of a seat."""
    sizes = device.empty((2,), np.int64)
    program.run("find_sizes", 1, sizes)
    played, seat = device.bring(sizes).tolist()
    return played, seat


@dataclass
class Way:
    """One of the two ways to play: a thread per game, or several that share it."""

    threads: int
    """The threads of a game."""
    macros: dict[str, object]
    program: DeviceProgram | None = None
    seconds_per_piece: float = 0.0
    """Seconds for every game to place one piece, in the last slice."""
    rate: dict[int, float] = field(default_factory=dict)
    """Pieces per second, by the number of digits of the number of games."""


class Seating:
    """Seats for the games of requests that differ only in their games and candidates.

    `threads_per_game` chooses a way to play. If it is None, threads share a game when the games are few and two pieces
    are known; otherwise both ways are measured on the games at hand. One program plays all agents that weigh some of
    the prepared features.
    """

    _source = "play.cu"
    _first_pieces = 32  # of the first slice

    def __init__(
        self,
        device: Device,
        request: Request,
        seats: int,
        games: int,
        threads_per_game: int | None = None,
        prepared: Collection[str] = (),
    ) -> None:
        rules, agent = request.rules, request.agent
        self._device, self._prepared = device, prepared
        ways = self._find_ways(request)
        self._rules = device.copy(np.frombuffer(rules.core.image(), dtype=np.uint8))
        self._script = device.copy(np.frombuffer(rules.core.script + b"\0", dtype=np.uint8))
        self._agent = device.copy(np.frombuffer(agent.core.image(), dtype=np.uint8))
        self._parameters: Any = None
        self._most_seats = min(seats, games)
        self._ways = [way for way in ways if threads_per_game in (None, way.threads)]
        if not self._ways:
            known = " or ".join(str(way.threads) for way in ways)
            raise SettingError(f"{threads_per_game} threads for a game of {agent.name}; it is played by {known}")
        if agent.pieces_known > 1 and self._most_seats < _FEW_SEATS:
            self._ways = self._ways[-1:]
        played_bytes, seat_bytes = _sizes(device, self._program(self._ways[0]))
        self._played = device.empty((played_bytes,), np.uint8)
        self._seats = device.empty((self._most_seats, seat_bytes), np.uint8)
        self._lists = [device.empty((self._most_seats,), np.int32) for _ in range(2)]
        self._counts = device.empty((4,), np.int64)
        self._outcomes = device.empty((COUNTS * games,), np.int64)
        self._request = request
        self._seated = 0
        """The number of games that are running."""

    @classmethod
    def check(cls, request: Request) -> None:
        """Raise a SettingError for an agent that cannot play here."""
        value_policy(request.rules, request.agent)

    def _find_ways(self, request: Request) -> list[Way]:
        """Return the ways to play; the first can also do everything else."""
        agent = request.agent
        macros = {**shared_macros(request), "VALUE": value_policy(request.rules, agent, self._prepared)}
        if agent.look_ahead:
            macros["SEQUENCES"] = agent.look_ahead.best
        ways = [Way(1, macros)]
        if not agent.look_ahead and agent.features:
            threads = THREADS_THAT_SHARE[agent.pieces_known]
            ways.append(Way(threads, macros | {"THREADS": threads}))
        return ways

    def _program(self, way: Way) -> DeviceProgram:
        way.program = way.program or self._device.program(self._source, way.macros)
        return way.program

    def begin(self, request: Request) -> None:
        """Seat the first games of a request."""
        count = self._prepare(request)
        self._seated = min(count, self._most_seats)
        self._program(self._ways[0]).run(
            "take_seats", self._seated, self._played, np.int64(self._seated), self._seats, self._lists[0]
        )

    def _prepare(self, request: Request) -> int:
        """Tell the GPU what to play, and return the number of games."""
        self._request = request
        population, agent = request.population, request.agent
        numbers = population.parameters if population else np.array([agent.value.parameters], dtype=np.float32)
        self._parameters = self._device.copy(np.ascontiguousarray(numbers))
        count = request.games * len(numbers)
        self._outcomes.fill(0)
        self._program(self._ways[0]).run(
            "prepare",
            1,
            *(self._played, self._rules, self._script, self._agent, self._parameters),
            *(np.int32(request.purpose), np.uint64(request.seed), np.int64(request.first_game)),
            *(np.int64(request.games), np.int64(request.max_pieces or 0), np.int64(count)),
        )
        return count

    def slices(self) -> Iterator[tuple[int, int]]:
        """Play until all games are over. Yield the finished games and the pieces placed after every slice."""
        started = time.perf_counter()
        self._program(self._ways[0]).run("look", 1, self._played, self._counts)
        pieces_before = int(self._device.bring(self._counts)[2])
        self._pieces_per_list = _FIRST_PIECES_PER_LIST
        while self._seated:
            way = self._choose(self._seated, time.perf_counter() - started)
            seated_before, began = self._seated, time.perf_counter()
            pieces = self._slice(way)
            self._seated, over, placed, _begun = (int(count) for count in self._device.bring(self._counts))
            seconds = max(time.perf_counter() - began, 1e-9)
            way.seconds_per_piece = seconds / pieces
            way.rate[seated_before.bit_length()] = (placed - pieces_before) / seconds
            pieces_before = placed
            left = seated_before - self._seated
            self._pieces_per_list = max(pieces * seated_before // (_GAMES_PER_END * left), 1) if left else _MOST_PIECES
            yield over, placed

    def _choose(self, seated: int, played_seconds: float) -> Way:
        """Return the way that was faster with about as many games, or an untried one that may win."""
        one = self._ways[0]
        if len(self._ways) == 1 or seated >= _FEW_SEATS or played_seconds < _TRY_SHARING_AFTER_SECONDS:
            return one
        shared = self._ways[1]
        digits = seated.bit_length()
        if not shared.rate:
            return shared
        for near in (digits, digits + 1, digits - 1):
            rates = one.rate.get(near, 0.0), shared.rate.get(near, 0.0)
            if all(rates) and (near == digits or max(rates) > _CLEARLY * min(rates)):
                return one if rates[0] >= rates[1] else shared
        return shared if digits not in shared.rate else one

    def _slice(self, way: Way) -> int:
        """Play one slice, and return the most pieces that a game got."""
        pieces = self._first_pieces
        if way.seconds_per_piece:
            pieces = max(1, min(int(_SLICE_SECONDS / way.seconds_per_piece), _MOST_PIECES))
        program = self._program(way)
        for done in range(0, pieces, self._pieces_per_list):
            self._play_listed(program, way, min(self._pieces_per_list, pieces - done))
        program.run("look", 1, self._played, self._counts)
        return pieces

    def _play_listed(self, program: DeviceProgram, way: Way, pieces: int) -> None:
        """Play this many pieces in every game, and list the seats that still have one."""
        program.run("clear_list", self._seated, self._played, np.int64(self._seated), self._lists[1])
        self._play_slice(program, way, pieces)
        self._lists.reverse()

    def _play_slice(self, program: DeviceProgram, way: Way, pieces: int) -> None:
        """Play the pieces, and write the next list."""
        program.run(
            "play_slice",
            self._seated * way.threads,
            *(self._played, np.int32(pieces), self._seats, self._lists[0], np.int64(self._seated)),
            *(self._lists[1], self._outcomes),
        )

    def outcomes(self, seconds: float = 0.0) -> Evaluation:
        """Return the results so far. Unfinished games are running; games that have not begun have zeros."""
        self._write_running()
        shape = self._request.shape
        brought: Counts = self._device.bring(self._outcomes[: COUNTS * int(np.prod(shape))])
        return evaluation(brought.reshape(COUNTS, *shape), seconds)

    def _write_running(self) -> None:
        """Write the counts of the running games."""
        if self._seated:
            self._program(self._ways[0]).run(
                "write_running",
                self._seated,
                *(self._played, self._seats, self._lists[0], np.int64(self._seated), self._outcomes),
            )


def evaluation(rows: Counts, seconds: float) -> Evaluation:
    """Return the evaluation of these rows of counts."""
    return Evaluation(
        lines=rows[0],
        pieces=rows[1],
        placements=rows[2],
        score=rows[3],
        clears=np.moveaxis(rows[4:8], 0, -1),
        termination=rows[8].astype(np.uint8),
        seconds=seconds,
    )
