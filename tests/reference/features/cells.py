"""The filled cells: their number, their places, and their connected areas."""

import math

from tests.reference.features.position import Position, empty_cells, feature
from tests.reference.rules import pieces_of


@feature("filled-cells")
def _(p: Position) -> float:
    return len(p.after)


@feature("free-cells")
def _(p: Position) -> float:
    return len(empty_cells(p))


@feature("fill-ratio")
def _(p: Position) -> float:
    return len(p.after) / (p.columns * p.rows)


@feature("fill-percent")
def _(p: Position) -> float:
    return 100 * len(p.after) / (p.columns * p.rows)


@feature("board-entropy")
def _(p: Position) -> float:
    share = len(p.after) / (p.columns * p.rows)
    return -sum(part * math.log2(part) for part in (share, 1 - share) if part)


@feature("vertical-mass")
def _(p: Position) -> float:
    return sum(y + 1 for _, y in p.after)


@feature("horizontal-mass")
def _(p: Position) -> float:
    return sum(x - (p.columns - 1) / 2 for x, _ in p.after)


@feature("symmetry")
def _(p: Position) -> float:
    pairs = [(x, p.columns - 1 - x, y) for x in range(p.columns // 2) for y in range(p.rows)]
    return sum(((a, y) in p.after) == ((b, y) in p.after) for a, b, y in pairs) / len(pairs)


def areas(p: Position) -> list[int]:
    left, sizes = set(p.after), []
    while left:
        edge, size = [left.pop()], 0
        while edge:
            x, y = edge.pop()
            size += 1
            for cell in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                if cell in left:
                    left.remove(cell)
                    edge.append(cell)
        sizes.append(size)
    return sizes


@feature("largest-area")
def _(p: Position) -> float:
    return max(areas(p), default=0)


@feature("smallest-area")
def _(p: Position) -> float:
    return min(areas(p), default=0)


@feature("distinct-rows")
def _(p: Position) -> float:
    return len({tuple((x, y) in p.after for x in range(p.columns)) for y in range(p.rows)})


@feature("possible-positions")
def _(p: Position) -> float:
    turns = {"clockwise", "counter-clockwise"} & set(p.rules.file.placement.keys)
    count = 0
    for piece in pieces_of(p.rules):
        for shape in piece.shapes if turns or p.rules.file.placement.model == "drop" else piece.shapes[:1]:
            width, height = max(x for x, _ in shape) + 1, max(y for _, y in shape) + 1
            count += sum(
                all((x + cx, y + cy) not in p.after for cx, cy in shape)
                for x in range(p.columns - width + 1)
                for y in range(p.rows - height + 1)
            )
    return count
