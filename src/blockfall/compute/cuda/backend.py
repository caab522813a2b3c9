"""Games on a GPU: many at once, each in a seat of its own, in slices of pieces."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from blockfall.agents import Agent, FeatureNetwork, Table, WeightedFeatures
from blockfall.compute.cuda.device import Device, Program, find_device
from blockfall.compute.cutting import Cutter, Joined
from blockfall.compute.evaluation import Evaluation, InterruptedPlay, Progress
from blockfall.compute.local import all_cores
from blockfall.compute.request import Request
from blockfall.compute.summary import Summary
from blockfall.errors import SettingError
from blockfall.rulesets import Rules

MOST_KNOWN = 2
"""The most pieces that an agent may know here."""
SEATS = 2**18
"""Games that are played at once: some times more than a GPU has threads."""
GAMES_AT_ONCE = 2**22
"""Games whose counts are held on the GPU: 300 megabytes. More are played in several parts."""

_SLICE_SECONDS = 0.1
_FIRST_PIECES = 32  # of the first slice
_MOST_PIECES = 2**20
_COUNTS = 9  # lines, pieces, placements, score, four clears, termination
_WARP = 32
_FEW_SEATS = 2**15
"""With fewer games than this, a warp per game may be faster than a thread per game."""
_TRY_WARPS_AFTER_SECONDS = 2.0
"""A warp per game is a program of its own; shorter requests are over before it is compiled."""
_CLEARLY = 2.0
"""One way that is so many times faster than the other stays so when the games become half or twice as many."""


def value_policy(rules: Rules, agent: Agent) -> str:
    """The C++ type that values boards as the agent does. An agent that cannot play here is an error."""
    value, name = agent.value, agent.name
    if agent.pieces_known > MOST_KNOWN:
        raise SettingError(f"{name} knows {agent.pieces_known} pieces; backend cuda plays agents that know 1 or 2")
    own = [feature.name for feature in agent.features if feature.custom]
    if own:
        raise SettingError(f"{name} has {own[0]}, a feature of your own; backend cuda has only those of the catalogue")
    if isinstance(value, Table):
        return "Table"
    policies = {WeightedFeatures: "FixedFeatures", FeatureNetwork: "FixedNetwork"}
    if type(value) not in policies:
        raise SettingError(f"{name} has {value.title}; backend cuda plays weights, networks over features and tables")
    numbers = ", ".join(str(number) for number in (rules.columns, *(feature.number for feature in agent.features)))
    return f"{policies[type(value)]}<{numbers}>"


@dataclass(frozen=True, init=False)
class CudaBackend:
    """Plays on a GPU of this machine. It plays the same games as every backend.

    It plays agents of weights, networks over features and tables that know one or two pieces, with and without
    look-ahead, and every feature of the catalogue. Without CuPy or a GPU there is none:

    >>> import blockfall
    >>> try:
    ...     fast = blockfall.CudaBackend()
    ... except blockfall.SettingError as error:
    ...     fast = blockfall.LocalBackend()
    >>> blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=20, seed=1, backend=fast).lines.shape
    (20,)
    """

    device: Device = field(repr=False)
    seats: int = SEATS
    """The most games that are played at once."""

    def __init__(self, device: Device | None = None, seats: int = SEATS) -> None:
        """Uses the GPU that CuPy has chosen. Where there is none, it raises an error."""
        object.__setattr__(self, "device", device or find_device())
        object.__setattr__(self, "seats", seats)

    @classmethod
    def from_text(cls, text: str) -> "CudaBackend":
        """From what stands after `cuda:` on the command line, which must be nothing."""
        if text:
            raise SettingError(f"backend 'cuda:{text}'; write cuda")
        return cls()

    @property
    def threads(self) -> int:
        """The cores of this machine, which other work may use meanwhile."""
        return all_cores()

    def play(self, request: Request, progress: Progress | None = None) -> Evaluation:
        """Plays the games to their end. `progress` is called after every slice with the games and the pieces done.

        An interrupt raises `InterruptedPlay`, which has the figures of the games that had ended.
        """
        started = time.perf_counter()
        cutter, joined = Cutter(request), Joined(request)
        table = _Table(self.device, request, self.seats, min(cutter.left, GAMES_AT_ONCE))
        games = pieces = 0
        ended: Summary | None = None
        while cutter.left:
            over = placed = 0
            part = cutter.cut(GAMES_AT_ONCE)
            try:
                for over, placed in table.play(part.request()):
                    if progress:
                        progress(games + over, pieces + placed)
            except KeyboardInterrupt:
                seconds = time.perf_counter() - started
                raise InterruptedPlay(_sum(ended, table.outcomes(seconds).summary_of_ended())) from None
            games, pieces = games + over, pieces + placed
            played = table.outcomes()
            joined.put(part, played)
            ended = _sum(ended, played.summary())
        return joined.evaluation(time.perf_counter() - started)


def _sum(one: Summary | None, other: Summary | None) -> Summary | None:
    return one + other if one and other else one or other


@dataclass
class _Way:
    """One of the two ways to play: a thread per game, or a warp per game."""

    threads: int
    """Of a game."""
    macros: dict[str, object]
    program: Program | None = None
    seconds_per_piece: float = 0.0
    """Of all games together: so long it takes until each has placed a piece. Of the last slice."""
    rate: dict[int, float] = field(default_factory=dict)
    """Pieces per second, by the number of digits of the number of games."""


class _Table:
    """A GPU's memory for games, asked for once, and the loop over slices."""

    def __init__(self, device: Device, request: Request, seats: int, games: int) -> None:
        rules, agent = request.rules, request.agent
        self._device = device
        self._rules = device.copy(np.frombuffer(rules.core.image(), dtype=np.uint8))
        self._script = device.copy(np.frombuffer(rules.core.script + b"\0", dtype=np.uint8))
        self._agent = device.copy(np.frombuffer(agent.core.image(), dtype=np.uint8))
        macros: dict[str, object] = {
            "RULES_BYTES": self._rules.nbytes,
            "AGENT_BYTES": self._agent.nbytes,
            "COLUMNS": rules.columns,
            "DROPS": rules.core.drops,
            "PIECES": agent.pieces_known,
            "VALUE": value_policy(rules, agent),
        }
        if agent.look_ahead:
            macros["SEQUENCES"] = agent.look_ahead.best
        self._ways = [_Way(1, macros)]
        if not agent.look_ahead and not isinstance(agent.value, Table):
            self._ways.append(_Way(_WARP, macros | {"WARP": True}))
        program = self._program(self._ways[0])
        sizes = device.empty((2,), np.int64)
        program.run("find_sizes", 1, sizes)
        played_bytes, seat_bytes = (int(size) for size in device.bring(sizes))
        self._most_seats = min(seats, games)
        self._played = device.empty((played_bytes,), np.uint8)
        self._seats = device.empty((self._most_seats * seat_bytes,), np.uint8)
        self._lists = [device.empty((self._most_seats,), np.int32) for _ in range(2)]
        self._counts = device.empty((3,), np.int64)
        self._all_outcomes = device.empty((_COUNTS * games,), np.int64)
        self._all_outcomes.fill(0)
        self._request = request

    def _program(self, way: _Way) -> Program:
        way.program = way.program or self._device.program("play.cu", way.macros)
        return way.program

    def play(self, request: Request) -> Iterator[tuple[int, int]]:
        """Plays a part of the request. Yields the games and the pieces done after every slice."""
        self._request = request
        population, agent = request.population, request.agent
        numbers = population.parameters if population else np.array([agent.value.parameters], dtype=np.float32)
        parameters = self._device.copy(np.ascontiguousarray(numbers))
        count = request.games * len(numbers)
        seated = min(count, self._most_seats)
        program = self._program(self._ways[0])
        program.run(
            "prepare",
            1,
            *(self._played, self._rules, self._script, self._agent, parameters),
            *(np.int32(request.purpose), np.uint64(request.seed), np.int64(request.first_game)),
            *(np.int64(request.games), np.int64(request.max_pieces or 0), np.int64(count)),
        )
        program.run("take_seats", seated, self._played, np.int64(seated), self._seats, self._lists[0])
        started = time.perf_counter()
        pieces_before = 0
        while seated:
            way = self._choose(seated, time.perf_counter() - started)
            seated_before, began = seated, time.perf_counter()
            pieces = self._slice(way, seated)
            seated, over, placed = (int(count) for count in self._device.bring(self._counts))
            seconds = max(time.perf_counter() - began, 1e-9)
            way.seconds_per_piece = seconds / pieces
            way.rate[seated_before.bit_length()] = (placed - pieces_before) / seconds
            pieces_before = placed
            yield over, placed

    def _choose(self, seated: int, played_seconds: float) -> _Way:
        """The way that was faster with about as many games; one that was not tried yet is tried where it may win."""
        one = self._ways[0]
        if len(self._ways) == 1 or seated >= _FEW_SEATS or played_seconds < _TRY_WARPS_AFTER_SECONDS:
            return one
        warp = self._ways[1]
        digits = seated.bit_length()
        if not warp.rate:
            return warp
        for near in (digits, digits + 1, digits - 1):
            rates = one.rate.get(near, 0.0), warp.rate.get(near, 0.0)
            if all(rates) and (near == digits or max(rates) > _CLEARLY * min(rates)):
                return one if rates[0] >= rates[1] else warp
        return warp if digits not in warp.rate else one

    def _slice(self, way: _Way, seated: int) -> int:
        """Plays one slice, and says how many pieces each game got at most."""
        pieces = _FIRST_PIECES
        if way.seconds_per_piece:
            pieces = max(1, min(int(_SLICE_SECONDS / way.seconds_per_piece), _MOST_PIECES))
        program = self._program(way)
        program.run("clear_seats", 1, self._played)
        program.run(
            "play_slice",
            seated * way.threads,
            *(self._played, np.int32(pieces), self._seats, self._lists[0], np.int64(seated)),
            *(self._lists[1], self._all_outcomes),
        )
        program.run("look", 1, self._played, self._counts)
        self._lists.reverse()
        return pieces

    def outcomes(self, seconds: float = 0.0) -> Evaluation:
        """What the games of the last part came to. Those that are not over have zeros, so they are running."""
        shape = self._request.shape
        count = int(np.prod(shape))
        brought: npt.NDArray[np.int64] = self._device.bring(self._all_outcomes[: _COUNTS * count])
        self._all_outcomes.fill(0)
        rows = brought.reshape(_COUNTS, *shape)
        return Evaluation(
            lines=rows[0],
            pieces=rows[1],
            placements=rows[2],
            score=rows[3],
            clears=np.moveaxis(rows[4:8], 0, -1),
            termination=rows[8].astype(np.uint8),
            seconds=seconds,
        )
