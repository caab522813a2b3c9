"""A check of a user's problem for whatever breaks searches, with the smallest counterexample found.

States are visited breadth-first, so the first that shows a fault is among the nearest to the start. If no goal is near,
the states around a solution are checked as well: most faults of heuristics show near a goal.
"""

import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from blockfall.errors import SettingError, whole
from blockfall.search.findings import Finding, ProblemCheck
from blockfall.search.problem import Problem
from blockfall.search.settings import SearchSettings
from blockfall.search.solving import solve

_PAIRS = 150  # states compared pairwise
_MANY = 1000  # states in one call of `successors_of`
_SLACK = 1e-9
_MOST_MOVES = 1000  # in a counterexample


def check_problem(problem: Problem, states: int = 20_000, time_limit_s: float = 10.0) -> ProblemCheck:
    """Check a problem for faults: its heuristic, comparisons of states, moves that change states, false traits.

    >>> import blockfall
    >>> class Stairs(blockfall.Problem):
    ...     unit_cost = True
    ...     def start(self):
    ...         return 0
    ...
    ...     def actions(self, state):
    ...         return [step for step in (1, 7) if state + step <= 20]
    ...
    ...     def result(self, state, action):
    ...         return state + action
    ...
    ...     def is_goal(self, state):
    ...         return state == 20
    >>> checked = blockfall.check_problem(Stairs())
    >>> checked.sound, checked.states, checked.findings
    (True, 21, ())
    """
    SearchSettings(time_limit_s=time_limit_s)  # rejects an invalid limit
    if whole(states, "states") < 1:
        raise SettingError(f"{states} states; check 1 or more")
    walk = _Walk(problem, states, time.monotonic() + time_limit_s)
    walk.explore()
    if not walk.broken:
        walk.compare_pairs()
        walk.check_many()
        walk.check_traits()
        walk.check_heuristic()
    return ProblemCheck(len(walk.states), sum(map(len, walk.edges)), len(walk.goals), tuple(walk.findings.values()))


