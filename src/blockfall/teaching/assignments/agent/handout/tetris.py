"""Tetris for agents in plain Python: any orientation over any columns, straight down.

python tetris.py plays ten games with solution.py.
"""

import random
from collections.abc import Callable
from typing import Any

COLUMNS, ROWS = 10, 10

DRAWINGS = {
    "I": "....|####  #|#|#|#",
    "J": "#..|###  ##|#.|#.  ###|..#  .#|.#|##",
    "L": "..#|###  #.|#.|##  ###|#..  ##|.#|.#",
    "O": "##|##",
    "S": ".##|##.  #.|##|.#",
    "T": ".#.|###  #.|##|#.  ###|.#.  .#|##|.#",
    "Z": "##.|.##  .#|##|#.",
}
"""The orientations of each piece, separated by spaces; the rows of each from the top, separated by |."""

Placement = dict[str, Any]
Choose = Callable[[list[str], str, list[Placement]], int]


def _shapes(drawings: str) -> list[list[tuple[int, int]]]:
    found = []
    for drawing in drawings.split():
        marks = [(x, -y) for y, row in enumerate(drawing.split("|")) for x, mark in enumerate(row) if mark == "#"]
        low = min(y for _, y in marks)
        found.append([(x, y - low) for x, y in marks])
    return found


SHAPES = {piece: _shapes(drawings) for piece, drawings in DRAWINGS.items()}


def placements(board: list[str], piece: str) -> list[Placement]:
    """Return all placements of the piece, as `choose` gets them."""
    filled = [[mark == "#" for mark in row] for row in reversed(board)]
    return [
        _placed(filled, board, orientation, cells, column)
        for orientation, cells in enumerate(SHAPES[piece])
        for column in range(COLUMNS - max(x for x, _ in cells))
    ]


def _placed(
    filled: list[list[bool]], board: list[str], orientation: int, cells: list[tuple[int, int]], column: int
) -> Placement:
    row = ROWS
    while row and all(row - 1 + y >= ROWS or not filled[row - 1 + y][column + x] for x, y in cells):
        row -= 1
    placement: Placement = {"orientation": orientation, "column": column}
    if any(row + y >= ROWS for _, y in cells):
        return {**placement, "lines": 0, "loses": True, "after": board}
    after = [list(marks) for marks in filled]
    for x, y in cells:
        after[row + y][column + x] = True
    left = [marks for marks in after if not all(marks)]
    rows = left + [[False] * COLUMNS] * (ROWS - len(left))
    drawn = ["".join("#" if mark else "." for mark in marks) for marks in reversed(rows)]
    return {**placement, "lines": ROWS - len(left), "loses": False, "after": drawn}


def play(choose: Choose, seed: int, most_pieces: int = 300) -> tuple[int, int]:
    """Play a game and return its lines and its pieces."""
    chance, board, lines = random.Random(seed), ["." * COLUMNS] * ROWS, 0
    for number in range(most_pieces):
        piece = chance.choice(sorted(SHAPES))
        choices = placements(board, piece)
        taken = choices[choose(board, piece, choices)]
        if taken["loses"]:
            return lines, number
        board, lines = taken["after"], lines + taken["lines"]
    return lines, most_pieces


if __name__ == "__main__":
    from solution import choose

    games = [play(choose, seed) for seed in range(10)]
    print(f"lines of ten games: {', '.join(str(lines) for lines, _ in games)}")
    print(f"mean: {sum(lines for lines, _ in games) / len(games):g}")
