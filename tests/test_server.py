"""The course server over real sockets: what it says, what it refuses, and that nobody else notices."""

import asyncio
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from blockfall.experiments.store import Store
from blockfall.server.high_scores import HighScores
from blockfall.server.messages import MOST_BYTES, MOST_NAME
from blockfall.server.serving import CourseServer, Limits
from tests.program import PROGRAM
from tests.test_course import frames_of, recorded
from tests.test_room import BAD, Scores

pytestmark = pytest.mark.alone

JOIN = json.dumps({"cmd": "join", "name": "ann"})
VIEW = json.dumps({"cmd": "join"})


def key(letter: str) -> str:
    return json.dumps({"cmd": "key", "key": letter})


async def receive(connection: ClientConnection) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(await asyncio.wait_for(connection.recv(), 5))
    return said


async def until_closed(connection: ClientConnection) -> tuple[list[dict[str, Any]], int | None]:
    """What is still said, and the close's code."""
    said = []
    try:
        while True:
            said.append(await receive(connection))
    except ConnectionClosed:
        return said, connection.close_code


def serving(work: Callable[[CourseServer, str], Awaitable[None]], **options: Any) -> None:
    async def run() -> None:
        async with CourseServer(options.pop("scores", Scores()), 7, **options) as server:
            await work(server, f"ws://127.0.0.1:{server.port}")

    asyncio.run(asyncio.wait_for(run(), 60))


