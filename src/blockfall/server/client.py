"""A pilot, or someone who only looks, on a course server."""

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
from blockfall.errors import ConnectionLostError, SettingError
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

_OPEN_SECONDS = 10.0
_ALIVE_SECONDS = 60.0
"""Without an answer to a ping, before the server counts as gone; a slow one is not."""

_MOST_WORDS = 300
"""Characters of an error that are shown."""


@dataclass(frozen=True)
class Played:
    """What a game came to."""

    score: int
    speed: float
    """Frames per second, the last."""
    tally: Tally
    seconds: float
    high_scores: tuple[tuple[str, int], ...]

    def as_json(self) -> dict[str, object]:
        return {
            "score": self.score,
            "game_speed": self.speed,
            "frames": self.tally.frames,
            "pieces": self.tally.pieces,
            "missed": self.tally.missed,
            "surprises": self.tally.surprises,
            "seconds": round(self.seconds, 3),
            "high_scores": self.high_scores,
        }


Watch = Callable[[Frame], None]


def address(url: str, path: str) -> str:
    """The URL with the path that it needs, where it names none."""
    parts = urlsplit(url if "//" in url else f"ws://{url}")
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise SettingError(f"{url!r} is not the address of a server; it must be like ws://127.0.0.1:8000")
    try:
        parts.port  # noqa: B018 - raises for what is none
    except ValueError:
        raise SettingError(f"{url!r} names no port; it must be a number from 0 to 65535") from None
    return urlunsplit(parts._replace(path=parts.path if parts.path.strip("/") else path))


def check_name(name: str) -> str:
    if not 1 <= len(name.strip()) <= MOST_NAME or not name.isprintable():
        raise SettingError(f"the name {name!r}; it must have 1 to {MOST_NAME} printable characters")
    return name.strip()


async def play(url: str, agent: Agent, name: str, watch: Watch | None = None, tally: Tally | None = None) -> Played:
    """One game, from joining to its end. `watch` is shown the frames that were answered, `tally` grows as it goes."""
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
                    return Played(said.score, last.game_speed, pilot.tally, time.monotonic() - started, scores)
                pilot.see(said)
                last = said
            if frames:
                await inbox.send(cmd="key", key=pilot.key())
                if watch:
                    watch(last)


async def spectate(url: str, take: Callable[[Frame | Info], bool]) -> None:
    """Shows `take` what a viewer sees, of frames that came at once the newest, as long as it says True."""
    async with _inbox(address(url, VIEWER)) as inbox:
        await inbox.send(cmd="join")
        going = True
        while going:
            news = await inbox.news()
            going = all(take(one) for number, one in enumerate(news, 1) if isinstance(one, Info) or number == len(news))


def _is_end(info: Info) -> bool:
    return info.highscores is not None


class _Inbox:
    """A connection that gathers what comes, so that a slow reader is never behind."""

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
            self._closed = True  # what came before is still read

    async def news(self) -> list[Frame | Info]:
        """All that has come since the last call, at least one message."""
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
            raise ConnectionLostError(f"{self._where} refused us: {_printable(said.error)}")
        return said

    def _why(self) -> str:
        code, reason = self._socket.close_code, self._socket.close_reason
        return f" ({code}{': ' + _printable(reason) if reason else ''})" if code else ""


def _printable(text: str) -> str:
    """A stranger's words, fit for a terminal."""
    return "".join(mark if mark.isprintable() else "?" for mark in text[:_MOST_WORDS])


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
        raise ConnectionLostError(f"{where} is no course server, or is full: {error}") from None
    except TimeoutError:
        raise ConnectionLostError(f"{where} did not answer within {_OPEN_SECONDS:g} seconds") from None
    except OSError as error:
        raise ConnectionLostError(f"cannot reach {where}: {error.strerror or error}; is the server running?") from None
