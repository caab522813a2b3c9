"""Why one placement has a higher value than another, feature by feature; and how good each column is."""

from collections.abc import Sequence
from dataclasses import dataclass

from blockfall.agents import Agent
from blockfall.games.explanation import Explained


@dataclass(frozen=True)
class Reason:
    """A feature of a placement, and how it compares with another placement."""

    feature: str
    value: float
    weight: float | None
    """None for a network, because its value has no parts."""
    share: float | None
    ahead: float | None
    """How much larger the share is than in the other placement. None if there is no other, or no shares."""


def reasons(agent: Agent, one: Explained, other: Explained | None) -> list[Reason]:
    """The reasons for a placement, in the agent's order of features. Empty for a placement that loses."""
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
    """The best value of a placement that touches each column: 1 for the best column, 0 for the worst."""
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
