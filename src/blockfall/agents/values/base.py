"""The base class of all values, and what several kinds share.

A value is how an agent values boards or placements. To add a kind, write a subclass of `Value` in a module beside this
one, where `KINDS` finds it. A kind says only where it differs from the defaults here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NoReturn, Self

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator

from blockfall import _core
from blockfall.agents.values.explaining import Explainer
from blockfall.errors import SettingError, shortened
from blockfall.features import find_feature
from blockfall.rulesets import Rules
from blockfall.validation import usable_weight

if TYPE_CHECKING:
    from blockfall.tbp.conversation import Conversation

MOST_FEATURES = _core.MAX_FEATURES

Number = Annotated[float, AfterValidator(usable_weight)]
"""A number of an agent's file."""


@dataclass(frozen=True)
class Play:
    """The settings of an agent around its value, in the core's terms."""

    pieces_known: int
    guard: tuple[int, int] | None
    """The height and the bumpiness from which the guard applies."""
    sequences: int
    """The sequences that look-ahead values over one more unknown piece; 0 for none."""
    loss: float
    """The value of a lost game in look-ahead."""
    plies: int
    """The placements that a board network looks ahead."""


class Value:
    """A valuation of boards. Values are frozen, can be hashed and pickle by value.

    A kind that an agent's file can hold has a `key`, a `title`, a `file_type`, `small`, `from_file`, `as_json` and
    `_for_core`. A dataclass whose `features` or `parameters` are fields gives them a `field()`, which hides the default
    here.
    """

    key: ClassVar[str]
    """The key in an agent's file."""
    title: ClassVar[str] = "a value"
    """The words for it in messages, such as "a network"."""
    file_type: ClassVar[Any]
    """The pydantic type of the key's content. The description says in words what is allowed."""
    options: ClassVar[frozenset[str]] = frozenset({"guard", "look-ahead"})
    """The options that an agent may have with it: a guard, look-ahead, plies."""
    gpu_policy: ClassVar[str | None] = None
    """The C++ class that values boards or placements for it in `play.cu`; None if that program cannot play it."""

    features: tuple[str, ...] = ()
    """The names of the features that it looks at."""
    parameters: tuple[float, ...] = ()
    """The numbers that a training finds."""

    @property
    def pieces_known(self) -> int | None:
        """The pieces that an agent with this value must know; None if the agent may choose."""
        return None

    @property
    def explainer(self) -> Explainer:
        """The parts of an explanation that this kind fills in."""
        return Explainer()

    @property
    def outside(self) -> "Outside | None":
        """The value itself if it is played outside the core, else None."""
        return None

    def with_parameters(self, parameters: Sequence[float]) -> Self:
        """Return the same kind of value with other numbers."""
        if len(parameters):
            self._refuse("has no numbers that can be set")
        return self

    @classmethod
    def small(cls) -> Self:
        """Return a small value of this kind, on which the tests try what every kind must do."""
        raise NotImplementedError

    @classmethod
    def from_file(cls, found: Any, folder: Path) -> Self:
        """Return the value from its key's content in an agent's file in `folder`, which fits `file_type`.

        An error names the key that is wrong.
        """
        raise NotImplementedError

    def as_json(self, stem: str = "agent") -> object:
        """Return the content of its key in an agent's file. `stem` is that file's name without its suffix."""
        raise NotImplementedError

    @property
    def files(self) -> dict[str, bytes]:
        """The files beside an agent's file, by the suffix that each has instead of `.json`."""
        return {}

    def check_rules(self, rules: Rules) -> None:
        """Raise a SettingError for rules that it cannot play."""

    def _for_core(self, play: Play) -> _core.Agent:
        """Return the core's agent that plays by this value. Only `Agent` calls it."""
        raise NotImplementedError

    def _refuse(self, what: str) -> NoReturn:
        raise SettingError(f"{self.title} {what}")


class Outside(Value):
    """A value that the core does not play. It either values many boards at once or suggests moves.

    It has no numbers to train and no features. It has no key in an agent's file either, because a file from someone
    else must not run anything.
    """

    key: ClassVar[str] = "outside"
    options: ClassVar[frozenset[str]] = frozenset()
    suggests_moves: ClassVar[bool] = False
    """Whether it suggests moves, including those of the piece in the hold queue. Otherwise it values boards."""

    @property
    def pieces_known(self) -> int | None:
        """1: it is asked about the placements of one piece."""
        return 1

    @property
    def outside(self) -> "Outside":
        """The value itself."""
        return self

    def values(self, boards: npt.NDArray[np.bool_], lines: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        """Return a finite number for each board, given the lines that each placement removes."""
        raise NotImplementedError

    def converse(self, randomizer: str) -> "Conversation":
        """Begin a conversation with the program that suggests moves."""
        raise NotImplementedError

    def with_time_limit(self, seconds: float) -> Self:
        """Return the same value with a time limit for each move."""
        self._refuse(f"cannot be limited to {seconds:g} seconds for a move")


def checked(parameters: Sequence[float], count: int, what: str) -> tuple[float, ...]:
    """Return the numbers as a tuple. Raise a SettingError for too few, too many, and one that cannot be used."""
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
    """Return the features' own names. Raise an error for none, too many, an unknown one, and a repeated one."""
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
    """Return a core agent over features. A user's own features get the numbers after those of the catalogue."""
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
    """Return the shortest decimal that the core, which plays with binary32, reads as the same number."""
    return float(str(np.float32(number)))
