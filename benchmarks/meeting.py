"""Measure how many pieces an agent needs until an empty board and the board of a game become equal.

    python benchmarks/meeting.py twenty dt-20

The parts of long games on a GPU meet in this way (docs/gpu.md). The boards are compared after every ten pieces: with
other numbers of pieces, ten columns cannot hold equal numbers of cells.
"""

import argparse
import statistics

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents import Agent, agent
from blockfall.rulesets import rules

WARM_UP = 300
"""The number of pieces after which the game's board is taken."""
STEP = 10


def pieces_until_they_meet(player: Agent, seed: int, most: int) -> int:
    """Return the number of pieces, or `most`."""
    standard = rules("standard").core

    def begin(number: int, columns: npt.NDArray[np.uint32]) -> _core.Game:
        return _core.Game(standard, seed, number, 1, _core.Purpose(0), columns)

    def play(game: _core.Game, pieces: int) -> None:
        for _ in range(pieces):
            game.play_unchecked(*player.core.choose(game))

    empty = np.zeros(standard.columns, dtype=np.uint32)
    before = begin(0, empty)
    play(before, WARM_UP)
    games = begin(1, np.array(before.columns)), begin(1, empty)
    for placed in range(0, most, STEP):
        if np.array_equal(games[0].columns, games[1].columns):
            return placed
        for game in games:
            play(game, STEP)
    return most


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("agents", nargs="+")
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--most", type=int, default=600_000, help="pieces after which a pair is given up")
    asked = parser.parse_args()
    for name in asked.agents:
        found = [pieces_until_they_meet(agent(name), seed, asked.most) for seed in range(asked.pairs)]
        mean, median = statistics.mean(found), statistics.median(found)
        print(f"{name:20} mean {mean:,.0f}, median {median:,.0f}, the longest {max(found):,} pieces", flush=True)
