"""The catalogue of features: their definitions and sources.

>>> find_feature("row-transitions").source
'Dellacherie (Fahey 2003); Thiery & Scherrer 2009; data2021, 4.8 (poziome)'
>>> find_feature("NTL").name
'row-transitions-occupied'
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from blockfall import _core
from blockfall.errors import SettingError, UnknownNameError, shortened
from blockfall.features.custom import CustomFeature, registered


@dataclass(frozen=True)
class Feature:
    """The catalogue's entry of a feature.

    >>> import blockfall
    >>> print(blockfall.find_feature("bumpiness").definition)
    Sum of the absolute height differences between adjacent columns.
    """

    name: str
    aliases: tuple[str, ...]
    definition: str
    formula: str
    source: str
    looks_at: str
    """The input of the feature: the board, the move, or both pieces if two are known."""
    cost: str
    """The kind of work, from cheap to expensive: words, heights, rows or flood; `own` for a user's feature."""
    example: str
    """A board, top row first: # and x are filled, . and o empty, x and o counted, @ is the placed piece."""
    example_value: float
    number: int
    """The index in the core's catalogue; -1 for a user's feature."""
    custom: CustomFeature | None = None


@cache
def built_in_features() -> tuple[Feature, ...]:
    """Return the features of the core, in the order of their numbers."""
    return tuple(
        Feature(**facts | {"aliases": tuple(facts["aliases"].split()), "number": number})
        for number, facts in enumerate(_core.feature_facts())
    )


@cache
def _built_in_by_name() -> dict[str, Feature]:
    """Return the features of the core by name and alias, in lower case."""
    return {name.lower(): feature for feature in built_in_features() for name in (feature.name, *feature.aliases)}


def custom_features() -> list[Feature]:
    """Return the features that users registered."""
    return [
        Feature(own.name, (), own.definition, "", own.source, "board", "own", "", 0.0, -1, own)
        for own in registered().known().values()
    ]


def find_feature(name: str) -> Feature:
    """Return the feature with this name or alias. Case does not matter.

    >>> import blockfall
    >>> blockfall.find_feature("NTL").name
    'row-transitions-occupied'
    """
    if not isinstance(name, str):
        raise SettingError(f"the feature is {shortened(name)}; it must be a name")
    if found := _built_in_by_name().get(name.lower()):
        return found
    own = custom_features()
    for feature in own:
        if feature.name.lower() == name.lower():
            return feature
    raise UnknownNameError("feature", name, [feature.name for feature in (*built_in_features(), *own)])


def feature(name: str) -> Callable[[Callable[[Any], float]], Callable[[Any], float]]:
    """Return a decorator that registers a function of a board as a feature, which then works like a built-in one.

    >>> @feature("left-height")
    ... def left_height(board: Any) -> float:
    ...     "Height of the first column."
    ...     return board.heights[0]
    >>> find_feature("left-height").definition
    'Height of the first column.'
    """

    def register(function: Callable[[Any], float]) -> Callable[[Any], float]:
        key = name.lower()
        if not name or any(mark in name for mark in ", \t\n"):
            raise SettingError(
                f"the feature's name is {shortened(name)}; it must not be empty or contain spaces or commas"
            )
        if key in _built_in_by_name():
            raise SettingError(f"feature {shortened(name)} is already in the catalogue; choose another name")
        definition = (function.__doc__ or "A user's own feature.").strip().splitlines()[0]
        source = f"{function.__module__}, {function.__qualname__}"
        registered().put(key, CustomFeature(name, function, definition, source))
        return function

    return register
