"""The outcome of a search."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Expansion:
    """An expanded node of the trace. `TracedSearch` finds its state."""

    node: int
    parent: int | None
    depth: int
    action: Any
    """The action that led here; None for the root."""
    g: float
    h: float
    backward: bool = False
    """Whether it was reached from a goal; its action then leads from here to its parent."""

    @property
    def f(self) -> float:
        """The sum of g and h."""
        return self.g + self.h

    def as_json(self) -> dict[str, object]:
        """Return the node as the trace's file has it."""
        return {
            "node": self.node,
            "parent": self.parent,
            "depth": self.depth,
            "action": self.action,
            "f": self.f,
            "g": self.g,
            "h": self.h,
        }


@dataclass(frozen=True, eq=False)
class Opened:
    """Every node that joined the open list, in that order: its number, its parent's, its depth, g and h."""

    node: npt.NDArray[np.uint32]
    parent: npt.NDArray[np.uint32]
    depth: npt.NDArray[np.uint32]
    g: npt.NDArray[np.float64]
    h: npt.NDArray[np.float64]
    rank: npt.NDArray[np.int64]
    """Its rank: the open node of the lowest rank is expanded next."""
    dropped: npt.NDArray[np.uint32]
    """Rows of (node, nodes expanded by then) for nodes that left the list unexpanded: goals or seen states."""


@dataclass(frozen=True)
class Improvement:
    """A solution better than all before it, and its cost."""

    nodes_expanded: int
    seconds: float
    points: float


@dataclass(frozen=True)
class Solution:
    """The result of a search, and its cost.

    >>> import blockfall
    >>> found = blockfall.solve("ist-tetris", "a-star", pieces="oo", heuristic="ist-h3")
    >>> len(found.moves), found.stopped_by
    (2, 'finished')
    """

    algorithm: str
    points: float | None
    """None if no solution was found."""
    moves: tuple[Any, ...]
    nodes_expanded: int
    nodes_generated: int
    seconds: float
    peak_bytes: int
    """The most memory that the search used at once."""
    optimal: bool
    """Whether the solution is proved optimal."""
    stopped_by: str
    """finished, time, nodes, memory or interrupt."""
    fallback: bool = False
    """Whether a limit came before the algorithm's first solution: the moves are then a greedy search's."""
    improvements: tuple[Improvement, ...] = ()
    """Every solution that was better than all before it."""
    trace: tuple[Expansion, ...] = ()
    opened: Opened | None = None
    """Kept with a trace, by searches that have an open list."""
    states: tuple[Any, ...] = field(default=(), repr=False)
    """The expanded states, kept with the trace of a problem in Python."""

    def as_json(self) -> dict[str, object]:
        """Return the fields that `blockfall solve --json` prints."""
        return {
            "algorithm": self.algorithm,
            "points": self.points,
            "moves": [list(move) if isinstance(move, tuple) else move for move in self.moves],
            "nodes_expanded": self.nodes_expanded,
            "nodes_generated": self.nodes_generated,
            "seconds": self.seconds,
            "peak_bytes": self.peak_bytes,
            "optimal": self.optimal,
            "stopped_by": self.stopped_by,
            "fallback": self.fallback,
        }

    def progress(self) -> list[dict[str, float]]:
        """Return the improvements in JSON's form."""
        return [asdict(one) for one in self.improvements]
