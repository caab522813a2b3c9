"""The noisy cross-entropy method (Szita & Lorincz 2006).

A Gaussian per weight is fitted to the best candidates of each iteration; noise added to its variance, constant or
decreasing over the iterations, keeps it from collapsing too early.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from blockfall.optimisers.base import Matrix, Optimisation, Optimiser, Space, Vector
from blockfall.validation import whole_number


class CrossEntropy(Optimiser):
    """The noisy cross-entropy method draws candidates, fits a bell curve to the best, widens it, and draws again.

    >>> import blockfall
    >>> search = blockfall.CrossEntropy(population=50, iterations=30).start(blockfall.Space(2, -5.0, 5.0), seed=1)
    >>> while not search.finished:
    ...     search.tell(-(search.ask() ** 2).sum(axis=1))  # fitness is maximised
    >>> bool(search.best_fitness > -0.1)
    True
    """

    name = "cross-entropy"
    title = "Noisy cross-entropy method"
    source = "Szita & Lorincz 2006, Learning Tetris using the noisy cross-entropy method"

    population: int = whole_number(2, 100_000, 100)
    elite_share: float = Field(default=0.1, gt=0, le=1, description="a number above 0, at most 1")
    noise: Literal["decreasing", "constant", "none"] = Field(
        default="decreasing", description='"decreasing", "constant" or "none"'
    )
    noise_variance: float = Field(
        default=0.05, ge=0, le=1e6, description="a number: the variance added; if it decreases, at the start"
    )
    noise_iterations: int = Field(
        default=50, ge=1, le=1_000_000, description="a whole number: the iterations until decreasing noise is gone"
    )
    step: float = Field(default=1.0, gt=0, le=1e6, description="a positive number: the first standard deviation")

    def start(self, space: Space, seed: int | list[int]) -> "Gaussians":
        """Begin with Gaussians in the middle of the space."""
        return Gaussians(self, space, seed)


class Gaussians(Optimisation[CrossEntropy]):
    """A Gaussian per weight, refitted in every iteration to the best candidates."""

    def __init__(self, optimiser: CrossEntropy, space: Space, seed: int | list[int]) -> None:
        super().__init__(optimiser, space, seed)
        self.mean = np.full(space.dimensions, (space.least + space.most) / 2)
        self.variance = np.full(space.dimensions, optimiser.step**2)

    @property
    def answer(self) -> Vector:
        """The Gaussians' mean."""
        return self.space.clip(self.mean)

    def _ask(self) -> Matrix:
        noise = self.rng.standard_normal((self.population, self.space.dimensions))
        return self.space.clip(self.mean + np.sqrt(self.variance) * noise)

    def _tell(self, candidates: Matrix, fitness: Vector) -> None:
        count = max(1, round(self.optimiser.elite_share * self.population))
        elite = candidates[np.argsort(-fitness, kind="stable")[:count]]
        self.mean = elite.mean(axis=0)  # equation 1
        self.variance = elite.var(axis=0) + self._noise()  # equations 2 and 3

    def _noise(self) -> float:
        settings = self.optimiser
        if settings.noise == "none":
            return 0.0
        if settings.noise == "constant":
            return settings.noise_variance
        return settings.noise_variance * max(0.0, 1 - self.iteration / settings.noise_iterations)
