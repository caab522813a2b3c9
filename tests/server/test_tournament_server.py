"""A server of a tournament as a separate process: killed, interrupted, shown in a terminal, and waiting for players."""

import asyncio
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from blockfall.games.replay import Replay
from blockfall.server.messages import MessageError
from blockfall.server.tournament import Tournament
from tests.program import PROGRAM, output_of
from tests.server.talking import key, start_server

pytestmark = pytest.mark.usefixtures("home")


async def drops(url: str, name: str, frames: int = 10**9) -> bool:
    """Play a game by drops, or this number of its frames. Return whether it ended."""
    async with connect(url + "/player", compression=None) as player:
        await player.send(json.dumps({"cmd": "join", "name": name}))
        try:
            async for message in player:
                said = json.loads(message)
                if "error" in said:
                    raise MessageError(said["error"])
                if "highscores" in said:
                    return True
                frames -= "game" in said
                if frames >= 0:
                    with suppress(ConnectionClosed):  # its last messages are still to be read
                        await player.send(key("s"))
        except ConnectionClosed:
            pass
    return False


@pytest.mark.alone
def test_a_server_that_is_killed_has_kept_every_finished_game(home: Path) -> None:
    options = ("--tournament", "spring", "--rounds", "2", "--lockstep")
    process, url = start_server(home, *options)

    async def first() -> None:
        assert await drops(url, "ann")
        assert await drops(url, "bob")
        going = asyncio.create_task(drops(url, "bob", 20))
        await asyncio.sleep(1.5)
        process.kill()  # killed when only the second game of bob is open
        await going

    asyncio.run(first())
    process.communicate(timeout=10)
    done = json.loads(output_of("tournament", "spring", "--json"))
    assert [row["now"] for row in done["table"]] == [None, None]
    assert [(game["player"], game["round"]) for game in done["games"]] == [("ann", 1), ("bob", 1)]
    process, url = start_server(home, *options)

    async def second() -> None:
        assert await drops(url, "bob")
        with pytest.raises(MessageError, match="bob has played all 2 games"):
            await drops(url, "bob")
        going = asyncio.create_task(drops(url, "ann", 20))
        await asyncio.sleep(1.5)
        process.send_signal(signal.SIGINT)
        await going

    asyncio.run(second())
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "")
    assert "results.xlsx" in out
    table = output_of("tournament", "spring", "--out", home / "out.xlsx")
    assert "2 of 2" in table
    assert "1 of 2" in table
    games = openpyxl.load_workbook(home / "out.xlsx")["Games"]
    assert [row[:2] for row in games.iter_rows(min_row=5, values_only=True)] == [("ann", 1), ("bob", 1), ("bob", 2)]
    for game in Tournament.read("spring").games:
        assert Replay.read(Tournament.read("spring").replay(game)).agent == game.player


@pytest.mark.alone
def test_a_table_in_the_terminal_follows_the_games(home: Path) -> None:
    """In a pseudo-terminal, the players and their points appear as they play."""
    process, url = start_server(home, "--tournament", "spring", "--speed", "5", "--max-pieces", "1000")
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": "100", "LINES": "40"}
    table = [*PROGRAM, "tournament", "spring", "--live"]
    started: list[subprocess.Popen[Any]] = [
        process,
        subprocess.Popen([*PROGRAM, "connect", url, "--agent", "lee", "--name", "ann"], stdout=subprocess.DEVNULL),
        subprocess.Popen(table, stdout=theirs, stderr=theirs, env=environment),
    ]
    shown, until = b"", time.monotonic() + 60
    try:
        while len(set(re.findall(rb"game 1: (\d+) points", shown))) < 2 and time.monotonic() < until:
            shown += os.read(ours, 65536)
        started[2].send_signal(signal.SIGINT)
        assert started[2].wait(timeout=20) == 130
    finally:
        for one in started:
            one.kill()
            one.communicate(timeout=10)
        os.close(ours)
        os.close(theirs)
    assert time.monotonic() < until
    assert b"Traceback" not in shown


def test_the_server_waits_for_its_players(home: Path) -> None:
    process, url = start_server(home, "--tournament", "class", "--rounds", "1", "--max-pieces", "5", "--players", "2")
    assert process.stdout

    async def together() -> tuple[bool, bool]:
        early = asyncio.create_task(drops(url, "ann"))
        await asyncio.sleep(1)
        assert not Tournament.read("class").playing, "the first one waits"
        later = await drops(url, "bob")
        return await early, later

    try:
        assert asyncio.run(together()) == (True, True)
    finally:
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=30)
    assert "The games begin once 2 players have joined." in said
    assert {game.player for game in Tournament.read("class").games} == {"ann", "bob"}


LOADED = """
import asyncio, gc, sys, time
from blockfall.server.serving import CourseServer
entered = CourseServer.__aenter__

def collection():
    began = time.thread_time()
    gc.collect()
    return time.thread_time() - began

def look():
    frozen, times = gc.get_freeze_count(), [collection() for _ in range(3)]
    gc.unfreeze()
    print(frozen, min(times), min(collection() for _ in range(3)), flush=True)

async def measured(self):
    await entered(self)
    asyncio.get_running_loop().call_later(0.2, look)
    return self

CourseServer.__aenter__ = measured
sys.argv = ["blockfall", "serve", "--port", "0"]
from blockfall.cli import main
main()
"""


def test_loaded_modules_do_not_make_a_server_pause() -> None:
    """A garbage collection over all loaded objects took 25 ms; now they are excluded."""
    with subprocess.Popen([sys.executable, "-c", LOADED], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        frozen, seconds, of_all = next(line for line in process.stdout if re.match(r"\d+ \d", line)).split()
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
    assert int(frozen) > 50_000
    assert float(seconds) < float(of_all) / 3
