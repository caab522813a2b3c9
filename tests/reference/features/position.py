"""A position, from which features are computed, and the registry of their definitions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from blockfall.rulesets import Rules
from tests.reference.rules import Cells


@dataclass(frozen=True)
class Placed:
    """One piece of a sequence."""

    cells: Cells
    lines: int
    eroded: int
    """The number of its cells that were removed with lines."""


@dataclass(frozen=True)
class Position:
    """A board after a sequence of placements."""

    rules: Rules
    before: Cells
    """The board when the last piece locked."""
    after: Cells
    """The board after full rows are removed."""
    placed: list[Placed] = field(default_factory=list)
    game_lines: int = 0
    """The lines removed in the game before this sequence."""

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


def tops(p: Position) -> list[int]:
    return heights(p, p.after)


def bump(levels: list[int]) -> int:
    return sum(abs(a - b) for a, b in pairwise(levels))


def covered(p: Position, cells: Cells) -> Cells:
    """Return the empty cells with a filled one somewhere above."""
    tops = heights(p, cells)
    return frozenset((x, y) for x in range(p.columns) for y in range(tops[x]) if (x, y) not in cells)


def filled(p: Position, x: int, y: int) -> bool:
    """Return whether a cell is filled; walls are."""
    return not 0 <= x < p.columns or (x, y) in p.after


def empty_cells(p: Position) -> list[tuple[int, int]]:
    return [(x, y) for x in range(p.columns) for y in range(p.rows) if (x, y) not in p.after]
