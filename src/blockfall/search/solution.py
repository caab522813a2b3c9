"""What a search came to."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Expansion:
    """A node of the trace, in the order of expansion. `TracedSearch` finds its state again."""

    node: int
    parent: int | None
    depth: int
    action: Any
    """The action that led here; None at the root."""
    g: float
    h: float
    backward: bool = False
    """Whether it was reached from a goal; then its action leads from here to its parent."""

    @property
    def f(self) -> float:
        """What the node promises: g and h together."""
        return self.g + self.h

    def as_json(self) -> dict[str, object]:
        """Gives the node as the trace's file holds it."""
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
    """Every node that went onto the list of open ones, in that order: its number, its parent's, its depth, g and h."""

    node: npt.NDArray[np.uint32]
    parent: npt.NDArray[np.uint32]
    depth: npt.NDArray[np.uint32]
    g: npt.NDArray[np.float64]
    h: npt.NDArray[np.float64]
    rank: npt.NDArray[np.int64]
    """Its place in the order in which open nodes are taken: of any that are open, the one of the least rank is next."""
    dropped: npt.NDArray[np.uint32]
    """Rows of a node that left the list unexpanded, being final or met before, and how many had been expanded then."""


@dataclass(frozen=True)
class Improvement:
    """A solution better than those before it, and what it took to find it."""

    nodes_expanded: int
    seconds: float
    points: float


@dataclass(frozen=True)
class Solution:
    """What a search found, and what it took.

    >>> import blockfall
    >>> found = blockfall.solve("ist-tetris", "a-star", pieces="oo", heuristic="ist-h3")
    >>> len(found.moves), found.stopped_by
    (2, 'finished')
    """

    algorithm: str
    points: float | None
    """None where no solution was found."""
    moves: tuple[Any, ...]
    nodes_expanded: int
    nodes_generated: int
    seconds: float
    peak_bytes: int
    """The most memory that the search held at once."""
    optimal: bool
    """Whether it is proved that nothing better exists."""
    stopped_by: str
    """finished, time, nodes, memory or interrupt."""
    fallback: bool = False
    """Whether a limit came before any solution of the algorithm's own: the moves are then the greedy way out."""
    improvements: tuple[Improvement, ...] = ()
    """Every solution that was better than those before it."""
    trace: tuple[Expansion, ...] = ()
    opened: Opened | None = None
    """Kept with a trace, by searches that have a list of open nodes."""
    states: tuple[Any, ...] = field(default=(), repr=False)
    """Kept with a trace of a problem in Python: the expanded states."""

    def as_json(self) -> dict[str, object]:
        """Gives the fields that `blockfall solve --json` prints."""
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
        """Gives the improvements as JSON has them."""
        return [asdict(one) for one in self.improvements]
