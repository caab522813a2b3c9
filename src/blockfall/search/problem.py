"""What can be searched: a problem of your own, and any position of a game.

Hopeless and ist2015's Tetris have faster forms in the core; `problem_of` knows which position has which.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache, singledispatch
from typing import Any, ClassVar

import numpy as np

from blockfall import _core
from blockfall.agents import agent
from blockfall.errors import SettingError, UnknownNameError
from blockfall.games.hopeless import HopelessBoard, HopelessPosition, Scoring
from blockfall.games.ist_tetris import COSTS, HEURISTICS, MEASURES, IstPosition
from blockfall.games.protocol import Position
from blockfall.rulesets import rules
from blockfall.search.memory import default_limit_bytes
from blockfall.search.settings import SearchSettings
from blockfall.search.tuning import hopeless_numbers, temperatures

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
        names = ("reward", "heuristic", "successors", "goals", "before")
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
            return dict(_core.solve_python(self, self._own(), algorithm, _core_settings(settings, 1), progress))
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


class GameProblem(Searchable):
    """A game to be played from a position to its end for the most points."""

    def __init__(self, position: Position) -> None:
        self.position = position

    def search(self, algorithm: str, settings: SearchSettings, threads: int, progress: Progress | None) -> Answer:
        """Runs the core's algorithm over the positions themselves."""
        return self.plain().search(algorithm, settings, threads, progress)

    def plain(self) -> Problem:
        """Gives the problem whose states are positions."""
        return _Positions(self.position)

    def replay(self, moves: Sequence[Any]) -> float | None:
        """Plays the moves and gives the points that they earn."""
        position = self.position
        for move in moves:
            position = position.apply(move)
        return position.score - self.position.score if position.solved else None


class _Positions(Problem):
    """Positions as states."""

    def __init__(self, position: Position) -> None:
        self._start = position
        self.admissible, self.acyclic = position.admissible, position.acyclic

    def start(self) -> Position:
        return self._start

    def actions(self, state: Position) -> Iterable[Any]:
        return state.actions()

    def result(self, state: Position, action: Any) -> Position:
        return state.apply(action)

    def is_goal(self, state: Position) -> bool:
        return state.solved

    def reward(self, state: Position, action: Any, result: Position) -> float:  # noqa: ARG002
        return result.score - state.score

    def heuristic(self, state: Position) -> float:
        return state.heuristic()

    def text(self, state: Position) -> str:
        return state.text()


class _IstPositions(_Positions):
    """ist2015's positions, with its costs and heuristics as negative rewards."""

    def __init__(self, problem: "IstProblem", start: IstPosition) -> None:
        super().__init__(start)
        self._problem = problem
        self._lacks = problem.cost == COSTS[0]
        full_rows = bool(np.bitwise_and.reduce(start.board.columns))  # they go with the first drop
        self.costs_only = self._lacks and not full_rows
        self.admissible = problem.heuristic == "lines" or (problem.heuristic is None and self._lacks)

    def reward(self, state: Position, action: Any, result: Position) -> float:
        assert isinstance(state, IstPosition)
        earned = super().reward(state, action, result)
        return earned - _most_points(state.pieces[0]) if self._lacks else earned

    def heuristic(self, state: Position) -> float:
        assert isinstance(state, IstPosition)
        chosen = self._problem.heuristic
        earned = state.score - self._start.score  # which the core's form of this position does not know
        return -self._problem.core(chosen, state).heuristic() - _weights(chosen)[-1] * earned


class HopelessProblem(GameProblem):
    """A board to be played to its end for the most points, in the core's form."""

    heuristics: ClassVar[tuple[str, ...]] = ("colours",)
    """feup2016's: every colour as one block. Admissible."""

    def __init__(self, board: HopelessBoard, scoring: Scoring, heuristic: str | None = None) -> None:
        if heuristic is not None and heuristic not in self.heuristics:
            raise UnknownNameError("heuristic", heuristic, list(self.heuristics))
        super().__init__(HopelessPosition(board, scoring))
        self.board = board
        self.scoring = scoring

    def search(self, algorithm: str, settings: SearchSettings, threads: int, progress: Progress | None) -> Answer:
        """Runs the core's algorithm over its own boards."""
        points = [self.scoring.points(n) for n in range(self.board.cells.size + 1)]
        return dict(
            _core.solve_hopeless(
                self.board.cells,
                np.array(points, dtype=np.int32),
                self.scoring.clear_bonus,
                self.scoring.leftover_penalty,
                _hopeless_tuning(),
                algorithm,
                _core_settings(settings, threads),
                progress,
            )
        )


