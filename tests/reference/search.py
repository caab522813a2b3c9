"""Hopeless and its searches in plain Python, for boards small enough for that.

A board is a tuple of columns from the left; a column is a tuple of colours from the floor up.
"""

from collections import Counter
from collections.abc import Callable
from functools import cache

Board = tuple[tuple[int, ...], ...]
Cell = tuple[int, int]


def hopeless_points(squares: int) -> int:
    return (2 * (squares - 1)) ** 2


def blocks(board: Board) -> list[set[Cell]]:
    """Return the blocks by their first cell, row by row from the top."""
    colour = {(x, y): c for x, column in enumerate(board) for y, c in enumerate(column)}
    found: list[set[Cell]] = []
    for cell in sorted(colour, key=lambda cell: (-cell[1], cell[0])):
        if any(cell in block for block in found):
            continue
        block: set[Cell] = set()
        edge = {cell}
        while edge:
            block |= edge
            near = {(x + dx, y + dy) for x, y in edge for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))}
            edge = {n for n in near - block if colour.get(n) == colour[cell]}
        found.append(block)
    return [block for block in found if len(block) > 1]


def without(board: Board, block: set[Cell]) -> Board:
    columns = (tuple(c for y, c in enumerate(column) if (x, y) not in block) for x, column in enumerate(board))
    return tuple(column for column in columns if column)


def optimum(
    board: Board,
    points: Callable[[int], int] = hopeless_points,
    clear_bonus: int = 0,
    leftover_penalty: bool = False,
) -> int:
    """Return the most points. A board without a move earns 0: its leftover squares cost nothing."""

    def settlement(board: Board) -> int:
        if not board:
            return clear_bonus
        left = Counter(colour for column in board for colour in column)
        return -sum(points(n) for n in left.values() if n > 1) if leftover_penalty else 0

    @cache
    def best(board: Board) -> int:
        found = blocks(board)
        return max(points(len(b)) + best(without(board, b)) for b in found) if found else settlement(board)

    return best(board) if blocks(board) else 0


def all_states(board: Board) -> set[Board]:
    seen, edge = {board}, [board]
    while edge:
        here = edge.pop()
        for block in blocks(here):
            child = without(here, block)
            if child not in seen:
                seen.add(child)
                edge.append(child)
    return seen


def followed(board: Board, choose: Callable[[Board, list[set[Cell]]], set[Cell]]) -> int:
    """Return the points of always taking the chosen block."""
    total = 0
    while found := blocks(board):
        block = choose(board, found)
        total += hopeless_points(len(block))
        board = without(board, block)
    return total


def depth_first(board: Board) -> int:
    return followed(board, lambda _, found: found[0])


def greedy(board: Board) -> int:
    return followed(board, lambda _, found: max(found, key=len))  # the first of equals


def maxmin(board: Board) -> int:
    def worth(board: Board, block: set[Cell]) -> int:
        return hopeless_points(len(block)) + sum(hopeless_points(len(b)) for b in blocks(without(board, block)))

    return followed(board, lambda board, found: max(found, key=lambda block: worth(board, block)))


def fewest_moves(board: Board) -> tuple[int, int]:
    """Return the moves and points of the first final board, level by level."""
    level, depth = [(board, 0)], 0
    while True:
        for here, points in level:
            if not blocks(here):
                return depth, points
        level = [(without(b, block), p + hopeless_points(len(block))) for b, p in level for block in blocks(b)]
        depth += 1


def a_star_goal_h(board: Board) -> int:
    """Search by the largest f, then the larger g, then the first made; final boards keep their h."""

    def h(board: Board) -> int:
        squares = [c for column in board for c in column]
        return sum(hopeless_points(squares.count(c)) for c in set(squares))

    open_nodes = [(h(board), 0, 0, board)]
    made = 1
    while True:
        open_nodes.sort(key=lambda node: (node[0], node[1], -node[2]))
        _, g, _, here = open_nodes.pop()
        found = blocks(here)
        if not found:
            return g
        for block in found:
            child = without(here, block)
            earned = g + hopeless_points(len(block))
            open_nodes.append((earned + h(child), earned, made, child))
            made += 1
