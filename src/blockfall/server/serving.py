"""The room behind websockets: connections, clocks and limits.

Nothing waits for a connection: a message is handed to the socket at once, and one whose socket is full misses frames.
"""

import asyncio
import http
import itertools
import logging
import time
from collections.abc import Coroutine
from dataclasses import dataclass

from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from blockfall.errors import SettingError
from blockfall.server.game import dealt
from blockfall.server.messages import MOST_BYTES
from blockfall.server.room import PLAYER, VIEWER, Close, Effect, Room, Scores, Send, Start, Table, is_path

_FULL_SOCKET = 64 * 1024
"""Bytes that wait in a connection's socket; beyond, it misses frames."""

_MOST_REASON = 123
"""Bytes of a close's reason, by RFC 6455."""


@dataclass(frozen=True)
class Limits:
    connections: int = 1000
    messages_per_second: float = 500.0
    """Of one connection; beside these, one for every frame that it was sent."""
    burst: int = 200
    """Messages that may come at once."""
    join_seconds: float = 30.0
    """Before a connection that has not joined is closed."""
    alive_seconds: float = 20.0
    """Between two pings, and for their answers; who does not answer is gone."""
    patience_seconds: float = 10.0
    """In lockstep, before a frame comes without an answer."""


@dataclass
class Pace:
    """How the clocks have kept time. A frame is late when it comes half a frame or more after it was due."""

    frames: int = 0
    late: int = 0
    worst_s: float = 0.0

    def add(self, behind_s: float, frame_s: float) -> None:
        self.frames += 1
        self.late += behind_s >= frame_s / 2
        self.worst_s = max(self.worst_s, behind_s)


@dataclass
class _Guest:
    socket: ServerConnection
    allowance: float
    refilled: float


class CourseServer:
    """`async with CourseServer(...) as server`: it listens at `server.port` until the block ends."""

    def __init__(
        self,
        scores: Scores,
        seed: int,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        games: int = 1,
        speed: float = 1.0,
        lockstep: bool = False,
        limits: Limits | None = None,
    ) -> None:
        """`speed` multiplies the course's; in lockstep a frame comes whenever the player has sent a key."""
        self.pace = Pace()
        self._room = Room(lambda number: dealt(seed, number), scores, games, lockstep=lockstep)
        self._host, self._wanted_port = host, port
        self._speed = speed
        self._lockstep = lockstep
        self._limits = limits or Limits()
        self._guests: dict[int, _Guest] = {}
        self._numbers = itertools.count()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: Server | None = None

    @property
    def port(self) -> int:
        assert self._server
        return int(next(iter(self._server.sockets)).getsockname()[1])

    @property
    def connections(self) -> int:
        return len(self._guests)

    @property
    def games(self) -> list[Table]:
        return self._room.tables

    async def __aenter__(self) -> "CourseServer":
        try:
            self._server = await serve(
                self._serve,
                self._host,
                self._wanted_port,
                process_request=self._admit,
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
            raise SettingError(f"cannot listen at {where}: {error.strerror or error}; choose another --port") from None
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
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
            elif isinstance(effect, Start):
                self._spawn(self._watch(effect.table) if self._lockstep else self._run(effect.table))

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

    async def _run(self, table: Table) -> None:
        """A game's clock. One that cannot keep up plays on from now, without making up for what is lost."""
        clock = asyncio.get_running_loop().time
        due = clock()
        while not table.over:
            frame_s = 1 / (table.game.speed * self._speed)
            due += frame_s
            await asyncio.sleep(due - clock())
            behind = max(0.0, clock() - due)
            self.pace.add(behind, frame_s)
            if behind > frame_s:
                due = clock()
            self._apply(self._room.frame(table))

    async def _watch(self, table: Table) -> None:
        """In lockstep, so that a player who says nothing does not keep the others waiting for ever."""
        while not table.over:
            before = table.game.frames
            await asyncio.sleep(self._limits.patience_seconds)
            if table.game.frames == before:
                self._apply(self._room.frame(table))


def _cut(reason: str) -> str:
    return reason.encode()[:_MOST_REASON].decode(errors="ignore")