@dataclass
class _Walk:
    """The visited states, in order, and the steps between them."""

    problem: Problem
    most: int
    until: float
    states: list[Any] = field(default_factory=list)
    number: dict[Any, int] = field(default_factory=dict)
    edges: list[list[tuple[Any, int, float]]] = field(default_factory=list)
    goals: set[int] = field(default_factory=set)
    done: set[int] = field(default_factory=set)
    """The states whose steps have been made."""
    findings: dict[str, Finding] = field(default_factory=dict)
    broken: bool = False
    """Whether states cannot be told apart, so that nothing else can be checked."""

    def find(self, check: str, what: str, state: Any = None, moves: tuple[Any, ...] = (), breaks: bool = True) -> None:
        """Keep the first finding of each check: states come in order of distance."""
        self.findings.setdefault(check, Finding(check, what, breaks, state, moves))

    def explore(self) -> None:
        start = self.problem.start()
        if not self._meet(start) or not self._same(
            start, self.problem.start(), "start() returns another state each time"
        ):
            return
        self._spread(deque([0]), self.most // 2 or 1)
        if self.broken or self.goals:
            return
        near = deque[int]()
        state = start
        for move in self._way_to_a_goal():
            state = self.problem.result(state, move)
            if state not in self.number:
                self._meet(state)
                near.appendleft(self.number[state])  # from the goal backwards
        self._spread(near, self.most)

    def _way_to_a_goal(self) -> tuple[Any, ...]:
        """Return the moves of a search by h or, if h misleads, of one without it."""
        for algorithm in ("greedy-best-first", "breadth-first"):
            seconds = max(0.1, (self.until - time.monotonic()) / 2)
            most = self.most if algorithm == "greedy-best-first" else None
            found = solve(self.problem, algorithm, SearchSettings(node_limit=most, time_limit_s=seconds))
            if found.points is not None:
                return found.moves
        return ()

    def _spread(self, waiting: deque[int], most: int) -> None:
        while waiting and not self.broken and time.monotonic() < self.until:
            at = waiting.popleft()
            if at not in self.done:
                self.done.add(at)
                waiting += [to for _, to, _ in self._expand(at, len(self.states) < most) if to not in self.done]

    def _meet(self, state: Any) -> bool:
        try:
            hash(state)
        except TypeError as error:
            self.find("hash", f"a state cannot be hashed: {error}", state)
            self.broken = True
            return False
        self.number[state] = len(self.states)
        self.states.append(state)
        self.edges.append([])
        if self.problem.is_goal(state):
            self.goals.add(len(self.states) - 1)
        return True

    def _same(self, state: Any, again: Any, what: str, before: Any = None, moves: tuple[Any, ...] = ()) -> bool:
        """Return whether two states that must be the same are the same."""
        if state != again or again != state:
            kind = type(state)
            plain = "__eq__" not in {name for one in kind.__mro__[:-1] for name in vars(one)}
            why = f"; {kind.__name__} has no __eq__, so that only the very same object is equal" if plain else ""
            self.find("equality", f"{what}{why}", before, moves)
            self.broken = True
        elif hash(state) != hash(again):
            self.find("hash", f"{what}: they are equal, but their hashes differ", before, moves)
            self.broken = True
        return not self.broken

    def _expand(self, at: int, grows: bool) -> list[tuple[Any, int, float]]:
        """Make every step from a state twice, and compare the state before and after."""
        problem, state = self.problem, self.states[at]
        before = self._seen_of(state)
        for action in before[1]:
            result = problem.result(state, action)
            after = self._seen_of(state)
            if after != before:
                part = next(name for name, old, new in zip(_PARTS, before, after, strict=True) if old != new)
                self.find("changed state", f"a move changes the state that it is made in: its {part}", state, (action,))
                self.broken = True
                return []
            again = problem.result(state, action)
            if not self._same(result, again, "the same move leads to another state each time", state, (action,)):
                return []
            reward = problem.reward(state, action, result)
            if not _is_finite(reward):
                self.find("reward", f"a reward is {reward!r}; it must be a finite number", state, (action,))
                self.broken = True
                return []
            if result in self.number:
                self._check_twin(result, state, action)
            elif not grows:
                continue
            elif not self._meet(result):
                return []
            self.edges[at].append((action, self.number[result], float(reward)))
        self._check_batch(at)
        self._check_undoing(at)
        return self.edges[at]

    def _seen_of(self, state: Any) -> tuple[Any, ...]:
        """Return all that a search can see of a state."""
        problem = self.problem
        return (hash(state), list(problem.actions(state)), bool(problem.is_goal(state)), problem.heuristic(state))

    def _check_twin(self, state: Any, before: Any, action: Any) -> None:
        """Check that equal states continue alike."""
        known = self.states[self.number[state]]
        mine, theirs = self._seen_of(state), self._seen_of(known)
        for name, one, other in zip(_PARTS[1:], mine[1:], theirs[1:], strict=True):
            if one != other:
                what = f"two states are equal, but their {name} differ: {_short(one)} and {_short(other)}"
                self.find("equality", what, before, (action,))

    def _check_batch(self, at: int) -> None:
        """Check that `successors` agrees with the single methods."""
        if "successors" in self.problem._own() and "successors" not in self.findings:
            self._compare("successors", self.states[at], list(self.problem.successors(self.states[at])))

    def check_many(self) -> None:
        """Check that `successors_of` agrees with the single methods."""
        if "successors_of" not in self.problem._own():
            return
        some = self.states[:_MANY]
        for state in some:
            if not isinstance(state, bytes) or len(state) != len(some[0]):
                self.find("successors_of", "successors_of needs states that are bytes of one length", state)
                return
        given = self.problem.successors_of(np.frombuffer(b"".join(some), np.uint8).reshape(len(some), -1))
        rows, actions, results, *values = given
        values = [np.broadcast_to(value, len(rows)).tolist() for value in values]
        steps: list[list[tuple[Any, ...]]] = [[] for _ in some]
        for row, action, result, *numbers in zip(rows, actions, results, *values, strict=True):
            steps[row].append((action, bytes(result), *numbers))
        for state, one in zip(some, steps, strict=True):
            self._compare("successors_of", state, one)

    def _compare(self, name: str, state: Any, given: list[tuple[Any, ...]]) -> None:
        """Compare all steps of a state, as one method returns them, with the single methods."""
        problem = self.problem
        if [one[0] for one in given] != list(problem.actions(state)):
            self.find(name, f"{name} returns other actions than actions does", state)
            return
        for action, result, reward, *h in given:
            if result != problem.result(state, action):
                self.find(name, f"{name} returns another state than result does", state, (action,))
            elif reward != problem.reward(state, action, result):
                self.find(name, f"{name} returns another reward than reward does", state, (action,))
            elif h and h[0] != problem.heuristic(result):
                self.find(name, f"{name} returns another h than heuristic does", state, (action,))

    def _check_undoing(self, at: int) -> None:
        """Check that `before` is the inverse of `result`."""
        problem, state = self.problem, self.states[at]
        if not problem.undoes or "before" in self.findings:
            return
        for before, action in problem.before(state):
            if problem.result(before, action) != state:
                self.find("before", "before returns a step that does not lead to the state", state, (action,))
        for action, to, _ in self.edges[at]:
            if (state, action) not in list(problem.before(self.states[to])):
                self.find("before", "before leaves out a step that leads to the state", state, (action,))

    def compare_pairs(self) -> None:
        """Find states that are equal with different hashes, or equal one way round only."""
        some = self.states[:_PAIRS]
        for i, state in enumerate(some):
            for other in some[i + 1 :]:
                if (state == other) != (other == state):
                    what = f"a == b is {state == other}, but b == a is {other == state}, of two states"
                    self.find("equality", f"{what}; the other one is {_short(self.problem.text(other))}", state)
                elif state == other:
                    what = "two states are equal, but their hashes differ"
                    self.find("hash", f"{what}; the other one is {_short(self.problem.text(other))}", state)

    def check_traits(self) -> None:
        """Check the traits unit_cost, costs_only and acyclic, and the goals."""
        problem = self.problem
        steps = [(at, action, reward) for at, edges in enumerate(self.edges) for action, _, reward in edges]
        for at, action, reward in steps:
            if problem.unit_cost and reward != steps[0][2]:
                what = f"unit_cost is not true: one step earns {steps[0][2]:g}, another {reward:g}"
                self.find("unit_cost", what, self.states[at], (action,))
            if (problem.costs_only or problem.unit_cost) and reward > 0:
                name = "costs_only" if problem.costs_only else "unit_cost"
                self.find(name, f"{name} is not true: a step earns {reward:g}", self.states[at], (action,))
        if problem.acyclic and (cycle := self._smallest_cycle()):
            at, moves = cycle
            self.find("acyclic", f"acyclic is not true: {_moves(len(moves))} lead back", self.states[at], moves)
        if problem.undoes:
            goals = list(problem.goals())
            for goal in goals:
                if not problem.is_goal(goal):
                    self.find("goals", "goals returns a state that is not a goal", goal)
            for at in sorted(self.goals):
                if self.states[at] not in goals:
                    self.find("goals", "goals leaves out a goal", self.states[at])

    def _smallest_cycle(self) -> tuple[int, tuple[Any, ...]] | None:
        best: tuple[int, tuple[Any, ...]] | None = None
        for start in range(len(self.states)):
            if time.monotonic() > self.until + 5 or (best and len(best[1]) == 1):
                break
            came: dict[int, tuple[int, Any]] = {}
            layer, depth, most = [start], 0, len(best[1]) - 1 if best else _MOST_MOVES
            while layer and depth < most and start not in came and len(came) < _PAIRS:
                depth += 1
                following = []
                for at in layer:
                    for action, to, _ in self.edges[at]:
                        if to not in came:
                            came[to] = (at, action)
                            following.append(to)
                layer = following
            if start in came:
                moves, at = [came[start][1]], came[start][0]
                while at != start:
                    moves.append(came[at][1])
                    at = came[at][0]
                best = start, tuple(reversed(moves))
        return best

    def check_heuristic(self) -> None:
        """Check that the heuristic never says too little, and never falls by more than a step earns."""
        problem = self.problem
        if "heuristic" not in problem._own():
            return
        h = [problem.heuristic(state) for state in self.states]
        for at, value in enumerate(h):
            if math.isnan(value):
                self.find("heuristic", "a heuristic is not a number", self.states[at])
                return
        for at in sorted(self.goals):
            if h[at] != 0:
                self.find("h of a goal", f"the heuristic of a goal is {h[at]:g}, not 0", self.states[at], breaks=False)
            h[at] = 0.0
        said = problem.admissible
        for at, moves, earned in self._too_little(h):
            does = "move earns" if len(moves) == 1 else "moves earn"
            what = f"the heuristic is not admissible: it says {h[at]:g} where {len(moves)} {does} {earned:g}"
            self.find("admissible", what, self.states[at], moves, breaks=said)
            return
        for at, edges in enumerate(self.edges):
            for action, to, reward in edges:
                if at not in self.goals and h[at] < reward + h[to] - _SLACK:
                    then = f"then {h[to]:g} after a step that earns {reward:g}"
                    what = f"the heuristic is not consistent: it says {h[at]:g}, {then}"
                    self.find("consistent", what, self.states[at], (action,), breaks=False)
                    return

    def _too_little(self, h: list[float]) -> Iterator[tuple[int, tuple[Any, ...], float]]:
        """Yield states with a path to a goal that earns more than h says; the shortest paths first."""
        into: list[list[tuple[int, Any, float]]] = [[] for _ in self.states]
        for at, edges in enumerate(self.edges):
            for action, to, reward in edges:
                into[to].append((at, action, reward))
        worth = dict.fromkeys(sorted(self.goals), 0.0)  # the most earned on paths of the current length
        ways: dict[int, tuple[Any, ...]] = dict.fromkeys(worth, ())
        best = dict(worth)
        for _ in range(_MOST_MOVES):
            following: dict[int, float] = {}
            new_ways: dict[int, tuple[Any, ...]] = {}
            for to, earned in worth.items():
                for at, action, reward in into[to]:
                    total = reward + earned
                    if total > max(best.get(at, -math.inf), following.get(at, -math.inf)):
                        following[at], new_ways[at] = total, (action, *ways[to])
            for at in sorted(following):
                if at not in self.goals and following[at] > h[at] + _SLACK:
                    yield at, new_ways[at], following[at]
            if not following:
                return
            best.update(following)
            worth, ways = following, new_ways


_PARTS = ("hash", "actions", "being a goal", "heuristic")


def _is_finite(reward: Any) -> bool:
    try:
        return math.isfinite(reward)
    except TypeError:
        return False


def _moves(count: int) -> str:
    return f"{count} move{'' if count == 1 else 's'}"


def _short(thing: object) -> str:
    said = " ".join(str(thing).split())
    return said if len(said) <= 60 else f"{said[:57]}..."
