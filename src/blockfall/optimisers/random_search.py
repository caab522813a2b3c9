"""Random search: the baseline that an optimiser has to beat."""

from typing import ClassVar

from pydantic import Field

from blockfall.optimisers.base import Matrix, Optimiser, Settings, Vector


class RandomSettings(Settings):
    population: int = Field(default=30, ge=1, le=100_000, description="a whole number from 1 to 100000")


class RandomSearch(Optimiser):
    name = "random"
    title = "Random search"
    source = "the baseline"
    settings_type: ClassVar[type[Settings]] = RandomSettings
    settings: RandomSettings

    @property
    def population(self) -> int:
        return self.settings.population

    def _ask(self) -> Matrix:
        return self.space.random(self.rng, self.population)

    def _tell(self, candidates: Matrix, fitness: Vector) -> None:
        """It learns nothing."""
