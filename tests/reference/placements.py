"""Every placement, found by walking one position at a time."""

from collections import deque
from collections.abc import Callable, Iterator
from functools import cache

from blockfall.rulesets import Rules
from tests.reference.rules import Cell, Cells, Piece, kicks, normalised, piece_of

Spot = tuple[int, int, int]
"""The shape, the column of its left edge, and the row of its lowest cell."""
Position = tuple[int, int, int]
"""The state, and the column and row of the box's lower left corner."""
Node = tuple[Position, int]
"""A position, and the number of keys used in its row if they are limited."""
Fits = Callable[[Position], bool]


def shifted(cells: Cells, x: int, y: int) -> Cells:
    return frozenset((cx + x, cy + y) for cx, cy in cells)


def placements(rules: Rules, board: Cells, letter: str, lines: int = 0) -> list[Spot]:
    """Return the placements in the order that breaks ties: shape, column, then row from the top."""
    if rules.file.placement.model == "drop":
        return list(_drops(rules, board, piece_of(rules, letter)))
    return sorted(key_paths(rules, board, letter, lines), key=lambda spot: (spot[0], spot[1], -spot[2]))


def cells_of(rules: Rules, letter: str, spot: Spot) -> Cells:
    shape, x, y = spot
    return shifted(piece_of(rules, letter).shapes[shape], x, y)


def _drops(rules: Rules, board: Cells, piece: Piece) -> Iterator[Spot]:
    for number, shape in enumerate(piece.shapes):
        width = max(x for x, _ in shape) + 1
        for x in range(rules.columns - width + 1):
            y = rules.rows
            while y > 0 and not shifted(shape, x, y - 1) & board:
                y -= 1
            yield number, x, y


def key_paths(rules: Rules, board: Cells, letter: str, lines: int = 0) -> dict[Spot, list[str]]:
    """Return a shortest key sequence, the locking key included, to every placement that the keys reach.

    Without a limit of keys per row every key costs one, "down" too, and a drop ends the sequence. With a limit the
    piece falls by itself: "down" is free, and the keys used in a row are counted.
    """
    piece = piece_of(rules, letter)
    keys = rules.file.placement.keys
    limit = _key_limit(rules, lines)
    drops = "drop" in keys and not limit
    fits = cache(lambda position: _fits(rules, board, piece, position))
    cost, parent = _walk(rules, board, piece, limit, fits)
    found: dict[Spot, Node] = {}
    for node in cost:
        state, x, y = node[0]
        if not drops and fits((state, x, y - 1)):
            continue
        while fits((state, x, y - 1)):
            y -= 1
        cells = shifted(piece.states[state], x, y)
        shape = piece.shapes.index(normalised(cells))
        spot = (shape, min(cx for cx, _ in cells), min(cy for _, cy in cells))
        if spot not in found or cost[node] < cost[found[spot]]:
            found[spot] = node
    last = "drop" if drops else "down"
    return {spot: [*_path(parent, node), last] for spot, node in found.items()}


def _walk(
    rules: Rules, board: Cells, piece: Piece, limit: int, fits: Fits
) -> tuple[dict[Node, int], dict[Node, tuple[Node, str] | None]]:
    """Search breadth-first from the spawn: return the keys to every node, and the node and key before it."""
    keys = rules.file.placement.keys
    moves = [key for key in ("left", "right", "clockwise", "counter-clockwise") if key in keys]
    start = ((0, *piece.spawn), 0 if rules.file.placement.keys_on_spawn_row else limit)
    if not fits(start[0]):
        return {}, {}
    cost: dict[Node, int] = {start: 0}
    parent: dict[Node, tuple[Node, str] | None] = {start: None}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        position, used = node
        if not limit or used < limit:
            for key in moves:
                moved = _move(rules, board, piece, position, key, fits)
                after = (moved, used + 1 if limit else 0) if moved else None
                if after and after not in cost:
                    cost[after], parent[after] = cost[node] + 1, (node, key)
                    queue.append(after)
        below = (position[0], position[1], position[2] - 1)
        if (limit or "down" in keys) and fits(below):
            after, price = (below, 0), cost[node] + (0 if limit else 1)
            if after not in cost or price < cost[after]:
                cost[after], parent[after] = price, (node, "down")
                if limit:  # a free fall goes to the front, so that nodes are taken in order of cost
                    queue.appendleft(after)
                else:
                    queue.append(after)
    return cost, parent


def _path(parent: dict[Node, tuple[Node, str] | None], node: Node) -> list[str]:
    path = []
    step = parent[node]
    while step:
        path.append(step[1])
        step = parent[step[0]]
    return path[::-1]


def _key_limit(rules: Rules, lines: int) -> int:
    table = rules.file.placement.keys_per_row
    if not table:
        return 0
    level = rules.file.scoring.start_level + lines // rules.file.scoring.lines_per_level
    return table[min(level, len(table) - 1)]


def _taken(rules: Rules, board: Cells, cell: Cell) -> bool:
    x, y = cell
    return not 0 <= x < rules.columns or y < 0 or cell in board


def _fits(rules: Rules, board: Cells, piece: Piece, position: Position) -> bool:
    state, x, y = position
    on_board = False
    for cx, cy in piece.states[state]:
        column, row = x + cx, y + cy
        if not 0 <= column < rules.columns or row < 0 or (column, row) in board:
            return False
        on_board |= row < rules.rows  # cells above the top are free, but the lowest cell stays below it
    return on_board


def _move(rules: Rules, board: Cells, piece: Piece, position: Position, key: str, fits: Fits) -> Position | None:
    state, x, y = position
    if key in ("left", "right"):
        moved = (state, x + (1 if key == "right" else -1), y)
        return moved if fits(moved) else None
    if len(piece.states) == 1:
        return None
    clockwise = key == "clockwise"
    to = (state + (1 if clockwise else -1)) % len(piece.states)
    plain = (to, x, y)
    if fits(plain):
        return plain
    if _centre_column_blocks(rules, board, piece, state, plain):
        return None
    for columns, rows in kicks(rules, piece.letter, state, to, clockwise):
        kicked = (to, x + columns, y + rows)
        if fits(kicked):
            return kicked
    return None


def _centre_column_blocks(rules: Rules, board: Cells, piece: Piece, start: int, plain: Position) -> bool:
    """Return whether the turned piece's first taken cell, in reading order, is in its box's middle column (Arika)."""
    rule = rules.rotation.centre_column_rule
    if rule is None or piece.letter not in rule.pieces or start not in rule.states:
        return False
    state, x, y = plain
    for cx, cy in sorted(piece.states[state], key=lambda cell: (-cell[1], cell[0])):
        if _taken(rules, board, (x + cx, y + cy)):
            return cx == piece.box_columns // 2
    return False
