"""Searches: from a problem and the name of an algorithm to a solution confirmed by the problem's own rules."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.compute import Backend, Cluster
from blockfall.compute import backend as find_backend
from blockfall.errors import BlockfallError, SettingError, shortened
from blockfall.games import Board, HopelessBoard, Position, game
from blockfall.search.algorithm import Algorithm, algorithms, find_algorithm
from blockfall.search.own import run_own
from blockfall.search.positions import problem_of
from blockfall.search.problem import Answer, Searchable, SearchProgress
from blockfall.search.registry import find_problem, problem_names
from blockfall.search.settings import SearchSettings
from blockfall.search.solution import Expansion, Improvement, Opened, Solution


class ReplayError(BlockfallError):
    """The game's own rules do not confirm a solution: a fault of the core."""


def solve(
    problem: Searchable | Position | str,
    algorithm: str = "best",
    settings: SearchSettings | None = None,
    progress: SearchProgress | None = None,
    backend: Backend | str | None = None,
    *,
    board: str | Board | HopelessBoard | None = None,
    **options: object,
) -> Solution:
    """Search for the best solution of a problem of your own, a position, or a game or problem given by name.

    A named game starts on `board`, or on a board drawn from the settings' seed. Options of the game and of its search
    are keywords: `solve("ist-tetris", "a-star", pieces="ojlti", heuristic="ist-h3")`. The algorithm is a name, or
    FILE.py:NAME for a function of your own: see `register_algorithm`.

    The solution is replayed by the problem's own rules before it is returned. A search runs on the local backend's
    threads, or on one worker of a cluster. An interrupt ends it like a limit, with `stopped_by="interrupt"`.

    >>> import blockfall
    >>> board = '''
    ... 121
    ... 112
    ... '''
    >>> found = blockfall.solve("hopeless", "a-star", board=board)
    >>> found.moves, found.points, found.optimal
    (((0, 1), (0, 0)), 20, True)
    >>> position = blockfall.game("samegame").start(seed=1, columns=5, rows=5, colours=3)
    >>> blockfall.solve(position, "beam", blockfall.SearchSettings(width=10)).stopped_by
    'finished'
    """
    chosen = find_algorithm(algorithm)
    settings = settings or SearchSettings()
    _check_skip_seen(chosen, settings.skip_seen)
    if isinstance(problem, str):
        problem = _named(problem, board, settings.seed, options)
    elif board is not None or options:
        given = ["board"] * (board is not None) + list(options)
        raise SettingError(f"{', '.join(given)}: only a game given by name takes a board and options")
    if isinstance(problem, Position):
        problem = problem_of(problem)
    if not hasattr(problem, "search"):
        raise SettingError(f"{shortened(problem)} cannot be searched; give a game's name, a position or a problem")
    if chosen.undoes and not problem.undoes:
        raise SettingError(f"{algorithm} needs moves that can be undone: a problem of your own with goals and before")
    search, searches_on = _Search(problem, algorithm, settings), find_backend(backend)
    if chosen.function:
        if isinstance(searches_on, Cluster):
            raise SettingError(f"{algorithm} is an algorithm of your own; it runs on this machine only")
        found = run_own(chosen, problem, settings, progress)
    elif isinstance(searches_on, Cluster):
        found = searches_on.search(search, progress)
    else:
        found = search.run(searches_on.threads, progress)
    points = found["points"] if found["found"] else None
    if found["found"]:
        replayed = problem.replay(found["path"])
        if replayed != points:
            raise ReplayError(f"{algorithm} claims {points} points; its moves give {replayed}. Please report this.")
    if points is not None and points == int(points):
        points = int(points)
    return Solution(
        algorithm=algorithm,
        points=points,
        moves=tuple(found["path"]),
        nodes_expanded=found["expanded"],
        nodes_generated=found["generated"],
        seconds=found["seconds"],
        peak_bytes=found["peak_bytes"],
        optimal=found["optimal"],
        stopped_by=found["stopped_by"],
        fallback=found["fallback"],
        improvements=tuple(Improvement(*one) for one in found["improvements"]),
        trace=tuple(_expansion(row, -1.0 if problem.minimises else 1.0) for row in found["trace"]),
        opened=_opened(found, -1.0 if problem.minimises else 1.0),
        states=tuple(found.get("states", ())),
    )


@dataclass(frozen=True)
class _Search:
    """A search ready to run, here or elsewhere."""

    problem: Searchable
    algorithm: str
    settings: SearchSettings

    def run(self, threads: int, progress: SearchProgress | None) -> Answer:
        return self.problem.search(self.algorithm, self.settings, threads, progress)


def _check_skip_seen(algorithm: Algorithm, skip_seen: bool | None) -> None:
    """Raise an error if the algorithm always or never skips seen states and the setting says otherwise."""
    if skip_seen is None or algorithm.skip_seen == "optional" or skip_seen == (algorithm.skip_seen == "always"):
        return
    able = ", ".join(name for name, other in algorithms().items() if other.skip_seen == "optional")
    raise SettingError(f"{algorithm.name} {algorithm.skip_seen} skips seen states; you can choose for {able}")


def _named(name: str, board: object, seed: int, options: dict[str, object]) -> Searchable:
    """Return a registered problem, or that of a game from its start or from a board."""
    if name in problem_names():
        if board is not None or options:
            given = ["board"] * (board is not None) + list(options)
            raise SettingError(f"{', '.join(given)}: only a game takes a board and options; {name} is a problem")
        return find_problem(name)
    kind = game(name)
    of_game, of_search = kind.split(options)
    start = kind.start(seed, **of_game) if board is None else kind.read(str(board), seed, **of_game)
    return problem_of(start, **of_search)


def _opened(found: dict[str, Any], sign: float) -> Opened | None:
    node, parent, depth = found["opened"].T
    if not len(node):
        return None
    earned, estimated, key = found["opened_worth"].T
    rank = _ranks(node, earned, key, found["ties"])
    return Opened(node, parent, depth, sign * earned + 0.0, sign * estimated + 0.0, rank, found["dropped"])


def _ranks(
    node: npt.NDArray[np.uint32], earned: npt.NDArray[np.float64], key: npt.NDArray[np.float64], ties: _core.Ties
) -> npt.NDArray[np.int64]:
    """Return each node's rank in the order in which the search takes open nodes."""
    number = node.astype(np.int64)
    if ties == _core.Ties.LAST:
        order = np.lexsort((-number, -key))
    elif ties == _core.Ties.LARGER_G:
        order = np.lexsort((number, -earned, -key))
    else:
        order = np.lexsort((number, -key))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def _expansion(row: tuple[Any, ...], sign: float) -> Expansion:
    node, parent, depth, action, g, h, backward = row
    return Expansion(node, parent, depth, action, sign * g + 0.0, sign * h + 0.0, backward)  # no negative zeros
