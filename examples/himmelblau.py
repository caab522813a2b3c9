"""Minimise Himmelblau's function, the thesis's demonstration, with each optimiser (soster2024, 2.2.1, equation 6).

    python examples/himmelblau.py

An optimiser works on any function, not only on games.
"""

import numpy as np

from blockfall import CmaEs, CrossEntropy, Genetic, Pso, RandomSearch, Space


def himmelblau(points: np.ndarray) -> np.ndarray:
    """The value of each point; 0 at four of them."""
    x, y = points.T
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


OPTIMISERS = (
    Pso(iterations=200, speed_limits=(-1.0, 1.0)),
    Genetic(iterations=200),
    CmaEs(iterations=200),
    CrossEntropy(iterations=200),
    RandomSearch(iterations=200),
)

for optimiser in OPTIMISERS:
    search = optimiser.start(Space(2, -5.0, 5.0), seed=1)
    while not search.finished:
        search.tell(-himmelblau(search.ask()))  # fitness is maximised
    x, y = search.best
    print(f"{optimiser.name:14} {-search.best_fitness:9.2g} at ({x:+.4f}, {y:+.4f})")
