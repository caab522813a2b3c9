"""Running a user's algorithm: it counts the calls, keeps the limits and writes the trace.

The function gets a problem like any other. Each call of `actions` (or `successors`) counts as an expanded node, each
resulting state as a generated one. These calls check the limits; so does a `Watchdog`, for functions that never call.
"""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from blockfall import _core
from blockfall.errors import BlockfallError, SettingError
from blockfall.games.protocol import action_in_words
from blockfall.search.algorithm import Algorithm
from blockfall.search.memory import default_limit_bytes
from blockfall.search.problem import Answer, Problem, Searchable, SearchProgress
from blockfall.search.settings import SearchSettings
from blockfall.search.watching import Stopped, Watchdog

MOST_TRACED = 1_000_000
"""The most nodes in a trace, as in the core."""
_WAY_OUT = SearchSettings(node_limit=2000, time_limit_s=1)
_POLL_S = 0.05
_SAMPLED = 64  # nodes between two checks of the process's memory
_NO_MORE = object()


class AlgorithmError(BlockfallError):
    """A user's algorithm returned something that is not a solution."""


class Counted:
    """A problem that counts its calls, with all the problem's other attributes."""

    def __init__(self, problem: Problem, settings: SearchSettings, progress: SearchProgress | None) -> None:
        self._problem, self._settings, self._progress = problem, settings, progress
        self._started = self._polled = time.monotonic()
        self._bytes_before = _held_bytes()
        self._memory_limit = settings.memory_limit_bytes or default_limit_bytes()
        self.stopped_by = "finished"
        self.expanded = self.generated = self.peak_bytes = 0
        self.trace: list[tuple[Any, ...]] = []
        self.states: list[Hashable] = []
        self._came_by: dict[Hashable, tuple[int | None, Any, float, int]] = {}  # parent, action, g, depth
        self._number_of: dict[Hashable, int] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._problem, name)

    @property
    def seconds(self) -> float:
        """The time since the search began."""
        return time.monotonic() - self._started

    def start(self) -> Any:
        """Return the first state."""
        return self._problem.start()

    def actions(self, state: Any) -> list[Any]:
        """Return the actions; count an expanded node."""
        self._expand(state)
        return list(self._problem.actions(state))

    def result(self, state: Any, action: Any) -> Any:
        """Return the state after an action; count a generated node."""
        result = self._problem.result(state, action)
        self.generated += 1
        if self._settings.trace:
            self._note(state, action, result, self._problem.reward(state, action, result))
        return result

    def successors(self, state: Any) -> Iterator[tuple[Any, ...]]:
        """Yield (action, state, reward) for every action; count the expanded and the generated nodes."""
        self._expand(state)
        for action, result, reward, *more in self._problem.successors(state):
            self.generated += 1
            if self._settings.trace:
                self._note(state, action, result, reward)
            yield action, result, reward, *more

    def _note(self, state: Any, action: Any, result: Any, reward: float) -> None:
        _, _, g, depth = self._came_by.get(state, (None, None, 0.0, 0))
        known = self._came_by.get(result)
        if result not in self._number_of and (known is None or g + reward > known[2]):
            self._came_by[result] = (self._number_of.get(state), action, g + reward, depth + 1)

    def _expand(self, state: Any) -> None:
        self._check()
        self.expanded += 1
        if self._settings.trace and len(self.trace) < MOST_TRACED:
            node = self.expanded - 1
            parent, action, g, depth = self._came_by.get(state, (None, None, 0.0, 0))
            root = parent is None
            h = self._problem.heuristic(state)
            self.trace.append((node, parent, 0 if root else depth, None if root else action, g, h, False))
            self.states.append(state)
            self._number_of[state] = node

    def is_late(self) -> bool:
        """Return whether the time or memory limit is reached."""
        if self.stopped_by == "finished":
            if self._settings.time_limit_s is not None and self.seconds >= self._settings.time_limit_s:
                self.stopped_by = "time"
            elif self.look_at_memory() > self._memory_limit:
                self.stopped_by = "memory"
        return self.stopped_by != "finished"

    def _check(self) -> None:
        settings, now = self._settings, time.monotonic()
        if self.stopped_by == "finished":
            if settings.node_limit is not None and self.expanded >= settings.node_limit:
                self.stopped_by = "nodes"
            elif settings.time_limit_s is not None and now - self._started >= settings.time_limit_s:
                self.stopped_by = "time"
            elif self.expanded % _SAMPLED == 0 and self.look_at_memory() > self._memory_limit:
                self.stopped_by = "memory"
        if self._progress and now - self._polled > _POLL_S:
            self._polled = now
            self._progress()
        if self.stopped_by != "finished":
            raise Stopped

    def look_at_memory(self) -> int:
        """Return how far the process has grown since the search began, and keep the maximum."""
        grown = max(0, _held_bytes() - self._bytes_before)
        self.peak_bytes = max(self.peak_bytes, grown)
        return grown


