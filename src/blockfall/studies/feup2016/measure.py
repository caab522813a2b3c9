"""The study's boards, and what each algorithm makes of them."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blockfall.errors import SettingError
from blockfall.experiments.statistics import Description, describe
from blockfall.games import HopelessBoard, scoring
from blockfall.search import HopelessProblem, SearchSettings, Solution, solve
from blockfall.studies.base import Work

PUBLISHED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
ALGORITHMS = tuple(PUBLISHED["algorithms"])
PLAIN_BREADTH_FIRST = "breadth-first, no table"
"""Breadth-first search as textbooks count its nodes: it searches boards again that it met before."""


@dataclass
class Measured:
    """One algorithm on every board, board by board."""

    algorithm: str
    points: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    expanded: list[int] = field(default_factory=list)
    generated: list[int] = field(default_factory=list)
    peak_bytes: list[int] = field(default_factory=list)

    def add(self, solution: Solution) -> None:
        """Adds the solution of one more board."""
        if solution.points is None:
            raise SettingError(f"{self.algorithm} was stopped by {solution.stopped_by} before it found anything")
        self.points.append(solution.points)
        self.seconds.append(solution.seconds)
        self.expanded.append(solution.nodes_expanded)
        self.generated.append(solution.nodes_generated)
        self.peak_bytes.append(solution.peak_bytes)

    @property
    def description(self) -> Description:
        """The description of the points."""
        return describe(self.points)

    @property
    def time_ms(self) -> float:
        """The mean time of a board."""
        return 1000 * describe(self.seconds).mean

    @property
    def median_ms(self) -> float:
        """The median time of a board, which a busy machine changes less than the mean."""
        return 1000 * describe(self.seconds).quantiles["0.5"]

    @property
    def efficiency(self) -> float:
        """Points by time, as the report has it."""
        return self.description.mean / self.time_ms


def distinct_boards(count: int, columns: int, rows: int, colours: int, seed: int) -> Iterator[HopelessBoard]:
    """Random boards, no two of them equal."""
    if count > colours ** (columns * rows) // 2:
        raise SettingError(f"{count} distinct boards of {columns}x{rows} with {colours} colours: there are too few")
    seen: set[HopelessBoard] = set()
    number = 0
    while len(seen) < count:
        board = HopelessBoard.random(columns, rows, colours, seed, number)
        number += 1
        if board not in seen:
            seen.add(board)
            yield board


def measure(count: int, columns: int, rows: int, colours: int, seed: int, work: Work) -> dict[str, Measured]:
    """Every algorithm on every board."""
    found = {name: Measured(name) for name in (*ALGORITHMS, PLAIN_BREADTH_FIRST)}
    with work.phase("boards", count) as update:
        for number, board in enumerate(distinct_boards(count, columns, rows, colours, seed), 1):
            problem = HopelessProblem(board, scoring("hopeless"))
            for name in ALGORITHMS:
                found[name].add(solve(problem, name, backend=work.backend))
            every_path = SearchSettings(skip_seen=False)
            found[PLAIN_BREADTH_FIRST].add(solve(problem, "breadth-first", every_path, backend=work.backend))
            update(number, "")
    return found


@dataclass(frozen=True)
class Margin:
    """What `best` and MaxMin earn on large boards, board by board."""

    colours: int
    time_limit_s: float
    maxmin: tuple[float, ...]
    best: tuple[float, ...]


def margins(boards: int, time_limit_s: float, seed: int, work: Work) -> list[Margin]:
    """`best` and MaxMin on boards of the original size, 20 wide and 10 high, with 4 and 5 colours."""
    found = []
    with work.phase("large boards", 2 * boards) as update:
        for colours in (4, 5):
            pairs = []
            for number in range(boards):
                board = HopelessBoard.random(20, 10, colours, seed, number)
                problem = HopelessProblem(board, scoring("hopeless"))
                settings = SearchSettings(time_limit_s=time_limit_s, seed=seed)
                greedy = solve(problem, "maxmin", backend=work.backend)
                best_found = solve(problem, "best", settings, backend=work.backend)
                pairs.append((greedy.points or 0, best_found.points or 0))
                update((colours - 4) * boards + number + 1, f"{pairs[-1][1]:,} beside {pairs[-1][0]:,}")
            maxmin, best = zip(*pairs, strict=True)
            found.append(Margin(colours, time_limit_s, maxmin, best))
    return found
