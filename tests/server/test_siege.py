"""A course server under siege: a minute in `make check-long`, and a soak of half an hour.

While hundreds of connections idle, stall, flood, babble and churn, an honest player must miss no frame, and memory must
not grow.
"""

import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from blockfall.server.game import SLOWEST
from tests.program import machine_is_busy
from tests.server.talking import HELLO, JOIN, VIEW, key, start_server
from tests.server.test_harm import bad_messages, resident_kib

CONNECTIONS = 500
Attack = Callable[[str, float], Coroutine[None, None, int]]
QUIET_S = 5.0
REFUSED = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, EOFError)


def place(url: str) -> tuple[str, int]:
    host, port = url.removeprefix("ws://").split(":")
    return host, int(port)


async def idle(url: str, until: float) -> int:
    """Connect as a viewer who only watches, or never joins."""
    done = 0
    while time.monotonic() < until:
        with contextlib.suppress(*REFUSED):
            async with connect(f"{url}/viewer", close_timeout=1, open_timeout=5) as one:
                done += 1
                if random.random() < 0.8:
                    await one.send(VIEW)
                while time.monotonic() < until:
                    await asyncio.wait_for(one.recv(), max(0.1, until - time.monotonic()))
        await asyncio.sleep(0.2)
    return done


async def stall(url: str, until: float) -> int:
    """Leave sockets half-open, and handshakes unfinished."""
    done = 0
    while time.monotonic() < until:
        with contextlib.suppress(*REFUSED):
            _, writer = await asyncio.open_connection(*place(url))
            writer.write(random.choice([b"", b"GET /player HTTP/1.1\r\n", b"GET / HT", b"\x16\x03\x01\x02\x00" * 50]))
            await asyncio.sleep(min(5.0, max(0.0, until - time.monotonic())))
            writer.transport.abort()
            done += 1
    return done


async def read_slowly(url: str, until: float) -> int:
    """Connect as a player whose small socket is never read."""
    done = 0
    while time.monotonic() < until:
        with contextlib.suppress(*REFUSED):
            plain = socket.socket()
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            plain.setblocking(False)
            await asyncio.get_running_loop().sock_connect(plain, place(url))
            async with connect(f"{url}/player", sock=plain, max_queue=1, close_timeout=1, open_timeout=5) as one:
                done += 1
                await one.send(JOIN)
                await asyncio.sleep(min(10.0, max(0.0, until - time.monotonic())))
        await asyncio.sleep(0.2)
    return done


async def flood(url: str, until: float) -> int:
    """Send more messages than are allowed, and wrong ones."""
    done, messages = 0, bad_messages(os.getpid())
    while time.monotonic() < until:
        with contextlib.suppress(*REFUSED):
            async with connect(f"{url}/player", close_timeout=1, open_timeout=5) as one:
                for _ in range(400):
                    await one.send(next(messages))
                    done += 1
        await asyncio.sleep(0.1)
    return done


async def break_frames(url: str, until: float) -> int:
    """Send huge, endless, unmasked and impossible frames after a good handshake."""
    done = 0
    while time.monotonic() < until:
        with contextlib.suppress(*REFUSED):
            reader, writer = await asyncio.open_connection(*place(url))
            writer.write(HELLO)
            await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
            broken = [
                b"\x82\xff" + (2**62).to_bytes(8, "big") + b"\0" * 100,  # a length without end
                b"\x82\xff" + (10**7).to_bytes(8, "big") + b"\0" * 200_000,
                b"\x01\x05hello",  # not masked
                b"\xf3\x80\0\0\0\0",  # reserved bits and an unknown opcode
                b"\x88\xff" + bytes(200),  # a close that is too long
                b"\x89\x80\0\0\0\0" * 5000,  # pings
                random.randbytes(5000),
            ]
            writer.write(random.choice(broken))
            await asyncio.wait_for(writer.drain(), 5)
            await asyncio.wait_for(reader.read(10_000), 2)
            writer.transport.abort()
            done += 1
        await asyncio.sleep(0.05)
    return done


async def churn(url: str, until: float) -> int:
    """Join games, play a few frames and leave; count the games."""
    done = 0
    while time.monotonic() < until:
        with contextlib.suppress(*REFUSED):
            async with connect(f"{url}/player", close_timeout=1, open_timeout=5) as one:
                await one.send(json.dumps({"cmd": "join", "name": f"p{random.randrange(1000)}"}))
                for _ in range(3):
                    await asyncio.wait_for(one.recv(), 5)
                    await one.send(key(random.choice("wasd")))
                done += 1
    return done


