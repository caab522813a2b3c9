"""The 8-puzzle for searches of many nodes: it returns the steps of a thousand states in one call, with NumPy.

    python examples/eight_puzzle_in_arrays.py

States are bytes here, so many of them form an array with a row for each.
"""

import time
from typing import Any

import numpy as np
import numpy.typing as npt
from eight_puzzle import GOAL, MOVES, EightPuzzle

from blockfall import solve

GOAL_BYTES = bytes(GOAL)
NAMES = np.array(list(MOVES), object)
ROW, COLUMN = np.divmod(np.arange(9), 3)
CAN = np.stack([ROW > 0, ROW < 2, COLUMN > 0, COLUMN < 2], axis=1)  # by place of the gap and move
OTHER = np.arange(9)[:, None] + list(MOVES.values())  # where the tile comes from, by the same
GOAL_ROW, GOAL_COLUMN = np.divmod(np.arange(-1, 8), 3)  # by tile
DISTANCE = abs(ROW[:, None] - GOAL_ROW) + abs(COLUMN[:, None] - GOAL_COLUMN)  # by place and tile
DISTANCE[:, 0] = 0


class InArrays(EightPuzzle):
    """The same puzzle, move by move and in arrays."""

    def start(self) -> Any:
        return bytes(self.tiles)

    def result(self, state: Any, action: str) -> Any:
        return bytes(super().result(state, action))

    def is_goal(self, state: Any) -> bool:
        return bool(state == GOAL_BYTES)

    def goals(self) -> list[Any]:
        return [GOAL_BYTES]

    def successors_of(self, states: npt.NDArray[np.uint8]) -> tuple[Any, ...]:
        gaps = (states == 0).argmax(axis=1)
        rows, moves = np.nonzero(CAN[gaps])  # by state, then in the order of `actions`
        gap, results, step = gaps[rows], states[rows], np.arange(len(rows))
        other = OTHER[gap, moves]
        tile = results[step, other]
        results[step, gap], results[step, other] = tile, 0
        far = DISTANCE[np.arange(9), states].sum(axis=1)[rows]
        h = -(far + DISTANCE[gap, tile] - DISTANCE[other, tile]).astype(float)
        return rows, NAMES[moves], results, -1, h


if __name__ == "__main__":
    for puzzle in (EightPuzzle(), InArrays()):
        for algorithm in ("breadth-first", "a-star"):
            started = time.process_time()
            found = solve(puzzle, algorithm)
            speed = found.nodes_expanded / (time.process_time() - started)
            print(f"{type(puzzle).__name__:12} {algorithm:14} {len(found.moves):3} moves  {speed:10,.0f} nodes/s")