def _held_bytes() -> int:
    """Return the process's memory; 0 if the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096
    except (OSError, ValueError, IndexError):
        return 0


def run_own(
    algorithm: Algorithm, problem: Searchable, settings: SearchSettings, progress: SearchProgress | None = None
) -> Answer:
    """Run the function on the problem in plain Python. The answer has the core's form."""
    assert algorithm.function
    counted = Counted(problem.plain(), settings, progress)
    best, watch = _Best(algorithm.name, problem, counted), Watchdog(counted.is_late)
    try:
        best.take_all(algorithm.function, watch)
    except Stopped:
        pass
    except KeyboardInterrupt:
        counted.stopped_by = "interrupt"
    except RecursionError:
        raise AlgorithmError(f"{algorithm.name} called itself more deeply than Python allows") from None
    finally:
        watch.end()
    counted.look_at_memory()
    traced = len(counted.states)  # the search may have been stopped while recording a node
    seconds = counted.seconds
    fallback = best.points is None and counted.stopped_by != "finished"
    if fallback:
        way_out = problem.search("greedy", _WAY_OUT, 1, None)
        fallback = way_out["found"]
        best.points, best.moves = (way_out["points"], way_out["path"]) if fallback else (None, [])
    return {
        "found": best.points is not None,
        "optimal": False,
        "fallback": fallback,
        "points": best.points,
        "path": best.moves,
        "improvements": best.improvements,
        "expanded": counted.expanded,
        "generated": counted.generated,
        "seconds": seconds,
        "peak_bytes": counted.peak_bytes,
        "stopped_by": counted.stopped_by,
        "trace": counted.trace[:traced],
        "states": counted.states,
        "opened": np.empty((0, 3), np.uint32),
        "opened_worth": np.empty((0, 3)),
        "dropped": np.empty((0, 2), np.uint32),
        "ties": _core.Ties.FIRST,
    }


class _Best:
    """The best solution of an algorithm so far."""

    def __init__(self, name: str, problem: Searchable, counted: Counted) -> None:
        self._name, self._problem, self._counted = name, problem, counted
        self.points: float | None = None
        self.moves: list[Any] = []
        self.improvements: list[tuple[int, float, float]] = []

    def take_all(self, function: Callable[[Any], Any], watch: Watchdog) -> None:
        """Take what the function returns or yields. Only the function itself can be stopped, not this method."""
        given = watch.call(function, self._counted)
        if not isinstance(given, Iterator):
            self.take(given)
            return
        while (moves := watch.call(next, given, _NO_MORE)) is not _NO_MORE:
            self.take(moves)

    def take(self, given: object) -> None:
        """Take a solution if it is better; None means no solution."""
        if given is None:
            return
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise AlgorithmError(f"{self._name} returned {_short(given)}; it must return a list of actions, or None")
        moves = list(given)
        points = self._replayed(moves)
        if self.points is None or points > self.points:
            self.points, self.moves = points, moves
            self.improvements.append((self._counted.expanded, self._counted.seconds, points))

    def _replayed(self, moves: Sequence[Any]) -> float:
        """Return the points of the moves by the problem's own rules."""
        plain = self._problem.plain()
        state: Any = plain.start()
        for number, move in enumerate(moves, 1):
            if move not in list(plain.actions(state)):
                said = f"move {number} of {len(moves)}, {_short(action_in_words(move))}"
                raise AlgorithmError(f"{self._name}: {said}, cannot be made there")
            try:
                state = plain.result(state, move)
            except SettingError as error:
                raise AlgorithmError(f"{self._name}: move {number} of {len(moves)}: {error}") from None
        points = self._problem.replay(moves)
        if points is None:
            raise AlgorithmError(f"{self._name}: its {len(moves)} moves do not lead to a goal")
        return points


def _short(thing: object) -> str:
    said = repr(thing) if not isinstance(thing, str) else thing
    return said if len(said) <= 60 else f"{said[:57]}..."
