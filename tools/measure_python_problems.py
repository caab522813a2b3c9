"""Measure searches of a problem in Python beside a plain Python loop.

    python tools/measure_python_problems.py [REPEATS]

The problem is the 8-puzzle of examples/eight_puzzle.py and examples/eight_puzzle_in_arrays.py; its hardest start, 31
moves. The loops are textbook code over the same object. All repeats are interleaved, and a figure is the median of
CPU times, so other work on the machine matters little. The result goes to docs/data/python_problems.json, and from
there to docs/search.md (tools/make_tables.py).
"""

import json
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from operator import itemgetter
from pathlib import Path
from typing import Any

from blockfall import solve

DOCS = Path(__file__).parents[1] / "docs"
DATA = DOCS / "data" / "python_problems.json"
sys.path.insert(0, str(DOCS.parent / "examples"))
from eight_puzzle import MOVES, EightPuzzle  # noqa: E402
from eight_puzzle_in_arrays import InArrays  # noqa: E402

HARD = (8, 6, 7, 2, 5, 4, 3, 0, 1)
State = tuple[int, ...]

DISTANCE = [[0, *(abs(p // 3 - t // 3) + abs(p % 3 - t % 3) for t in range(8))] for p in range(9)]
"""The distance of a tile from its goal, by place and tile."""


def _slides(gap: int) -> list[tuple[str, Callable[[State], State]]]:
    """The moves of a gap: their names, and functions that swap the tiles."""
    found: list[tuple[str, Callable[[State], State]]] = []
    for name, by in MOVES.items():
        to = gap + by
        if 0 <= to < 9 and (abs(by) == 3 or to // 3 == gap // 3):
            places = list(range(9))
            places[gap], places[to] = to, gap
            found.append((name, itemgetter(*places)))
    return found


SLIDES = [_slides(gap) for gap in range(9)]


class InBatches(EightPuzzle):
    """The same puzzle, returning all steps of a state in one call."""

    def successors(self, state: State) -> list[tuple[Any, ...]]:
        return [(name, slide(state), -1.0) for name, slide in SLIDES[state.index(0)]]


class WithDistances(InBatches):
    """The same with a heuristic that looks distances up."""

    def heuristic(self, state: State) -> float:
        distance = 0
        for row, tile in zip(DISTANCE, state, strict=True):
            distance += row[tile]
        return -distance


def plain_breadth_first(problem: Any) -> tuple[list[Any] | None, int]:
    start = problem.start()
    came: dict[Any, Any] = {start: None}
    waiting, expanded = deque([start]), 0
    while waiting:
        state = waiting.popleft()
        if problem.is_goal(state):
            return _way(came, state), expanded
        expanded += 1
        for action in problem.actions(state):
            result = problem.result(state, action)
            if result not in came:
                came[result] = (state, action)
                waiting.append(result)
    return None, expanded


def plain_a_star(problem: Any) -> tuple[list[Any] | None, int]:
    start = problem.start()
    came: dict[Any, Any] = {start: None}
    earned = {start: 0.0}
    waiting, expanded, number = [(-problem.heuristic(start), 0, 0.0, start)], 0, 0
    while waiting:
        _, _, g, state = heappop(waiting)
        if g < earned[state]:
            continue
        if problem.is_goal(state):
            return _way(came, state), expanded
        expanded += 1
        for action in problem.actions(state):
            result = problem.result(state, action)
            total = g + problem.reward(state, action, result)
            if result not in earned or total > earned[result]:
                earned[result], came[result] = total, (state, action)
                number += 1
                heappush(waiting, (-total - problem.heuristic(result), number, total, result))
    return None, expanded


def _way(came: dict[Any, Any], state: Any) -> list[Any]:
    way = []
    while came[state]:
        state, action = came[state]
        way.append(action)
    return way[::-1]


def measure(repeats: int) -> list[dict[str, Any]]:
    loops = {"breadth-first": plain_breadth_first, "a-star": plain_a_star}
    kinds = {
        "as in the example": EightPuzzle,
        "with `successors`": InBatches,
        "and a quick heuristic": WithDistances,
        "with `successors_of`": InArrays,
    }
    speeds: dict[tuple[str, str, str], list[float]] = {}
    for _ in range(repeats):
        for algorithm, loop in loops.items():
            for title, kind in kinds.items():
                problem = kind(HARD)
                started = time.process_time()
                way, expanded = loop(problem)
                speeds.setdefault((algorithm, title, "loop"), []).append(expanded / (time.process_time() - started))
                started = time.process_time()
                found = solve(problem, algorithm)
                spent = time.process_time() - started
                speeds.setdefault((algorithm, title, "ours"), []).append(found.nodes_expanded / spent)
                assert way is not None
                assert len(way) == len(found.moves) == 31
    return [
        {
            "algorithm": algorithm,
            "problem": title,
            "loop": statistics.median(speeds[algorithm, title, "loop"]),
            "ours": statistics.median(speeds[algorithm, title, "ours"]),
            "repeats": repeats,
        }
        for algorithm in loops
        for title in kinds
    ]


if __name__ == "__main__":
    measured = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    DATA.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    for row in measured:
        speeds = f"{row['loop']:10,.0f} {row['ours']:10,.0f} {row['ours'] / row['loop']:.2f}"
        print(f"{row['algorithm']:14} {row['problem']:24} {speeds}")
