"""Optimisers behind one interface: `ask` for candidates, `tell` their fitness. Fitness is maximised.

>>> import numpy as np
>>> swarm = Pso(iterations=50, speed_limits=(-1.0, 1.0)).start(Space(2, -5.0, 5.0), seed=1)
>>> while not swarm.finished:
...     swarm.tell(-np.sum(swarm.ask() ** 2, axis=1))
>>> bool(swarm.best_fitness > -0.01)
True
"""

from typing import Any

from blockfall.errors import FileError, UnknownNameError
from blockfall.optimisers.base import Optimisation, Optimiser, Space
from blockfall.optimisers.cma_es import CmaEs
from blockfall.optimisers.cross_entropy import CrossEntropy
from blockfall.optimisers.genetic import Genetic
from blockfall.optimisers.pso import Pso
from blockfall.optimisers.random_search import RandomSearch
from blockfall.validation import check, shortened

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
    "find_optimiser",
    "optimiser_from",
]

OPTIMISERS: dict[str, type[Optimiser]] = {kind.name: kind for kind in (Pso, Genetic, CmaEs, CrossEntropy, RandomSearch)}
"""By name. To add one, write a module with its settings and its ask and tell, and put it here."""


def find_optimiser(name: str) -> type[Optimiser]:
    """The kind of optimiser of this name."""
    if name not in OPTIMISERS:
        raise UnknownNameError("optimiser", name, list(OPTIMISERS))
    return OPTIMISERS[name]


def optimiser_from(keys: dict[str, Any], where: str = "optimiser", text: str = "") -> Optimiser:
    """The optimiser of an `[optimiser]` table: its `name` and its settings. Errors name the place in the file.

    >>> optimiser_from({"name": "pso", "particles": 12}).particles
    12
    """
    name = keys.get("name")
    if not isinstance(name, str):
        raise FileError(f"{where}: optimiser.name is {shortened(name)}; it must be one of {', '.join(OPTIMISERS)}")
    try:
        kind = find_optimiser(name)
    except UnknownNameError as error:
        raise FileError(f"{where}: optimiser.name: {error}") from None
    settings = {key: value for key, value in keys.items() if key != "name"}
    return check(kind, settings, where, text, inside="optimiser")
