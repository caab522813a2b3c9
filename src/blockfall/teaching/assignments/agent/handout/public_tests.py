"""Public tests of the agent.

python public_tests.py
"""

import time
import unittest

from solution import choose
from tetris import COLUMNS, ROWS, placements, play


class PublicTests(unittest.TestCase):
    """Tests that every agent should pass."""

    def test_chooses_one_of_the_placements(self) -> None:
        """Test every piece on an empty board."""
        board = ["." * COLUMNS] * ROWS
        for piece in "IJLOSTZ":
            choices = placements(board, piece)
            self.assertIn(choose(board, piece, choices), range(len(choices)))

    def test_takes_a_line_that_is_there(self) -> None:
        """Complete a row with a horizontal I."""
        board = ["." * COLUMNS] * (ROWS - 1) + ["######...."]
        choices = placements(board, "I")
        self.assertEqual(choices[choose(board, "I", choices)]["lines"], 1)

    def test_clears_ten_lines_in_the_mean(self) -> None:
        """Play ten games. The template fails this test."""
        began = time.monotonic()
        lines = [play(choose, seed)[0] for seed in range(10)]
        self.assertLess(time.monotonic() - began, 100)
        self.assertGreaterEqual(sum(lines) / len(lines), 10)


if __name__ == "__main__":
    unittest.main()
