"""Problems that return the steps of many states in one call: the same searches, with fewer calls."""

import re
from typing import Any

import numpy as np
import pytest

from blockfall.errors import SettingError
from blockfall.search import Problem, SearchSettings, check_problem, solve
from tests.searched import ALGORITHMS


class Walk(Problem):
    """A walk over a board of 16 x 16 from corner to corner; a step onto a cell costs 1 to 4."""

    admissible = costs_only = True
    size = 16
    steps = ((1, 0), (0, 1), (-1, 0), (0, -1))

    def start(self) -> bytes:
        return bytes([0, 0])

    def actions(self, state: bytes) -> list[int]:
        return [i for i, (x, y) in enumerate(self.steps) if self.is_inside(state[0] + x, state[1] + y)]

    def is_inside(self, x: int, y: int) -> bool:
        return 0 <= x < self.size and 0 <= y < self.size

    def result(self, state: bytes, action: int) -> bytes:
        return bytes(place + by for place, by in zip(state, self.steps[action], strict=True))

    def is_goal(self, state: bytes) -> bool:
        return state == bytes([self.size - 1] * 2)

    def reward(self, state: bytes, action: int, result: bytes) -> float:  # noqa: ARG002
        return -1.0 - (3 * result[0] + 5 * result[1]) % 4

    def heuristic(self, state: bytes) -> float:
        return -float(2 * (self.size - 1) - state[0] - state[1])


class ManyAtOnce(Walk):
    """The same walk in arrays. Steps come by action, so those of one state are not adjacent."""

    with_h = True

    def __init__(self) -> None:
        self.asked: list[int] = []

    def successors_of(self, states: Any) -> tuple[Any, ...]:
        self.asked.append(len(states))
        steps = [self._by(states, action) for action in range(4)]
        rows, actions, results = (np.concatenate(parts) for parts in zip(*steps, strict=True))
        rewards = -1.0 - (3 * results[:, 0] + 5 * results[:, 1]) % 4
        h = -(2.0 * (self.size - 1) - results.sum(axis=1))
        return rows, actions, results.astype(np.uint8), rewards, *([h] if self.with_h else [])

    def _by(self, states: Any, action: int) -> tuple[Any, Any, Any]:
        results = states.astype(int) + self.steps[action]
        rows = np.nonzero(((results >= 0) & (results < self.size)).all(axis=1))[0]
        return rows, np.full(len(rows), action), results[rows]


LIMITS = SearchSettings(node_limit=300, seed=1)


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != "bidirectional"])
@pytest.mark.parametrize("with_h", [True, False])
def test_searches_are_the_same(algorithm: str, with_h: bool) -> None:
    batched = ManyAtOnce()
    batched.with_h = with_h
    one, many = solve(Walk(), algorithm, LIMITS), solve(batched, algorithm, LIMITS)
    for part in ("moves", "points", "nodes_expanded", "nodes_generated", "optimal", "stopped_by", "fallback"):
        assert getattr(one, part) == getattr(many, part), part


@pytest.mark.parametrize("algorithm", ["breadth-first", "a-star", "uniform-cost", "brute-force"])
@pytest.mark.parametrize("ties", ["first", "last", "larger-g"])
def test_the_order_of_the_search_is_the_same(algorithm: str, ties: str) -> None:
    settings = SearchSettings(ties=ties, trace=True)
    one, many = solve(Walk(), algorithm, settings), solve(ManyAtOnce(), algorithm, settings)
    assert one.trace == many.trace
    assert one.states == many.states


def test_states_are_asked_for_together() -> None:
    batched = ManyAtOnce()
    found = solve(batched, "breadth-first")
    assert found.nodes_expanded == 255
    assert min(batched.asked) >= 8  # small groups, such as the short diagonals at both corners, are not worth a call
    assert sum(batched.asked) > 90
    assert len(batched.asked) < 10


def test_the_memory_of_the_answers_counts() -> None:
    whole = solve(ManyAtOnce(), "breadth-first")
    found = solve(ManyAtOnce(), "breadth-first", SearchSettings(memory_limit_bytes=whole.peak_bytes // 2))
    assert found.stopped_by == "memory"


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda _: None, "(rows, actions, results, rewards) or with the results' h"),
        (lambda a: a[:3], "(rows, actions, results, rewards) or with the results' h"),
        (lambda a: (a[0] + 1000, *a[1:]), "rows of the states that it is given"),
        (lambda a: (a[0] - 1000, *a[1:]), "rows of the states that it is given"),
        (lambda a: ("rows", *a[1:]), "rows as an array of whole numbers"),
        (lambda a: (a[0], a[1][1:], *a[2:]), "an action for each step"),
        (lambda a: (*a[:2], a[2][1:], *a[3:]), "as many bytes as a state has"),
        (lambda a: (*a[:2], a[2][:, :1], *a[3:]), "as many bytes as a state has"),
        (lambda a: (*a[:3], a[3][1:], a[4]), "a reward for each step"),
        (lambda a: (*a[:3], a[3] * np.nan, a[4]), "rewards from -1e200 to 1e200"),
        (lambda a: (*a[:3], None, a[4]), "rewards as an array of numbers"),
        (lambda a: (*a[:4], a[4][1:]), "h for each step"),
        (lambda a: (*a[:4], a[4] * np.nan), "h as numbers"),
    ],
)
def test_a_wrong_array_is_reported(change: Any, wanted: str) -> None:
    class Wrong(ManyAtOnce):
        def successors_of(self, states: Any) -> tuple[Any, ...]:
            return change(super().successors_of(states))  # type: ignore[no-any-return]

    with pytest.raises(SettingError, match=re.escape(f"it must give {wanted}")):
        solve(Wrong(), "breadth-first")


def test_an_error_in_it_reaches_the_user() -> None:
    class Broken(ManyAtOnce):
        def successors_of(self, states: Any) -> tuple[Any, ...]:
            return super().successors_of(states[: 1 // 0])

    with pytest.raises(ZeroDivisionError):
        solve(Broken(), "breadth-first")


def test_states_other_than_bytes_are_reported() -> None:
    class Tuples(ManyAtOnce):
        def start(self) -> Any:
            return (0, 0)

        def result(self, state: Any, action: int) -> Any:
            return tuple(super().result(state, action))

        def is_goal(self, state: Any) -> bool:
            return bool(state == (15, 15))

    with pytest.raises(SettingError, match="it must give bytes, where it has successors_of"):
        solve(Tuples(), "breadth-first")
    (finding,) = (one for one in check_problem(Tuples()).findings if one.breaks)
    assert finding.what == "successors_of needs states that are bytes of one length"


@pytest.mark.parametrize(
    ("part", "by", "what"),
    [
        (1, 1, "other actions than actions does"),
        (2, 1, "another state than result does"),
        (3, -1, "another reward than reward does"),
        (4, -1, "another h than heuristic does"),
    ],
)
def test_check_problem_compares_it_with_the_single_methods(part: int, by: int, what: str) -> None:
    class Differs(ManyAtOnce):
        def successors_of(self, states: Any) -> tuple[Any, ...]:
            answer = list(super().successors_of(states))
            answer[part] = answer[part] + by
            return tuple(answer)

    assert check_problem(ManyAtOnce()).sound
    (finding,) = (one for one in check_problem(Differs()).findings if one.breaks)
    assert finding.what == f"successors_of returns {what}"
    assert finding.state == bytes([0, 0])
