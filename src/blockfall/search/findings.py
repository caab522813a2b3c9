"""The findings of a check of a problem."""

from dataclasses import dataclass
from typing import Any

from blockfall.games.protocol import action_in_words
from blockfall.search.problem import Problem


@dataclass(frozen=True)
class Finding:
    """A fault, or something that slows searches, with the smallest example found.

    >>> import blockfall
    >>> class Count(blockfall.Problem):
    ...     admissible = True
    ...
    ...     def start(self):
    ...         return 3
    ...
    ...     def actions(self, state):
    ...         return ["down"] if state else []
    ...
    ...     def result(self, state, action):
    ...         return state - 1
    ...
    ...     def is_goal(self, state):
    ...         return state == 0
    ...
    ...     def heuristic(self, state):
    ...         return -2 * state
    >>> (finding,) = [one for one in blockfall.check_problem(Count()).findings if one.breaks]
    >>> finding.what, finding.state, finding.moves
    ('the heuristic is not admissible: it says -2 where 1 move earns -1', 1, ('down',))
    """

    check: str
    """The name of the check."""
    what: str
    """The fault, in one line."""
    breaks: bool
    """Whether searches go wrong; otherwise they are only slower or weaker than they could be."""
    state: Any = None
    moves: tuple[Any, ...] = ()
    """The moves from the state that show it."""


@dataclass(frozen=True)
class ProblemCheck:
    """The extent of a check, and its findings."""

    states: int
    steps: int
    goals: int
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """True if no finding breaks searches."""
        return not any(finding.breaks for finding in self.findings)


def in_rows(problem: Problem, finding: Finding) -> list[str]:
    """Return a finding as rows for the terminal: the fault, the state and the moves."""
    rows = [f"{'breaks searches' if finding.breaks else 'note'}: {finding.what}"]
    if finding.state is not None:
        rows += [f"    {row}" for row in problem.text(finding.state).splitlines()]
    if finding.moves:
        rows.append(f"    moves: {' '.join(action_in_words(move) for move in finding.moves)}")
    return rows
