"""A search to step through: the expanded nodes, their states and paths, and the open list at each step."""

import json
from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from blockfall.compute import LocalBackend
from blockfall.files import write_atomically
from blockfall.games.protocol import Position
from blockfall.search.problem import Searchable
from blockfall.search.settings import SearchSettings
from blockfall.search.solution import Expansion, Solution
from blockfall.search.solving import solve

P = TypeVar("P", bound=Searchable)
MOST_WRITTEN = 20
"""The most open nodes listed per step in a trace's file."""
_KEPT_STATES = 10_000
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class OpenNode:
    """A generated node, not yet expanded."""

    node: int
    depth: int
    f: float
    g: float
    h: float
    next: bool
    """Whether it is expanded next."""


@dataclass(frozen=True)
class Moment:
    """The state of a search after an expansion."""

    expansion: Expansion
    path: tuple[Any, ...] | None
    """The moves that led there; None if the trace lacks them."""
    rows: list[str] | None
    """The expanded node's board, the top row first."""
    points: float | None
    open: list[OpenNode] | None
    """The next open nodes, in order; None if the algorithm keeps no open list."""
    open_count: int


class TracedSearch(Generic[P]):
    """A problem with its solution and trace. Moments are made on demand, in milliseconds."""

    def __init__(self, problem: P, solution: Solution) -> None:
        self.problem, self.solution = problem, solution
        self._plain = problem.plain()
        self.parents = _parents(solution.trace)
        """The step at which each node's parent was expanded; None for a root, or if the trace lacks it."""
        self._known: OrderedDict[int, Any] = OrderedDict()

    @classmethod
    def run(cls, problem: P, algorithm: str, settings: SearchSettings | None = None) -> "TracedSearch[P]":
        """Search with a trace, on one thread."""
        settings = replace(settings or SearchSettings(), trace=True)
        return cls(problem, solve(problem, algorithm, settings, backend=LocalBackend(threads=1)))

    def __len__(self) -> int:
        return len(self.solution.trace)

    def at(self, step: int, most_open: int = 12) -> Moment:
        """Return the moment after this step, counted from 0."""
        expansion = self.solution.trace[step]
        path = self._path(step)
        state = self.state(step)
        rows = None if state is None else self._plain.text(state).splitlines()
        points = state.score - self._plain.start().score if isinstance(state, Position) else None  # type: ignore[attr-defined]
        nodes, count = self._open(step, most_open)
        return Moment(expansion, path, rows, points, nodes, count)

    def state(self, step: int) -> Any:
        """Return the state expanded at this step, by the problem's own rules; None if the trace lacks a path to it."""
        if self.solution.states:
            return self.solution.states[step]
        way: list[int] = []
        at: int | None = step
        while at is not None and at not in self._known and self.solution.trace[at].parent is not None:
            way.append(at)
            at = self.parents[at]
        if at is None:
            return None
        state = self._known.get(at) if at in self._known else self._plain.start()
        for one in reversed(way):
            state = self._plain.result(state, self.solution.trace[one].action)
            self._known[one] = state
        while len(self._known) > _KEPT_STATES:
            self._known.popitem(last=False)
        return state

    def write(self, path: Path) -> None:
        """Write a row of JSON for each expanded node: its state, f, g and h, and the next open nodes."""
        rows = []
        for step, (node, following) in enumerate(zip(self.solution.trace, self._open_lists(), strict=True)):
            state = self.state(step)
            row = {**node.as_json(), "state": None if state is None else self._plain.text(state)}
            if following is not None:
                row |= {"open": following[0], "open_count": following[1]}
            rows.append(json.dumps(row, default=str) + "\n")
        write_atomically(path, "".join(rows))

    def _open_lists(self) -> Iterator[tuple[list[int], int] | None]:
        """Yield the next open nodes after each expansion, in order, and the length of the open list."""
        opened = self.solution.opened
        if opened is None:
            yield from [None] * len(self)
            return
        since, until = self._times
        steps = len(self)
        arrive, leave = np.argsort(since, kind="stable"), np.argsort(until, kind="stable")
        here: list[int] = []  # negated ranks, so that the next one is last
        coming = going = 0
        node_of = np.empty(len(opened.node), np.int64)
        node_of[opened.rank] = opened.node
        for step in range(steps):
            while coming < len(arrive) and since[arrive[coming]] <= step:
                if until[arrive[coming]] > step:
                    insort(here, -int(opened.rank[arrive[coming]]))
                coming += 1
            while going < len(leave) and until[leave[going]] <= step:
                _take(here, -int(opened.rank[leave[going]]))
                going += 1
            yield [int(node_of[-rank]) for rank in reversed(here[-MOST_WRITTEN:])], len(here)

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
        order = np.argsort(opened.rank[here])[:most]
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
        """Return the step that opened each node, and the step that removed it from the open list."""
        opened = self.solution.opened
        assert opened
        size = int(opened.node.max()) + 1
        expanded = np.full(size, _NEVER)
        numbers = np.array([one.node for one in self.solution.trace], dtype=np.int64)
        expanded[numbers[numbers < size]] = np.nonzero(numbers < size)[0]
        taken = expanded.copy()
        nodes, before = opened.dropped.T.astype(np.int64)
        taken[nodes] = before - 1  # gone when the next one is chosen
        root = opened.depth == 0
        since = np.where(root, -1, expanded[np.where(root, 0, opened.parent)])
        return since, taken[opened.node]


def _take(ordered: list[int], value: int) -> None:
    """Remove a value from a sorted list, if present. Most often it is near the end."""
    at = bisect_left(ordered, value)
    if at < len(ordered) and ordered[at] == value:
        del ordered[at]


def _parents(trace: tuple[Expansion, ...]) -> list[int | None]:
    """Return the step at which each node's parent was expanded. A later part of a search may reuse numbers."""
    step_of: dict[int, int] = {}
    found: list[int | None] = []
    for step, one in enumerate(trace):
        found.append(None if one.parent is None else step_of.get(one.parent))
        step_of[one.node] = step
    return found
