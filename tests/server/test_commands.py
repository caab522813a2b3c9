"""`blockfall serve`, `connect` and `spectate` as processes of their own."""

import asyncio
import json
import os
import pty
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from blockfall.store import Store
from tests.program import PROGRAM, next_line, output_of, refusal, run_program, start_program
from tests.server.talking import JOIN, key, receive, running_server, start_server

pytestmark = pytest.mark.alone


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
    assert [name for name, _ in Store(tmp_path / "store.sqlite3").high_scores.best("aveiro", 10)] == ["ann"]


def test_a_taken_port_gives_a_clear_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "choose another --port" in refusal("serve", "--port", port, home=tmp_path)


def test_connect_and_spectate_as_commands(tmp_path: Path) -> None:
    with running_server(tmp_path, "--lockstep") as (_, url):
        watching = subprocess.Popen([*PROGRAM, "spectate", url, "--games", "1"], stdout=subprocess.PIPE, text=True)
        done = output_of("connect", url, "--agent", "aveiro", "--name", "me", "--games", "2", "--json", home=tmp_path)
        one, two = json.loads(done)
        assert one["missed"] == two["missed"] == 0
        assert one["finished"]
        assert two["finished"]
        assert [["me", score] for score in sorted((one["score"], two["score"]), reverse=True)] == two["high_scores"]
        shown = output_of("connect", url, "--agent", "aveiro", "--name", "[/b]", home=tmp_path)
        assert "High scores there" in shown
        assert "[/b]" in shown
        out, _ = watching.communicate(timeout=20)
        assert watching.returncode == 0
        assert "#" in out
        assert "High scores: " in out


def test_spectate_in_a_terminal(tmp_path: Path) -> None:
    """A real pseudo-terminal: the board, the player, the points and the next pieces are on the screen."""
    shown, parts = bytearray(), ("ann", "points", "frames per second", "next", "██", " .")
    end, stopped = time.monotonic() + 60, list[int]()

    def read(descriptor: int) -> bytes:
        data = os.read(descriptor, 65536)
        shown.extend(data)
        if not stopped and (all(part.encode() in shown for part in parts) or time.monotonic() > end):
            stopped.append(os.write(descriptor, b"\x03"))  # Ctrl-C
        return data

    with running_server(tmp_path, "--speed", "3") as (_, url):
        player = [*PROGRAM, "connect", url, "--agent", "lee", "--name", "ann"]
        playing = subprocess.Popen(player, stdout=subprocess.DEVNULL)
        try:
            os.environ["COLUMNS"], os.environ["LINES"] = "100", "45"
            pty.spawn([*PROGRAM, "spectate", url], read)
        finally:
            playing.kill()
            playing.wait(timeout=10)
    text = shown.decode(errors="replace")
    for part in parts:
        assert part in text
    assert "Traceback" not in text


def test_a_missing_server_is_exit_3(tmp_path: Path) -> None:
    for command in ("connect", "spectate"):
        done = run_program(command, "ws://127.0.0.1:9", home=tmp_path)
        assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
        assert "is the server running?" in done.stderr
        assert done.stdout == ""


def test_an_interrupted_connect_prints_what_it_played(tmp_path: Path) -> None:
    """The first game has ended, or the only one has begun: both are in the JSON."""
    with running_server(tmp_path, "--speed", "5") as (_, url):
        playing = start_program("connect", url, "--agent", "dt-20", "--games", "3", "--json")
        assert playing.stderr
        assert "points" in next_line(playing.stderr)  # after ten seconds of a game that does not end soon
        playing.send_signal(signal.SIGINT)
        out, errors = playing.communicate(timeout=20)
        assert playing.returncode == 130
        (only,) = json.loads(out)
        assert only["finished"] is False
        assert only["pieces"] > 20
        assert only["score"] > 0
        assert "Traceback" not in errors


def test_retry_waits_for_a_server(tmp_path: Path) -> None:
    with running_server(tmp_path, "--lockstep") as (_, url):
        pass
    waiting = start_program("connect", url, "--agent", "aveiro", "--retry", "--json")
    assert waiting.stderr
    assert "again in 1 s" in next_line(waiting.stderr)
    with running_server(tmp_path, "--lockstep", "--port", url.rsplit(":", 1)[1]):
        out, _ = waiting.communicate(timeout=30)
        assert waiting.returncode == 0
        assert len(json.loads(out)) == 1


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["serve", "--port", "70000"], "0 to 65535"),
        (["serve", "--games", "0"], "1 to 1000"),
        (["serve", "--speed", "0"], "speed of 0"),
        (["serve", "--speed", "nan"], "speed of nan"),
        (["serve", "--seed", "-1"], "seed -1"),
        (["serve", "--connections", "0"], "0 connections"),
        (["serve", "--host", "256.1.1.1", "--port", "0"], "cannot listen"),
        (["connect"], "URL"),
        (["connect", "ftp://x"], "ws://127.0.0.1:8000"),
        (["connect", "ws://x", "--agent", "nope"], "unknown agent"),
        (["connect", "ws://x", "--name", ""], "printable"),
        (["connect", "ws://x", "--games", "0"], "at least 1"),
        (["connect", "ws://x", "--pieces-known", "5"], "1 to 4"),
        (["spectate", "ftp://x"], "ws://127.0.0.1:8000"),
        (["spectate", "ws://x", "--games", "0"], "at least 1"),
    ],
)
def test_bad_options(arguments: list[str], part: str, tmp_path: Path) -> None:
    assert part in refusal(*arguments, home=tmp_path)


@pytest.mark.parametrize("command", ["serve", "connect", "spectate"])
def test_help_shows_an_example(command: str, tmp_path: Path) -> None:
    assert f"Example: blockfall {command}" in " ".join(output_of(command, "--help", home=tmp_path).split())
