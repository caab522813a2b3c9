"""What every optimiser has: settings, a space to search, ask and tell, and the same rules for when to stop.

An optimiser is a pure function of its settings, its seed and what it has been told. So a run is resumed by telling a
new one the fitness values of the old, and no optimiser has to write down its state.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from blockfall.validation import Model

_FARTHEST = 1e30  # weights are binary32 in the core, and are multiplied there

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Space:
    """A box: so many dimensions, each within the same limits."""

    dimensions: int
    least: float
    most: float

    def random(self, rng: np.random.Generator, count: int) -> Matrix:
        return rng.uniform(self.least, self.most, (count, self.dimensions))

    def clip(self, points: Matrix) -> Matrix:
        return np.clip(points, self.least, self.most)


class Settings(Model):
    """When to stop, and the limits of the search; an optimiser adds its own."""

    iterations: int = Field(default=150, ge=1, le=1_000_000, description="a whole number from 1 to 1000000")
    target_fitness: float | None = Field(default=None, description="a number: stop once it is reached")
    patience: int | None = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="a whole number: stop after so many iterations without improvement",
    )
    least_diversity: float | None = Field(
        default=None, ge=0, description="a number: stop once the candidates' mean standard deviation is below it"
    )
    weight_limits: tuple[float, float] = Field(default=(-1.0, 1.0), description="two numbers, the smaller first")

    @model_validator(mode="before")
    @classmethod
    def _lists_are_pairs(cls, table: object) -> object:
        if not isinstance(table, dict):
            return table
        return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}

    @model_validator(mode="after")
    def _limits_in_order(self) -> "Settings":
        for name in type(self).model_fields:
            value = getattr(self, name)
            if name.endswith("_limits") and not -_FARTHEST <= value[0] < value[1] <= _FARTHEST:
                raise ValueError(
                    f"{name} is {list(value)}; the first must be less than the second, both from -1e30 to 1e30"
                )
        return self


class Optimiser(ABC):
    """One search. `ask` gives the candidates of an iteration, `tell` takes their fitness, in turns."""

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    settings_type: ClassVar[type[Settings]]

    def __init__(self, settings: Settings, space: Space, seed: int | list[int]) -> None:
        self.settings = settings
        self.space = space
        self.rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(seed)))
        self.iteration = 0
        self.best: Vector | None = None
        self.best_fitness = -np.inf
        self.stopped_by: str | None = None
        self._improved_at = 0
        self._asked: Matrix | None = None

    @property
    @abstractmethod
    def population(self) -> int:
        """Candidates of an iteration."""

    @abstractmethod
    def _ask(self) -> Matrix:
        """The candidates, one per row."""

    @abstractmethod
    def _tell(self, candidates: Matrix, fitness: Vector) -> None:
        """Learns from them. `iteration` still counts those before this one."""

    def ask(self) -> Matrix:
        if self._asked is None:
            self._asked = self._ask()
        return self._asked

    def tell(self, fitness: Vector) -> None:
        candidates = self.ask()
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
        """What the search came to: the best candidate, or for those that fit a distribution its mean."""
        if self.best is None:
            raise RuntimeError("no candidate has been told yet")
        return self.best

    @property
    def finished(self) -> bool:
        return self.stopped_by is not None

    def _stop_rule(self, candidates: Matrix) -> str | None:
        rules = self.settings
        if rules.target_fitness is not None and self.best_fitness >= rules.target_fitness:
            return "target"
        if rules.patience is not None and self.iteration - 1 - self._improved_at >= rules.patience:
            return "no improvement"
        if rules.least_diversity is not None and diversity(candidates) < rules.least_diversity:
            return "lost diversity"
        return "iterations" if self.iteration >= rules.iterations else None


def diversity(candidates: Matrix) -> float:
    """The mean over the dimensions of the candidates' standard deviation."""
    return float(candidates.std(axis=0).mean())
