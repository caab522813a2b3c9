"""The client over real sockets: how it plays, and which broken servers it survives."""

import asyncio
import json
import random
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from blockfall import agent, evaluate
from blockfall.errors import ConnectionLostError, SettingError
from blockfall.server.client import CourseResult, address, check_name, play, spectate
from blockfall.server.course import RULES
from blockfall.server.game import CourseGame, dealt, info
from blockfall.server.messages import Frame, Info, MessageError, parse_said
from blockfall.server.pilot import Tally
from blockfall.server.serving import CourseServer
from tests.server.talking import Scores, start_server, stopped
from tests.server.test_pilot import strange

pytestmark = pytest.mark.alone


@pytest.mark.parametrize("data", ['{"game": 3, "piece": null}', "[]", "{", '{"game": [[1]], "piece": null}', b"\xff"])
def test_a_broken_message_is_an_error(data: str | bytes) -> None:
    with pytest.raises(MessageError):
        parse_said(data)


def test_two_thousand_pieces_over_a_real_socket() -> None:
    """The default agent keeps the board low in lockstep, and its game equals the core's."""
    heights = []

    async def work() -> None:
        async with CourseServer(Scores(), 7, lockstep=True) as server:
            done = asyncio.Event()

            def watch(frame: Frame) -> None:
                heights.append(max((30 - y for _, y in frame.game), default=0))
                if server.matches and server.matches[0].game.pieces >= 2000:
                    done.set()

            playing = asyncio.create_task(play(f"ws://127.0.0.1:{server.port}", agent("dt-20"), "me", watch))
            await asyncio.wait([playing, asyncio.create_task(done.wait())], return_when=asyncio.FIRST_COMPLETED)
            assert not playing.done()
            (match,) = server.matches
            played = evaluate(RULES, "dt-20", 1, 7, max_pieces=match.game.pieces)
            assert (match.game.score, match.game.lines) == (played.score[0], played.lines[0])
            playing.cancel()

    asyncio.run(asyncio.wait_for(work(), 100))
    assert max(heights) <= 15
    assert sorted(heights)[len(heights) // 2] <= 6


def on_server(handler: Callable[[ServerConnection], Awaitable[None]], work: Callable[[str], Awaitable[None]]) -> None:
    """Talk to a scripted server instead of ours."""

    async def run() -> None:
        async with serve(handler, "127.0.0.1", 0) as server:
            await work(f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}")

    asyncio.run(asyncio.wait_for(run(), 30))


def test_a_whole_game_on_a_strange_and_slow_server() -> None:
    draw = random.Random(1)

    async def handler(connection: ServerConnection) -> None:
        keys: deque[str] = deque()

        async def listen() -> None:
            with suppress(ConnectionClosed):
                async for message in connection:
                    keys.append(json.loads(message).get("key", ""))

        listening = asyncio.create_task(listen())
        game = CourseGame(dealt(2, 0), "me")
        await connection.send('{"news": "soon"}')
        await connection.send(info(10, 0))
        while game.pieces < 30:
            await asyncio.sleep(draw.choice([0.002, 0.002, 0.03]))
            key = keys[-1] if keys else ""
            keys.clear()
            await connection.send(json.dumps(strange(json.loads(game.step(key)), draw)))
        await connection.send(info(10, game.score, "me", [("me", game.score)]))
        listening.cancel()

    async def work(url: str) -> None:
        played = await play(url, agent("dt-20"), "me")
        assert played.tally.pieces >= 29
        assert played.high_scores == (("me", played.score),)

    on_server(handler, work)


async def _drops(connection: ServerConnection) -> None:
    await connection.recv()
    await connection.send(info(10, 0))
    await connection.send(CourseGame(dealt(1, 0)).step())
    connection.transport.abort()


async def _refuses(connection: ServerConnection) -> None:
    await connection.send(json.dumps({"error": "no more players today\x1b[2J" + "!" * 5000}))
    await connection.close(1008, "no")


async def _closes(connection: ServerConnection) -> None:
    await connection.close(1001, "going home")


async def _babbles(connection: ServerConnection) -> None:
    await connection.send("what?")
    await connection.wait_closed()


@pytest.mark.parametrize(
    ("handler", "part"),
    [
        (_drops, "closed the connection"),
        (_refuses, "no more players today"),
        (_closes, "1001: going home"),
        (_babbles, "does not speak the course's protocol"),
    ],
)
def test_a_lost_server_gives_a_clear_error(handler: Callable[[ServerConnection], Awaitable[None]], part: str) -> None:
    async def work(url: str) -> None:
        with pytest.raises(ConnectionLostError, match=part):
            await play(url, agent("dt-20"), "me")
        with pytest.raises(ConnectionLostError, match=part) as raised:
            await spectate(url, lambda _: True)
        assert str(raised.value).isprintable()
        assert len(str(raised.value)) < 400

    on_server(handler, work)


def test_spectators_see_frames_and_ends() -> None:
    seen: list[Frame | Info] = []

    async def work() -> CourseResult:
        async with CourseServer(Scores(), 7, lockstep=True) as server:
            url = f"ws://127.0.0.1:{server.port}"

            def take(said: Frame | Info) -> bool:
                seen.append(said)
                return not (isinstance(said, Info) and said.highscores)

            watching = asyncio.create_task(spectate(url, take))
            while not seen:
                await asyncio.sleep(0.01)
            played = await play(url, agent("aveiro"), "me")
            await watching
            return played

    played = asyncio.run(asyncio.wait_for(work(), 30))
    assert isinstance(seen[-1], Info)
    assert seen[-1].score == played.score
    assert len([said for said in seen if isinstance(said, Frame)]) > 20


@pytest.mark.parametrize(
    ("url", "full"),
    [
        ("ws://h:1", "ws://h:1/player"),
        ("ws://h:1/", "ws://h:1/player"),
        ("h:8000", "ws://h:8000/player"),
        ("wss://h/player", "wss://h/player"),
        ("ws://h:1/course/player", "ws://h:1/course/player"),
    ],
)
def test_addresses(url: str, full: str) -> None:
    assert address(url, "/player") == full


@pytest.mark.parametrize("url", ["", "http://h", "ws://", "ws://h:port", "ws://h:99999"])
def test_bad_addresses(url: str) -> None:
    with pytest.raises(SettingError):
        address(url, "/player")


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "a\nb"])
def test_bad_names(name: str) -> None:
    with pytest.raises(SettingError):
        check_name(name)


@pytest.mark.long
def test_at_the_real_pace_the_default_agent_scores_above_2000(tmp_path: Path) -> None:
    """2,000 points take 4 minutes; a frame then lasts 5 ms. The test needs a quiet machine."""
    process, url = start_server(tmp_path)
    seen: list[Frame] = []

    async def work() -> None:
        def watch(frame: Frame) -> None:
            seen[:] = [frame]
            if frame.score > 2000:
                playing.cancel()

        playing = asyncio.create_task(play(url, agent("dt-20"), "me", watch, tally=tally))
        with suppress(asyncio.CancelledError):
            await playing

    tally = Tally()
    asyncio.run(asyncio.wait_for(work(), 900))
    frames, late = stopped(process)
    print(f"{seen[0].score} points, {tally}, {late} of the server's {frames} frames late")
    assert seen[0].score > 2000
    assert (tally.missed, tally.surprises) == (0, 0)
    assert late < 0.1 * frames  # a late server would give its player extra time
