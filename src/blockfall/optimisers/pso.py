"""Particle swarm optimisation, as soster2024 describes it (equations 1 to 5).

The coefficients change linearly over the iterations; with equal ends they are constant, as in data2021 (formula 11).
The thesis writes equation 5 with v(i); like its pseudo-code, this moves by the velocity just computed, v(i+1).
"""

import numpy as np
from pydantic import Field

from blockfall.optimisers.base import Matrix, Optimisation, Optimiser, Space, Vector
from blockfall.validation import whole_number


class Pso(Optimiser):
    """Particle swarm optimisation: candidates move through the weights, each drawn to its own best and the best of all.

    The defaults are those of soster2024, table 1.

    >>> import blockfall
    >>> search = blockfall.Pso(speed_limits=(-1.0, 1.0), iterations=50).start(blockfall.Space(2, -5.0, 5.0), seed=1)
    >>> while not search.finished:
    ...     search.tell(-(search.ask() ** 2).sum(axis=1))  # fitness is maximised
    >>> bool(search.best_fitness > -0.1)
    True
    """

    name = "pso"
    title = "Particle swarm optimisation"
    source = "soster2024, 2.2.1; Kennedy & Eberhart 1995"
    size = "particles"

    particles: int = whole_number(2, 100_000, 30)
    inertia: tuple[float, float] = Field(default=(0.9, 0.4), description="two numbers: at the start and at the end")
    cognitive: tuple[float, float] = Field(default=(1.5, 0.5), description="two numbers: at the start and at the end")
    social: tuple[float, float] = Field(default=(1.0, 4.0), description="two numbers: at the start and at the end")
    speed_limits: tuple[float, float] = Field(default=(-0.01, 0.01), description="two numbers, the smaller first")

    def start(self, space: Space, seed: int | list[int]) -> "Swarm":
        """Begin with particles at random places."""
        return Swarm(self, space, seed)


class Swarm(Optimisation[Pso]):
    """Particles that move between their own best place and the best of all."""

    def __init__(self, optimiser: Pso, space: Space, seed: int | list[int]) -> None:
        super().__init__(optimiser, space, seed)
        self.position = space.random(self.rng, optimiser.particles)
        self.velocity = self.rng.uniform(*optimiser.speed_limits, self.position.shape)
        self.own_best = self.position.copy()
        self.own_fitness = np.full(optimiser.particles, -np.inf)

    def _ask(self) -> Matrix:
        return self.position

    def _tell(self, candidates: Matrix, fitness: Vector) -> None:
        improved = fitness > self.own_fitness
        self.own_best[improved] = candidates[improved]
        self.own_fitness[improved] = fitness[improved]

        inertia = self._coefficient(self.optimiser.inertia)  # equation 2
        cognitive = self._coefficient(self.optimiser.cognitive)  # equation 3
        social = self._coefficient(self.optimiser.social)  # equation 4
        r1, r2 = self.rng.random((2, self.population, 1))
        self.velocity = (  # equation 1
            inertia * self.velocity
            + cognitive * r1 * (self.own_best - self.position)
            + social * r2 * (self.answer - self.position)
        )
        self.velocity = np.clip(self.velocity, *self.optimiser.speed_limits)
        self.position = self.space.clip(self.position + self.velocity)  # equation 5

    def _coefficient(self, ends: tuple[float, float]) -> float:
        """Return the value between the two ends, linearly over the iterations."""
        start, end = ends
        return start + (end - start) * self.iteration / self.optimiser.iterations
