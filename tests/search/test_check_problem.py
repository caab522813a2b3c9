"""`blockfall check-problem` finds each fault with the smallest example, and reports none in sound problems."""

import json
from pathlib import Path
from typing import Any

import pytest

from blockfall.search import Finding, Problem, check_problem
from blockfall.search.findings import in_rows
from tests import ROOT
from tests.program import output_of, refusal, run_program
from tests.search.test_algorithms import Hills
from tests.searched import EXAMPLE_FILE, EightPuzzle

OWN = ROOT / "tests" / "data" / "own_search.py"


class Stairs(Problem):
    """A climb of some steps, one or seven at a time."""

    steps = 30

    def start(self) -> Any:
        return 0

    def actions(self, state: Any) -> list[Any]:
        return [step for step in (1, 7) if state + step <= self.steps]

    def result(self, state: Any, action: Any) -> Any:
        return state + action

    def is_goal(self, state: Any) -> bool:
        return bool(state == self.steps)


def the_breaking(problem: Problem) -> Finding:
    (finding,) = (one for one in check_problem(problem).findings if one.breaks)
    return finding


@pytest.mark.parametrize(
    "problem", [Stairs(), EightPuzzle((8, 1, 3, 4, 0, 2, 7, 6, 5)), Hills(1)], ids=lambda one: type(one).__name__
)
def test_sound_problems_have_no_findings(problem: Problem) -> None:
    checked = check_problem(problem, states=500)
    assert checked.sound
    assert checked.findings == ()
    assert checked.goals > 0


def test_three_times_the_distance_is_not_admissible() -> None:
    """The smallest example is one move from the goal, however far away the start is."""
    puzzle = EightPuzzle((8, 6, 7, 2, 5, 4, 3, 0, 1))
    true = type(puzzle).heuristic
    puzzle.heuristic = lambda state: 3 * true(puzzle, state)  # type: ignore[method-assign]
    finding = the_breaking(puzzle)
    assert finding.check == "admissible"
    assert "it says -3 where 1 move earns -1" in finding.what
    assert len(finding.moves) == 1
    assert puzzle.is_goal(puzzle.result(finding.state, finding.moves[0]))


def test_a_heuristic_that_is_not_said_to_be_admissible_is_a_note() -> None:
    class Guess(Stairs):
        def heuristic(self, state: int) -> float:
            return state - self.steps

    (finding,) = check_problem(Guess()).findings
    assert (finding.check, finding.breaks) == ("admissible", False)
    assert finding.moves == (7,)


def test_a_heuristic_that_is_not_consistent_is_a_note() -> None:
    class Jumps(Stairs):
        admissible = True

        def heuristic(self, state: int) -> float:
            return 0.0 if state else -3.0  # the solution is six moves long

    checked = check_problem(Jumps())
    assert checked.sound
    assert [one.check for one in checked.findings] == ["consistent"]


def test_a_goal_with_a_heuristic() -> None:
    class Odd(Stairs):
        def heuristic(self, state: int) -> float:  # noqa: ARG002
            return 5.0

    assert [one.check for one in check_problem(Odd()).findings] == ["h of a goal"]


def test_a_move_that_changes_its_state() -> None:
    class Row:
        def __init__(self, cells: list[int]) -> None:
            self.cells = cells

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Row) and self.cells == other.cells

        def __hash__(self) -> int:
            return hash(tuple(self.cells))

    class Swaps(Stairs):
        def start(self) -> Row:
            return Row([3, 1, 2])

        def actions(self, state: Row) -> list[int]:  # noqa: ARG002
            return [0, 1]

        def result(self, state: Row, action: int) -> Row:
            cells = state.cells  # not a copy
            cells[action], cells[action + 1] = cells[action + 1], cells[action]
            return Row(cells)

        def is_goal(self, state: Row) -> bool:
            return state.cells == [1, 2, 3]

    finding = the_breaking(Swaps())
    assert finding.check == "changed state"
    assert len(finding.moves) == 1


class Place:
    """A state with an equality of the test's choice."""

    def __init__(self, at: int, noise: int = 0) -> None:
        self.at, self.noise = at, noise

    def __repr__(self) -> str:
        return f"Place({self.at})"


class Places(Stairs):
    kind: type[Place] = Place
    made = 0

    def start(self) -> Place:
        return self.kind(0)

    def actions(self, state: Place) -> list[int]:
        return [step for step in (1, 7) if state.at + step <= self.steps]

    def result(self, state: Place, action: int) -> Place:
        self.made += 1
        return self.kind(state.at + action, self.made)

    def is_goal(self, state: Place) -> bool:
        return state.at == self.steps


