"""Holes: empty cells with a filled cell somewhere above in their column."""

from tests.reference.features.position import Position, covered, empty_cells, feature, tops
from tests.reference.rules import Cell


@feature("holes")
def _(p: Position) -> float:
    return len(covered(p, p.after))


@feature("holes-before-removal")
def _(p: Position) -> float:
    return len(covered(p, p.before))


@feature("hole-depth")
def _(p: Position) -> float:
    depth = 0
    for x, y in covered(p, p.after):
        above = y + 1
        while (x, above) in p.after:
            depth += 1
            above += 1
    return depth


@feature("rows-with-holes")
def _(p: Position) -> float:
    return len({y for _, y in covered(p, p.after)})


@feature("column-holes")
def _(p: Position) -> float:
    return sum((x, y + 1) in p.after for x, y in empty_cells(p))


def roofed(p: Position) -> list[Cell]:
    return [(x, y) for x, y in empty_cells(p) if (x, y + 1) in p.after]


@feature("weighted-column-holes")
def _(p: Position) -> float:
    return sum(p.rows - y for _, y in roofed(p))


def roofed_depths(p: Position) -> list[int]:
    return [tops(p)[x] - 1 - y for x, y in roofed(p)]


@feature("column-hole-depths")
def _(p: Position) -> float:
    return sum(roofed_depths(p))


@feature("min-column-hole-depth")
def _(p: Position) -> float:
    return min(roofed_depths(p), default=p.rows)


@feature("max-column-hole-depth")
def _(p: Position) -> float:
    return max(roofed_depths(p), default=0)


@feature("edge-covered")
def _(p: Position) -> float:
    return sum(x in (0, p.columns - 1) for x, _ in covered(p, p.after))


def filled_above(p: Position, x: int, y: int) -> int:
    return sum((x, row) in p.after for row in range(y + 1, p.rows))


@feature("hole-cover")
def _(p: Position) -> float:
    return sum(filled_above(p, x, y) for x, y in covered(p, p.after))


@feature("mean-hole-cover")
def _(p: Position) -> float:
    holes = covered(p, p.after)
    return sum(filled_above(p, x, y) for x, y in holes) / len(holes) if holes else 0


@feature("highest-hole")
def _(p: Position) -> float:
    return max((y + 1 for _, y in covered(p, p.after)), default=0)


@feature("cells-above-highest-hole")
def _(p: Position) -> float:
    holes = covered(p, p.after)
    highest = max((y for _, y in holes), default=-1)
    return sum(filled_above(p, x, y) for x, y in holes if y == highest)


@feature("potential-rows")
def _(p: Position) -> float:
    first = max((y + 1 for _, y in covered(p, p.after)), default=0)
    return sum(sum((x, y) in p.after for x in range(p.columns)) >= p.columns - 2 for y in range(first, p.rows))
