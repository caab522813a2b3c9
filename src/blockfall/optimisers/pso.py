"""Particle swarm optimisation, as soster2024 describes it (equations 1 to 5).

The coefficients change linearly over the iterations; with equal ends they are constant, as in data2021 (formula 11).
The thesis writes equation 5 with v(i); like its pseudo-code, this moves by the velocity just computed, v(i+1).
"""

from typing import ClassVar

import numpy as np
from pydantic import Field

from blockfall.optimisers.base import Matrix, Optimiser, Settings, Space, Vector


class PsoSettings(Settings):
    """The defaults are those of soster2024, table 1."""

    particles: int = Field(default=30, ge=2, le=100_000, description="a whole number from 2 to 100000")
    inertia: tuple[float, float] = Field(default=(0.9, 0.4), description="two numbers: at the start and at the end")
    cognitive: tuple[float, float] = Field(default=(1.5, 0.5), description="two numbers: at the start and at the end")
    social: tuple[float, float] = Field(default=(1.0, 4.0), description="two numbers: at the start and at the end")
    speed_limits: tuple[float, float] = Field(default=(-0.01, 0.01), description="two numbers, the smaller first")


class Pso(Optimiser):
    name = "pso"
    title = "Particle swarm optimisation"
    source = "soster2024, 2.2.1; Kennedy & Eberhart 1995"
    settings_type: ClassVar[type[Settings]] = PsoSettings
    settings: PsoSettings

    def __init__(self, settings: PsoSettings, space: Space, seed: int | list[int]) -> None:
        super().__init__(settings, space, seed)
        self.position = space.random(self.rng, settings.particles)
        self.velocity = self.rng.uniform(*settings.speed_limits, self.position.shape)
        self.own_best = self.position.copy()
        self.own_fitness = np.full(settings.particles, -np.inf)

    @property
    def population(self) -> int:
        return self.settings.particles

    def _ask(self) -> Matrix:
        return self.position

    def _tell(self, candidates: Matrix, fitness: Vector) -> None:
        improved = fitness > self.own_fitness
        self.own_best[improved] = candidates[improved]
        self.own_fitness[improved] = fitness[improved]

        inertia = self._coefficient(self.settings.inertia)  # equation 2
        cognitive = self._coefficient(self.settings.cognitive)  # equation 3
        social = self._coefficient(self.settings.social)  # equation 4
        r1, r2 = self.rng.random((2, self.population, 1))
        self.velocity = (  # equation 1
            inertia * self.velocity
            + cognitive * r1 * (self.own_best - self.position)
            + social * r2 * (self.answer - self.position)
        )
        self.velocity = np.clip(self.velocity, *self.settings.speed_limits)
        self.position = self.space.clip(self.position + self.velocity)  # equation 5

    def _coefficient(self, ends: tuple[float, float]) -> float:
        """From the first value to the second, linearly over the iterations."""
        start, end = ends
        return start + (end - start) * self.iteration / self.settings.iterations
