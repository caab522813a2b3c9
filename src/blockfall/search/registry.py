"""Your own problems by name, as plugins register them."""

from typing import TypeVar

from blockfall.errors import SettingError, UnknownNameError, shortened
from blockfall.games import game_names
from blockfall.plugins import Registry, check_name
from blockfall.search.problem import Problem

AnyProblem = TypeVar("AnyProblem", bound=Problem | type[Problem])

_problems: Registry[Problem] = Registry()


def problem_names() -> list[str]:
    """Return the names of the registered problems."""
    return list(_problems.known())


def find_problem(name: str) -> Problem:
    """Return the registered problem of this name."""
    if name not in _problems.known():
        raise UnknownNameError("problem", name, list(_problems))
    return _problems[name]


def register_problem(problem: AnyProblem) -> AnyProblem:
    """Add a problem of your own, so that `solve` knows its name. Pass an object, or use this to decorate a class.

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
        raise SettingError(f"{shortened(problem)} is not a problem; it must be a subclass of blockfall.Problem")
    check_name("a problem", getattr(made, "name", None), game_names())
    _problems.put(made.name, made)
    return problem
