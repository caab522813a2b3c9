"""A pilot, or someone who only looks, on a course server."""

import asyncio
import json
import time
from collections import deque
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


async def play(url: str, agent: Agent, name: str, watch: Watch | None = None) -> Played:
    """One game, from joining to its end."""
    pilot = Pilot(agent)
    started = time.monotonic()
    where = address(url, PLAYER)
    async with _connection(where) as socket:
        await socket.send(json.dumps({"cmd": "join", "name": name}))
        last = Frame(game=[], piece=None)
        async for messages in _batches(socket):
            frames = [said for said in _parsed(messages, where) if not isinstance(said, Info) or _is_end(said)]
            for said in frames:
                if isinstance(said, Info):
                    scores = tuple(said.highscores or ())
                    return Played(said.score, last.game_speed, pilot.tally, time.monotonic() - started, scores)
                assert isinstance(said, Frame)
                pilot.see(said)
                last = said
            if frames:
                await socket.send(json.dumps({"cmd": "key", "key": pilot.key()}))
                if watch:
                    watch(last)
        raise ConnectionLostError(f"{where} closed the connection in mid-game{_why(socket)}")


async def spectate(url: str) -> AsyncIterator[Frame | Info]:
    """What a viewer sees: of frames that came at once, the newest; and every game's end."""
    where = address(url, VIEWER)
    async with _connection(where) as socket:
        await socket.send(json.dumps({"cmd": "join"}))
        async for messages in _batches(socket):
            said = _parsed(messages, where)
            for number, one in enumerate(said):
                if isinstance(one, Info) or number == len(said) - 1:
                    assert not isinstance(one, Refusal)
                    yield one
        raise ConnectionLostError(f"{where} closed the connection{_why(socket)}")


def _is_end(info: Info) -> bool:
    return info.highscores is not None


def _parsed(messages: list[str | bytes], where: str) -> list[Frame | Info]:
    found: list[Frame | Info] = []
    for message in messages:
        try:
            said: Said | None = parse_said(message)
        except MessageError as error:
            raise ConnectionLostError(f"{where} does not speak the course's protocol: {error}") from None
        if isinstance(said, Refusal):
            raise ConnectionLostError(f"{where} refused us: {said.error}")
        if said:
            found.append(said)
    return found


@asynccontextmanager
async def _connection(where: str) -> AsyncIterator[ClientConnection]:
    try:
        async with connect(
            where,
            compression=None,
            open_timeout=_OPEN_SECONDS,
            ping_timeout=_ALIVE_SECONDS,
            max_size=MOST_FRAME_BYTES,
            proxy=None,
        ) as socket:
            yield socket
    except (InvalidURI, InvalidHandshake) as error:
        raise ConnectionLostError(f"{where} is no course server, or is full: {error}") from None
    except TimeoutError:
        raise ConnectionLostError(f"{where} did not answer within {_OPEN_SECONDS:g} seconds") from None
    except ConnectionClosed as error:
        raise ConnectionLostError(f"{where} closed the connection: {error}") from None
    except OSError as error:
        raise ConnectionLostError(f"cannot reach {where}: {error.strerror or error}; is the server running?") from None


async def _batches(socket: ClientConnection) -> AsyncIterator[list[str | bytes]]:
    """All messages that have come since the last batch, so that a slow reader is never behind; until the close."""
    waiting: deque[str | bytes] = deque()
    woken = asyncio.Event()

    async def read() -> None:
        try:
            async for message in socket:
                waiting.append(message)
                woken.set()
        except ConnectionClosed:
            pass
        finally:
            woken.set()

    reader = asyncio.create_task(read())
    try:
        while waiting or not reader.done():
            await woken.wait()
            woken.clear()
            if waiting:
                batch = list(waiting)
                waiting.clear()
                yield batch
    finally:
        reader.cancel()


def _why(socket: ClientConnection) -> str:
    if socket.close_code is None:
        return ""
    return f" ({socket.close_code}{': ' + socket.close_reason if socket.close_reason else ''})"
