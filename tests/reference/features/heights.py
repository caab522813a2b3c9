"""The columns' heights. A height is the row of the highest filled cell plus one."""

from itertools import pairwise

from tests.reference.features.position import Position, bump, feature, heights, tops


@feature("heights-sum-before-removal")
def _(p: Position) -> float:
    return sum(heights(p, p.before))


@feature("bumpiness-before-removal")
def _(p: Position) -> float:
    return bump(heights(p, p.before))


@feature("diversity")
def _(p: Position) -> float:
    return len({a - b for a, b in pairwise(tops(p))} & {-2, -1, 0, 1, 2})


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
