"""The base class of all trainers, which are optimisers and ways of learning, and their registries."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from pydantic import ConfigDict

from blockfall.agents import FeatureNetwork, Value, WeightedFeatures
from blockfall.errors import FileError, SettingError, UnknownNameError, shortened
from blockfall.plugins import Registry, check_name
from blockfall.validation import Settings, check


class Trainer(Settings, ABC):
    """The settings of an optimiser or of a way of learning. They are immutable."""

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    steps_name: ClassVar[str]
    """The setting that limits the steps of a restart: iterations, or stages."""
    repeatable: ClassVar[bool] = True
    """Whether every processor computes the same numbers. If not, the behaviour signature leaves it out."""

    @property
    def step_count(self) -> int:
        """The iterations of a restart, at most, or its stages."""
        return int(getattr(self, self.steps_name))

    @classmethod
    @abstractmethod
    def small(cls) -> dict[str, Any]:
        """Return the settings of its short training in the behaviour signature."""

    def untrained(self, features: Sequence[str], hidden: Sequence[int]) -> Value:
        """Return the agent's value before training, with every number 0."""
        if hidden:
            return FeatureNetwork.zeros(tuple(features), tuple(hidden))
        return WeightedFeatures(dict.fromkeys(features, 0.0))

    def as_keys(self) -> dict[str, Any]:
        """Return its table in a run's file: the name, and every setting that has a value."""
        return {"name": self.name, **self.model_dump(mode="json", exclude_none=True)}


AnyTrainer = TypeVar("AnyTrainer", bound=Trainer)
AnyKind = TypeVar("AnyKind", bound=type[Trainer])


class TrainerRegistry(dict[str, type[AnyTrainer]]):
    """Blockfall's own optimisers, or ways of learning, by name. `known` adds the registered ones."""

    def __init__(self, what: str, table: str, base: type[AnyTrainer], *own: type[AnyTrainer]) -> None:
        """Make a registry of `base` classes. `what` names one of them; `table` is its table in a run's file."""
        self._what, self._table, self._base = what, table, base
        super().__init__({kind.name: kind for kind in own})
        self._registered: Registry[type[AnyTrainer]] = Registry()

    def known(self) -> dict[str, type[AnyTrainer]]:
        """Return all of them by name."""
        return {**self, **self._registered.known()}

    def find(self, name: str) -> type[AnyTrainer]:
        """Return the one of this name."""
        if name in self:
            return self[name]
        if name not in self._registered.known():
            raise UnknownNameError(self._what, name, list(self.known()))
        return self._registered[name]

    def register(self, kind: AnyKind) -> AnyKind:
        """Add a user's class, and return it."""
        one: Any = kind
        what = f"{'an' if self._what[0] in 'aeiou' else 'a'} {self._what}"
        for word in ("name", "title", "source"):
            if not isinstance(getattr(one, word, None), str):
                raise SettingError(f"{what} must have a {word}; {getattr(one, '__name__', one)} has none")
        if not (isinstance(one, type) and issubclass(one, self._base)):
            base = f"{self._base.__module__.rpartition('.')[0]}.{self._base.__name__}"
            raise SettingError(f"{shortened(one)} is not {what}; it must be a subclass of {base}")
        check_name(what, kind.name, self)
        self._registered.put(kind.name, one)
        return kind

    def stored(self, keys: dict[str, Any], where: str, text: str, context: object) -> AnyTrainer:
        """Return the trainer of a stored run's table. It cannot start if its plugin is not loaded."""
        name = keys.get("name")
        if not isinstance(name, str) or name in self.known():
            return self.from_keys(keys, where, text, context)
        absent = {"name": name, "title": "From a plugin that is not loaded", "source": "a plugin", "start": _refuse}
        kind: Any = type("Absent", (self._base,), {**absent, "model_config": ConfigDict(extra="allow")})
        kind.__abstractmethods__ = frozenset()
        made: AnyTrainer = kind.model_construct(**{key: value for key, value in keys.items() if key != "name"})
        return made

    def from_keys(self, keys: dict[str, Any], where: str, text: str = "", context: object = None) -> AnyTrainer:
        """Return the trainer that a table of a run's file describes. Errors name the place in the file."""
        name = keys.get("name")
        if not isinstance(name, str):
            allowed = ", ".join(self.known())
            raise FileError(f"{where}: {self._table}.name is {shortened(name)}; it must be one of {allowed}")
        try:
            kind = self.find(name)
        except UnknownNameError as error:
            raise FileError(f"{where}: {self._table}.name: {error}") from None
        settings = {key: value for key, value in keys.items() if key != "name"}
        return check(kind, settings, where, text, inside=self._table, context=context)


def _refuse(trainer: Trainer, *_given: object) -> None:
    raise SettingError(f"{trainer.name!r} comes from a plugin; load it with --plugin FILE")
