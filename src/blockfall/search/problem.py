"""What can be searched, and the base of a problem of your own. Positions of games are in `positions`."""

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
"""What the core's search gives back."""
Progress = Callable[[], None]
"""It is called now and then during a search."""


class Searchable(ABC):
    """What `solve` needs to know of a problem."""

    minimises: bool = False
    """Whether people know g and h as costs. The trace then shows them so."""

    @property
    def undoes(self) -> bool:
        """Whether its moves can be undone, which `bidirectional` needs."""
        return False

    @abstractmethod
    def plain(self) -> "Problem":
        """Gives the same problem in plain Python: what an algorithm of your own searches, and what shows states."""

    @abstractmethod
    def search(self, algorithm: str, settings: SearchSettings, threads: int, progress: Progress | None) -> Answer:
        """Runs the core's algorithm. Only `best` uses more than one thread."""

    @abstractmethod
    def replay(self, moves: Sequence[Any]) -> float | None:
        """Gives the points of these moves by the problem's own rules; None where they lead to no goal."""


class Problem(Searchable):
    """The base of a problem of your own. Searches maximise the sum of the rewards; by default each step costs 1.

    States must be hashable: equal ones are the same state.

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
    """How a registered problem is asked for."""
    admissible: bool = False
    """Whether `heuristic` never says less than what can still be earned; then `a-star` is exact."""
    unit_cost: bool = False
    """Whether every step costs the same; then the shortest solution is the best."""
    costs_only: bool = False
    """Whether no step earns anything; then `uniform-cost` is exact. The usual reward of -1 need not say so."""
    acyclic: bool = False
    """Whether no state can come twice on one path."""

    @abstractmethod
    def start(self) -> Hashable:
        """Gives the first state."""

    @abstractmethod
    def actions(self, state: Any) -> Iterable[Any]:
        """Gives the actions, in the order that breaks ties; none where there is no way on."""

    @abstractmethod
    def result(self, state: Any, action: Any) -> Hashable:
        """Gives the state after an action."""

    @abstractmethod
    def is_goal(self, state: Any) -> bool:
        """Whether a search may end here."""

    def reward(self, state: Any, action: Any, result: Any) -> float:  # noqa: ARG002
        """Gives what a step earns; a cost is a negative reward."""
        return -1.0

    def heuristic(self, state: Any) -> float:  # noqa: ARG002
        """Estimates what is still to be earned; the negative sum of what is still to be paid."""
        return 0.0

    def successors(self, state: Any) -> Iterable[tuple[Any, ...]]:
        """Gives (action, state, reward) of every action at once.

        Where a problem has a quick way to do so, `a-star`, `breadth-first` and their kin take it and call `actions`,
        `result` and `reward` no more. A fourth part, the new state's heuristic, spares that call too.
        """
        for action in self.actions(state):
            result = self.result(state, action)
            yield action, result, self.reward(state, action, result)

    def successors_of(self, states: npt.NDArray[np.uint8]) -> tuple[Any, ...]:
        """Gives the steps of many states at once, where states are `bytes` of one length.

        `states` has a row of bytes for each. The answer is (rows, actions, results, rewards): of each step the row of
        its state in `states`, the action, the row of bytes of the new state, and the reward; one number is the reward
        of all. The steps of one state come in the order of `actions`. A fifth part may be the new states' heuristics.
        Where a problem has it, `a-star`, `breadth-first` and their kin ask for up to a thousand states in one call.
        """
        raise NotImplementedError

    def goals(self) -> Iterable[Hashable]:
        """Gives every goal. `bidirectional` begins there."""
        return ()

    def before(self, state: Any) -> Iterable[tuple[Hashable, Any]]:  # noqa: ARG002
        """Gives (state before, action) of every step that leads to a state. `bidirectional` goes back this way."""
        return ()

    def text(self, state: Any) -> str:
        """Draws a state, in as many rows as it needs: `solve --step`, traces and trees show it."""
        return str(state)

    @property
    def undoes(self) -> bool:
        """Whether it has `goals` and `before`."""
        return {"goals", "before"} <= self._own()

    def plain(self) -> "Problem":
        """Gives the problem itself."""
        return self

    def _own(self) -> frozenset[str]:
        """Names the methods that are not the base class's. The core leaves out the others."""
        names = ("reward", "heuristic", "successors", "successors_of", "goals", "before")
        kind = type(self)
        return frozenset(
            name for name in names if name in vars(self) or getattr(kind, name) is not getattr(Problem, name)
        )

    def search(
        self,
        algorithm: str,
        settings: SearchSettings,
        threads: int,  # noqa: ARG002
        progress: Progress | None,
    ) -> Answer:
        """Runs the core's algorithm, which asks this object about every state; always on one thread."""
        try:
            return dict(_core.solve_python(self, self._own(), algorithm, core_settings(settings, 1), progress))
        except _core.AnswerError as error:
            raise SettingError(f"the problem's {error}") from None

    def replay(self, moves: Sequence[Any]) -> float | None:
        """Plays the moves and gives what they earn; None where they lead to no goal."""
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
    """Gives the settings in the core's form; 0 is no limit there."""
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
    core.table = settings.skip_seen
    core.trace = settings.trace
    for name, number in annealing_numbers().items():
        setattr(core, name, number)
    return core
