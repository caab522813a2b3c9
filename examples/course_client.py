"""A complete client for the course server on one page. It keeps the columns low.

    python examples/course_client.py ws://127.0.0.1:8000

Without an address it starts its own server and plays 100 pieces there.
"""

import asyncio
import json
import sys
from pathlib import Path

from websockets.asyncio.client import connect

from blockfall.server.course import Grid, game_at, path, pose_of, recognise, spawned
from blockfall.server.high_scores import CourseScores
from blockfall.server.serving import CourseServer


def keys_for(settled: list, letter: str) -> list[str]:
    """Return the keys, one per frame, to the placement with the lowest columns. Put your heuristic here."""
    game = game_at(settled, letter)

    def badness(placement) -> int:
        after = game_at(settled, letter)
        after.play(placement)
        return sum(height * height for height in after.board.heights)

    best = min(game.placements(), key=badness, default=None)
    return [] if best is None else path(Grid(settled), spawned(letter), pose_of(best)) or []


async def play(url: str, most_pieces: float = float("inf")) -> None:
    """Play one game, or the first pieces of it, and print the points."""
    keys, pieces, score = [], 0, 0
    async with connect(f"{url}/player") as socket:
        await socket.send(json.dumps({"cmd": "join", "name": "my client"}))
        async for message in socket:
            frame = json.loads(message)
            if "highscores" in frame or pieces >= most_pieces:
                break
            if "game" not in frame:
                continue
            score = frame["score"]
            if frame["piece"] is None:  # a piece has locked; the next one appears in the next frame
                pieces += 1
                settled = [tuple(cell) for cell in frame["game"]]
                keys = keys_for(settled, recognise(map(tuple, frame["next_pieces"][0])).piece)
            await socket.send(json.dumps({"cmd": "key", "key": keys.pop(0) if keys else ""}))
    print(f"{score} points, {pieces} pieces")


async def on_a_server_of_its_own() -> None:
    """Start a server in this process and play on it."""
    async with CourseServer(CourseScores(Path(":memory:")), seed=1, lockstep=True) as server:
        await play(f"ws://127.0.0.1:{server.port}", most_pieces=100)


asyncio.run(play(sys.argv[1]) if sys.argv[1:] else on_a_server_of_its_own())
