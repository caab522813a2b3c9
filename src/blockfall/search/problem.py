"""What can be searched: a problem of your own, Hopeless, or ist2015's Tetris."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from blockfall import _core
from blockfall.agents import agent
from blockfall.errors import SettingError, UnknownNameError
from blockfall.games.hopeless import Hopeless, HopelessBoard, Scoring
from blockfall.games.ist_tetris import IstState
from blockfall.rulesets import rules
from blockfall.search.tuning import hopeless_tuning

Answer = dict[str, Any]
"""The core's: see its `answer`."""
Progress = Callable[[], None]
"""Called now and then."""


class Searchable(ABC):
    """What `solve` needs to know of a problem."""

    minimises: bool = False
    """Whether people know its g and h as costs; the trace shows them so."""

    @abstractmethod
    def search(self, algorithm: str, settings: _core.SearchSettings, progress: Progress | None) -> Answer:
        """Runs the core's algorithm."""

    @abstractmethod
    def replay(self, moves: Sequence[Any]) -> float | None:
        """The points of these moves by the problem's own rules; None where they lead to no goal."""


class Problem(Searchable):
    """The base of a problem of your own. Searches maximise the sum of the rewards; each step costs 1 unless said.

    States must be hashable: equal ones are the same state.
    """

    admissible: bool = False
    """Whether `heuristic` never says less than what can still be earned; then `a-star` is exact."""
    unit_cost: bool = False
    """Whether every step costs the same; then the shortest solution is the best."""
    acyclic: bool = False
    """Whether no state can come twice on one path."""

    @abstractmethod
    def start(self) -> Hashable: ...

    @abstractmethod
    def actions(self, state: Any) -> Iterable[Any]:
        """In the order that breaks ties; none where there is no way on."""

    @abstractmethod
    def result(self, state: Any, action: Any) -> Hashable:
        """The state after an action."""

    @abstractmethod
    def is_goal(self, state: Any) -> bool: ...

    def reward(self, state: Any, action: Any, result: Any) -> float:  # noqa: ARG002
        """Of a step; a cost is a negative reward."""
        return -1.0

    def heuristic(self, state: Any) -> float:  # noqa: ARG002
        """What is still to be earned, at a guess; of costs, their negative sum."""
        return 0.0

    def search(self, algorithm: str, settings: _core.SearchSettings, progress: Progress | None) -> Answer:
        settings.threads = 1
        return dict(_core.solve_python(self, algorithm, settings, progress))

    def replay(self, moves: Sequence[Any]) -> float | None:
        state: Any = self.start()
        earned = 0.0
        for move in moves:
            if move not in list(self.actions(state)):
                return None
            result = self.result(state, move)
            earned += self.reward(state, move, result)
            state = result
        return earned if self.is_goal(state) else None


class HopelessProblem(Searchable):
    """A board to be played to its end for the most points."""

    heuristics: ClassVar[tuple[str, ...]] = ("colours",)
    """feup2016's: every colour as one block. Admissible."""

    def __init__(self, board: HopelessBoard, scoring: Scoring, heuristic: str | None = None) -> None:
        if heuristic is not None and heuristic not in self.heuristics:
            raise UnknownNameError("heuristic", heuristic, list(self.heuristics))
        self.board = board
        self.scoring = scoring

    def search(self, algorithm: str, settings: _core.SearchSettings, progress: Progress | None) -> Answer:
        points = [self.scoring.points(n) for n in range(self.board.cells.size + 1)]
        return dict(
            _core.solve_hopeless(
                self.board.cells,
                np.array(points, dtype=np.int32),
                self.scoring.clear_bonus,
                self.scoring.leftover_penalty,
                hopeless_tuning(),
                algorithm,
                settings,
                progress,
            )
        )

    def replay(self, moves: Sequence[Any]) -> float | None:
        game = Hopeless(self.board, self.scoring)
        for move in moves:
            game.play(move)
        return game.points if game.over else None


_MEASURES = ("max-height", "bumpiness", "heights-sum", "holes", "points")  # h1 to h5 of ist2015


class IstProblem(Searchable):
    """Pieces to be placed on ist2015's board for the most points.

    Heuristics are minimised there: its h1 to h5 (h5, the points, as `qualidade`), its sums of them by the agents of the
    same names, and `lines`, an admissible one: what the rows that lack least can still earn.
    """

    minimises = True
    costs: ClassVar[tuple[str, ...]] = ("custo-oportunidade", "qualidade")
    heuristics: ClassVar[tuple[str, ...]] = (
        *_MEASURES[:-1],
        "qualidade",
        "ist-h1",
        "ist-h2",
        "ist-h3",
        "lines",
    )
    usual: ClassVar[dict[str, str]] = {"ist-best": "ist-h3", "beam": "ist-h3", "best": "lines"}
    """The heuristic of an algorithm where none is asked for; the others have none."""

    def __init__(self, start: IstState, cost: str = "custo-oportunidade", heuristic: str | None = None) -> None:
        if cost not in self.costs:
            raise UnknownNameError("cost", cost, list(self.costs))
        if heuristic is not None and heuristic not in self.heuristics:
            raise UnknownNameError("heuristic", heuristic, list(self.heuristics))
        self.state = start
        self.cost = cost
        self.heuristic = heuristic

    @cached_property
    def core(self) -> _core.IstTetris:
        return self._core(self.heuristic)

    def search(self, algorithm: str, settings: _core.SearchSettings, progress: Progress | None) -> Answer:
        core = self._core(self.heuristic or self.usual.get(algorithm))
        return dict(core.solve(algorithm, settings, progress))

    def replay(self, moves: Sequence[Any]) -> float | None:
        state = self.state
        for move in moves:
            state = state.result(move)
        return state.points if state.solved else None

    def _core(self, heuristic: str | None) -> _core.IstTetris:
        board, pieces = self.state.board.columns, self.state.pieces
        return _core.IstTetris(rules("ist").core, board, pieces, self.cost, _weights(heuristic), heuristic == "lines")


def _weights(heuristic: str | None) -> list[float]:
    """Of h1 to h5, as they are minimised."""
    if heuristic is None or heuristic == "lines":
        return [0.0] * len(_MEASURES)
    if heuristic == "qualidade":
        return [0.0, 0.0, 0.0, 0.0, -1.0]
    if heuristic in _MEASURES:
        return [float(name == heuristic) for name in _MEASURES]
    weights = agent(heuristic).weights  # of what agents maximise
    if not set(weights) <= set(_MEASURES):
        raise SettingError(f"{heuristic} weighs other features than {', '.join(_MEASURES)}")
    return [-weights.get(name, 0.0) for name in _MEASURES]
