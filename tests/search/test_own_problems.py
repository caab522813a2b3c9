"""A user's own problems: the types that they may return, and how searches report their failures."""

import re
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from blockfall.errors import SettingError
from blockfall.search import Problem, SearchSettings, solve
from tests.searched import ALGORITHMS, Chain, Ternary, each_algorithm


def test_errors_in_a_users_problem_reach_the_user() -> None:
    class Broken(Problem):
        def start(self) -> int:
            return 0

        def actions(self, state: int) -> list[int]:
            return [1 // state]

        def result(self, state: int, action: int) -> int:
            return state + action

        def is_goal(self, state: int) -> bool:
            return state > 3

    for algorithm in ALGORITHMS:
        with pytest.raises(ZeroDivisionError):
            solve(Broken(), algorithm)


def test_a_users_problem_may_answer_in_numpys_types() -> None:
    class InNumpy(Ternary):
        def is_goal(self, state: int) -> bool:
            return np.bool_(state > 30)  # type: ignore[return-value]

        def reward(self, state: int, action: int, result: int) -> float:  # noqa: ARG002
            return np.int64(action)  # type: ignore[return-value]

    assert solve(InNumpy(), "brute-force").points == solve(Ternary(), "brute-force").points


@pytest.mark.parametrize("reward", [None, "3", float("nan"), float("inf"), float("-inf"), 1e300])
def test_a_reward_is_a_finite_number(reward: Any) -> None:
    class Odd(Ternary):
        def reward(self, state: int, action: int, result: int) -> float:  # noqa: ARG002
            return reward  # type: ignore[no-any-return]

    with pytest.raises(SettingError, match=re.escape(f"the problem's reward gave {reward!r}; it must give a number")):
        solve(Odd(), "a-star")


@each_algorithm
def test_the_time_limit_holds_if_every_step_is_slow(algorithm: str) -> None:
    class Slow(Ternary):
        def result(self, state: int, action: int) -> int:
            time.sleep(0.01)
            return super().result(state, action)

        def is_goal(self, state: int) -> bool:  # noqa: ARG002
            return False

    started = time.monotonic()
    found = solve(Slow(), algorithm, SearchSettings(time_limit_s=0.05))
    assert (found.points, found.stopped_by) == (None, "time")
    assert time.monotonic() - started < 10  # 1.1 s on a free core; the fallback's 2,000 nodes would take a minute


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Make interrupts work even if the tests run in the background of a shell, which ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@each_algorithm
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_in_the_problems_own_code_is_a_limit(algorithm: str) -> None:
    class Interrupted(Ternary):
        calls = 0

        def actions(self, state: int) -> Iterator[int]:
            yield from super().actions(state)
            self.calls += 1
            if self.calls == 3:
                signal.raise_signal(signal.SIGINT)

    found = solve(Interrupted(), algorithm)
    assert found.stopped_by == "interrupt"
    assert found.points is not None


@each_algorithm
@pytest.mark.parametrize("is_goal", [True, False])
def test_a_start_without_moves_ends_every_search(algorithm: str, is_goal: bool) -> None:
    class Stuck(Ternary):
        def actions(self, state: int) -> Iterator[int]:  # noqa: ARG002
            return iter(())

        def is_goal(self, state: int) -> bool:  # noqa: ARG002
            return is_goal

    found = solve(Stuck(), algorithm, SearchSettings(time_limit_s=60))
    assert (found.points, found.stopped_by) == (0 if is_goal else None, "finished")


def test_a_long_path_to_the_goal_needs_no_deep_stack() -> None:
    found = solve(Chain(), "best")
    assert (found.points, found.optimal) == (-60_000, True)
