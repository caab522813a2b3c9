"""The base of all optimisers: settings, a space to search, ask and tell, and common rules for stopping.

An `Optimiser` is its settings, and never changes. Its `start` returns an `Optimisation`, one search at work, which is a
pure function of the settings, its seed and the fitness values that it was told. To resume a run, tell a new one the
fitness values of the old: optimisers need not save their state.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from blockfall.errors import SettingError, shortened, whole
from blockfall.trainers import Trainer
from blockfall.validation import whole_number

_FARTHEST = 1e30  # weights are binary32 in the core, and are multiplied there

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Space:
    """A box, whose dimensions all have the same limits.

    >>> import blockfall
    >>> blockfall.Space(dimensions=2, least=-1.0, most=1.0).clip([[3.0, 0.5]]).tolist()
    [[1.0, 0.5]]
    """

    dimensions: int
    least: float
    most: float

    def __post_init__(self) -> None:
        if whole(self.dimensions, "the dimensions of a space") < 1:
            raise SettingError(f"a space of {self.dimensions} dimensions; it must have at least 1")
        try:
            in_order = isfinite(self.least) and isfinite(self.most) and self.least <= self.most
        except (OverflowError, TypeError):
            in_order = False
        if not in_order:
            limits = f"{shortened(self.least)} to {shortened(self.most)}"
            raise SettingError(f"a space from {limits}; the first must be the smaller number")

    def random(self, rng: np.random.Generator, count: int) -> Matrix:
        """Return random points, uniform in the box, one per row."""
        return rng.uniform(self.least, self.most, (count, self.dimensions))

    def clip(self, points: Matrix) -> Matrix:
        """Return the nearest points within the box."""
        return np.clip(points, self.least, self.most)


class Optimiser(Trainer):
    """An optimiser's settings: when to stop, and the limits of the search. Each kind adds its own.

    >>> from blockfall.optimisers import Pso
    >>> Pso(particles=20).candidates(dimensions=6)
    20
    """

    steps_name = "iterations"
    size: ClassVar[str] = "population"
    """The setting that is the number of candidates in an iteration."""

    iterations: int = whole_number(1, 1_000_000, 150, title="The most iterations of the optimiser.")
    target_fitness: float | None = Field(default=None, description="a number: stop once it is reached")
    patience: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="a whole number: stop after this many iterations without improvement",
    )
    least_diversity: float | None = Field(
        default=None, ge=0, description="a number: stop once the candidates' mean standard deviation is below it"
    )
    weight_limits: tuple[float, float] = Field(default=(-1.0, 1.0), description="two numbers, the smaller first")

    @classmethod
    def small(cls) -> dict[str, Any]:
        """Return the settings of its short training in the behaviour signature."""
        return {"iterations": 4, cls.size: 6}

    @model_validator(mode="after")
    def _limits_in_order(self) -> "Optimiser":
        for name in type(self).model_fields:
            value = getattr(self, name)
            if name.endswith("_limits") and not -_FARTHEST <= value[0] < value[1] <= _FARTHEST:
                raise ValueError(
                    f"{name} is {list(value)}; the first must be less than the second, both from -1e30 to 1e30"
                )
        return self

    def candidates(self, dimensions: int) -> int:
        """Return the number of candidates in an iteration."""
        return int(getattr(self, self.size) or self.usual_candidates(dimensions))

    def usual_candidates(self, dimensions: int) -> int:
        """Return the number of candidates if the settings leave it open."""
        raise NotImplementedError

    def space(self, dimensions: int) -> Space:
        """Return the box within `weight_limits`."""
        return Space(dimensions, *self.weight_limits)

    @abstractmethod
    def start(self, space: Space, seed: int | list[int]) -> "Optimisation[Any]":
        """Begin a search of the space."""


AnyOptimiser = TypeVar("AnyOptimiser", bound=Optimiser)


class Optimisation(ABC, Generic[AnyOptimiser]):
    """One search at work. In turns, `ask` returns the candidates of an iteration and `tell` takes their fitness."""

    def __init__(self, optimiser: AnyOptimiser, space: Space, seed: int | list[int]) -> None:
        self.optimiser = optimiser
        self.space = space
        self.population = optimiser.candidates(space.dimensions)
        self.rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(seed)))
        self.iteration = 0
        self.best: Vector | None = None
        self.best_fitness = -np.inf
        self.stopped_by: str | None = None
        self._improved_at = 0
        self._asked: Matrix | None = None

    @abstractmethod
    def _ask(self) -> Matrix:
        """Return the candidates, one per row."""

    @abstractmethod
    def _tell(self, candidates: Matrix, fitness: Vector) -> None:
        """Learn from the candidates. `iteration` does not count this one yet."""

    def ask(self) -> Matrix:
        """Return the candidates of this iteration, one per row. They stay the same until `tell` is called."""
        if self._asked is None:
            self._asked = self._ask()
        return self._asked

    def tell(self, fitness: Vector) -> None:
        """Take the fitness of each candidate, and go on to the next iteration."""
        candidates = self.ask()
        if np.shape(fitness) != (len(candidates),):
            raise SettingError(
                f"fitness of the shape {np.shape(fitness)}; tell one number for each of {len(candidates)}"
            )
        top = int(np.argmax(fitness))
        if fitness[top] > self.best_fitness:
            self.best, self.best_fitness = candidates[top].copy(), float(fitness[top])
            self._improved_at = self.iteration
        self._tell(candidates, np.asarray(fitness, dtype=np.float64))
        self._asked = None
        self.iteration += 1
        self.stopped_by = self._stop_rule(candidates)

    @property
    def answer(self) -> Vector:
        """The result of the search: the best candidate, or the mean of a fitted distribution."""
        if self.best is None:
            raise RuntimeError("no candidate has been told yet")
        return self.best

    @property
    def finished(self) -> bool:
        """True if a rule for stopping has been met; `stopped_by` names it."""
        return self.stopped_by is not None

    def _stop_rule(self, candidates: Matrix) -> str | None:
        rules = self.optimiser
        if rules.target_fitness is not None and self.best_fitness >= rules.target_fitness:
            return "target"
        if rules.patience is not None and self.iteration - 1 - self._improved_at >= rules.patience:
            return "no improvement"
        if rules.least_diversity is not None and diversity(candidates) < rules.least_diversity:
            return "lost diversity"
        return "iterations" if self.iteration >= rules.iterations else None


def diversity(candidates: Matrix) -> float:
    """Return the mean over the dimensions of the candidates' standard deviation."""
    return float(candidates.std(axis=0).mean())
