"""Tetris as a search problem, in plain Python.

>>> board = read("##.#######")
>>> board, points = drop(board, 2, "i0")
>>> points, text(board).splitlines()[-3:]
(100, ['..#.......', '..#.......', '..#.......'])
"""

COLUMNS, ROWS = 10, 18
LOST_ROW = 17
POINTS = (0, 100, 300, 500, 800)

DRAWINGS = {
    "i": "#... ....|#... ....|#... ....|#... ####",
    "j": ".#. ... ##. ...|.#. #.. #.. ###|##. ### #.. ..#",
    "l": "#.. ... ##. ...|#.. ### .#. ..#|##. #.. .#. ###",
    "o": "##|##",
    "s": "... #..|.## ##.|##. .#.",
    "z": "... .#.|##. ##.|.## #..",
    "t": "... #.. ... .#.|.#. ##. ### ##.|### #.. .#. .#.",
}
"""The orientations of each piece side by side, number 0 first, the top row first."""

Board = tuple[int, ...]
"""The rows from the floor up. Bit x of a row is column x."""
Move = tuple[int, str]
"""The column of the left edge, and the orientation, such as (7, "j3")."""


def _shapes() -> dict[str, list[tuple[int, int]]]:
    found = {}
    for letter, drawing in DRAWINGS.items():
        rows = [row.split() for row in drawing.split("|")]
        for number in range(len(rows[0])):
            marks = [(x, -y) for y, row in enumerate(rows) for x, mark in enumerate(row[number]) if mark == "#"]
            left, low = min(x for x, _ in marks), min(y for _, y in marks)
            found[f"{letter}{number}"] = [(x - left, y - low) for x, y in marks]
    return found


SHAPES = _shapes()
"""The four cells (column, row from the floor) of each orientation."""


def read(drawing: str) -> Board:
    """Return the board that a text draws, top row first. Missing rows are empty."""
    rows = [sum(1 << x for x, mark in enumerate(row) if mark == "#") for row in reversed(drawing.split())]
    return tuple(rows + [0] * (ROWS - len(rows)))


def text(board: Board) -> str:
    """Draw a board as text."""
    return "\n".join("".join("#" if row >> x & 1 else "." for x in range(COLUMNS)) for row in reversed(board))


def moves(piece: str) -> list[Move]:
    """Return all ways to drop a piece, orientation by orientation, from the left."""
    found = []
    for name, cells in SHAPES.items():
        if name[0] == piece:
            width = max(x for x, _ in cells) + 1
            found += [(column, name) for column in range(COLUMNS - width + 1)]
    return found


def lost(board: Board) -> bool:
    """Return whether a cell of the top row is filled."""
    return board[LOST_ROW] != 0


def drop(board: Board, column: int, orientation: str) -> tuple[Board, int]:
    """Return the board after a drop, and the points that it earns. A losing drop removes nothing."""
    cells = SHAPES[orientation]
    row = ROWS
    while row and all(row - 1 + y >= ROWS or not board[row - 1 + y] >> (column + x) & 1 for x, y in cells):
        row -= 1
    rows = list(board)
    for x, y in cells:
        if row + y < ROWS:
            rows[row + y] |= 1 << (column + x)
    if rows[LOST_ROW]:
        return tuple(rows), 0
    full = (1 << COLUMNS) - 1
    left = [one for one in rows if one != full]
    return tuple(left + [0] * (ROWS - len(left))), POINTS[min(ROWS - len(left), 4)]
