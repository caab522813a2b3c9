"""Optimisers behind one interface: `ask` for candidates, `tell` their fitness. Fitness is maximised.

>>> import numpy as np
>>> swarm = Pso(iterations=50, speed_limits=(-1.0, 1.0)).start(Space(2, -5.0, 5.0), seed=1)
>>> while not swarm.finished:
...     swarm.tell(-np.sum(swarm.ask() ** 2, axis=1))
>>> bool(swarm.best_fitness > -0.01)
True
"""

from typing import Any, TypeVar

from pydantic import ConfigDict

from blockfall.errors import FileError, SettingError, UnknownNameError, shortened
from blockfall.optimisers.base import Optimisation, Optimiser, Space
from blockfall.optimisers.cma_es import CmaEs
from blockfall.optimisers.cross_entropy import CrossEntropy
from blockfall.optimisers.genetic import Genetic
from blockfall.optimisers.pso import Pso
from blockfall.optimisers.random_search import RandomSearch
from blockfall.plugins import Registry, check_name
from blockfall.validation import check

__all__ = [
    "OPTIMISERS",
    "CmaEs",
    "CrossEntropy",
    "Genetic",
    "Optimisation",
    "Optimiser",
    "Pso",
    "RandomSearch",
    "Space",
    "absent_optimiser",
    "find_optimiser",
    "optimiser_from",
    "optimisers",
    "register_optimiser",
]

AnyKind = TypeVar("AnyKind", bound=type[Optimiser])

OPTIMISERS: dict[str, type[Optimiser]] = {kind.name: kind for kind in (Pso, Genetic, CmaEs, CrossEntropy, RandomSearch)}
"""Those of Blockfall's own. To add one, write a module with its settings and its ask and tell, and put it here."""

_registered: Registry[type[Optimiser]] = Registry()


def optimisers() -> dict[str, type[Optimiser]]:
    """All kinds of optimisers by name: those that come with Blockfall, then those that were registered."""
    return OPTIMISERS | _registered.known()


def register_optimiser(kind: AnyKind) -> AnyKind:
    """Adds an optimiser of your own; runs and the app then know it by its name. Write it over the class.

    >>> import blockfall
    >>> @blockfall.register_optimiser
    ... class Thousand(blockfall.RandomSearch):
    ...     name, title, source = "thousand", "A thousand draws", "an example"
    ...     population: int = 1000
    >>> blockfall.Configuration(optimiser=Thousand(iterations=1)).trainer.name
    'thousand'
    """
    for word in ("name", "title", "source"):
        if not isinstance(getattr(kind, word, None), str):
            raise SettingError(f"an optimiser must have a {word}; {getattr(kind, '__name__', kind)} has none")
    if not (isinstance(kind, type) and issubclass(kind, Optimiser)):
        raise SettingError(f"{shortened(kind)} is no optimiser; it must be a class over blockfall.optimisers.Optimiser")
    check_name("an optimiser", kind.name, OPTIMISERS)
    _registered.put(kind.name, kind)
    return kind


def absent_optimiser(keys: dict[str, Any]) -> Optimiser:
    """What an `[optimiser]` table says of an optimiser whose plugin is not there: it can be told, and not started."""
    made: type[Optimiser] = type("Absent", (_Absent,), {"name": keys["name"]})
    return made.model_construct(**{key: value for key, value in keys.items() if key != "name"})


class _Absent(Optimiser):
    model_config = ConfigDict(extra="allow")
    title = "An optimiser of a plugin that is not loaded"
    source = "a plugin"

    def start(self, space: Space, seed: int | list[int]) -> Optimisation[Any]:  # noqa: ARG002
        raise SettingError(f"the optimiser {self.name!r} is a plugin's; give the plugin first: --plugin FILE")


def find_optimiser(name: str) -> type[Optimiser]:
    """The kind of optimiser of this name."""
    if name in OPTIMISERS:
        return OPTIMISERS[name]
    if name not in _registered.known():
        raise UnknownNameError("optimiser", name, list(optimisers()))
    return _registered[name]


def optimiser_from(keys: dict[str, Any], where: str = "optimiser", text: str = "") -> Optimiser:
    """The optimiser of an `[optimiser]` table: its `name` and its settings. Errors name the place in the file.

    >>> optimiser_from({"name": "pso", "particles": 12}).particles
    12
    """
    name = keys.get("name")
    if not isinstance(name, str):
        raise FileError(f"{where}: optimiser.name is {shortened(name)}; it must be one of {', '.join(optimisers())}")
    try:
        kind = find_optimiser(name)
    except UnknownNameError as error:
        raise FileError(f"{where}: optimiser.name: {error}") from None
    settings = {key: value for key, value in keys.items() if key != "name"}
    return check(kind, settings, where, text, inside="optimiser")
