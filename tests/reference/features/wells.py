"""Wells: empty cells between two filled ones; the walls are filled."""

from tests.reference.features.position import Position, empty_cells, feature, filled, tops


def is_well(p: Position, x: int, y: int) -> bool:
    return (x, y) not in p.after and filled(p, x - 1, y) and filled(p, x + 1, y)


def empties_down_from(p: Position, x: int, y: int) -> int:
    """Return the number of unbroken empty cells from this one down, itself included."""
    count = 0
    while y - count >= 0 and (x, y - count) not in p.after:
        count += 1
    return count


@feature("well-sums")
def _(p: Position) -> float:
    return sum(empties_down_from(p, x, y) for x, y in empty_cells(p) if is_well(p, x, y))


@feature("well-sums-fast")
def _(p: Position) -> float:
    total = 0
    for x in range(p.columns):
        y = p.rows - 1
        while y >= 0:
            if is_well(p, x, y):
                depth = empties_down_from(p, x, y)
                total += depth * (depth + 1) // 2
                y -= depth
            else:
                y -= 1
    return total


@feature("well-cells")
def _(p: Position) -> float:
    return sum(is_well(p, x, y) and y >= tops(p)[x] for x, y in empty_cells(p))


def open_wells(p: Position) -> list[int]:
    """Return the well cells above each column's top."""
    return [sum(is_well(p, x, y) for y in range(top, p.rows)) for x, top in enumerate(tops(p))]


@feature("wells")
def _(p: Position) -> float:
    return sum(depth >= 1 for depth in open_wells(p))


@feature("deep-wells")
def _(p: Position) -> float:
    return sum(depth >= 3 for depth in open_wells(p))


@feature("small-wells")
def _(p: Position) -> float:
    return sum(is_well(p, x, y) and (x, y + 1) not in p.after for x, y in empty_cells(p))
