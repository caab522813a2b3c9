"""Every feature from its definition, one small function each. A test fails when a registered feature has none here."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from blockfall.rulesets import Rules
from tests.reference.rules import Cell, Cells, pieces_of


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

    rules: Rules
    before: Cells
    """As the last piece locked."""
    after: Cells
    """With full rows removed."""
    placed: list[Placed] = field(default_factory=list)
    game_lines: int = 0
    """Removed in the game before this line of play."""

    @property
    def columns(self) -> int:
        return self.rules.columns

    @property
    def rows(self) -> int:
        return self.rules.rows


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
    return sum(abs(a - b) for a, b in pairwise(levels))


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
    return len({a - b for a, b in pairwise(levels)} & {-2, -1, 0, 1, 2})


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
        changes += sum(a != b for a, b in pairwise(column))
    return changes


@feature("column-transitions-inner")
def _(p: Position) -> float:
    changes = 0
    for x, top in enumerate(heights(p, p.after)):
        column = [(x, y) in p.after for y in range(top)]
        changes += sum(a != b for a, b in pairwise(column))
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


@feature("piece-top")
def _(p: Position) -> float:
    return sum(max(y for _, y in piece.cells) for piece in p.placed)


@feature("total-lines")
def _(p: Position) -> float:
    return p.game_lines + sum(piece.lines for piece in p.placed)


@feature("points")
def _(p: Position) -> float:
    scoring, lines, points = p.rules.table.scoring, p.game_lines, 0
    for piece in p.placed:
        level = scoring.start_level + lines // scoring.lines_per_level
        points += scoring.piece
        if piece.lines:
            points += scoring.lines[piece.lines - 1] * (level + 1 if scoring.by_level else 1)
        lines += piece.lines
    return points


def tops(p: Position) -> list[int]:
    return heights(p, p.after)


@feature("heights-sum")
def _(p: Position) -> float:
    return sum(tops(p))


@feature("mean-height")
def _(p: Position) -> float:
    return sum(tops(p)) / p.columns


@feature("max-height")
def _(p: Position) -> float:
    return max(tops(p))


@feature("min-height")
def _(p: Position) -> float:
    return min(tops(p))


@feature("height-range")
def _(p: Position) -> float:
    return max(tops(p)) - min(tops(p))


@feature("max-above-mean")
def _(p: Position) -> float:
    return (p.columns * max(tops(p)) - sum(tops(p))) / p.columns


@feature("mean-above-min")
def _(p: Position) -> float:
    return (sum(tops(p)) - p.columns * min(tops(p))) / p.columns


@feature("height-squares")
def _(p: Position) -> float:
    return max(tops(p)) ** 2 - min(tops(p)) ** 2


@feature("bumpiness")
def _(p: Position) -> float:
    return bump(tops(p))


@feature("weighted-relative-height")
def _(p: Position) -> float:
    low = min(tops(p))
    return sum(min(i + 1, p.columns - i) * (h - low) for i, h in enumerate(tops(p))) / p.columns


def neighbours(levels: list[int], i: int) -> list[int]:
    return [levels[j] for j in (i - 1, i + 1) if 0 <= j < len(levels)]


@feature("projection-potential")
def _(p: Position) -> float:
    return sum(max(0, min(neighbours(tops(p), i)) - h) for i, h in enumerate(tops(p)))


def surface_wells(p: Position) -> list[float]:
    around = [neighbours(tops(p), i) for i in range(p.columns)]
    return [max(0, sum(near) / len(near) - h) for near, h in zip(around, tops(p), strict=True)]


@feature("deepest-well")
def _(p: Position) -> float:
    return max(surface_wells(p))


@feature("well-depths")
def _(p: Position) -> float:
    return sum(surface_wells(p))


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


def runs_of_empty(line: list[bool]) -> int:
    return sum(not cell and (i == 0 or line[i - 1]) for i, cell in enumerate(line))


@feature("row-runs")
def _(p: Position) -> float:
    return sum(runs_of_empty([(x, y) in p.after for x in range(p.columns)]) for y in range(p.rows))


@feature("column-runs")
def _(p: Position) -> float:
    return sum(runs_of_empty([(x, y) in p.after for y in range(p.rows)]) for x in range(p.columns))


def open_wells(p: Position) -> list[int]:
    """Well cells above each column's top."""
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
    turns = {"clockwise", "counter-clockwise"} & set(p.rules.table.placement.keys)
    count = 0
    for piece in pieces_of(p.rules):
        for shape in piece.shapes if turns or p.rules.table.placement.model == "drop" else piece.shapes[:1]:
            width, height = max(x for x, _ in shape) + 1, max(y for _, y in shape) + 1
            count += sum(
                all((x + cx, y + cy) not in p.after for cx, cy in shape)
                for x in range(p.columns - width + 1)
                for y in range(p.rows - height + 1)
            )
    return count


def column_height(number: int, p: Position) -> float:
    return tops(p)[number - 1] if number <= p.columns else 0


def height_step(number: int, p: Position) -> int:
    return tops(p)[number] - tops(p)[number - 1] if number < p.columns else 0


def height_difference(number: int, p: Position) -> float:
    return abs(height_step(number, p))


def contour(number: int, p: Position) -> float:
    return max(-3, min(3, height_step(number, p)))


for number in range(1, 17):
    FEATURES[f"column-height-{number}"] = partial(column_height, number)
for number in range(1, 16):
    FEATURES[f"height-difference-{number}"] = partial(height_difference, number)
    FEATURES[f"contour-{number}"] = partial(contour, number)
