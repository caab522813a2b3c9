"""The study's boards, and each algorithm's results on them."""

import statistics
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from blockfall.errors import SettingError, UnknownNameError
from blockfall.experiments.statistics import Description, describe
from blockfall.games import HopelessBoard, scoring
from blockfall.plugins import is_named_in_file
from blockfall.search import (
    HopelessProblem,
    SearchSettings,
    Solution,
    algorithms,
    core_algorithms,
    find_algorithm,
)
from blockfall.studies.base import Work

PUBLISHED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
ALGORITHMS = tuple(PUBLISHED["algorithms"])
PLAIN_BREADTH_FIRST = "breadth-first, no table"
"""Breadth-first search as textbooks count its nodes: boards that it has met are searched again."""
PLAIN_BRUTE_FORCE = "brute-force, no table"
"""Brute force as the report describes it: it visits every node of the tree."""
WITHOUT_TABLE = {"breadth-first": PLAIN_BREADTH_FIRST, "brute-force": PLAIN_BRUTE_FORCE}
RUNS = 3
"""The runs of a short search, whose time is their median: a pause of the machine is longer than the search."""
SHORT_NODES = 2000
"""A search that expands fewer nodes is short."""


@dataclass
class MeasuredAlgorithm:
    """One algorithm on the boards, board by board. Means are over the boards that it searched to the end.

    A search that a limit stopped gives the best so far, or the greedy fallback; neither is the algorithm's answer.
    """

    algorithm: str
    solutions: list[Solution | None] = field(default_factory=list)
    """The solution of each board; None if the algorithm was not asked to solve it."""

    @cached_property
    def own(self) -> dict[int, Solution]:
        """The solutions of the finished searches, by the board's index."""
        return {
            place: found
            for place, found in enumerate(self.solutions)
            if found is not None and found.stopped_by == "finished" and found.points is not None
        }

    @property
    def asked(self) -> int:
        """The number of boards that it was asked to solve."""
        return sum(found is not None for found in self.solutions)

    @property
    def points(self) -> list[float]:
        """The points of its own solutions."""
        return [found.points for found in self.own.values() if found.points is not None]

    @property
    def description(self) -> Description:
        """The description of the points."""
        return describe(self.points)

    @property
    def time_ms(self) -> float:
        """The mean time of a board."""
        return 1000 * float(np.mean([found.seconds for found in self.own.values()]))

    @property
    def efficiency(self) -> float:
        """Mean points divided by mean time, as in the report."""
        return self.description.mean / self.time_ms

    @property
    def expanded(self) -> float:
        """The mean of the nodes expanded."""
        return float(np.mean([found.nodes_expanded for found in self.own.values()]))

    @property
    def generated(self) -> float:
        """The mean of the nodes generated."""
        return float(np.mean([found.nodes_generated for found in self.own.values()]))

    @property
    def peak_bytes(self) -> float:
        """The mean of the most memory that a search held."""
        return float(np.mean([found.peak_bytes for found in self.own.values()]))

    def on_boards_of(self, other: "MeasuredAlgorithm") -> "MeasuredAlgorithm":
        """Return the results on only the boards that both searched to the end."""
        both = self.own.keys() & other.own.keys()
        solutions = [found if place in both else None for place, found in enumerate(self.solutions)]
        return MeasuredAlgorithm(self.algorithm, solutions)


def chosen_algorithms(names: str | None) -> tuple[str, ...]:
    """Return the algorithms of a list such as "a-star,mine.py:name": the report's in its order, then users' own."""
    if names is None:
        return ALGORITHMS
    asked = [name.strip() for name in names.split(",")]
    own = [name for name in asked if name not in ALGORITHMS]
    for name in own:
        if name in core_algorithms() or (name not in algorithms() and not is_named_in_file(name)):
            raise UnknownNameError("algorithm of this study", name, list(ALGORITHMS))
        find_algorithm(name)
    return (*(name for name in ALGORITHMS if name in asked), *own)


def distinct_boards(count: int, columns: int, rows: int, colours: int, seed: int) -> Iterator[HopelessBoard]:
    """Yield random boards, no two of them equal."""
    if count > colours ** (columns * rows) // 2:
        raise SettingError(f"{count} distinct boards of {columns}x{rows} with {colours} colours; there are not enough")
    seen: set[HopelessBoard] = set()
    number = 0
    while len(seen) < count:
        board = HopelessBoard.random(columns, rows, colours, seed, number)
        number += 1
        if board not in seen:
            seen.add(board)
            yield board


def measure(
    boards: Sequence[HopelessBoard], names: Sequence[str], plain_boards: int, node_limit: int | None, work: Work
) -> dict[str, MeasuredAlgorithm]:
    """Run every algorithm on every board, and on the first ones also without a table, which takes much longer."""
    plain = {name: plain for name, plain in WITHOUT_TABLE.items() if name in names}
    found = {name: MeasuredAlgorithm(name) for name in (*names, *plain.values())}
    usual, no_table = SearchSettings(node_limit=node_limit), SearchSettings(node_limit=node_limit, skip_seen=False)
    with work.phase("boards", len(boards)) as update:
        for number, board in enumerate(boards, 1):
            problem = HopelessProblem(board, scoring("hopeless"))
            for name in names:
                found[name].solutions.append(_timed(problem, name, usual, work))
            for name, title in plain.items():
                searched = number <= plain_boards
                solution = _timed(problem, name, no_table, work) if searched else None
                found[title].solutions.append(solution)
            update(number, "")
    return found


def _timed(problem: HopelessProblem, name: str, settings: SearchSettings, work: Work) -> Solution:
    """Return the solution, which is always the same; a short search has the median time of its runs."""
    found = work.solved(problem, name, settings)
    seconds = [found.seconds]
    while len(seconds) < RUNS and found.nodes_expanded < SHORT_NODES:
        seconds.append(work.solved(problem, name, settings).seconds)
    return replace(found, seconds=statistics.median(seconds))


@dataclass(frozen=True)
class Margin:
    """The points of `best` and MaxMin on large boards, board by board."""

    colours: int
    time_limit_s: float
    maxmin: tuple[float, ...]
    best: tuple[float, ...]


def margins(boards: int, time_limit_s: float, seed: int, work: Work) -> list[Margin]:
    """Run `best` and MaxMin on boards of the original size, 20 wide and 10 high, with 4 and 5 colours."""
    found = []
    with work.phase("large boards", 2 * boards) as update:
        for colours in (4, 5):
            pairs = []
            for number in range(boards):
                board = HopelessBoard.random(20, 10, colours, seed, number)
                problem = HopelessProblem(board, scoring("hopeless"))
                settings = SearchSettings(time_limit_s=time_limit_s, seed=seed)
                greedy = work.solved(problem, "maxmin")
                best_found = work.solved(problem, "best", settings)
                pairs.append((greedy.points or 0, best_found.points or 0))
                update((colours - 4) * boards + number + 1, f"{pairs[-1][1]:,} beside {pairs[-1][0]:,}")
            maxmin, best = zip(*pairs, strict=True)
            found.append(Margin(colours, time_limit_s, maxmin, best))
    return found
