"""The search algorithms: the core's, and functions of your own.

    def first_way(problem):
        "The first action again and again."
        state, moves = problem.start(), []
        while not problem.is_goal(state):
            action = next(iter(problem.actions(state)))
            state = problem.result(state, action)
            moves.append(action)
        return moves

`blockfall solve --algorithm mine.py:first_way` searches any game with it.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from blockfall import _core
from blockfall.errors import SettingError, UnknownNameError
from blockfall.plugins import Registry, check_name, is_named_in_file, named_in_file

Function = Callable[[Any], Any]
"""An algorithm of your own: a function that takes a problem and returns the moves."""


@dataclass(frozen=True)
class Algorithm:
    """A search algorithm: its name, what it does, what it promises and its source."""

    name: str
    title: str
    source: str
    skip_seen: str
    """Whether it skips states that it has seen before: always, never, or optional (`SearchSettings.skip_seen`)."""
    textbook: str = ""
    """Its name in textbooks."""
    promise: str = ""
    """The guarantees of its solution."""
    undoes: bool = False
    """Whether it needs moves that can be undone."""
    function: Function | None = None
    """The function that searches, for an algorithm of your own."""


_registered: Registry[Algorithm] = Registry()


@cache
def core_algorithms() -> dict[str, Algorithm]:
    """Return the core's algorithms by name. To add one, name it in native/include/blockfall/search/algorithms.hpp."""
    return {row["name"]: Algorithm(**row) for row in _core.algorithm_facts()}


def algorithms(*, undoes: bool = True) -> dict[str, Algorithm]:
    """Return the algorithms by name: the core's, then the registered ones.

    `undoes=False` leaves out those that need moves to be undone, which no game allows.

    >>> import blockfall
    >>> blockfall.algorithms()["beam"].title
    'the most promising states of each layer'
    """
    known = {**core_algorithms(), **_registered.known()}
    return {name: one for name, one in known.items() if undoes or not one.undoes}


def register_algorithm(function: Function) -> Function:
    """Add an algorithm of your own to the listings, the app and `--algorithm`; a decorator.

    The function takes a problem with `start`, `actions`, `result`, `reward`, `is_goal` and `heuristic`. It returns a
    list of actions, or None if it finds no solution. It may instead yield lists, each better than the last: then a
    limit leaves the best so far. Its name becomes the algorithm's name, its docstring the title.

    >>> import blockfall
    >>> @blockfall.register_algorithm
    ... def first_way(problem):
    ...     "The first action again and again."
    ...     state, moves = problem.start(), []
    ...     while not problem.is_goal(state):
    ...         moves.append(problem.actions(state)[0])
    ...         state = problem.result(state, moves[-1])
    ...     return moves
    >>> found = blockfall.solve("hopeless", "first-way", board="12.\\n112")
    >>> found.moves, found.points, found.nodes_expanded
    (((0, 1), (0, 0)), 20, 2)
    """
    name = function.__name__.replace("_", "-")
    check_name("an algorithm", name, core_algorithms())
    _registered.put(name, _of(function, name, f"{function.__module__}, {function.__name__}"))
    return function


def find_algorithm(name: str) -> Algorithm:
    """Return the algorithm of this name. FILE.py:NAME is a function in a Python file."""
    known = algorithms()
    if isinstance(name, str) and name in known:
        return known[name]
    if not is_named_in_file(name):
        raise UnknownNameError("algorithm", name, list(known))
    function = named_in_file(name)
    if not inspect.isfunction(function):
        raise SettingError(f"{name} is not a function; an algorithm is a function that takes a problem")
    return _of(function, name, name)


def _of(function: Function, name: str, source: str) -> Algorithm:
    said = (inspect.getdoc(function) or "").strip().splitlines()
    title = said[0] if said else "an algorithm of your own"
    return Algorithm(name, title, source, "never", promise="what its author promises", function=function)
