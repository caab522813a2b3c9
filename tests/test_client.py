"""The pilot and the client: what they play, through any delay, and what they survive."""

import asyncio
import json
import os
import pty
import random
import re
import signal
import subprocess
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from blockfall import Agent, Game, agent, evaluate
from blockfall.course import RULES
from blockfall.errors import ConnectionLostError, SettingError
from blockfall.server.client import Played, address, check_name, play, spectate
from blockfall.server.game import CourseGame, dealt, info
from blockfall.server.messages import Frame, Info, MessageError, parse_said
from blockfall.server.pilot import Pilot, Tally
from blockfall.server.serving import CourseServer
from tests.program import PROGRAM
from tests.test_room import Scores
from tests.test_server import start_server

pytestmark = pytest.mark.alone


def frame_of(text: str) -> Frame:
    said = parse_said(text)
    assert isinstance(said, Frame)
    return said


class Wire:
    """Brings each key so many frames late; of several that come at once, the last wins."""

    def __init__(self, delays: Iterator[int]) -> None:
        self._delays = delays
        self._now = 0
        self._coming: list[tuple[int, str]] = []

    def send(self, key: str) -> None:
        due = max([self._now + next(self._delays), *(due for due, _ in self._coming)])  # a socket keeps the order
        self._coming.append((due, key))

    def take(self) -> str:
        come = [key for due, key in self._coming if due <= self._now]
        self._coming = [(due, key) for due, key in self._coming if due > self._now]
        self._now += 1
        return next((key for key in reversed(come) if key), "")


def pilot_game(player: Agent, delays: Iterator[int], pieces: int, seed: int = 1) -> tuple[CourseGame, Pilot]:
    game, pilot, wire = CourseGame(dealt(seed, 0)), Pilot(player), Wire(delays)
    while not game.over and game.pieces < pieces:
        pilot.see(frame_of(game.step(wire.take())))
        wire.send(pilot.key())
    return game, pilot


def always(frames: int) -> Iterator[int]:
    while True:
        yield frames


def highest(game: CourseGame) -> int:
    return max((30 - y for _, y in game.settled), default=0)


@pytest.mark.parametrize("known", [1, 2, 3])
@pytest.mark.parametrize("name", ["dt-20", "aveiro", "birken-6"])
def test_the_pilot_plays_the_cores_game(name: str, known: int) -> None:
    """Frame by frame it comes to the very game that the core plays placement by placement."""
    player = agent(name).knowing(known)
    game, pilot = pilot_game(player, always(0), 150)
    core = Game(RULES, 1, pieces_known=known)
    while core.outcome.pieces < game.pieces:
        core.play(core.choose(player))
    assert {(x - 1, 29 - y) for x, y in game.settled} == {
        (x, y) for y, row in enumerate(core.board.cells) for x, filled in enumerate(row) if filled
    }
    assert (game.score, game.lines) == (core.outcome.score, core.outcome.lines)
    assert (pilot.tally.missed, pilot.tally.surprises) == (0, 0)


def test_three_next_pieces_are_used_once_all_are_seen() -> None:
    """The fourth piece is known only with the first frame of a piece, so the choice is made again in the air."""
    game, pilot = pilot_game(agent("lee").knowing(4), always(0), 40)
    assert (pilot.tally.pieces, pilot.tally.missed) == (40, 0)
    assert highest(game) <= 6


@pytest.mark.parametrize("frames", [1, 2, 3, 6])
def test_a_server_that_is_frames_away_changes_nothing(frames: int) -> None:
    near, _ = pilot_game(agent("dt-20"), always(0), 200)
    far, pilot = pilot_game(agent("dt-20"), always(frames), 200)
    assert far.settled == near.settled
    assert (pilot.tally.missed, pilot.tally.surprises) == (0, 0)


@pytest.mark.parametrize("delays", [(0, 0, 1, 2), (0, 1), (1, 2), (0, 3)])
def test_a_delay_that_changes_costs_little(delays: tuple[int, ...]) -> None:
    """Keys catch up with one another, and the earlier are lost; the pilot plans anew and the board stays low."""
    draw = random.Random(2)
    game, pilot = pilot_game(agent("dt-20").knowing(2), iter(lambda: draw.choice(delays), -1), 300)
    assert game.pieces == 300
    assert highest(game) <= 10
    assert pilot.tally.missed < 0.05 * pilot.tally.pieces


