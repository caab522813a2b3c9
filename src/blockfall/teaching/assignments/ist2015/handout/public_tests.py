"""Public tests: a few boards and pieces with known maximum points.

python public_tests.py
"""

import time
import unittest

from ist_tetris import Move, drop, lost, moves, read
from solution import solve

SECONDS = 10.0
PROBLEMS = [
    ("##.#######", "i", 100),
    ("####..####\n####..####", "os", 300),
    ("###.######\n##...#####\n###.######", "itl", 400),
]
"""Boards (missing rows are empty), pieces, and their maximum points."""


def points_of(board: str, pieces: str, found: list[Move]) -> int:
    """Return the points of the moves, which must be legal and place all pieces."""
    state, points = read(board), 0
    assert len(found) == len(pieces), "there must be a move for each piece"
    for piece, move in zip(pieces, found, strict=True):
        assert tuple(move) in moves(piece), f"{piece} has no move {move}"
        state, earned = drop(state, *move)
        points += earned
        assert not lost(state), f"{move} loses the game"
    return points


class PublicTests(unittest.TestCase):
    """Tests that every solution should pass."""

    def test_places_all_the_pieces_in_time(self) -> None:
        """Find legal moves within the time limit."""
        for board, pieces, _ in PROBLEMS:
            began = time.monotonic()
            points_of(board, pieces, solve(board, pieces, SECONDS))
            self.assertLess(time.monotonic() - began, SECONDS)

    def test_finds_the_most_points(self) -> None:
        """Find each problem's maximum points. The template fails this test."""
        for board, pieces, most in PROBLEMS:
            self.assertEqual(
                points_of(board, pieces, solve(board, pieces, SECONDS)), most, f"with {pieces} on\n{board}"
            )


if __name__ == "__main__":
    unittest.main()
