"""Positions of games as search problems. Those of Hopeless and ist2015's Tetris have faster forms in the core."""

import math
from collections.abc import Iterable, Sequence
from functools import cache, singledispatch
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from blockfall import _core
from blockfall.agents import agent
from blockfall.errors import SettingError, UnknownNameError
from blockfall.games.hopeless import HopelessBoard, HopelessPosition, Scoring
from blockfall.games.ist_tetris import COSTS, HEURISTICS, MEASURES, IstPosition
from blockfall.games.protocol import Position
from blockfall.rulesets import rules
from blockfall.search.problem import Answer, Problem, Searchable, SearchProgress, core_settings
from blockfall.search.settings import SearchSettings
from blockfall.search.tuning import hopeless_numbers

P = TypeVar("P", bound=Position)


class GameProblem(Searchable):
    """A game to play from a position to its end for the most points."""

    def __init__(self, position: Position) -> None:
        self.position = position

    def search(self, algorithm: str, settings: SearchSettings, threads: int, progress: SearchProgress | None) -> Answer:
        """Run the core's algorithm on the positions themselves."""
        return self.plain().search(algorithm, settings, threads, progress)

    def plain(self) -> Problem:
        """Return the problem whose states are positions."""
        return _Positions(self.position)

    def replay(self, moves: Sequence[Any]) -> float | None:
        """Play the moves and return the points they earn."""
        position = self.position
        for move in moves:
            position = position.apply(move)
        return position.score - self.position.score if position.solved else None


class _Positions(Problem, Generic[P]):
    """Positions as states."""

    def __init__(self, position: P) -> None:
        self._start = position
        self.admissible, self.acyclic = position.admissible, position.acyclic

    def start(self) -> P:
        return self._start

    def actions(self, state: P) -> Iterable[Any]:
        return state.actions()

    def result(self, state: P, action: Any) -> Position:
        return state.apply(action)

    def is_goal(self, state: P) -> bool:
        return state.solved

    def reward(self, state: P, _action: Any, result: Position) -> float:
        return result.score - state.score

    def heuristic(self, state: P) -> float:
        return state.heuristic()

    def text(self, state: P) -> str:
        return state.text()


class _IstPositions(_Positions[IstPosition]):
    """ist2015's positions, with its costs and heuristics as negative rewards."""

    def __init__(self, problem: "IstProblem", start: IstPosition) -> None:
        super().__init__(start)
        self._problem = problem
        self._lacks = problem.cost == COSTS[0]
        full_rows = bool(np.bitwise_and.reduce(start.board.columns))  # cleared by the first drop
        self.costs_only = self._lacks and not full_rows
        self.admissible = problem.heuristic == "lines" or (problem.heuristic is None and self._lacks)

    def reward(self, state: IstPosition, action: Any, result: Position) -> float:
        earned = super().reward(state, action, result)
        return earned - _most_points(state.pieces[0]) if self._lacks else earned

    def heuristic(self, state: IstPosition) -> float:
        chosen = self._problem.heuristic
        earned = state.score - self._start.score  # unknown to the core's form of this position
        return -self._problem.core(chosen, state).heuristic() - _weights(chosen)[-1] * earned


class HopelessProblem(GameProblem):
    """A board to play to its end for the most points, in the core's form."""

    heuristics: ClassVar[tuple[str, ...]] = ("colours",)
    """feup2016's, which counts every colour as one block. Admissible."""

    def __init__(self, board: HopelessBoard, scoring: Scoring, heuristic: str | None = None) -> None:
        if heuristic is not None and heuristic not in self.heuristics:
            raise UnknownNameError("heuristic", heuristic, list(self.heuristics))
        super().__init__(HopelessPosition(board, scoring))
        self.board = board
        self.scoring = scoring

    def search(self, algorithm: str, settings: SearchSettings, threads: int, progress: SearchProgress | None) -> Answer:
        """Run the core's algorithm on its own boards."""
        points = [self.scoring.points(n) for n in range(self.board.cells.size + 1)]
        return dict(
            _core.solve_hopeless(
                self.board.cells,
                np.array(points, dtype=np.int32),
                self.scoring.clear_bonus,
                self.scoring.leftover_penalty,
                _hopeless_tuning(),
                algorithm,
                core_settings(settings, threads),
                progress,
            )
        )


