"""Public tests: small boards whose best points are known.

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
"""Boards, and the most points that they have."""


def played(board: str, moves: list[tuple[int, int]]) -> tuple[Board, int]:
    """The board after the moves, and the points."""
    state, points = read(board), 0
    for move in moves:
        state, earned = remove(state, move)
        points += earned
    return state, points


class PublicTests(unittest.TestCase):
    """What every solution should do."""

    def test_plays_legal_moves_to_the_end_in_time(self) -> None:
        """A whole game in the time that there is."""
        for board in BOARDS:
            began = time.monotonic()
            state, _ = played(board, solve(board, SECONDS))
            self.assertLess(time.monotonic() - began, SECONDS)
            self.assertEqual(blocks(state), [], f"the game is not over:\n{board}")

    def test_finds_the_most_points(self) -> None:
        """The best points of each board. The template does not reach them."""
        for board, most in BOARDS.items():
            self.assertEqual(played(board, solve(board, SECONDS))[1], most, f"on the board\n{board}")


if __name__ == "__main__":
    unittest.main()