ATTACKS: dict[str, tuple[Attack, int]] = {
    "idle": (idle, 420),
    "stall": (stall, 30),
    "read slowly": (read_slowly, 20),
    "flood": (flood, 5),
    "break frames": (break_frames, 5),
    "churn": (churn, 20),
}


def honest(url: str, until: float) -> list[float]:
    """Play game after game and return the times between frames, in a process apart from the attackers' late one."""
    gaps: list[float] = []
    try:
        asyncio.run(play(url, until, gaps))
    except TimeoutError as error:
        raise AssertionError(f"{error}, {until - time.monotonic():.0f} s before the end") from None
    return gaps


async def play(url: str, until: float, gaps: list[float]) -> None:
    while time.monotonic() < until:
        async with connect(f"{url}/player", compression=None) as player:
            await player.send(json.dumps({"cmd": "join", "name": "honest"}))
            before = None
            with contextlib.suppress(ConnectionClosed):
                async for message in player:
                    if time.monotonic() >= until:
                        return
                    if isinstance(message, str) and message.startswith('{"game"'):
                        now = time.monotonic()
                        if before is not None:
                            gaps.append(now - before)
                        before = now
                        await player.send(key("s"))


@dataclass
class Seen:
    """The observations of a siege."""

    quiet: list[float] = field(default_factory=list)
    """The honest player's gaps between frames before the siege."""
    gaps: list[float] = field(default_factory=list)
    """The gaps during the siege."""
    done: Counter[str] = field(default_factory=Counter)
    """The number of actions of each attack."""
    grown: float = 0.0
    """The memory at the end, relative to that after the first third."""


async def besiege(process: "subprocess.Popen[str]", url: str, seconds: float, player: ProcessPoolExecutor) -> Seen:
    seen = Seen()
    run = asyncio.get_running_loop().run_in_executor
    seen.quiet = await run(player, honest, url, time.monotonic() + QUIET_S)
    until = time.monotonic() + seconds
    gaps = run(player, honest, url, until)
    await asyncio.sleep(0.5)  # the honest player has a seat before the crowd comes
    tasks: list[tuple[str, asyncio.Task[int]]] = []
    for name, (attack, many) in ATTACKS.items():
        tasks += [(name, asyncio.create_task(attack(url, until))) for _ in range(many)]
    await asyncio.sleep(seconds / 3)
    settled = resident_kib(process)
    for name, task in tasks:
        seen.done[name] += await task
    seen.grown = resident_kib(process) / settled
    seen.gaps = await gaps
    return seen


def siege(home: Path, seconds: float) -> None:
    assert sum(many for _, many in ATTACKS.values()) >= CONNECTIONS
    busy = machine_is_busy()
    process, url = start_server(home, "--games", "60", "--connections", "600")
    try:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as player:
            seen = asyncio.run(asyncio.wait_for(besiege(process, url, seconds, player), seconds + 120))
        assert process.poll() is None
    finally:
        process.terminate()
        said, errors = process.communicate(timeout=30)
    frame_s = 1 / SLOWEST
    print(
        f"{len(seen.gaps)} frames, the longest gap {max(seen.gaps):.3f} s ({max(seen.quiet):.3f} s alone); "
        f"{dict(seen.done)}; memory times {seen.grown:.3f}; the server: {said.splitlines()[-1]}"
    )
    assert "Traceback" not in errors
    assert len(errors) < 200_000
    assert all(seen.done[name] for name in ATTACKS)
    assert seen.grown < 1.05
    if busy or max(seen.quiet) > 1.5 * frame_s:
        pytest.skip("the machine is too busy to tell whether frames are late")
    assert max(seen.gaps) < 2 * frame_s + 0.1  # a missing frame doubles the gap
    assert seen.done["churn"] > 2000 * seconds / 60


@pytest.mark.long
def test_a_minute_of_siege(tmp_path: Path) -> None:
    siege(tmp_path, 60.0)


@pytest.mark.long
def test_half_an_hour_of_siege(tmp_path: Path) -> None:
    siege(tmp_path, 1800.0)