def test_frames_that_come_at_once_are_answered_once() -> None:
    """A client that was away for a while sees all frames, and answers the newest."""
    game, pilot = CourseGame(dealt(1, 0)), Pilot(agent("dt-20"))
    draw, key = random.Random(1), ""
    while game.pieces < 200:
        for _ in range(draw.choice([1, 1, 1, 3])):
            pilot.see(frame_of(game.step(key)))
            key = ""
        key = pilot.key()
    assert (pilot.tally.missed, pilot.tally.surprises) == (0, 0)


def test_a_piece_that_is_moved_by_another_hand_is_led_back() -> None:
    game, pilot = CourseGame(dealt(5, 0)), Pilot(agent("dt-20"))
    draw, key = random.Random(3), ""
    while game.pieces < 200:
        pilot.see(frame_of(game.step(draw.choice("adw") if draw.random() < 0.1 else key)))
        key = pilot.key()
    assert pilot.tally.surprises > 20
    assert highest(game) <= 14


def strange(message: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """What other servers may send: more fields, cells twice, the walls among the settled ones."""
    message = message | {"level": 3, "colours": {"I": None}}
    if message.get("game") and draw.random() < 0.3:
        message["game"] = message["game"] + message["game"][:3] + [[0, 4], [9, 9]]
    if message.get("piece") and draw.random() < 0.3:
        message["piece"] = message["piece"] + message["piece"][:1]
    if draw.random() < 0.2:
        message["next_pieces"] = [*message["next_pieces"][:2], None]
    return message


def test_strange_frames_change_nothing() -> None:
    plain, _ = pilot_game(agent("dt-20"), always(0), 150)
    game, pilot = CourseGame(dealt(1, 0)), Pilot(agent("dt-20"))
    draw, key = random.Random(4), ""
    while game.pieces < 150:
        pilot.see(frame_of(json.dumps(strange(json.loads(game.step(key)), draw))))
        key = pilot.key()
    assert game.settled == plain.settled


@pytest.mark.parametrize(
    "frame",
    [
        {"game": [], "piece": None},
        {"game": [], "piece": [], "next_pieces": []},
        {"game": [], "piece": [[1, 1], [5, 5]], "next_pieces": [None, [], [[1, 1]]]},
        {"game": [], "piece": [[-3, -9], [-2, -9], [-3, -8], [-2, -8]], "next_pieces": []},
        {"game": [[x, y] for x in range(10) for y in range(31)], "piece": [[2, 2], [3, 2], [4, 2], [5, 2]]},
    ],
)
def test_senseless_frames_get_no_key(frame: dict[str, Any]) -> None:
    pilot = Pilot(agent("dt-20"))
    for _ in range(3):
        pilot.see(frame_of(json.dumps(frame)))
        assert pilot.key() == ""


@pytest.mark.parametrize("data", ['{"game": 3, "piece": null}', "[]", "{", '{"game": [[1]], "piece": null}', b"\xff"])
def test_what_is_no_message_is_told(data: str | bytes) -> None:
    with pytest.raises(MessageError):
        parse_said(data)


def test_two_thousand_pieces_over_a_real_socket() -> None:
    """In lockstep, with the default agent. The board stays low, and the game is the core's."""
    heights = []

    async def work() -> None:
        async with CourseServer(Scores(), 7, lockstep=True) as server:
            done = asyncio.Event()

            def watch(frame: Frame) -> None:
                heights.append(max((30 - y for _, y in frame.game), default=0))
                if server.games and server.games[0].game.pieces >= 2000:
                    done.set()

            playing = asyncio.create_task(play(f"ws://127.0.0.1:{server.port}", agent("dt-20"), "me", watch))
            await asyncio.wait([playing, asyncio.create_task(done.wait())], return_when=asyncio.FIRST_COMPLETED)
            assert not playing.done()
            (table,) = server.games
            played = evaluate(RULES, "dt-20", 1, 7, max_pieces=table.game.pieces)
            assert (table.game.score, table.game.lines) == (played.score[0], played.lines[0])
            playing.cancel()

    asyncio.run(asyncio.wait_for(work(), 100))
    assert max(heights) <= 15
    assert sorted(heights)[len(heights) // 2] <= 6


def on_server(handler: Callable[[ServerConnection], Awaitable[None]], work: Callable[[str], Awaitable[None]]) -> None:
    """Some other server, scripted."""

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
            key = ([""] + [key for key in keys if key])[-1]
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
def test_a_server_that_is_gone_is_told(handler: Callable[[ServerConnection], Awaitable[None]], part: str) -> None:
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

    async def work() -> Played:
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


def run(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"BLOCKFALL_HOME": str(home)}
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, env=environment, timeout=100)


def test_connect_and_spectate_as_commands(tmp_path: Path) -> None:
    process, url = start_server(tmp_path, "--lockstep")
    try:
        watching = subprocess.Popen([*PROGRAM, "spectate", url, "--games", "1"], stdout=subprocess.PIPE, text=True)
        done = run("connect", url, "--agent", "aveiro", "--name", "me", "--games", "2", "--json", home=tmp_path)
        assert done.returncode == 0, done.stderr
        one, two = json.loads(done.stdout)
        assert one["missed"] == two["missed"] == 0
        assert (
            sorted([["me", one["score"]], ["me", two["score"]]], reverse=True, key=lambda row: row[1])
            == (two["high_scores"])
        )
        shown = run("connect", url, "--agent", "aveiro", "--name", "[/b]", home=tmp_path)
        assert "High scores there" in shown.stdout
        assert "[/b]" in shown.stdout
        out, _ = watching.communicate(timeout=20)
        assert watching.returncode == 0
        assert "#" in out
        assert "High scores: " in out
    finally:
        process.kill()
        process.communicate(timeout=10)


def test_spectate_in_a_terminal(tmp_path: Path) -> None:
    """A real pseudo-terminal: the board, the player, the points and the next pieces are on the screen."""
    shown = bytearray()

    def read(descriptor: int) -> bytes:
        data = os.read(descriptor, 65536)
        shown.extend(data)
        return data

    process, url = start_server(tmp_path, "--speed", "3")
    playing = subprocess.Popen([*PROGRAM, "connect", url, "--agent", "lee", "--name", "ann"], stdout=subprocess.DEVNULL)
    try:
        os.environ["COLUMNS"], os.environ["LINES"] = "100", "45"
        stop = ["timeout", "--signal=INT", "5", *PROGRAM, "spectate", url]
        pty.spawn(stop, read)
    finally:
        playing.kill()
        playing.wait(timeout=10)
        process.kill()
        process.communicate(timeout=10)
    text = shown.decode(errors="replace")
    for part in ("ann", "points", "frames per second", "next", "██", " ."):
        assert part in text
    assert "Traceback" not in text


def test_a_server_that_is_not_there_is_exit_3(tmp_path: Path) -> None:
    for command in ("connect", "spectate"):
        done = run(command, "ws://127.0.0.1:9", home=tmp_path)
        assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
        assert "is the server running?" in done.stderr
        assert done.stdout == ""


def test_retry_waits_for_a_server(tmp_path: Path) -> None:
    process, url = start_server(tmp_path, "--lockstep")
    process.kill()
    process.communicate(timeout=10)
    waiting = subprocess.Popen(
        [*PROGRAM, "connect", url, "--agent", "aveiro", "--retry", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert waiting.stderr
    assert "again in 1 s" in waiting.stderr.readline()
    process, url = start_server(tmp_path, "--lockstep", "--port", url.rsplit(":", 1)[1])
    try:
        out, _ = waiting.communicate(timeout=30)
        assert waiting.returncode == 0
        assert len(json.loads(out)) == 1
    finally:
        process.kill()
        process.communicate(timeout=10)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["connect"], "URL"),
        (["connect", "ftp://x"], "ws://127.0.0.1:8000"),
        (["connect", "ws://x", "--agent", "nope"], "unknown agent"),
        (["connect", "ws://x", "--name", ""], "printable"),
        (["connect", "ws://x", "--games", "0"], "at least 1"),
        (["connect", "ws://x", "--pieces-known", "5"], "1 to 4"),
        (["spectate", "ftp://x"], "ws://127.0.0.1:8000"),
        (["spectate", "ws://x", "--games", "0"], "1 at least"),
    ],
)
def test_bad_options(arguments: list[str], part: str, tmp_path: Path) -> None:
    done = run(*arguments, home=tmp_path)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr
    assert part in done.stderr


@pytest.mark.parametrize("command", ["serve", "connect", "spectate"])
def test_help_shows_an_example(command: str, tmp_path: Path) -> None:
    assert f"Example: blockfall {command}" in " ".join(run(command, "--help", home=tmp_path).stdout.split())


@pytest.mark.long
def test_at_the_real_pace_the_default_agent_scores_above_2000(tmp_path: Path) -> None:
    """Ten frames per second and rising: 4 minutes to 2,000 points, where a frame lasts 5 ms. Wants a quiet machine."""
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
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=10)
    found = re.search(r"([\d,]+) frames, ([\d,]+) late", out)
    assert found
    frames, late = (int(found[place].replace(",", "")) for place in (1, 2))
    print(f"{seen[0].score} points, {tally}, {late} of the server's {frames} frames late")
    assert seen[0].score > 2000
    assert (tally.missed, tally.surprises) == (0, 0)
    assert late < 0.1 * frames  # a server that is late gives its player time that the game does not
