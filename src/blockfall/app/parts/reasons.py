"""The reasons why one placement has a higher value than another, and the worth of each column."""

from collections.abc import Sequence
from dataclasses import dataclass

from blockfall.agents import Agent
from blockfall.games.explanation import Explained


@dataclass(frozen=True)
class Reason:
    """A feature of a placement, compared with another placement."""

    feature: str
    value: float
    weight: float | None
    """None for a network, because its value has no parts."""
    share: float | None
    ahead: float | None
    """The share minus the other placement's; None without another placement or shares."""


def reasons(agent: Agent, one: Explained, other: Explained | None) -> list[Reason]:
    """Return the reasons for a placement, in the agent's order of features; none if it loses."""
    against = other.shares if other else {}
    return [
        Reason(
            name,
            value,
            agent.weights.get(name),
            one.shares.get(name),
            one.shares[name] - against[name] + 0.0 if name in one.shares and name in against else None,
        )
        for name, value in one.measures.items()
    ]


def heat(ranked: Sequence[Explained], columns: int) -> list[float | None]:
    """Return each column's best value of a placement that touches it: 1 for the best column, 0 for the worst."""
    best: list[float | None] = [None] * columns
    for one in ranked:
        if one.value is None:
            continue
        for x in {x for x, _ in one.placement.cells}:
            known = best[x]
            best[x] = one.value if known is None else max(known, one.value)
    values = [value for value in best if value is not None]
    if not values:
        return best
    low, high = min(values), max(values)
    return [None if value is None else (value - low) / (high - low) if high > low else 1.0 for value in best]
