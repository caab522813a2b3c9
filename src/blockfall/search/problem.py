"""Problems that can be searched, and the base class of your own. Positions of games are in `positions`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.errors import SettingError
from blockfall.search.memory import default_limit_bytes
from blockfall.search.settings import SearchSettings
from blockfall.search.tuning import annealing_numbers

Answer = dict[str, Any]
"""The core's search result."""
SearchProgress = Callable[[], None]
"""A function called now and then during a search."""


class Searchable(ABC):
    """A problem as `solve` sees it."""

    minimises: bool = False
    """Whether the trace shows g and h as costs."""

    @property
    def undoes(self) -> bool:
        """True if its moves can be undone, as `bidirectional` requires."""
        return False

    @abstractmethod
    def plain(self) -> "Problem":
        """Return the same problem in plain Python, for algorithms of your own and for showing states."""

    @abstractmethod
    def search(self, algorithm: str, settings: SearchSettings, threads: int, progress: SearchProgress | None) -> Answer:
        """Run the core's algorithm. Only `best` uses more than one thread."""

    @abstractmethod
    def replay(self, moves: Sequence[Any]) -> float | None:
        """Return the points of these moves by the problem's own rules; None if they do not lead to a goal."""


class Problem(Searchable):
    """The base class of a problem of your own. Searches maximise the sum of rewards; by default each step costs 1.

    States must be hashable; equal ones are the same state.

    >>> import blockfall
    >>> class Stairs(blockfall.Problem):
    ...     "Up 100 steps, one or seven at a time, in the fewest strides."
    ...
    ...     unit_cost = True
    ...
    ...     def start(self):
    ...         return 0
    ...
    ...     def actions(self, state):
    ...         return [step for step in (1, 7) if state + step <= 100]
    ...
    ...     def result(self, state, action):
    ...         return state + action
    ...
    ...     def is_goal(self, state):
    ...         return state == 100
    >>> found = blockfall.solve(Stairs(), "breadth-first")
    >>> len(found.moves), found.optimal
    (16, True)
    """

    name: ClassVar[str]
    """The name of a registered problem."""
    admissible: bool = False
    """Whether `heuristic` never underestimates what can still be earned; then `a-star` is exact."""
    unit_cost: bool = False
    """Whether every step costs the same, so that the shortest solution is the best."""
    costs_only: bool = False
    """Whether no step earns anything; then `uniform-cost` is exact. Not needed with the default reward of -1."""
    acyclic: bool = False
    """Whether no state can recur on a path."""

    @abstractmethod
    def start(self) -> Hashable:
        """Return the first state."""

    @abstractmethod
    def actions(self, state: Any) -> Iterable[Any]:
        """Return the actions, in the order that breaks ties; none at a dead end."""

    @abstractmethod
    def result(self, state: Any, action: Any) -> Hashable:
        """Return the state after an action."""

    @abstractmethod
    def is_goal(self, state: Any) -> bool:
        """Return whether a search may end here."""

    def reward(self, state: Any, action: Any, result: Any) -> float:
        """Return the reward of a step; a cost is a negative reward."""
        return -1.0

    def heuristic(self, state: Any) -> float:
        """Estimate what can still be earned; costs still to pay count as negative."""
        return 0.0

    def successors(self, state: Any) -> Iterable[tuple[Any, ...]]:
        """Yield (action, state, reward) for every action.

        Override it if there is a fast way: `a-star`, `breadth-first` and their kin then no longer call `actions`,
        `result` and `reward`. A fourth item, the new state's heuristic, saves that call as well.
        """
        for action in self.actions(state):
            result = self.result(state, action)
            yield action, result, self.reward(state, action, result)

    def successors_of(self, states: npt.NDArray[np.uint8]) -> tuple[Any, ...]:
        """Return the steps of many states at once, if states are `bytes` of one length.

        `states` has a row of bytes for each. The answer is (rows, actions, results, rewards): for each step the row of
        its state in `states`, the action, the new state as a row of bytes, and the reward; a single number is the
        reward of all. The steps of a state keep the order of `actions`. A fifth item may be the new states' heuristics.
        If overridden, `a-star`, `breadth-first` and their kin ask for up to a thousand states per call.
        """
        raise NotImplementedError

    def goals(self) -> Iterable[Hashable]:
        """Return every goal, where `bidirectional` begins."""
        return ()

    def before(self, state: Any) -> Iterable[tuple[Hashable, Any]]:
        """Return (state before, action) for every step that leads to a state, as `bidirectional` needs."""
        return ()

    def text(self, state: Any) -> str:
        """Draw a state, in any number of rows, for `solve --step`, traces and trees."""
        return str(state)

    @property
    def undoes(self) -> bool:
        """True if it overrides `goals` and `before`."""
        return {"goals", "before"} <= self._own()

    def plain(self) -> "Problem":
        """Return the problem itself."""
        return self

    def _own(self) -> frozenset[str]:
        """Return the names of the overridden methods. The core does not call the others."""
        names = ("reward", "heuristic", "successors", "successors_of", "goals", "before")
        kind = type(self)
        return frozenset(
            name for name in names if name in vars(self) or getattr(kind, name) is not getattr(Problem, name)
        )

    def search(self, algorithm: str, settings: SearchSettings, threads: int, progress: SearchProgress | None) -> Answer:
        """Run the core's algorithm on one thread. It asks this object about every state."""
        try:
            return dict(_core.solve_python(self, self._own(), algorithm, core_settings(settings, 1), progress))
        except _core.AnswerError as error:
            raise SettingError(f"the problem's {error}") from None

    def replay(self, moves: Sequence[Any]) -> float | None:
        """Play the moves and return their total reward; None if they do not lead to a goal."""
        state: Any = self.start()
        earned = 0.0
        for move in moves:
            if move not in list(self.actions(state)):
                return None
            result = self.result(state, move)
            earned += self.reward(state, move, result)
            state = result
        return earned if self.is_goal(state) else None


_TIES = {"first": _core.Ties.FIRST, "last": _core.Ties.LAST, "larger-g": _core.Ties.LARGER_G}


def core_settings(settings: SearchSettings, threads: int) -> _core.SearchSettings:
    """Return the settings in the core's form, where 0 means no limit."""
    core = _core.SearchSettings()
    core.time_limit_s = settings.time_limit_s or 0
    core.node_limit = settings.node_limit or 0
    core.memory_limit_bytes = settings.memory_limit_bytes or default_limit_bytes()
    core.seed = settings.seed
    core.threads = threads
    core.width = settings.width
    core.diversity = settings.diversity or 0
    core.weight = settings.weight
    core.level = settings.level or 0
    core.ties = None if settings.ties is None else _TIES[settings.ties]
    core.skip_seen = settings.skip_seen
    core.trace = settings.trace
    for name, number in annealing_numbers().items():
        setattr(core, name, number)
    return core
