"""A client of a course server: it lets a pilot play, or only watches."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from blockfall.agents import Agent
from blockfall.errors import ConnectionLostError, SettingError, shortened
from blockfall.server.messages import (
    MOST_FRAME_BYTES,
    MOST_NAME,
    Frame,
    Info,
    MessageError,
    Refusal,
    Said,
    parse_said,
)
from blockfall.server.pilot import Pilot, Tally
from blockfall.server.room import PLAYER, VIEWER
from blockfall.validation import visible

_OPEN_SECONDS = 10.0
_ALIVE_SECONDS = 60.0
"""A server that has not answered a ping after this time counts as gone. A slow server does not."""


@dataclass(frozen=True)
class CourseResult:
    """The result of one game."""

    score: int
    speed: float
    """The frames per second at the end of the game."""
    tally: Tally
    seconds: float
    high_scores: tuple[tuple[str, int], ...]
    finished: bool = True
    """False if the game was interrupted."""

    def as_json(self) -> dict[str, object]:
        """Return the result as `blockfall connect --json` prints it."""
        return {
            "score": self.score,
            "finished": self.finished,
            "game_speed": self.speed,
            "frames": self.tally.frames,
            "pieces": self.tally.pieces,
            "missed": self.tally.missed,
            "surprises": self.tally.surprises,
            "seconds": round(self.seconds, 3),
            "high_scores": self.high_scores,
        }


def address(url: str, path: str) -> str:
    """Return the URL of a server, with `path` if it names no path of its own."""
    wrong = SettingError(f"{shortened(url)} is not the address of a server; it must be like ws://127.0.0.1:8000")
    try:
        parts = urlsplit(url if "//" in url else f"ws://{url}")
        host = parts.hostname or ""
        host.encode("idna")  # as a name lookup does
    except ValueError:  # also a UnicodeError: a part of the name is too long
        raise wrong from None
    if parts.scheme not in ("ws", "wss") or not host or not url.isprintable():
        raise wrong
    try:
        parts.port  # noqa: B018 - raises ValueError when the port is not a number
    except ValueError:
        raise SettingError(f"the port in {shortened(url)} is wrong; it must be a number from 0 to 65535") from None
    return urlunsplit(parts._replace(path=parts.path if parts.path.strip("/") else path))


def check_name(name: str) -> str:
    """Return the name without spaces around it. Raise SettingError if the server would refuse it."""
    if not 1 <= len(name.strip()) <= MOST_NAME or not name.isprintable():
        raise SettingError(f"the name is {shortened(name)}; it must have 1 to {MOST_NAME} printable characters")
    return name.strip()


async def play(
    url: str, agent: Agent, name: str, watch: Callable[[Frame], None] | None = None, tally: Tally | None = None
) -> CourseResult:
    """Play one game, from joining to its end.

    `watch` is called with each frame that was answered. `tally` is updated while the game goes on.
    """
    pilot = Pilot(agent, tally or Tally())
    started = time.monotonic()
    async with _inbox(address(url, PLAYER)) as inbox:
        await inbox.send(cmd="join", name=name)
        last = Frame(game=[], piece=None)
        while True:
            frames = [said for said in await inbox.news() if not isinstance(said, Info) or _is_end(said)]
            for said in frames:
                if isinstance(said, Info):
                    scores = tuple(said.highscores or ())
                    return CourseResult(said.score, last.game_speed, pilot.tally, time.monotonic() - started, scores)
                pilot.see(said)
                last = said
            if frames:
                key = pilot.key()
                if key is not None:
                    await inbox.send(cmd="key", key=key)
                if watch:
                    watch(last)


async def spectate(url: str, take: Callable[[Frame | Info], bool]) -> None:
    """Call `take` with each message that a viewer gets, until `take` returns False.

    When several frames arrive together, only the newest one is passed on.
    """
    async with _inbox(address(url, VIEWER)) as inbox:
        await inbox.send(cmd="join")
        going = True
        while going:
            news = await inbox.news()
            going = all(take(one) for number, one in enumerate(news, 1) if isinstance(one, Info) or number == len(news))


def _is_end(info: Info) -> bool:
    return info.highscores is not None


class _Inbox:
    """A connection that collects messages as they arrive, so that a slow reader still gets the newest."""

    def __init__(self, socket: ClientConnection, where: str) -> None:
        self._socket = socket
        self._where = where
        self._waiting: list[str | bytes] = []
        self._woken = asyncio.Event()
        self._closed = False

    async def read(self) -> None:
        try:
            async for message in self._socket:
                self._waiting.append(message)
                self._woken.set()
        except ConnectionClosed:
            pass
        finally:
            self._closed = True
            self._woken.set()

    async def send(self, **command: str) -> None:
        try:
            await self._socket.send(json.dumps(command))
        except ConnectionClosed:
            self._closed = True  # messages that came before can still be read

    async def news(self) -> list[Frame | Info]:
        """Return all messages since the last call. Wait until there is at least one."""
        while not self._waiting:
            if self._closed:
                raise ConnectionLostError(f"{self._where} closed the connection{self._why()}")
            self._woken.clear()
            await self._woken.wait()
        messages, self._waiting = self._waiting, []
        return [said for message in messages if (said := self._parsed(message))]

    def _parsed(self, message: str | bytes) -> Frame | Info | None:
        try:
            said: Said | None = parse_said(message)
        except MessageError as error:
            raise ConnectionLostError(f"{self._where} does not speak the course's protocol: {error}") from None
        if isinstance(said, Refusal):
            raise ConnectionLostError(f"{self._where} refused us: {visible(said.error)}")
        return said

    def _why(self) -> str:
        code, reason = self._socket.close_code, self._socket.close_reason
        return f" ({code}{': ' + visible(reason) if reason else ''})" if code else ""


@asynccontextmanager
async def _inbox(where: str) -> AsyncIterator[_Inbox]:
    try:
        async with connect(
            where,
            compression=None,
            open_timeout=_OPEN_SECONDS,
            ping_timeout=_ALIVE_SECONDS,
            max_size=MOST_FRAME_BYTES,
            proxy=None,
        ) as socket:
            inbox = _Inbox(socket, where)
            reader = asyncio.create_task(inbox.read())
            try:
                yield inbox
            finally:
                reader.cancel()
    except (InvalidURI, InvalidHandshake) as error:
        raise ConnectionLostError(f"{where} is not a course server, or it is full: {error}") from None
    except TimeoutError:
        raise ConnectionLostError(f"{where} did not answer within {_OPEN_SECONDS:g} seconds") from None
    except OSError as error:
        raise ConnectionLostError(f"cannot reach {where}: {error.strerror or error}; is the server running?") from None
