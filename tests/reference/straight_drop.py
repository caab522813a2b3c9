"""The course's game as the report describes its agent: every state of a piece drops straight into every column.

An independent program of the simplest kind, without keys and frames. A piece appears in any column and state at once,
with its own top in the top row, and falls. The game ends when a piece does not fit where the course's server lets it
appear. To compare this with the server's keys, run python -m tests.reference.straight_drop 500 1
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tests.reference.course import box, cells

COLUMNS, ROWS = 8, 30
FULL = (1 << COLUMNS) - 1
START = (0, 2, 0)
"""The state and the corner of the box in which a piece appears on the course's server."""
HEIGHT, LINES, HOLES, BUMPINESS = -0.510066, 0.760666, -0.35663, -0.184483
"""The report's weights."""


@dataclass(frozen=True)
class Towers:
    """The guard: from this height and bumpiness on, only the sides are played."""

    height: int
    bumpiness: int


def shapes(letter: str) -> list[list[int]]:
    """Return each state once, as words of its rows from the top; bit 0 is its leftmost column."""
    found = []
    for state in box(letter):
        left, top = min(x for x, _ in state), min(y for _, y in state)
        rows = [0] * (max(y for _, y in state) - top + 1)
        for x, y in state:
            rows[y - top] |= 1 << (x - left)
        if rows not in found:
            found.append(rows)
    return found


SHAPES = {letter: shapes(letter) for letter in "IOTSZJL"}
SPAWNS = {letter: [(x - 1, y) for x, y in cells(letter, START)] for letter in "IOTSZJL"}


def heights(rows: list[int]) -> list[int]:
    found = [0] * COLUMNS
    for y, row in enumerate(rows):
        for x in range(COLUMNS):
            if not found[x] and row >> x & 1:
                found[x] = ROWS - y
    return found


def bumps(tops: list[int]) -> int:
    return sum(abs(a - b) for a, b in pairwise(tops))


def value(rows: list[int], lines: int) -> float:
    """Return the report's formula, for the board before full rows are removed."""
    tops = heights(rows)
    filled = sum(row.bit_count() for row in rows)
    return HEIGHT * sum(tops) + LINES * lines + HOLES * (sum(tops) - filled) + BUMPINESS * bumps(tops)


def drops(rows: list[int], letter: str) -> Iterator[tuple[int, int, list[int]]]:
    """Yield every straight drop: its leftmost and rightmost column, and the board with it."""
    for shape in SHAPES[letter]:
        width = max(row.bit_length() for row in shape)
        for left in range(COLUMNS - width + 1):
            moved = [row << left for row in shape]
            y = -1
            while y + len(moved) < ROWS and not any(rows[y + 1 + n] & row for n, row in enumerate(moved)):
                y += 1
            if y >= 0:
                board = list(rows)
                for n, row in enumerate(moved):
                    board[y + n] |= row
                yield left, left + width - 1, board


def game(letters: Iterator[str], guard: Towers | None) -> tuple[int, int, int]:
    """Play a game and return its points, lines and pieces."""
    rows, points, lines, pieces = [0] * ROWS, 0, 0, 0
    for letter in letters:
        if any(rows[y] >> x & 1 for x, y in SPAWNS[letter]):
            break
        found = list(drops(rows, letter))
        tops = heights(rows)
        if guard and max(tops) >= guard.height and bumps(tops) >= guard.bumpiness:
            found = [one for one in found if one[0] == 0 or one[1] == COLUMNS - 1] or found
        if not found:
            break
        best = max(found, key=lambda one: value(one[2], one[2].count(FULL)))[2]
        kept = [row for row in best if row != FULL]
        cleared = ROWS - len(kept)
        rows = [0] * cleared + kept
        points, lines, pieces = points + cleared**2, lines + cleared, pieces + 1
    return points, lines, pieces


def drawn(draw: random.Random) -> Iterator[str]:
    while True:
        yield draw.choice("IOTSZJL")


def main() -> None:
    """Play and print the mean points, with and without the guard."""
    games, seed = int(sys.argv[1]), int(sys.argv[2])
    for name, guard in (("without guard", None), ("guard from 15 and 20", Towers(15, 20))):
        found = [game(drawn(random.Random(f"{seed} {number}")), guard)[0] for number in range(games)]
        mean = sum(found) / games
        error = (sum((one - mean) ** 2 for one in found) / games / (games - 1)) ** 0.5
        print(f"{name}: {mean:.1f} ± {error:.1f} points, {games} games", flush=True)


if __name__ == "__main__":
    main()
