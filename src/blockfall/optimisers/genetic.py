"""A genetic algorithm with real genes, as data2021 describes it (5.3.1): select, cross, mutate.

Its crossover is the mean of two parents, each weighed by its score (formula 10). A child mutates with some probability:
one of its genes, at random, moves by +0.2 or -0.2.

The thesis names two more options (5.3.1.1): ranks for a chosen number of the best, and mutation that adapts itself and
can end the search when it fades. With the latter, every individual has its own step, which is crossed like its genes
and multiplied by exp(N(0, 1) / sqrt(genes)) in every child (Schwefel's rule).
"""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from blockfall.optimisers.base import Matrix, Optimisation, Optimiser, Space, Vector
from blockfall.validation import whole_number

Places = npt.NDArray[np.intp]


class Genetic(Optimiser):
    """A genetic algorithm with real genes: children get the mean of good candidates' weights, and some are changed.

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

    population: int = whole_number(2, 100_000, 50)
    selection: Literal["roulette", "ranking", "tournament"] = Field(
        default="tournament", description='"roulette", "ranking" or "tournament"'
    )
    ranked: int | None = Field(
        default=None, ge=1, le=100_000, description="a whole number: how many of the best have a rank; without it, all"
    )
    tournament_size: int = whole_number(1, 1000, 3)
    crossover: Literal["average", "exchange"] = Field(default="average", description='"average" or "exchange"')
    mutation_chance: float = Field(default=0.1, ge=0, le=1, description="a number from 0 to 1")
    mutation_step: float = Field(default=0.2, gt=0, le=1e6, description="a positive number")
    self_adaptive: bool = Field(default=False, description="true if each individual has its own mutation step")
    least_mutation: float | None = Field(
        default=None, gt=0, description="a number: stop once the mean of these steps is below it"
    )
    elite: int = Field(default=1, ge=0, description="a whole number: how many of the best survive unchanged")

    @model_validator(mode="after")
    def _some_are_new(self) -> "Genetic":
        if self.elite >= self.population:
            raise ValueError(f"elite is {self.elite}; it must be less than the population, {self.population}")
        if self.ranked is not None and self.selection != "ranking":
            raise ValueError('ranked needs selection = "ranking"')
        if self.least_mutation is not None and not self.self_adaptive:
            raise ValueError("least_mutation needs self_adaptive = true")
        return self

    def as_keys(self) -> dict[str, Any]:
        """Return the `[optimiser]` table. Without `self_adaptive` it is the same as before that key existed."""
        keys = super().as_keys()
        return keys if self.self_adaptive else {key: value for key, value in keys.items() if key != "self_adaptive"}

    def start(self, space: Space, seed: int | list[int]) -> "Evolution":
        """Begin with individuals at random places."""
        return Evolution(self, space, seed)


class Evolution(Optimisation[Genetic]):
    """Generations of individuals, each bred from the one before."""

    def __init__(self, optimiser: Genetic, space: Space, seed: int | list[int]) -> None:
        super().__init__(optimiser, space, seed)
        self.individuals = space.random(self.rng, optimiser.population)
        self.steps = np.full(optimiser.population, optimiser.mutation_step)

    def _ask(self) -> Matrix:
        return self.individuals

    def _tell(self, candidates: Matrix, fitness: Vector) -> None:
        best = np.argsort(-fitness, kind="stable")[: self.optimiser.elite]
        children = self.population - len(best)
        mothers, fathers = self._select(fitness, children), self._select(fitness, children)
        offspring = self._cross(candidates, fitness, mothers, fathers)
        steps = self._steps(fitness, mothers, fathers)
        self._mutate(offspring, steps)
        self.individuals = np.vstack([candidates[best], self.space.clip(offspring)])
        self.steps = np.concatenate([self.steps[best], steps])

    def _select(self, fitness: Vector, count: int) -> Places:
        if self.optimiser.selection == "tournament":
            rivals = self.rng.integers(self.population, size=(count, self.optimiser.tournament_size))
            return np.asarray(rivals[np.arange(count), np.argmax(fitness[rivals], axis=1)])
        if self.optimiser.selection == "ranking":
            ranked = min(self.optimiser.ranked or self.population, self.population)
            ranks = np.arange(1, self.population + 1) - (self.population - ranked)
            shares = np.empty(self.population)
            shares[np.argsort(fitness, kind="stable")] = np.maximum(ranks, 0)
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
        share = _mothers_share(fitness, mothers, fathers)[:, None]
        return np.asarray(candidates[mothers] * share + candidates[fathers] * (1 - share))

    def _steps(self, fitness: Vector, mothers: Places, fathers: Places) -> Vector:
        """Return the children's mutation steps."""
        if not self.optimiser.self_adaptive:
            return np.full(len(mothers), self.optimiser.mutation_step)
        share = _mothers_share(fitness, mothers, fathers)
        crossed = self.steps[mothers] * share + self.steps[fathers] * (1 - share)
        factors = np.exp(self.rng.standard_normal(len(mothers)) / np.sqrt(self.space.dimensions))
        return np.asarray(np.clip(crossed * factors, 1e-12, self.space.most - self.space.least))

    def _mutate(self, offspring: Matrix, steps: Vector) -> None:
        count = len(offspring)
        mutates = self.rng.random(count) < self.optimiser.mutation_chance
        gene = self.rng.integers(self.space.dimensions, size=count)
        moves = self.rng.choice([-1.0, 1.0], size=count) * steps
        offspring[np.arange(count)[mutates], gene[mutates]] += moves[mutates]

    def _stop_rule(self, candidates: Matrix) -> str | None:
        least = self.optimiser.least_mutation
        if least is not None and float(self.steps.mean()) < least:
            return "mutation faded"
        return super()._stop_rule(candidates)


def _mothers_share(fitness: Vector, mothers: Places, fathers: Places) -> Vector:
    """Return the share of each child that comes from its mother (formula 10)."""
    scores = _scores(fitness)
    return np.asarray(scores[mothers] / (scores[mothers] + scores[fathers]))


def _scores(fitness: Vector) -> Vector:
    """Return positive shares: lines are never negative, but other fitness may be."""
    shifted = fitness - min(0.0, float(fitness.min()))
    return shifted + 1e-12 + 1e-6 * float(shifted.max())