class IstProblem(GameProblem):
    """Pieces to place on ist2015's board for the most points, in the core's form.

    Its heuristics and costs are minimised. ist-h1 to ist-h3 are those of the agents of these names. A heuristic of
    your own is an agent's file with weights of h1 to h5, or five weights in that order, to be minimised.

    >>> from blockfall import solve
    >>> mine = IstProblem(IstPosition.start("ojl"), heuristic=(30, 5, 10, 25, -0.6))  # the weights of ist-h3
    >>> solve(mine, "ist-best").moves == solve("ist-tetris", "ist-best", pieces="ojl", heuristic="ist-h3").moves
    True
    """

    minimises = True
    costs: ClassVar[tuple[str, ...]] = COSTS
    heuristics: ClassVar[tuple[str, ...]] = HEURISTICS
    usual: ClassVar[dict[str, str]] = {"ist-best": "ist-h3", "beam": "ist-h3", "best": "lines"}
    """The default heuristic of an algorithm; the others have none."""

    def __init__(
        self, start: IstPosition, cost: str = COSTS[0], heuristic: str | Sequence[float] | None = None
    ) -> None:
        if cost not in self.costs:
            raise UnknownNameError("cost", cost, list(self.costs))
        if heuristic is not None and heuristic not in self.heuristics:
            if isinstance(heuristic, str) and not heuristic.endswith(".json"):
                raise UnknownNameError("heuristic", heuristic, list(self.heuristics))
            heuristic = _weights(heuristic)  # read now: the search may run on a machine without the file
        super().__init__(start)
        self._placed = start
        self.cost = cost
        self.heuristic = heuristic

    def search(self, algorithm: str, settings: SearchSettings, threads: int, progress: SearchProgress | None) -> Answer:
        """Run the core's algorithm on its own boards."""
        core = self.core(self.heuristic or self.usual.get(algorithm))
        return dict(core.solve(algorithm, core_settings(settings, threads), progress))

    def plain(self) -> Problem:
        """Return the problem whose states are positions, with the chosen cost and heuristic."""
        return _IstPositions(self, self._placed)

    def core(self, heuristic: str | Sequence[float] | None, position: IstPosition | None = None) -> _core.IstTetris:
        """Return the core's form of the game from a position on; by default from the start."""
        at = position or self._placed
        board, pieces = at.board.columns, at.pieces
        return _core.IstTetris(rules("ist").core, board, pieces, self.cost, _weights(heuristic), heuristic == "lines")


@cache
def _most_points(piece: str) -> float:
    """Return the most that a drop of the piece can earn (ist2015); custo-oportunidade is the shortfall of a drop."""
    return rules("ist").file.scoring.lines[{"i": 4, "j": 3, "l": 3}.get(piece, 2) - 1]


def _weights(heuristic: str | Sequence[float] | None) -> list[float]:
    """Return the weights of h1 to h5, which are minimised."""
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
    weights = agent(heuristic).weights  # agents maximise
    if not set(weights) <= set(MEASURES):
        raise SettingError(f"{heuristic} weighs other features than {', '.join(MEASURES)}")
    return [-weights.get(name, 0.0) for name in MEASURES]


@singledispatch
def problem_of(position: Position, **options: Any) -> GameProblem:
    """Return the problem of playing on from a position. The options are the game's `search_options`.

    A game with options, or with a faster form, registers its own: `@problem_of.register`.
    """
    if options:
        raise SettingError(f"{', '.join(options)}: this game's search has no options")
    return GameProblem(position)


@problem_of.register
def _(position: HopelessPosition, **options: Any) -> GameProblem:
    return HopelessProblem(position.board, position.scoring, **options)


@problem_of.register
def _(position: IstPosition, **options: Any) -> GameProblem:
    return IstProblem(position, **options)


@cache
def _hopeless_tuning() -> _core.HopelessTuning:
    numbers = hopeless_numbers()
    return _core.HopelessTuning(
        tabu=_core.HopelessPromise(**numbers["tabu"]),
        other=_core.HopelessPromise(**numbers["other"]),
        **numbers["playout"],
        **numbers["annealing"],
    )
