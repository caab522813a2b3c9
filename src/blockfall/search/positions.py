"""Positions of games as search problems.

Hopeless and ist2015's Tetris have faster forms in the core; `problem_of` knows which position has which.
"""

import math
from collections.abc import Iterable, Sequence
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
from blockfall.search.problem import Answer, Problem, Progress, Searchable, core_settings
from blockfall.search.settings import SearchSettings
from blockfall.search.tuning import hopeless_numbers


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
                core_settings(settings, threads),
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
        return dict(core.solve(algorithm, core_settings(settings, threads), progress))

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


@cache
def _hopeless_tuning() -> _core.HopelessTuning:
    numbers = hopeless_numbers()
    return _core.HopelessTuning(
        tabu=_core.HopelessPromise(**numbers["tabu"]),
        other=_core.HopelessPromise(**numbers["other"]),
        **numbers["playout"],
        **numbers["annealing"],
    )