def test_frames_have_the_recorded_fields() -> None:
    async def work(_server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as player:
            await player.send(JOIN)
            welcome, first, second = [await receive(player) for _ in range(3)]
            assert list(welcome) == list(recorded("idle")[0])
            assert {name: welcome[name] for name in ("dimensions", "grid")} == {
                name: recorded("idle")[0][name] for name in ("dimensions", "grid")
            }
            assert list(first) == list(frames_of("idle")[0])
            assert list(second) == list(frames_of("idle")[1])
            for _ in range(20):
                await player.send(key("s"))
                await receive(player)
            said, code = await until_closed(player)
            assert list(said[-1]) == list(recorded("drop")[-1])
            assert code == 1000

    serving(work, speed=100)


def test_frames_come_at_the_courses_pace() -> None:
    async def work(server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as player:
            started = time.monotonic()
            await player.send(JOIN)
            for _ in range(11):
                await receive(player)
            assert 0.95 < time.monotonic() - started < 1.5  # ten frames per second
            assert server.pace.frames == 10

    serving(work)


def test_viewers_watch_and_a_slow_one_slows_nobody() -> None:
    """One viewer reads all, another nothing: its socket fills up, it misses frames, and the game goes on."""

    async def work(server: CourseServer, url: str) -> None:
        stuck = socket.create_connection(("127.0.0.1", server.port))
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        await asyncio.get_running_loop().run_in_executor(None, _shake_hands, stuck, "/viewer", VIEW)
        await asyncio.sleep(0.1)
        (slow,) = (guest.socket.transport for guest in server._guests.values())
        slow.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        async with connect(url + "/viewer") as viewer, connect(url + "/player", close_timeout=1) as player:
            await viewer.send(VIEW)
            assert "dimensions" in await receive(viewer)
            await player.send(JOIN)
            async with connect(url + "/player", close_timeout=1) as another:
                await another.send(JOIN)
                said: list[dict[str, Any]] = []
                while sum("highscores" in one for one in said) < 2:
                    said.append(await receive(viewer))
            assert len(said) > 300  # every frame
            assert 64 * 1024 <= slow.get_write_buffer_size() < 70 * 1024
        stuck.close()

    serving(work, speed=50)


def _shake_hands(stuck: socket.socket, path: str, *messages: str) -> None:
    """A websocket by hand: joins, and then never reads."""
    stuck.sendall(
        f"GET {path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert b"101" in stuck.recv(4096)
    for message in messages:
        stuck.sendall(struct.pack("!BB4x", 0x81, 0x80 | len(message)) + message.encode())  # masked with zeros


def test_players_queue_and_a_vanished_one_makes_room() -> None:
    async def work(server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as waiting:
            gone = socket.create_connection(("127.0.0.1", server.port))
            await asyncio.get_running_loop().run_in_executor(None, _shake_hands, gone, "/player", JOIN)
            await asyncio.sleep(0.3)
            await waiting.send(json.dumps({"cmd": "join", "name": "next"}))
            assert "dimensions" in await receive(waiting)
            assert [table.game.player for table in server.games] == ["ann"]
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            gone.close()  # a reset, without goodbye
            assert "game" in await receive(waiting)
            assert [table.game.player for table in server.games] == ["next"]

    serving(work)


def test_a_player_whose_line_is_dead_makes_room() -> None:
    """Its socket stays open, but it answers no ping: a cable was pulled."""

    async def work(server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as waiting:
            dead = socket.create_connection(("127.0.0.1", server.port))
            await asyncio.get_running_loop().run_in_executor(None, _shake_hands, dead, "/player", JOIN)
            await asyncio.sleep(0.2)
            await waiting.send(json.dumps({"cmd": "join", "name": "next"}))
            assert "dimensions" in await receive(waiting)
            assert "game" in await receive(waiting)
            assert [table.game.player for table in server.games] == ["next"]
            dead.close()

    serving(work, limits=Limits(alive_seconds=0.5))


@pytest.mark.parametrize("bad", [data for data in BAD if len(data) < 4000], ids=lambda data: repr(data)[:30])
def test_bad_messages_get_an_error_and_1008(bad: str | bytes) -> None:
    async def work(_server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as player:
            await player.send(bad)
            said, code = await until_closed(player)
            assert [set(one) for one in said] == [{"error"}]
            assert code == 1008

    serving(work)


def test_a_huge_message_closes_with_1009() -> None:
    async def work(server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as player:
            await player.send("x" * (MOST_BYTES + 1))
            assert (await until_closed(player))[1] == 1009
        assert server.connections == 0

    serving(work)


def test_a_flood_of_keys_is_refused_but_a_key_per_frame_never() -> None:
    async def work(server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as calm, connect(url + "/player") as flood:
            await calm.send(JOIN)
            await flood.send(JOIN)
            try:
                for _ in range(100_000):
                    await flood.send(key("a"))
            except ConnectionClosed:
                pass
            said, code = await until_closed(flood)
            assert "too many messages" in said[-1]["error"]
            assert code == 1008
            assert {table.game.player for table in server.games} == {"ann"}
            assert "dimensions" in await receive(calm)
            assert "game" in await receive(calm)

    serving(work, games=2, limits=Limits(messages_per_second=50, burst=100))

    async def answer_all(_server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as player:
            await player.send(JOIN)
            await receive(player)
            for _ in range(150):  # faster than the limit, but each answers a frame
                await receive(player)
                await player.send(key(""))

    serving(answer_all, lockstep=True, limits=Limits(messages_per_second=1, burst=5))


def test_too_many_connections_and_other_paths_are_refused() -> None:
    async def work(_server: CourseServer, url: str) -> None:
        for path in ("", "/", "/chat"):
            with pytest.raises(InvalidStatus, match="404"):
                await connect(url + path)
        async with connect(url + "/viewer"), connect(url + "/viewer"):
            with pytest.raises(InvalidStatus, match="503"):
                await connect(url + "/player")
        async with connect(url + "/player") as player:  # there is room again
            await player.send(JOIN)
            assert "dimensions" in await receive(player)

    serving(work, limits=Limits(connections=2))


def test_who_does_not_join_is_closed_and_who_stays_silent_in_lockstep_does_not_block_the_queue() -> None:
    async def work(_server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as mute, connect(url + "/player") as silent:
            await silent.send(JOIN)
            assert (await until_closed(mute))[1] == 1008
            for _ in range(4):
                await receive(silent)  # frames come without an answer

    serving(work, lockstep=True, limits=Limits(join_seconds=0.3, patience_seconds=0.1))


def test_high_scores_are_kept_in_the_store(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    scores = HighScores(path)
    for number in range(130):
        scores.add(f"p{number}", number % 7)
    scores.add("first", 50)
    scores.add("second", 50)
    best = scores.best()
    assert best[:3] == [("first", 50), ("second", 50), ("p6", 6)]
    assert len(best) == 10
    scores.close()
    again = HighScores(path)
    assert again.best() == best
    again.close()
    store = Store(path)
    assert len(store.high_scores("aveiro", 1000)) == 100
    assert store.high_scores("hopeless", 10) == []
    assert store.runs() == []


def test_a_store_of_an_older_version_gets_the_table(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    old = Store(path)
    old._sql.execute("DROP TABLE high_scores")
    old.close()
    scores = HighScores(path)
    scores.add("ann", 3)
    scores.close()
    assert Store(path).high_scores("aveiro", 5) == [("ann", 3)]


@pytest.fixture
def program(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`blockfall serve` as a process of its own, and its address."""
    process = start_server(tmp_path, "--games", "50", "--connections", "60")
    yield process
    process[0].kill()
    process[0].communicate(timeout=10)


def start_server(home: Path, *options: str) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0", "--seed", "3", *options],
        env=os.environ | {"BLOCKFALL_HOME": str(home), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    line = process.stdout.readline()
    found = re.search(r"ws://[\d.]+:\d+", line)
    assert found, line
    return process, found[0]


def resident_kib(process: subprocess.Popen[str]) -> int:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
    assert found
    return int(found[1])


def bad_messages(seed: int) -> Iterator[str | bytes]:
    """Without end: broken JSON, wrong types, unknown commands, keys at the wrong time, mangled good messages."""
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
    """Sends so many, ten to a connection, and tells how the connections were closed."""
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
    """Sockets that say nothing, or stop in mid-handshake or mid-message."""
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


def test_a_server_that_is_interrupted_keeps_its_scores(tmp_path: Path) -> None:
    process, url = start_server(tmp_path, "--lockstep")

    async def work() -> None:
        async with connect(url + "/player") as player:
            await player.send(JOIN)
            try:
                while True:
                    await receive(player)
                    await player.send(key("s"))
            except ConnectionClosed:
                pass

    asyncio.run(work())
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "ann: " in out
    assert [name for name, _ in Store(tmp_path / "store.sqlite3").high_scores("aveiro", 10)] == ["ann"]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--port", "70000"], "0 to 65535"),
        (["--games", "0"], "1 to 1000"),
        (["--speed", "0"], "speed of 0"),
        (["--speed", "nan"], "speed of nan"),
        (["--seed", "-1"], "seed -1"),
        (["--connections", "0"], "0 connections"),
        (["--host", "256.1.1.1", "--port", "0"], "cannot listen"),
    ],
)
def test_bad_options(arguments: list[str], part: str, tmp_path: Path) -> None:
    environment = os.environ | {"BLOCKFALL_HOME": str(tmp_path)}
    done = subprocess.run([*PROGRAM, "serve", *arguments], capture_output=True, text=True, env=environment, timeout=60)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr
    assert part in done.stderr


def test_a_taken_port_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [*PROGRAM, "serve", "--port", port],
            capture_output=True,
            text=True,
            env=os.environ | {"BLOCKFALL_HOME": str(tmp_path)},
            timeout=60,
        )
    assert done.returncode == 2
    assert "choose another --port" in done.stderr
