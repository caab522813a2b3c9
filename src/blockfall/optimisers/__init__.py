"""The optimisers behind one interface: `ask` for candidates, `tell` their fitness. Fitness is maximised.

>>> import numpy as np
>>> swarm = Pso(iterations=50, speed_limits=(-1.0, 1.0)).start(Space(2, -5.0, 5.0), seed=1)
>>> while not swarm.finished:
...     swarm.tell(-np.sum(swarm.ask() ** 2, axis=1))
>>> bool(swarm.best_fitness > -0.01)
True
"""

from typing import Any

from blockfall.optimisers.base import Optimisation, Optimiser, Space
from blockfall.optimisers.cma_es import CmaEs
from blockfall.optimisers.cross_entropy import CrossEntropy
from blockfall.optimisers.genetic import Genetic
from blockfall.optimisers.pso import Pso
from blockfall.optimisers.random_search import RandomSearch
from blockfall.trainers import AnyKind, TrainerRegistry

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
    "optimisers",
    "register_optimiser",
]


_KINDS = (Pso, Genetic, CmaEs, CrossEntropy, RandomSearch)
OPTIMISERS = TrainerRegistry("optimiser", "optimiser", Optimiser, *_KINDS)  # type: ignore[type-abstract]
"""Every optimiser. To add one, write a module with its settings, its ask and its tell, and name it here."""

optimisers = OPTIMISERS.known
find_optimiser = OPTIMISERS.find


def register_optimiser(kind: AnyKind) -> AnyKind:
    """Add an optimiser of your own, which runs and the app then know by its name. Write it above the class.

    >>> import blockfall
    >>> @blockfall.register_optimiser
    ... class Thousand(blockfall.RandomSearch):
    ...     name, title, source = "thousand", "A thousand draws", "an example"
    ...     population: int = 1000
    >>> blockfall.Configuration(optimiser=Thousand(iterations=1)).trainer.name
    'thousand'
    """
    return OPTIMISERS.register(kind)


def optimiser_from(keys: dict[str, Any], where: str = "optimiser", text: str = "") -> Optimiser:
    """Return the optimiser of an `[optimiser]` table: its `name` and its settings.

    >>> optimiser_from({"name": "pso", "particles": 12}).particles
    12
    """
    return OPTIMISERS.from_keys(keys, where, text)
