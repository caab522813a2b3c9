"""Hopeless in plain Python: boards, blocks and moves.

>>> board = read("12.\\n112")
>>> blocks(board)
[[(0, 0), (0, 1), (1, 0)]]
>>> board, points = remove(board, (0, 1))
>>> print(points, text(board, 3, 2), sep="\\n")
16
...
22.
"""

Board = tuple[str, ...]
"""The columns from left to right, each a text from the floor up."""
Cell = tuple[int, int]
"""(column, row); the floor is row 0."""


def read(drawing: str) -> Board:
    """Return the board that a text draws, top row first."""
    rows = drawing.split()
    columns = ("".join(row[x] for row in reversed(rows)).replace(".", "") for x in range(len(rows[0])))
    return tuple(column for column in columns if column)


def text(board: Board, columns: int, rows: int) -> str:
    """Draw a board of this size as text."""
    full = [column.ljust(rows, ".") for column in board] + ["." * rows] * (columns - len(board))
    return "\n".join("".join(column[y] for column in full) for y in reversed(range(rows)))


def colour_at(board: Board, cell: Cell) -> str:
    """Return the colour of a square, or an empty text."""
    x, y = cell
    return board[x][y] if 0 <= x < len(board) and 0 <= y < len(board[x]) else ""


def block(board: Board, cell: Cell) -> list[Cell]:
    """Return the squares connected with the one at a cell, sorted; none if there is no square."""
    colour, found, edge = colour_at(board, cell), {cell}, [cell]
    if not colour:
        return []
    while edge:
        x, y = edge.pop()
        for near in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            if near not in found and colour_at(board, near) == colour:
                found.add(near)
                edge.append(near)
    return sorted(found)


def blocks(board: Board) -> list[list[Cell]]:
    """Return the blocks that can be removed; none if the game is over."""
    seen: set[Cell] = set()
    found = []
    for x, column in enumerate(board):
        for y in range(len(column)):
            if (x, y) not in seen:
                squares = block(board, (x, y))
                seen.update(squares)
                if len(squares) > 1:
                    found.append(squares)
    return found


def remove(board: Board, cell: Cell) -> tuple[Board, int]:
    """Return the board after the move at a cell, and the points that it earns."""
    gone = set(block(board, cell))
    if len(gone) < 2:
        raise ValueError(f"no block at {cell}")
    left = ("".join(mark for y, mark in enumerate(column) if (x, y) not in gone) for x, column in enumerate(board))
    return tuple(column for column in left if column), (2 * (len(gone) - 1)) ** 2
