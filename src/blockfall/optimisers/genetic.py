"""A genetic algorithm with real genes, as data2021 describes it (5.3.1): select, cross, mutate.

Its crossover is the mean of two parents, each weighed by its score (formula 10); a child mutates with some chance, and
then one of its genes, at random, moves by +0.2 or -0.2.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from blockfall.optimisers.base import Matrix, Optimisation, Optimiser, Space, Vector

Places = npt.NDArray[np.intp]


class Genetic(Optimiser):
    """A genetic algorithm with real genes.

    >>> import blockfall
    >>> search = blockfall.Genetic(selection="ranking", iterations=60).start(blockfall.Space(2, -5.0, 5.0), seed=1)
    >>> while not search.finished:
    ...     search.tell(-(search.ask() ** 2).sum(axis=1))  # fitness is maximised
    >>> bool(search.best_fitness > -0.1)
    True
    """

    name = "genetic"
    title = "Genetic algorithm"
    source = "data2021, 5.3.1"

    population: int = Field(default=50, ge=2, le=100_000, description="a whole number from 2 to 100000")
    selection: Literal["roulette", "ranking", "tournament"] = Field(
        default="tournament", description='"roulette", "ranking" or "tournament"'
    )
    tournament_size: int = Field(default=3, ge=1, le=1000, description="a whole number from 1 to 1000")
    crossover: Literal["average", "exchange"] = Field(default="average", description='"average" or "exchange"')
    mutation_chance: float = Field(default=0.1, ge=0, le=1, description="a number from 0 to 1")
    mutation_step: float = Field(default=0.2, gt=0, le=1e6, description="a positive number")
    elite: int = Field(default=1, ge=0, description="a whole number: how many of the best live on as they are")

    @model_validator(mode="after")
    def _some_are_new(self) -> "Genetic":
        if self.elite >= self.population:
            raise ValueError(f"elite is {self.elite}; it must be less than the population, {self.population}")
        return self

    def start(self, space: Space, seed: int | list[int]) -> "Evolution":
        """Begins with individuals at random places."""
        return Evolution(self, space, seed)


class Evolution(Optimisation[Genetic]):
    """Generations of individuals, each bred from the one before."""

    def __init__(self, optimiser: Genetic, space: Space, seed: int | list[int]) -> None:
        super().__init__(optimiser, space, seed)
        self.individuals = space.random(self.rng, optimiser.population)

    def _ask(self) -> Matrix:
        return self.individuals

    def _tell(self, candidates: Matrix, fitness: Vector) -> None:
        elite = candidates[np.argsort(-fitness, kind="stable")[: self.optimiser.elite]]
        children = self.population - len(elite)
        mothers, fathers = self._select(fitness, children), self._select(fitness, children)
        offspring = self._cross(candidates, fitness, mothers, fathers)
        self._mutate(offspring)
        self.individuals = np.vstack([elite, self.space.clip(offspring)])

    def _select(self, fitness: Vector, count: int) -> Places:
        if self.optimiser.selection == "tournament":
            rivals = self.rng.integers(self.population, size=(count, self.optimiser.tournament_size))
            return np.asarray(rivals[np.arange(count), np.argmax(fitness[rivals], axis=1)])
        if self.optimiser.selection == "ranking":
            shares = np.empty(self.population)
            shares[np.argsort(fitness, kind="stable")] = np.arange(1, self.population + 1)
        else:
            shares = _scores(fitness)
        return self.rng.choice(self.population, size=count, p=shares / shares.sum())

    def _cross(
        self,
        candidates: Matrix,
        fitness: Vector,
        mothers: Places,
        fathers: Places,
    ) -> Matrix:
        if self.optimiser.crossover == "exchange":
            from_mother = self.rng.random((len(mothers), self.space.dimensions)) < 0.5
            return np.where(from_mother, candidates[mothers], candidates[fathers])
        scores = _scores(fitness)
        share = scores[mothers] / (scores[mothers] + scores[fathers])  # formula 10
        return candidates[mothers] * share[:, None] + candidates[fathers] * (1 - share)[:, None]

    def _mutate(self, offspring: Matrix) -> None:
        count = len(offspring)
        mutates = self.rng.random(count) < self.optimiser.mutation_chance
        gene = self.rng.integers(self.space.dimensions, size=count)
        step = self.rng.choice([-self.optimiser.mutation_step, self.optimiser.mutation_step], size=count)
        offspring[np.arange(count)[mutates], gene[mutates]] += step[mutates]


def _scores(fitness: Vector) -> Vector:
    """Positive shares: lines are not negative, other fitness may be."""
    shifted = fitness - min(0.0, float(fitness.min()))
    return shifted + 1e-12 + 1e-6 * float(shifted.max())
