"""The server: it connects the room to websockets and clocks, and limits what a connection may do.

The server never waits for a connection. It hands each message to the socket at once, and a connection whose socket is
full misses frames.
"""

import asyncio
import http
import itertools
import logging
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import partial

from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from blockfall.errors import BlockfallError, SettingError, shortened
from blockfall.server.connection import CalmConnection
from blockfall.server.game import dealt
from blockfall.server.messages import MOST_BYTES
from blockfall.server.room import (
    PLAYER,
    VIEWER,
    Begin,
    Close,
    Deals,
    Effect,
    FreePlay,
    Later,
    Match,
    Room,
    Scores,
    Send,
    is_path,
)

_FULL_SOCKET = 64 * 1024
"""The bytes waiting in a socket beyond which the connection misses frames."""

_GOLDEN = (5**0.5 - 1) / 2  # its first n multiples, modulo 1, are spread evenly for any n

_MOST_REASON = 123
"""The most bytes that RFC 6455 allows for a close reason."""


@dataclass(frozen=True)
class ServerLimits:
    """The limits of a connection, and the server's patience."""

    connections: int = 1000
    """Players and viewers together."""
    messages_per_second: float = 500.0
    """Messages that one connection may send, beyond one for each frame that it gets."""
    burst: int = 200
    """Messages that one connection may send at once."""
    join_seconds: float = 30.0
    """The time after which a connection that has not joined is closed."""
    alive_seconds: float = 20.0
    """The time between two pings, and the time to answer one before the connection is closed."""
    patience_seconds: float = 10.0
    """In lockstep, the time after which a player who sends no key loses the seat."""


@dataclass
class Punctuality:
    """A record of late frames. A frame is late if it comes at least half a frame after it was due."""

    frames: int = 0
    late: int = 0
    worst_s: float = 0.0

    def add(self, behind_s: float, frame_s: float) -> None:
        """Count a frame of length `frame_s` that came `behind_s` after it was due."""
        self.frames += 1
        self.late += behind_s >= frame_s / 2
        self.worst_s = max(self.worst_s, behind_s)


@dataclass
class _Guest:
    socket: ServerConnection
    allowance: float
    refilled: float


