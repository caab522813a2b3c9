"""Agents: a value of boards, and the way to play by it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field

from blockfall import _core
from blockfall.agents.values import KINDS, Play, Value
from blockfall.errors import FileError, SettingError, shortened, whole
from blockfall.features import Feature, find_feature
from blockfall.files import write_atomically
from blockfall.rulesets import Rules
from blockfall.simd import simd
from blockfall.validation import Model, check, whole_number

MOST_KNOWN = _core.MAX_KNOWN
MOST_SEQUENCES = _core.MAX_SEQUENCES
MOST_PLIES = _core.MAX_PLIES
_WITHOUT = {"guard": "have a guard", "look-ahead": "look ahead", "plies": "look several plies ahead"}
"""The words for what an agent cannot do if its value lacks an option."""


class GuardKeys(Model):
    """The key `guard` of an agent's file."""

    max_height: int = whole_number(0, _core.MAX_ROWS)
    bumpiness: int = whole_number(0, 10_000)

    def made(self) -> "Guard":
        """Return the guard that these keys describe."""
        return Guard(self.max_height, self.bumpiness)


class UnknownPieceKeys(Model):
    """The key `unknown_piece` of an agent's file."""

    best: int = whole_number(1, MOST_SEQUENCES)
    loss: float = Field(default=-1e6, ge=-1e30, le=1e30, description="a number, the value of a lost game")

    def made(self) -> "LookAhead":
        """Return the look-ahead that these keys describe."""
        return LookAhead(self.best, self.loss)


@dataclass(frozen=True)
class Guard:
    """A rule against towers (aveiro2020).

    On boards at least this high and this bumpy, the agent considers only placements at the sides.

    >>> import blockfall
    >>> guard = blockfall.Guard(max_height=15, bumpiness=20)
    >>> blockfall.Agent("careful", blockfall.agent("lee").value, guard=guard).guard.max_height
    15
    """

    max_height: int
    bumpiness: int

    def __post_init__(self) -> None:
        _check(GuardKeys, asdict(self), "guard")


@dataclass(frozen=True)
class LookAhead:
    """A look one piece further: the best sequences are valued by their mean over the pieces that may come next.

    >>> import blockfall
    >>> blockfall.agent("birken-6").looking_ahead(8).look_ahead
    LookAhead(best=8, loss=-1000000.0)
    """

    best: int
    """The number of sequences of placements that are valued this way."""
    loss: float = -1e6
    """The value of a lost game."""

    def __post_init__(self) -> None:
        _check(UnknownPieceKeys, asdict(self), "look-ahead")


def _check(model: type[Model], found: dict[str, Any], what: str) -> None:
    try:
        check(model, found, what)
    except FileError as error:
        raise SettingError(str(error)) from None


