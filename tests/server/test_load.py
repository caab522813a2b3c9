"""Many games at once, at the course's pace: what they cost the server, and how many frames are late.

Frames are late wherever other programs compute, so lateness is tested on an idle machine only. The time that the server
itself computes is tested everywhere: a server that needs little of a core is late only if it does not get that.
"""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from blockfall.agents import agent
from blockfall.server import client
from blockfall.server.game import SLOWEST
from blockfall.server.tournament import Tournament
from tests.program import PROGRAM, cpu_seconds, machine_is_busy
from tests.server.talking import start_server, stopped

pytestmark = pytest.mark.alone

GAMES = 200
SECONDS = 8.0
MOST_OF_A_CORE = 0.4
"""A core of 2026 needs 0.18 for 200 games, 0.05 for 30."""


async def play(url: str, number: int, gaps: list[float]) -> None:
    """Play as a client that answers every frame at once, and record the time between frames."""
    async with connect(url + "/player", compression=None) as player:
        await player.send(json.dumps({"cmd": "join", "name": f"player {number}"}))
        before = None
        key = json.dumps({"cmd": "key", "key": "wad"[number % 3]})
        try:
            async for message in player:
                if isinstance(message, str) and message.startswith('{"game"'):
                    now = time.monotonic()
                    if before is not None:
                        gaps.append(now - before)
                    before = now
                    await player.send(key)
        except ConnectionClosed:
            pass


def test_two_hundred_games_at_once(tmp_path: Path) -> None:
    busy = machine_is_busy()
    process, url = start_server(tmp_path, "--games", str(GAMES))
    gaps: list[float] = []

    async def work() -> float:
        players = [asyncio.create_task(play(url, number, gaps)) for number in range(GAMES)]
        await asyncio.sleep(1)
        before = cpu_seconds(process.pid)
        await asyncio.sleep(SECONDS)
        took = cpu_seconds(process.pid) - before
        for player in players:
            assert not player.done()  # each player has its own game
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        return took / SECONDS

    share = asyncio.run(asyncio.wait_for(work(), 60))
    frames, late = stopped(process)
    median, most = np.quantile(gaps, [0.5, 0.99])
    print(
        f"{GAMES} games: {share:.0%} of a core; between two frames {1000 * median:.1f} ms, "
        f"99 % within {1000 * most:.1f} ms",
        file=sys.stderr,
    )
    assert share < MOST_OF_A_CORE
    if not busy:
        assert frames > 0.9 * GAMES * SECONDS * SLOWEST
        assert late < 0.02 * frames
        assert abs(median - 1 / SLOWEST) < 0.01


def of_thirty_players(home: Path, seconds: float, *clients: str) -> tuple[int, int, float]:
    """Return the frames and late frames of thirty players in a tournament, and the server's share of a core.

    The players are programs if they have names, else tasks of this process.
    """
    many = ("--rounds", "1000", "--max-pieces", "100000", "--players", "30")
    process, url = start_server(home, "--tournament", "class", *many)
    player = agent("dt-20")

    async def everyone() -> None:
        games = [asyncio.create_task(client.play(url, player, f"player {n}")) for n in range(30)]
        await asyncio.sleep(seconds)
        for game in games:
            game.cancel()
        await asyncio.gather(*games, return_exceptions=True)

    before = cpu_seconds(process.pid)
    if clients:
        commands = ([*PROGRAM, "connect", url, "--name", name, "--games", "1000"] for name in clients)
        playing = [subprocess.Popen(one, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for one in commands]
        time.sleep(seconds)
        for one in playing:
            one.kill()
            one.wait(timeout=10)
    else:
        asyncio.run(everyone())
    share = (cpu_seconds(process.pid) - before) / seconds
    frames, late = stopped(process)
    print(f"thirty players: {share:.0%} of a core", file=sys.stderr)
    assert len(Tournament.read("class").standings()) == 30
    return frames, late, share


def test_thirty_players_for_a_moment(home: Path) -> None:
    busy = machine_is_busy()
    frames, late, share = of_thirty_players(home, 6.0)
    assert share < MOST_OF_A_CORE / 2
    if not busy:
        assert frames > 0.8 * 30 * 10 * 5
        assert late <= 0.02 * frames


@pytest.mark.long
def test_thirty_clients_and_no_late_frame(home: Path) -> None:
    """Thirty separate programs play for two minutes, start-up included. This needs an otherwise idle machine."""
    frames, late, _ = of_thirty_players(home, 120.0, *(f"client {n}" for n in range(30)))
    assert frames > 30 * 10 * 60
    assert late == 0
