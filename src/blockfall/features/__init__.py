"""The catalogue of features: what each one measures, and where it comes from.

>>> find_feature("row-transitions").source
'Dellacherie (Fahey 2003); Thiery & Scherrer 2009'
"""

from dataclasses import dataclass
from functools import cache

from blockfall import _core
from blockfall.errors import UnknownNameError

__all__ = ["Feature", "features", "find_feature"]


@dataclass(frozen=True)
class Feature:
    name: str
    aliases: tuple[str, ...]
    definition: str
    formula: str
    source: str
    looks_at: str
    """What it needs to know: the board, the move, or both pieces of a look-ahead."""
    cost: str
    """What kind of work it is: words, heights, rows or flood, each dearer than the one before."""
    example: str
    """A board, top row first: # and x filled, . and o empty, x and o counted, @ the piece just placed."""
    example_value: float
    number: int
    """Its place in the core's catalogue."""


@cache
def features() -> tuple[Feature, ...]:
    return tuple(
        Feature(
            name=facts["name"],
            aliases=tuple(facts["aliases"].split()),
            definition=facts["definition"],
            formula=facts["formula"],
            source=facts["source"],
            looks_at=facts["looks_at"],
            cost=facts["cost"],
            example=facts["example"],
            example_value=facts["example_value"],
            number=number,
        )
        for number, facts in enumerate(_core.feature_facts())
    )


@cache
def _by_name() -> dict[str, Feature]:
    return {name.lower(): feature for feature in features() for name in (feature.name, *feature.aliases)}


def find_feature(name: str) -> Feature:
    """The feature of this name or alias."""
    try:
        return _by_name()[name.lower()]
    except KeyError:
        raise UnknownNameError("feature", name, [feature.name for feature in features()]) from None
