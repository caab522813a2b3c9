"""Public tests: small boards with known maximum points.

python public_tests.py
"""

import time
import unittest

from hopeless import Board, blocks, read, remove
from solution import solve

SECONDS = 10.0
BOARDS = {
    "21\n12\n12\n22": 68,
    "1121\n2122\n1211\n2112": 200,
    "23213\n32113\n31322\n13312\n12321": 232,
}
"""Boards and their maximum points."""


def played(board: str, moves: list[tuple[int, int]]) -> tuple[Board, int]:
    """Return the board after the moves, and the points."""
    state, points = read(board), 0
    for move in moves:
        state, earned = remove(state, move)
        points += earned
    return state, points


class PublicTests(unittest.TestCase):
    """Tests that every solution should pass."""

    def test_plays_legal_moves_to_the_end_in_time(self) -> None:
        """Play a whole game within the time limit."""
        for board in BOARDS:
            began = time.monotonic()
            state, _ = played(board, solve(board, SECONDS))
            self.assertLess(time.monotonic() - began, SECONDS)
            self.assertEqual(blocks(state), [], f"the game is not over:\n{board}")

    def test_finds_the_most_points(self) -> None:
        """Find each board's maximum points. The template fails this test."""
        for board, most in BOARDS.items():
            self.assertEqual(played(board, solve(board, SECONDS))[1], most, f"on the board\n{board}")


if __name__ == "__main__":
    unittest.main()