class CourseServer:
    """A course server, which listens at `server.port` inside `async with CourseServer(...) as server:`."""

    def __init__(
        self,
        scores: Scores,
        seed: int,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        games: int = 1,
        players: int = 0,
        speed: float = 1.0,
        lockstep: bool = False,
        limits: ServerLimits | None = None,
        deals: Deals | None = None,
    ) -> None:
        """Prepare a server. `speed` multiplies the course's pace; in lockstep each key of the player makes a frame.

        No game begins before this many `players` have joined, as programs that start up slow down running games.
        Without `deals`, everyone plays as often as they like, with pieces from the seed.
        """
        self.pace = Punctuality()
        self._room = Room(deals or FreePlay(partial(dealt, seed)), scores, games, players=players, lockstep=lockstep)
        self._host, self._wanted_port = host, port
        self._speed = speed
        self._lockstep = lockstep
        self._limits = limits or ServerLimits()
        self._guests: dict[int, _Guest] = {}
        self._numbers = itertools.count()
        self._begun = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: Server | None = None

    @property
    def port(self) -> int:
        """The port at which the server listens."""
        assert self._server
        return int(next(iter(self._server.sockets)).getsockname()[1])

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._guests)

    @property
    def missing(self) -> int:
        """The number of players who must still join before the first game begins."""
        return self._room.missing

    @property
    def matches(self) -> list[Match]:
        """The running games, oldest first."""
        return self._room.matches

    async def __aenter__(self) -> "CourseServer":
        try:
            self._server = await serve(
                self._serve,
                self._host,
                self._wanted_port,
                process_request=self._admit,
                create_connection=CalmConnection,
                compression=None,  # frames are small, and many
                max_size=MOST_BYTES,
                max_queue=64,
                ping_interval=self._limits.alive_seconds,
                ping_timeout=self._limits.alive_seconds,
                close_timeout=min(5.0, self._limits.alive_seconds),
                server_header=None,
                logger=logging.getLogger("blockfall.websockets"),
            )
        except OSError as error:
            where = f"{self._host}:{self._wanted_port}"
            raise SettingError(f"cannot listen on {where}: {error.strerror or error}; choose another --port") from None
        except UnicodeError:
            raise SettingError(f"cannot listen on {shortened(self._host)}: not a valid host name") from None
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._room.shut()
        self._server.close()
        await self._server.wait_closed()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _admit(self, socket: ServerConnection, request: Request) -> Response | None:
        if not is_path(request.path):
            return socket.respond(http.HTTPStatus.NOT_FOUND, f"players connect to {PLAYER}, viewers to {VIEWER}\n")
        if len(self._guests) >= self._limits.connections:
            return socket.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "the server is full; try again later\n")
        return None

    async def _serve(self, socket: ServerConnection) -> None:
        assert socket.request
        number = next(self._numbers)
        guest = self._guests[number] = _Guest(socket, self._limits.burst, time.monotonic())
        self._room.connect(number, socket.request.path)
        closing = asyncio.get_running_loop().call_later(self._limits.join_seconds, self._expect_join, number)
        try:
            async for message in socket:
                if self._allows(guest):
                    self._apply(self._room.receive(number, message))
                else:
                    self._apply(self._room.refuse(number, "too many messages; one per frame is enough"))
        except ConnectionClosed:
            pass
        finally:
            closing.cancel()
            del self._guests[number]
            self._apply(self._room.disconnect(number))

    def _expect_join(self, number: int) -> None:
        if not self._room.has_joined(number):
            self._apply(self._room.refuse(number, f"no join within {self._limits.join_seconds:g} seconds"))

    def _allows(self, guest: _Guest) -> bool:
        now = time.monotonic()
        refill = (now - guest.refilled) * self._limits.messages_per_second
        guest.allowance = min(guest.allowance + refill, self._limits.burst) - 1
        guest.refilled = now
        return guest.allowance >= 0

    def _apply(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self._send(effect)
            elif isinstance(effect, Close):
                if effect.connection in self._guests:
                    self._spawn(self._guests[effect.connection].socket.close(effect.code, _cut(effect.reason)))
            elif isinstance(effect, Later):
                self._spawn(self._wait(effect))
            elif isinstance(effect, Begin):
                self._spawn(self._watch(effect.match) if self._lockstep else self._run(effect.match))

    async def _wait(self, later: Later) -> None:
        try:
            await asyncio.wrap_future(later.done)
        except BlockfallError as error:
            logging.getLogger("blockfall").warning("%s", error)
        self._apply(list(later.effects))

    def _send(self, message: Send) -> None:
        sockets = []
        for number in message.to:
            guest = self._guests.get(number)
            if guest and (message.whole or guest.socket.transport.get_write_buffer_size() < _FULL_SOCKET):
                guest.allowance += 1
                sockets.append(guest.socket)
        broadcast(sockets, message.text)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, match: Match) -> None:
        """Run the clock of a match. If it is late by more than a frame, it goes on from now without catching up."""
        clock = asyncio.get_running_loop().time
        self._begun += 1
        due = clock() + _phase(self._begun) / (match.game.speed * self._speed)
        while not match.over:
            frame_s = 1 / (match.game.speed * self._speed)
            due += frame_s
            await asyncio.sleep(due - clock())
            behind = max(0.0, clock() - due)
            self.pace.add(behind, frame_s)
            if behind > frame_s:
                due = clock()
            self._apply(self._room.frame(match))

    async def _watch(self, match: Match) -> None:
        """Dismiss a player who stays silent in lockstep, so that the others need not wait forever."""
        patience = self._limits.patience_seconds
        while not match.over:
            before = match.game.frames
            await asyncio.sleep(patience)
            if match.game.frames == before and not match.over:
                self._apply(self._room.refuse(match.player, f"no key within {patience:g} seconds"))


def _phase(number: int) -> float:
    """Return the part of a frame by which a game's clock is shifted, so that not all games are due at once.

    >>> [round(_phase(number), 2) for number in range(1, 9)]
    [0.62, 0.24, 0.85, 0.47, 0.09, 0.71, 0.33, 0.94]
    """
    return number * _GOLDEN % 1


def _cut(reason: str) -> str:
    return reason.encode()[:_MOST_REASON].decode(errors="ignore")