@dataclass(frozen=True)
class Agent:
    """An agent. It is checked when it is made, and can be hashed and pickled.

    >>> import blockfall
    >>> mine = blockfall.Agent("mine", blockfall.WeightedFeatures({"holes": -4, "landing-height": -1}), pieces_known=2)
    >>> mine.weights
    {'holes': -4.0, 'landing-height': -1.0}
    >>> blockfall.evaluate(rules="nes-no-rotation", agent=mine, games=100, seed=1).lines.shape
    (100,)
    """

    name: str
    value: Value
    """The value of boards."""
    pieces_known: int = 1
    """The number of pieces that it sees: the one to place, and those after it."""
    guard: Guard | None = None
    look_ahead: LookAhead | None = None
    source: str = ""
    """The origin of the agent."""
    plies: int = 1
    """The number of placements that a board network looks ahead: 1 to 3."""
    rules: str = ""
    """The rule set that the agent was made for."""
    mean: float | None = None
    """The measured lines per game under these rules."""

    def __post_init__(self) -> None:
        for what, kind in (("name", str), ("source", str), ("rules", str), ("guard", Guard), ("look_ahead", LookAhead)):
            given = getattr(self, what)
            if not isinstance(given, kind) and not (given is None and kind in (Guard, LookAhead)):
                raise SettingError(f"an agent's {what} is {shortened(given)}; it must be a {kind.__name__}")
        if not isinstance(self.value, Value):
            kinds = ", ".join(kind.__name__ for kind in KINDS.values())
            raise SettingError(f"the value of {self.name} is a {type(self.value).__name__}; it must be one of {kinds}")
        known = self.pieces_known
        if isinstance(known, bool) or not isinstance(known, int) or not 1 <= known <= MOST_KNOWN:
            raise SettingError(f"{shortened(known)} pieces known; an agent knows 1 to {MOST_KNOWN}")
        if isinstance(self.plies, bool) or not isinstance(self.plies, int) or not 1 <= self.plies <= MOST_PLIES:
            raise SettingError(f"{shortened(self.plies)} plies; an agent looks 1 to {MOST_PLIES} ahead")
        needs = self.value.pieces_known
        if needs is not None and known != needs:
            raise SettingError(f"{known} pieces known; {self.name} has {self.value.title}, which knows {needs}")
        for option, wanted in (("guard", self.guard), ("look-ahead", self.look_ahead), ("plies", self.plies > 1)):
            if wanted and option not in self.value.options:
                raise SettingError(f"{self.name} has {self.value.title}; such an agent cannot {_WITHOUT[option]}")

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each feature, if the value is weighted features; empty for other kinds."""
        return dict(self.value.explainer.weights or {})

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features that the value uses."""
        return self.value.features

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The features that the value uses."""
        return tuple(find_feature(name) for name in self.value.features)

    @cached_property
    def core(self) -> _core.Agent:
        """The core's form of the agent. It is not part of the interface and may change."""
        simd()  # every player needs an agent, so a wrong BLOCKFALL_SIMD is found here
        if self.is_outside:
            accepted = "evaluate, compare, watch and connect accept it, this does not"
            raise SettingError(f"{self.value.title} plays outside the core; {accepted}")
        guard, ahead = self.guard, self.look_ahead
        return self.value._for_core(
            Play(
                self.pieces_known,
                (guard.max_height, guard.bumpiness) if guard else None,
                ahead.best if ahead else 0,
                ahead.loss if ahead else 0.0,
                self.plies,
            )
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: everything else is made from them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def is_outside(self) -> bool:
        """True if the agent is played outside the core: a user's function, or another program."""
        return self.value.outside is not None

    def raise_if_failed(self) -> None:
        """Raise FeatureError if a user's feature has failed since the last call."""
        if self.is_outside:
            return
        failed = self.core.take_failed()
        if failed is not None:
            raise [feature.custom for feature in self.features if feature.custom][failed].fail()

    def knowing(self, pieces: int) -> "Agent":
        """Return the same agent with another number of known pieces."""
        return replace(self, pieces_known=pieces)

    def looking_ahead(self, best: int) -> "Agent":
        """Return the same agent with a look-ahead over its `best` sequences; 0 removes the look-ahead."""
        return replace(self, look_ahead=LookAhead(best) if whole(best, "look-ahead") else None)

    def with_plies(self, plies: int) -> "Agent":
        """Return the same agent, with a board network, looking 1 to 3 placements ahead."""
        return replace(self, plies=plies)

    def check_rules(self, rules: Rules, known: int | None = None) -> None:
        """Raise SettingError if the agent cannot play these rules, or needs more known pieces."""
        try:
            self.value.check_rules(rules)
        except SettingError as error:
            raise SettingError(f"{self.name} has {error}") from None
        if known is not None and known < (self.value.pieces_known or 1):
            raise SettingError(f"{self.name} needs the next piece; only {known} is known")

    def can_play(self, rules: Rules) -> bool:
        """Return whether the agent can play these rules. A board network plays boards of one size."""
        try:
            self.check_rules(rules)
        except SettingError:
            return False
        return True

    def with_parameters(self, parameters: Sequence[float]) -> "Agent":
        """Return the same agent with other numbers in its value."""
        return replace(self, value=self.value.with_parameters(parameters))

    def save(self, path: Path | str) -> None:
        """Write the agent's file, after any file beside it, such as the weights of a board network."""
        path = Path(path)
        for suffix, content in self.value.files.items():
            write_atomically(path.with_name(f"{path.stem}{suffix}"), content)
        write_atomically(path, json.dumps(self.as_json(path.stem), indent=2) + "\n")

    def as_json(self, stem: str = "agent") -> dict[str, object]:
        """Return the content of the agent's file. `stem` is the file's name without its extension."""
        options = {"guard": self.guard, "unknown_piece": self.look_ahead}
        facts = {"rules": self.rules or None, "mean": self.mean}
        return {
            "name": self.name,
            "source": self.source,
            "pieces_known": self.pieces_known,
            **{key: fact for key, fact in facts.items() if fact is not None},
            **{key: asdict(option) for key, option in options.items() if option},
            **({"plies": self.plies} if "plies" in self.value.options else {}),
            **self.value_as_json(stem),
        }

    def value_as_json(self, stem: str = "agent") -> dict[str, object]:
        """Return the value under its key, as in the agent's file."""
        if self.is_outside:
            raise SettingError(f"{self.value.title} cannot be written to an agent's file")
        return {self.value.key: self.value.as_json(stem)}
