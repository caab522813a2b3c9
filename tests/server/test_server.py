"""The course server over real sockets: what it sends and what it refuses."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from blockfall.server.high_scores import CourseScores
from blockfall.server.messages import MOST_BYTES
from blockfall.server.serving import CourseServer, ServerLimits
from blockfall.store import Store
from tests.program import machine_is_busy
from tests.server.talking import BAD, HELLO, JOIN, VIEW, Scores, key, receive, until_closed
from tests.server.test_course import frames_of, recorded

pytestmark = pytest.mark.alone


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
            most = 5 if machine_is_busy() else 1.5
            assert 0.95 < time.monotonic() - started < most  # ten frames per second
            assert server.pace.frames >= 10

    serving(work)


def test_viewers_watch_and_a_slow_one_slows_nobody() -> None:
    """A viewer that never reads misses frames. The game goes on, and another viewer sees every frame."""

    async def work(server: CourseServer, url: str) -> None:
        stuck = await silent(server, "/viewer", VIEW)
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


async def silent(server: CourseServer, path: str, message: str) -> socket.socket:
    """A websocket made by hand that joins and then never reads."""
    one = socket.create_connection(("127.0.0.1", server.port))
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.sendall(HELLO.replace(b"/player", path.encode()))
    assert b"101" in await asyncio.to_thread(one.recv, 4096)
    one.sendall(struct.pack("!BB4x", 0x81, 0x80 | len(message)) + message.encode())  # masked with zeros
    return one


def test_players_queue_and_a_vanished_one_makes_room() -> None:
    async def work(server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as waiting:
            gone = await silent(server, "/player", JOIN)
            await asyncio.sleep(0.3)
            await waiting.send(json.dumps({"cmd": "join", "name": "next"}))
            assert "dimensions" in await receive(waiting)
            assert [match.game.player for match in server.matches] == ["ann"]
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            gone.close()  # a reset without a closing handshake
            assert "game" in await receive(waiting)
            assert [match.game.player for match in server.matches] == ["next"]

    serving(work)


def test_a_player_with_a_dead_connection_makes_room() -> None:
    """The socket stays open but answers no ping, as after a pulled cable."""

    async def work(server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as waiting:
            dead = await silent(server, "/player", JOIN)
            await asyncio.sleep(0.2)
            await waiting.send(json.dumps({"cmd": "join", "name": "next"}))
            assert "dimensions" in await receive(waiting)
            assert "game" in await receive(waiting)
            assert [match.game.player for match in server.matches] == ["next"]
            dead.close()

    serving(work, limits=ServerLimits(alive_seconds=1))


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
        while server.connections:  # the server may see the close after the client
            await asyncio.sleep(0.01)

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
            assert {match.game.player for match in server.matches} == {"ann"}
            assert "dimensions" in await receive(calm)
            assert "game" in await receive(calm)

    serving(work, games=2, limits=ServerLimits(messages_per_second=50, burst=100))

    async def answer_all(_server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as player:
            await player.send(JOIN)
            await receive(player)
            for _ in range(150):  # faster than the limit, but each answers a frame
                await receive(player)
                await player.send(key(""))

    serving(answer_all, lockstep=True, limits=ServerLimits(messages_per_second=1, burst=5))


def test_too_many_connections_and_other_paths_are_refused() -> None:
    async def work(_server: CourseServer, url: str) -> None:
        for path in ("", "/", "/chat"):
            with pytest.raises(InvalidStatus, match="404"):
                await connect(url + path)
        async with connect(url + "/viewer"), connect(url + "/viewer"):
            with pytest.raises(InvalidStatus, match="503"):
                await connect(url + "/player")
        async with connect(url + "/player") as player:  # a place is free again
            await player.send(JOIN)
            assert "dimensions" in await receive(player)

    serving(work, limits=ServerLimits(connections=2))


def test_silent_connections_do_not_block_the_queue() -> None:
    async def work(_server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as mute, connect(url + "/player") as silent:
            await silent.send(JOIN)
            assert (await until_closed(mute))[1] == 1008
            for _ in range(4):
                await receive(silent)  # frames come though the player is silent

    serving(work, limits=ServerLimits(join_seconds=1))


def test_a_silent_player_loses_the_seat_in_lockstep() -> None:
    async def work(server: CourseServer, url: str) -> None:
        async with connect(url + "/player") as silent, connect(url + "/player") as next_one:
            await silent.send(JOIN)
            await receive(silent)
            await next_one.send(JOIN)
            messages, code = await until_closed(silent)
            assert "no key within 1 seconds" in str(messages[-1])
            assert code == 1008
            for _ in range(5):
                await next_one.send('{"cmd": "key", "key": ""}')
                await asyncio.sleep(0.3)  # slow, but not silent
            assert len(server.matches) == 1

    serving(work, lockstep=True, limits=ServerLimits(patience_seconds=1))


def test_high_scores_are_kept_in_the_store(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    scores = CourseScores(path)
    for number in range(130):
        scores.add(f"p{number}", number % 7)
    scores.add("first", 50)
    scores.add("second", 50)
    best = scores.best()
    assert best[:3] == [("first", 50), ("second", 50), ("p6", 6)]
    assert len(best) == 10
    scores.close()
    again = CourseScores(path)
    assert again.best() == best
    again.close()
    store = Store(path)
    assert len(store.high_scores.best("aveiro", 1000)) == 100
    assert store.high_scores.best("hopeless", 10) == []
    assert store.runs.newest() == []


def test_a_store_of_an_older_version_gets_the_table(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    old = Store(path)
    old._database._sql.execute("DROP TABLE high_scores")
    old.close()
    scores = CourseScores(path)
    scores.add("ann", 3)
    scores.close()
    assert Store(path).high_scores.best("aveiro", 5) == [("ann", 3)]
