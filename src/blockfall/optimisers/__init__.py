"""Optimisers behind one interface: `ask` for candidates, `tell` their fitness. Fitness is maximised.

>>> import numpy as np
>>> swarm = make("pso", {"iterations": 50, "speed_limits": [-1.0, 1.0]}, Space(2, -5.0, 5.0), seed=1)
>>> while not swarm.finished:
...     swarm.tell(-np.sum(swarm.ask() ** 2, axis=1))
>>> bool(swarm.best_fitness > -0.01)
True
"""

from typing import Any

from blockfall.errors import UnknownNameError
from blockfall.optimisers.base import Optimiser, Settings, Space
from blockfall.optimisers.cma_es import CmaEs
from blockfall.optimisers.cross_entropy import CrossEntropy
from blockfall.optimisers.genetic import Genetic
from blockfall.optimisers.pso import Pso
from blockfall.optimisers.random_search import RandomSearch
from blockfall.validation import check

__all__ = ["OPTIMISERS", "Optimiser", "Settings", "Space", "make", "settings_of"]

OPTIMISERS: dict[str, type[Optimiser]] = {kind.name: kind for kind in (Pso, Genetic, CmaEs, CrossEntropy, RandomSearch)}
"""To add one, write a module with its settings and its ask and tell, and name it here."""


def find(name: str) -> type[Optimiser]:
    if name not in OPTIMISERS:
        raise UnknownNameError("optimiser", name, list(OPTIMISERS))
    return OPTIMISERS[name]


def settings_of(name: str, table: dict[str, Any], where: str = "optimiser", text: str = "") -> Settings:
    """The optimiser's settings from a table, checked."""
    return check(find(name).settings_type, table, where, text, inside="optimiser")


def make(name: str, table: dict[str, Any], space: Space, seed: int | list[int]) -> Optimiser:
    return find(name)(settings_of(name, table), space, seed)