def test_states_without_equality() -> None:
    finding = the_breaking(Places())
    assert finding.check == "equality"
    assert "Place has no __eq__" in finding.what


def test_equal_states_with_different_hashes() -> None:
    class Noisy(Place):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Place) and self.at == other.at

        def __hash__(self) -> int:
            return hash((self.at, self.noise))

    places = Places()
    places.kind = Noisy
    finding = the_breaking(places)
    assert finding.check == "hash"
    assert "hashes differ" in finding.what


def test_equal_states_with_different_successors() -> None:
    class Last(Place):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Place) and self.at % 10 == other.at % 10

        def __hash__(self) -> int:
            return hash(self.at % 10)

    places = Places()
    places.kind, places.steps = Last, 12  # 10 equals 0, but has no room for seven more
    finding = next(one for one in check_problem(places).findings if one.breaks)
    assert finding.check == "equality"
    assert "two states are equal, but their" in finding.what


def test_states_that_cannot_be_hashed() -> None:
    class Lists(Stairs):
        def start(self) -> Any:
            return [0]

    assert the_breaking(Lists()).what == "a state cannot be hashed: unhashable type: 'list'"


@pytest.mark.parametrize("reward", [float("nan"), float("inf"), "3", None])
def test_a_reward_that_is_not_a_number(reward: Any) -> None:
    class Odd(Stairs):
        def reward(self, state: int, action: int, result: int) -> float:  # noqa: ARG002
            return reward  # type: ignore[no-any-return]

    assert the_breaking(Odd()).check == "reward"


def test_flags_that_are_not_true() -> None:
    class Liar(Stairs):
        unit_cost = costs_only = acyclic = True

        def actions(self, state: int) -> list[int]:
            return [step for step in (1, -1, 7) if 0 <= state + step <= self.steps]

        def reward(self, state: int, action: int, result: int) -> float:  # noqa: ARG002
            return 2 if action == -1 else -1

    found = {one.check: one for one in check_problem(Liar()).findings}
    assert set(found) == {"unit_cost", "costs_only", "acyclic"}
    assert "2 moves lead back" in found["acyclic"].what
    assert found["costs_only"].moves == (-1,)


def test_a_batch_that_contradicts_the_single_methods() -> None:
    class Batch(Stairs):
        def successors(self, state: int) -> list[tuple[Any, ...]]:
            return [(step, state + step, -2.0) for step in self.actions(state)]

    assert the_breaking(Batch()).what == "successors returns another reward than reward does"


def test_wrong_steps_back() -> None:
    class Undone(Stairs):
        def goals(self) -> list[int]:
            return [self.steps]

        def before(self, state: int) -> list[tuple[int, int]]:
            return [(state - 1, 1)] if state else []

    finding = the_breaking(Undone())
    assert (finding.check, finding.moves) == ("before", (7,))


def test_a_finding_is_shown_with_its_state() -> None:
    puzzle = EightPuzzle((8, 1, 3, 4, 0, 2, 7, 6, 5))
    finding = Finding("admissible", "too little", True, (1, 2, 3, 4, 5, 6, 7, 0, 8), ("right",))
    assert in_rows(puzzle, finding) == [
        "breaks searches: too little",
        "    1 2 3",
        "    4 5 6",
        "    7 . 8",
        "    moves: right",
    ]


def test_the_command() -> None:
    sound = output_of("check-problem", f"{EXAMPLE_FILE}:EightPuzzle", "--states", "500")
    assert "No fault found." in sound
    wrong = run_program("check-problem", f"{OWN}:Wrong", "--set", "steps=20", "--json")
    assert wrong.returncode == 1
    found = json.loads(wrong.stdout)
    assert not found["sound"]
    assert [(one["check"], one["state"], one["moves"]) for one in found["findings"]] == [("admissible", "13", [7])]
    assert "is not a problem" in refusal("check-problem", f"{OWN}:not_a_problem")


def test_a_goal_is_found_where_the_heuristic_misleads() -> None:
    """Away from the goal, h grows with the distance; the fault is one move before the goal."""

    class Misled(Stairs):
        admissible = unit_cost = True
        steps = 3000

        def heuristic(self, state: Any) -> float:
            return -3.0 if state == self.steps - 1 else -float(state)

    finding = the_breaking(Misled())
    assert finding.check == "admissible"


def test_the_command_says_that_no_goal_was_found(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(
        "import blockfall\n\n\nclass Endless(blockfall.Problem):\n"
        "    def start(self): return 0\n    def actions(self, state): return [1]\n"
        "    def result(self, state, action): return state + action\n    def is_goal(self, state): return False\n"
    )
    done = output_of("check-problem", "endless.py:Endless", "--states", "50", "--time-limit", "1", cwd=tmp_path)
    assert "No goal was reached" in done
