"""Every feature from its definition, one small function each. A test fails when a registered feature has none here."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.reference.rules import Cells


@dataclass(frozen=True)
class Placed:
    """One piece of a line of play."""

    cells: Cells
    lines: int
    eroded: int
    """Its cells that went with the lines."""


@dataclass(frozen=True)
class Position:
    """A board after a line of play."""

    columns: int
    rows: int
    before: Cells
    """As the last piece locked."""
    after: Cells
    """With full rows removed."""
    placed: list[Placed] = field(default_factory=list)


FEATURES: dict[str, Callable[[Position], float]] = {}


def feature(name: str) -> Callable[[Callable[[Position], float]], Callable[[Position], float]]:
    def register(function: Callable[[Position], float]) -> Callable[[Position], float]:
        FEATURES[name] = function
        return function

    return register


def heights(p: Position, cells: Cells) -> list[int]:
    return [max((y + 1 for x, y in cells if x == column), default=0) for column in range(p.columns)]


def covered(p: Position, cells: Cells) -> Cells:
    """Empty cells with a filled one somewhere above."""
    tops = heights(p, cells)
    return frozenset((x, y) for x in range(p.columns) for y in range(tops[x]) if (x, y) not in cells)


def filled(p: Position, x: int, y: int) -> bool:
    """Walls are filled."""
    return not 0 <= x < p.columns or (x, y) in p.after


def empty_cells(p: Position) -> list[tuple[int, int]]:
    return [(x, y) for x in range(p.columns) for y in range(p.rows) if (x, y) not in p.after]


def is_well(p: Position, x: int, y: int) -> bool:
    return (x, y) not in p.after and filled(p, x - 1, y) and filled(p, x + 1, y)


def empties_down_from(p: Position, x: int, y: int) -> int:
    """Unbroken empty cells from this one down, itself included."""
    count = 0
    while y - count >= 0 and (x, y - count) not in p.after:
        count += 1
    return count


def bump(levels: list[int]) -> int:
    return sum(abs(a - b) for a, b in itertools.pairwise(levels))


@feature("landing-height")
def _(p: Position) -> float:
    return sum((min(y for _, y in piece.cells) + max(y for _, y in piece.cells)) / 2 for piece in p.placed)


@feature("total-lock-height")
def _(p: Position) -> float:
    return sum(min(y for _, y in piece.cells) for piece in p.placed)


@feature("lines-cleared")
def _(p: Position) -> float:
    return sum(piece.lines for piece in p.placed)


@feature("eroded-cells")
def _(p: Position) -> float:
    return sum(piece.lines * piece.eroded for piece in p.placed)


@feature("heights-sum-before-removal")
def _(p: Position) -> float:
    return sum(heights(p, p.before))


@feature("bumpiness-before-removal")
def _(p: Position) -> float:
    return bump(heights(p, p.before))


@feature("diversity")
def _(p: Position) -> float:
    levels = heights(p, p.after)
    return len({a - b for a, b in itertools.pairwise(levels)} & {-2, -1, 0, 1, 2})


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


@feature("row-transitions")
def _(p: Position) -> float:
    return sum(filled(p, x - 1, y) != filled(p, x, y) for y in range(p.rows) for x in range(p.columns + 1))


@feature("row-transitions-occupied")
def _(p: Position) -> float:
    occupied = {y for _, y in p.after}
    return sum(filled(p, x - 1, y) != filled(p, x, y) for y in occupied for x in range(p.columns + 1))


@feature("column-transitions")
def _(p: Position) -> float:
    changes = 0
    for x in range(p.columns):
        column = [True] + [(x, y) in p.after for y in range(p.rows + 1)]
        changes += sum(a != b for a, b in itertools.pairwise(column))
    return changes


@feature("column-transitions-inner")
def _(p: Position) -> float:
    changes = 0
    for x, top in enumerate(heights(p, p.after)):
        column = [(x, y) in p.after for y in range(top)]
        changes += sum(a != b for a, b in itertools.pairwise(column))
    return changes


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
    tops = heights(p, p.after)
    return sum(is_well(p, x, y) and y >= tops[x] for x, y in empty_cells(p))
