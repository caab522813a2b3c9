"""One set of search algorithms for every game, and for problems of your own.

>>> position = game("hopeless").start(seed=1, columns=5, rows=5, colours=4)
>>> found = solve(position, "a-star")
>>> found.optimal, found.points == solve(position, "brute-force").points
(True, True)
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from blockfall import _core
from blockfall.compute import Backend, Cluster
from blockfall.compute import backend as find_backend
from blockfall.errors import BlockfallError, SettingError, UnknownNameError
from blockfall.games import Board, HopelessBoard, Position, game, game_names
from blockfall.plugins import Registry, check_name
from blockfall.search.problem import (
    Answer,
    GameProblem,
    HopelessProblem,
    IstProblem,
    Problem,
    Progress,
    Searchable,
    problem_of,
)
from blockfall.search.settings import TIES, SearchSettings
from blockfall.search.solution import Expansion, Opened, Solution

__all__ = [
    "TIES",
    "Algorithm",
    "Expansion",
    "GameProblem",
    "HopelessProblem",
    "IstProblem",
    "Opened",
    "Problem",
    "SearchSettings",
    "Searchable",
    "Solution",
    "algorithms",
    "find_problem",
    "problem_names",
    "problem_of",
    "register_problem",
    "solve",
]


AnyProblem = TypeVar("AnyProblem", bound=Problem | type[Problem])

_problems: Registry[Problem] = Registry()


class ReplayError(BlockfallError):
    """A solution that its game's own rules do not confirm: a fault of the core."""


@dataclass(frozen=True)
class Algorithm:
    """A search algorithm: its name, what it does, and where it comes from."""

    name: str
    title: str
    source: str
    table: str
    """Whether it leaves out states met before, which a table holds: optional, always or never."""


@cache
def algorithms() -> dict[str, Algorithm]:
    """Gives the algorithms by name. To add one, name it in native/include/blockfall/search/algorithms.hpp.

    >>> import blockfall
    >>> blockfall.algorithms()["beam"].title
    'the most promising states of each layer'
    """
    return {row["name"]: Algorithm(**row) for row in _core.algorithm_facts()}


def solve(
    problem: Searchable | Position | str,
    algorithm: str = "best",
    settings: SearchSettings | None = None,
    progress: Progress | None = None,
    backend: Backend | str | None = None,
    *,
    board: str | Board | HopelessBoard | None = None,
    **options: object,
) -> Solution:
    """Searches for the best solution of a problem of your own, of a position, or of a game or problem that is named.

    A named game starts on `board`, or as the seed of the settings says. Its options, and those of its search, are
    keywords: `solve("ist-tetris", "a-star", pieces="ojlti", heuristic="ist-h3")`.

    The solution is played again by the problem's own rules before it is given back. A search runs on this machine, on
    as many threads as the backend has here; with a cluster it runs on one worker, on that worker's threads. An
    interrupt ends it like a limit does: the solution then says `stopped_by="interrupt"`.

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
    if not isinstance(algorithm, str) or algorithm not in algorithms():
        raise UnknownNameError("algorithm", algorithm, list(algorithms()))
    settings = settings or SearchSettings()
    _check_table(algorithms()[algorithm], settings.skip_seen)
    if isinstance(problem, str):
        problem = _named(problem, board, settings.seed, options)
    elif board is not None or options:
        given = ["board"] * (board is not None) + list(options)
        raise SettingError(f"{', '.join(given)}: only a game that is given by its name takes a board and options")
    if isinstance(problem, Position):
        problem = problem_of(problem)
    search, searches_on = _Search(problem, algorithm, settings), find_backend(backend)
    if isinstance(searches_on, Cluster):
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
        trace=tuple(_expansion(row, -1.0 if problem.minimises else 1.0) for row in found["trace"]),
        opened=_opened(found, -1.0 if problem.minimises else 1.0),
    )


def problem_names() -> list[str]:
    """The names of the problems that users registered."""
    return list(_problems.known())


def find_problem(name: str) -> Problem:
    """The registered problem of this name."""
    if name not in _problems.known():
        raise UnknownNameError("problem", name, list(_problems))
    return _problems[name]


def register_problem(problem: AnyProblem) -> AnyProblem:
    """Adds a problem of your own; `solve` then knows it by its name. Give it an object, or write it over a class.

    >>> import blockfall
    >>> @blockfall.register_problem
    ... class Halves(blockfall.Problem):
    ...     name = "halves"
    ...
    ...     def start(self):
    ...         return 64
    ...
    ...     def actions(self, state):
    ...         return ["halve", "take one"]
    ...
    ...     def result(self, state, action):
    ...         return state // 2 if action == "halve" else state - 1
    ...
    ...     def is_goal(self, state):
    ...         return state == 0
    >>> blockfall.solve("halves", "breadth-first").points
    -7
    """
    made = problem() if isinstance(problem, type) else problem
    if not isinstance(made, Problem):
        raise SettingError(f"{problem!r} is no problem; it must be a class over blockfall.Problem")
    check_name("a problem", getattr(made, "name", None), game_names())
    _problems.put(made.name, made)
    return problem


@dataclass(frozen=True)
class _Search:
    """A search that is ready to run, here or elsewhere."""

    problem: Searchable
    algorithm: str
    settings: SearchSettings

    def run(self, threads: int, progress: Progress | None) -> Answer:
        return self.problem.search(self.algorithm, self.settings, threads, progress)


def _check_table(algorithm: Algorithm, skip_seen: bool | None) -> None:
    """Refuses what the algorithm cannot do: to use a table that it has not, or to do without the one that it has."""
    if skip_seen is None or algorithm.table == "optional" or skip_seen == (algorithm.table == "always"):
        return
    does = "keeps no table of" if skip_seen else "always leaves out"
    able = ", ".join(name for name, other in algorithms().items() if other.table == "optional")
    raise SettingError(f"{algorithm.name} {does} states met before; the table is a choice of {able}")


def _named(name: str, board: object, seed: int, options: dict[str, object]) -> Searchable:
    """A registered problem, or that of a game from its beginning or from a board."""
    if name in _problems.known():
        if board is not None or options:
            given = ["board"] * (board is not None) + list(options)
            raise SettingError(f"{', '.join(given)}: only a game takes a board and options; {name} is a problem")
        return _problems[name]
    kind = game(name)
    of_game, of_search = kind.split(options)
    start = kind.start(seed, **of_game) if board is None else kind.read(str(board), seed, **of_game)
    return problem_of(start, **of_search)


def _opened(found: dict[str, Any], sign: float) -> Opened | None:
    node, parent, depth = found["opened"].T
    g, h = sign * found["opened_worth"].T + 0.0
    return Opened(node, parent, depth, g, h, found["dropped"]) if len(node) else None


def _expansion(row: tuple[Any, ...], sign: float) -> Expansion:
    node, parent, depth, action, g, h = row
    return Expansion(node, parent, depth, action, sign * g + 0.0, sign * h + 0.0)  # no negative zeros
