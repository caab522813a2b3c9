"""Each optimiser minimises Himmelblau's function, the thesis's demonstration (soster2024, 2.2.1, equation 6).

    python examples/himmelblau.py

An optimiser works on any function, not only on games.
"""

import numpy as np

from blockfall.optimisers import OPTIMISERS, Space, make


def himmelblau(points: np.ndarray) -> np.ndarray:
    """The value of each point. It is 0 at four places."""
    x, y = points.T
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


for name in OPTIMISERS:
    settings = {"iterations": 200, "speed_limits": [-1.0, 1.0]} if name == "pso" else {"iterations": 200}
    optimiser = make(name, settings, Space(2, -5.0, 5.0), seed=1)
    while not optimiser.finished:
        optimiser.tell(-himmelblau(optimiser.ask()))  # fitness is maximised
    x, y = optimiser.best
    print(f"{name:14} {-optimiser.best_fitness:9.2g} at ({x:+.4f}, {y:+.4f})")
