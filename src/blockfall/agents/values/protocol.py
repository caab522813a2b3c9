"""What the package asks of a value, and what kinds of values share.

A value is how an agent values boards or placements. To add a kind, write a module beside this one and name its class in
`KINDS` of this folder's `__init__.py`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from pydantic import AfterValidator

from blockfall import _core
from blockfall.errors import SettingError, shortened
from blockfall.features import find_feature
from blockfall.rulesets import Rules
from blockfall.validation import usable_weight

MOST_FEATURES = _core.MAX_FEATURES

Number = Annotated[float, AfterValidator(usable_weight)]
"""A number of an agent's file."""


class Parts(Enum):
    """What an explanation can show of a value."""

    SHARES = "shares"
    """The features, each with a weight and a share; the shares add up to the value."""
    INPUTS = "inputs"
    """The features that go in; the value has no shares."""
    ENTRY = "entry"
    """The entry of a Q-table that gave the value."""
    CELLS = "cells"
    """The cells of the board, and how much each of them matters."""
    NONE = "none"
    """Nothing: what decides is outside of Blockfall."""


@dataclass(frozen=True)
class Entry:
    """An entry of a Q-table: the window of columns that it sees, and where the piece stands in it."""

    first_column: int
    contour: tuple[int, int, int]
    offset: int


@dataclass(frozen=True)
class Play:
    """How an agent plays around its value, as the core takes it."""

    pieces_known: int
    guard: tuple[int, int] | None
    """The height and the bumpiness from which the guard applies."""
    sequences: int
    """The sequences that look-ahead values over one unknown piece more; 0 for none."""
    loss: float
    """What look-ahead takes a lost game for."""
    plies: int
    """The placements that a network over the board looks ahead."""


@runtime_checkable
class Value(Protocol):
    """How an agent values boards. Values are frozen, can be hashed and pickle by value."""

    key: ClassVar[str]
    """Its key in an agent's file."""
    title: ClassVar[str]
    """What messages call it, such as "a network"."""
    parts: ClassVar[Parts]
    """What an explanation can show of it."""
    values_boards: ClassVar[bool]
    """Whether it values boards. One that values placements has no guard and no look-ahead."""
    has_plies: ClassVar[bool]
    """Whether it looks ahead by plies, and not by sequences of placements."""
    file_type: ClassVar[Any]
    """The type of what stands under its key, for pydantic."""
    file_rule: ClassVar[str]
    """What may stand under its key, in words."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that it looks at; empty for none."""
        ...

    @property
    def pieces_known(self) -> int | None:
        """The pieces that an agent with this value knows. None where that is the agent's choice."""
        ...

    @property
    def parameters(self) -> tuple[float, ...]:
        """The numbers that a training finds."""
        ...

    def with_parameters(self, parameters: Sequence[float]) -> Self:
        """The same kind of value with other numbers."""
        ...

    @classmethod
    def from_file(cls, found: Any, folder: Path) -> Self:
        """From what stands under its key in an agent's file, checked as `file_type` says.

        The agent's file lies in `folder`. An error names the key that is wrong.
        """
        ...

    def as_json(self, stem: str = "agent") -> object:
        """What stands under its key in an agent's file. `stem` is the name of that file, without its end."""
        ...

    def files(self, stem: str) -> dict[str, bytes]:
        """The files that lie beside an agent's file of this name, by name; none for most kinds."""
        ...

    def check_rules(self, rules: Rules) -> None:
        """Raises a SettingError for rules that it cannot play."""
        ...

    def shares(self, measures: Mapping[str, float]) -> dict[str, float]:
        """By feature, parts that add up to the value of these measures; empty where a value has no such parts."""
        ...

    def entry(self, heights: Sequence[int], cells: Collection[tuple[int, int]]) -> Entry | None:
        """The entry of a Q-table that values these cells on columns of these heights; None for other kinds."""
        ...

    def _for_core(self, play: Play) -> _core.Agent:
        """An agent of the core that plays by this value. Only `Agent` calls it."""
        ...


def checked(parameters: Sequence[float], count: int, what: str) -> tuple[float, ...]:
    """The numbers as a tuple, or a SettingError where there are too few, too many or one that cannot be used."""
    try:
        numbers = tuple(float(number) for number in parameters)
    except (OverflowError, TypeError, ValueError):
        raise SettingError(f"{what} has something that is not a number; it must be finite numbers") from None
    if len(numbers) != count:
        raise SettingError(f"{what} has {len(numbers):,} numbers; it must have {count:,}")
    with np.errstate(over="ignore"):
        usable = np.isfinite(np.array(numbers, dtype=np.float32))
    if not usable.all():
        raise SettingError(f"{what} has {numbers[int(np.argmin(usable))]}; it must be a finite number")
    return numbers


def feature_names(names: Sequence[str], what: str) -> tuple[str, ...]:
    """The features' own names. Raises an error for none, too many, an unknown one, and one that stands twice."""
    if not 1 <= len(names) <= MOST_FEATURES:
        raise SettingError(f"{what} has {len(names)} features; it must have 1 to {MOST_FEATURES}")
    found = tuple(find_feature(name).name for name in names)
    if len(set(found)) < len(found):
        twin = next(name for name in found if found.count(name) > 1)
        raise SettingError(f"{what} has {shortened(twin)} twice")
    return found


def core_of_features(
    names: Sequence[str], parameters: Sequence[float], play: Play, hidden: Sequence[int] = ()
) -> _core.Agent:
    """An agent of the core over features: a user's own get the numbers after those of the catalogue."""
    found = [find_feature(name) for name in names]
    own = [feature for feature in found if feature.custom]
    numbers = [_core_features() + own.index(feature) if feature.custom else feature.number for feature in found]
    return _core.Agent(
        numbers,
        parameters,
        play.pieces_known,
        [feature.custom.address for feature in own if feature.custom],
        play.guard,
        play.sequences,
        play.loss,
        hidden,
    )


def _core_features() -> int:
    return len(_core.feature_facts())


def shortest(number: float) -> float:
    """The shortest decimal that the core, which plays with binary32, reads as the same number."""
    return float(str(np.float32(number)))
