"""A search to step through: what was expanded when, the board there, the way to it, and what was open then."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.compute import LocalBackend
from blockfall.search import Expansion, GameProblem, SearchSettings, Solution, solve

MOST_SECONDS = 10.0
MOST_NODES = 20_000
_MEMORY_BYTES = 512 << 20
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class OpenNode:
    """Generated and not yet expanded."""

    node: int
    depth: int
    f: float
    g: float
    h: float
    next: bool
    """Whether it is the one that is expanded next."""


@dataclass(frozen=True)
class Moment:
    """After an expansion."""

    expansion: Expansion
    path: tuple[Any, ...] | None
    """The moves that led there; None where the trace does not hold the way."""
    rows: list[str] | None
    """The expanded node's board, the top row first."""
    points: float | None
    open: list[OpenNode] | None
    """The most promising ones; None of an algorithm that keeps no list of them."""
    open_count: int


class TracedSearch:
    """Problem, solution and trace. Each moment is made when it is asked for; that takes milliseconds."""

    def __init__(self, problem: GameProblem, solution: Solution) -> None:
        self.problem, self.solution = problem, solution
        self.parents = _parents(solution.trace)
        """The step at which each node's parent was expanded; None for a root, or where the trace does not hold it."""

    @classmethod
    def run(
        cls,
        problem: GameProblem,
        algorithm: str,
        time_limit_s: float = MOST_SECONDS,
        node_limit: int = MOST_NODES,
    ) -> "TracedSearch":
        """Searches with a trace, within the app's limits."""
        settings = SearchSettings(
            time_limit_s=min(time_limit_s, MOST_SECONDS),
            node_limit=min(node_limit, MOST_NODES),
            memory_limit_bytes=_MEMORY_BYTES,
            trace=True,
        )
        return cls(problem, solve(problem, algorithm, settings, backend=LocalBackend(threads=1)))

    def __len__(self) -> int:
        return len(self.solution.trace)

    def at(self, step: int, most_open: int = 12) -> Moment:
        """Gives the moment after the expansion of this number, from 0."""
        expansion = self.solution.trace[step]
        path = self._path(step)
        rows, points = (None, None) if path is None else _board_after(self.problem, path)
        nodes, count = self._open(step, most_open)
        return Moment(expansion, path, rows, points, nodes, count)

    def _path(self, step: int) -> tuple[Any, ...] | None:
        moves = []
        at: int | None = step
        while at is not None and self.solution.trace[at].parent is not None:
            moves.append(self.solution.trace[at].action)
            at = self.parents[at]
        return None if at is None else tuple(reversed(moves))

    def _open(self, step: int, most: int) -> tuple[list[OpenNode] | None, int]:
        opened = self.solution.opened
        if opened is None:
            return None, 0
        since, until = self._times
        (here,) = np.nonzero((since <= step) & (until > step))
        trace = self.solution.trace
        following = trace[step + 1].node if step + 1 < len(trace) else -1
        f = opened.g[here] + opened.h[here]
        order = np.lexsort((here, f if self.problem.minimises else -f, opened.node[here] != following))[:most]
        nodes = [
            OpenNode(
                int(opened.node[at]),
                int(opened.depth[at]),
                float(opened.g[at] + opened.h[at]),
                float(opened.g[at]),
                float(opened.h[at]),
                int(opened.node[at]) == following,
            )
            for at in here[order].tolist()
        ]
        return nodes, len(here)

    @cached_property
    def _times(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Of every opened node, the step that opened it and the one that took it off the list."""
        opened = self.solution.opened
        assert opened
        size = int(opened.node.max()) + 1
        expanded = np.full(size, _NEVER)
        numbers = np.array([one.node for one in self.solution.trace], dtype=np.int64)
        expanded[numbers[numbers < size]] = np.nonzero(numbers < size)[0]
        taken = expanded.copy()
        nodes, before = opened.dropped.T.astype(np.int64)
        taken[nodes] = before - 1  # gone by the time that the next one is chosen
        root = opened.depth == 0
        since = np.where(root, -1, expanded[np.where(root, 0, opened.parent)])
        return since, taken[opened.node]


def _parents(trace: tuple[Expansion, ...]) -> list[int | None]:
    """The step at which each node's parent was expanded. Numbers may be used again by a later part of a search."""
    step_of: dict[int, int] = {}
    found: list[int | None] = []
    for step, one in enumerate(trace):
        found.append(None if one.parent is None else step_of.get(one.parent))
        step_of[one.node] = step
    return found


def _board_after(problem: GameProblem, path: tuple[Any, ...]) -> tuple[list[str], float]:
    """Plays the path by the game's own rules."""
    position = problem.position
    for move in path:
        position = position.apply(move)
    return position.text().splitlines(), position.score - problem.position.score
