"""Counts of changes between filled and empty, along rows and columns."""

from itertools import pairwise

from tests.reference.features.position import Position, feature, filled, tops


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
    for x, top in enumerate(tops(p)):
        column = [(x, y) in p.after for y in range(top)]
        changes += sum(a != b for a, b in pairwise(column))
    return changes


def runs_of_empty(line: list[bool]) -> int:
    return sum(not cell and (i == 0 or line[i - 1]) for i, cell in enumerate(line))


@feature("row-runs")
def _(p: Position) -> float:
    return sum(runs_of_empty([(x, y) in p.after for x in range(p.columns)]) for y in range(p.rows))


@feature("column-runs")
def _(p: Position) -> float:
    return sum(runs_of_empty([(x, y) in p.after for y in range(p.rows)]) for x in range(p.columns))
