"""Attacks on a server over real sockets: the other players must notice nothing."""

import asyncio
import fcntl
import json
import os
import random
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from blockfall.server.messages import MOST_NAME
from tests.server.talking import BAD, HELLO, JOIN, VIEW, receive, running_server, until_closed

pytestmark = pytest.mark.alone


@pytest.fixture
def program(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with running_server(tmp_path, "--games", "50", "--connections", "60") as started:
        yield started


def resident_kib(process: subprocess.Popen[str]) -> int:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
    assert found
    return int(found[1])


def bad_messages(seed: int) -> Iterator[str | bytes]:
    """Yield endless bad messages: broken JSON, wrong types, unknown commands, early keys, damaged good messages."""
    draw = random.Random(seed)
    values: list[object] = [None, True, 0, -1, 1e300, [], {}, [[]], "", "join", "key", "a" * 200, "\u0000", "é" * 50]
    while True:
        kind = draw.randrange(6)
        if kind == 0:
            yield draw.choice(BAD)
        elif kind == 1:
            yield draw.randbytes(draw.randrange(1, 300))
        elif kind == 2:
            text = json.dumps({"cmd": draw.choice(["join", "key"]), "name": "x", "key": "w"})
            place = draw.randrange(len(text))
            yield text[:place] + draw.choice(["", "{", '"', "\x00", ","]) + text[place + 1 :]
        elif kind == 3:
            yield json.dumps({"cmd": draw.choice(values), "name": draw.choice(values), "key": draw.choice(values)})
        elif kind == 4:
            yield json.dumps({"cmd": "join", "name": "x" * draw.randrange(MOST_NAME + 1, 3000)})
        else:
            yield json.dumps([draw.choice(values) for _ in range(draw.randrange(20))])


async def babble(url: str, messages: Iterator[str | bytes], count: int) -> list[int | None]:
    """Send this number of messages, ten per connection, and count the codes of the closes."""
    codes = []
    for _ in range(count // 10):
        async with connect(url + random.choice(["/player", "/viewer"]), close_timeout=1) as one:
            try:
                for _ in range(10):
                    await one.send(next(messages))
                await one.send("not JSON")
            except ConnectionClosed:
                pass
            codes.append((await until_closed(one))[1])
    return codes


def test_ten_thousand_bad_messages_disturb_nobody(program: tuple[subprocess.Popen[str], str]) -> None:
    process, url = program

    async def work() -> tuple[list[float], int]:
        gaps = []
        async with connect(url + "/player") as player:
            await player.send(JOIN)
            await receive(player)

            async def follow() -> None:
                before = None
                async for message in player:
                    now = time.monotonic()
                    if before:
                        gaps.append(now - before)
                    before = now
                    assert "error" not in json.loads(message)

            following = asyncio.create_task(follow())
            messages = bad_messages(1)
            assert set(await babble(url, messages, 3000)) == {1008}
            settled = resident_kib(process)
            codes = await babble(url, messages, 7000)
            assert set(codes) == {1008}
            grown = resident_kib(process) - settled
            assert not following.done()
            following.cancel()
        return gaps, grown

    gaps, grown = asyncio.run(asyncio.wait_for(work(), 120))
    assert grown < 4 * 1024
    late = sum(gap > 0.2 for gap in gaps) / len(gaps)  # a frame is due every 0.1 s
    print(f"{len(gaps)} frames, {late:.1%} late, memory grew by {grown} KiB")
    assert late < 0.1
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    out, errors = process.communicate(timeout=10)
    assert process.returncode == 0
    assert "Traceback" not in errors
    assert errors == ""
    assert "frames" in out


def test_half_open_connections_cost_little(program: tuple[subprocess.Popen[str], str]) -> None:
    """The sockets stay silent, or stop in the middle of a handshake or a message."""
    process, url = program
    port = int(url.rsplit(":", 1)[1])
    before = resident_kib(process)
    held = []
    for number in range(150):
        one = socket.create_connection(("127.0.0.1", port))
        if number % 3 == 1:
            one.sendall(b"GET /player HTTP/1.1\r\nHost: x\r\n")
        held.append(one)
    for one in held[:20]:
        one.sendall(b"\x00" * 100)

    async def work() -> None:
        async with connect(url + "/player") as player:
            await player.send(JOIN)
            assert "dimensions" in await receive(player)
            assert "game" in await receive(player)

    asyncio.run(work())
    assert resident_kib(process) - before < 30 * 1024
    for one in held:
        one.close()


def test_a_flood_of_pings_is_cut_off(program: tuple[subprocess.Popen[str], str]) -> None:
    """The library answers pings by itself, so a visitor could fill the memory and stop the others' games."""
    process, url = program
    before = resident_kib(process)
    ping = b"\x89\xfd\0\0\0\0" + bytes(125)
    with socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), timeout=10) as one:
        one.sendall(HELLO)
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            one.sendall(ping * 400_000)  # about 50 MB, and never reads an answer
    assert resident_kib(process) - before < 4 * 1024


def test_occasional_pings_are_answered(program: tuple[subprocess.Popen[str], str]) -> None:
    async def work() -> None:
        async with connect(program[1] + "/viewer") as one:
            for _ in range(40):
                await asyncio.wait_for(await one.ping(), 5)
            await one.send(VIEW)
            assert "dimensions" in await receive(one)

    asyncio.run(work())


def test_a_terminal_that_was_stopped_stops_no_game(tmp_path: Path) -> None:
    """Each end of a game is announced. Nobody reads it here, and a pipe of 4 KiB is soon full."""

    async def play(url: str) -> None:
        for _ in range(6):
            async with connect(f"{url}/player", compression=None) as player:
                await player.send(json.dumps({"cmd": "join", "name": "x" * MOST_NAME}))
                await until_closed(player)

    async def play_at_once(url: str, players: int) -> None:
        await asyncio.wait_for(asyncio.gather(*(play(url) for _ in range(players))), 60)

    with running_server(tmp_path, "--speed", "1000", "--games", "20") as (process, url):
        assert process.stdout
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        asyncio.run(play_at_once(url, 20))
        assert len(os.read(process.stdout.fileno(), 4096)) > 4096 - 2 * MOST_NAME, "the pipe must be full"