class IstProblem(GameProblem):
    """Pieces to be placed on ist2015's board for the most points, in the core's form.

    Its heuristics and costs are minimised. ist-h1 to ist-h3 are those of the agents of the same names. A heuristic of
    your own is an agent's file with weights of h1 to h5, or five weights in their order, as they are minimised.

    >>> from blockfall import solve
    >>> mine = IstProblem(IstPosition.start("ojl"), heuristic=(30, 5, 10, 25, -0.6))  # the weights of ist-h3
    >>> solve(mine, "ist-best").moves == solve("ist-tetris", "ist-best", pieces="ojl", heuristic="ist-h3").moves
    True
    """

    minimises = True
    costs: ClassVar[tuple[str, ...]] = COSTS
    heuristics: ClassVar[tuple[str, ...]] = HEURISTICS
    usual: ClassVar[dict[str, str]] = {"ist-best": "ist-h3", "beam": "ist-h3", "best": "lines"}
    """The heuristic of an algorithm where none is asked for; the others have none."""

    def __init__(
        self, start: IstPosition, cost: str = COSTS[0], heuristic: str | Sequence[float] | None = None
    ) -> None:
        if cost not in self.costs:
            raise UnknownNameError("cost", cost, list(self.costs))
        if heuristic is not None and heuristic not in self.heuristics:
            if isinstance(heuristic, str) and not heuristic.endswith(".json"):
                raise UnknownNameError("heuristic", heuristic, list(self.heuristics))
            heuristic = _weights(heuristic)  # now: the search may run where a file is not
        super().__init__(start)
        self._placed = start
        self.cost = cost
        self.heuristic = heuristic

    def search(self, algorithm: str, settings: SearchSettings, threads: int, progress: Progress | None) -> Answer:
        """Runs the core's algorithm over its own boards."""
        core = self.core(self.heuristic or self.usual.get(algorithm))
        return dict(core.solve(algorithm, _core_settings(settings, threads), progress))

    def plain(self) -> Problem:
        """Gives the problem whose states are positions, with the cost and the heuristic as they were chosen."""
        return _IstPositions(self, self._placed)

    def core(self, heuristic: str | Sequence[float] | None, position: IstPosition | None = None) -> _core.IstTetris:
        """Gives the core's form of playing on from a position; the start where none is given."""
        at = position or self._placed
        board, pieces = at.board.columns, at.pieces
        return _core.IstTetris(rules("ist").core, board, pieces, self.cost, _weights(heuristic), heuristic == "lines")


@cache
def _most_points(piece: str) -> float:
    """The most that a drop of the piece can earn (ist2015): custo-oportunidade is what it earns less."""
    return rules("ist").file.scoring.lines[{"i": 4, "j": 3, "l": 3}.get(piece, 2) - 1]


def _weights(heuristic: str | Sequence[float] | None) -> list[float]:
    """Of h1 to h5, as they are minimised."""
    if heuristic is not None and not isinstance(heuristic, str):
        if len(heuristic) != len(MEASURES) or not all(math.isfinite(weight) for weight in heuristic):
            raise SettingError(
                f"{len(heuristic)} weights; a heuristic has one number for each of {', '.join(MEASURES)}"
            )
        return [float(weight) for weight in heuristic]
    if heuristic is None or heuristic == "lines":
        return [0.0] * len(MEASURES)
    if heuristic == "qualidade":
        return [0.0, 0.0, 0.0, 0.0, -1.0]
    if heuristic in MEASURES:
        return [float(name == heuristic) for name in MEASURES]
    weights = agent(heuristic).weights  # of what agents maximise
    if not set(weights) <= set(MEASURES):
        raise SettingError(f"{heuristic} weighs other features than {', '.join(MEASURES)}")
    return [-weights.get(name, 0.0) for name in MEASURES]


@singledispatch
def problem_of(position: Position, **options: Any) -> GameProblem:  # noqa: ARG001
    """Makes the problem of playing on from a position. The options are the game's `search_options`.

    A game whose positions have a faster form registers it: `@problem_of.register`.
    """
    return GameProblem(position)


@problem_of.register
def _(position: HopelessPosition, **options: Any) -> GameProblem:
    return HopelessProblem(position.board, position.scoring, **options)


@problem_of.register
def _(position: IstPosition, **options: Any) -> GameProblem:
    return IstProblem(position, **options)


_TIES = {"first": _core.Ties.FIRST, "last": _core.Ties.LAST, "larger-g": _core.Ties.LARGER_G}


def _core_settings(settings: SearchSettings, threads: int) -> _core.SearchSettings:
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
    core.hot, core.cold = temperatures()
    return core


@cache
def _hopeless_tuning() -> _core.HopelessTuning:
    numbers = hopeless_numbers()
    return _core.HopelessTuning(
        tabu=_core.HopelessPromise(**numbers["tabu"]),
        other=_core.HopelessPromise(**numbers["other"]),
        **numbers["playout"],
        **numbers["annealing"],
    )
