"""Many workers of a Dask cluster in one process, which sleep for the length of a game instead of computing.

python -m tests.simulated_workers ADDRESS WORKERS SECONDS_PER_GAME
"""

import asyncio
import sys
import time
from dataclasses import replace

import distributed
import numpy as np

from blockfall.compute import Evaluation, LocalBackend, PlayProgress, Request, dask_worker


class Sleeper:
    """A backend that plays the games, if a piece limit keeps them short, or makes up their counts; then it sleeps."""

    def __init__(self, game_s: float) -> None:
        self.game_s = game_s

    def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
        played = LocalBackend(threads=1).play(request) if request.max_pieces else made_up(request)
        seconds = left = self.game_s * int(np.prod(request.shape))
        while left > 0:
            time.sleep(min(left, LOOK_S))
            left -= LOOK_S
            if progress:
                progress(0, 0)
        return replace(played, seconds=seconds)


LOOK_S = 0.5


def made_up(request: Request) -> Evaluation:
    """Return counts that depend only on the number of each game."""
    numbers = np.arange(request.first_game, request.first_game + request.games, dtype=np.int64)
    clears = np.stack([numbers % 7, numbers % 5, numbers % 3, numbers % 2], axis=1)
    ends = np.full(len(numbers), 1, dtype=np.uint8)
    return Evaluation(numbers % 1000, numbers % 5000, numbers % 99991, numbers * 3, clears, ends, seconds=0.0)


async def serve(address: str, workers: int, game_s: float) -> None:
    """Run the workers until the process is killed."""
    dask_worker._player = lambda _request: Sleeper(game_s)  # type: ignore[assignment, return-value]
    dask_worker.identity()
    running = [distributed.Worker(address, nthreads=1, dashboard_address=":0", memory_limit=0) for _ in range(workers)]
    await asyncio.gather(*running)
    await asyncio.gather(*(worker.finished() for worker in running))


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
