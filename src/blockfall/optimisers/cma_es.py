"""CMA-ES (Hansen & Ostermeier 2001), through the library `cmaes`."""

import warnings
from typing import ClassVar

import numpy as np
from pydantic import Field

from blockfall.optimisers.base import Matrix, Optimiser, Settings, Space, Vector


class CmaEsSettings(Settings):
    population: int | None = Field(
        default=None, ge=2, le=100_000, description="a whole number from 2 to 100000; 4 + 3 ln(n) unless said"
    )
    step: float = Field(default=0.3, gt=0, le=1e6, description="a positive number: the first standard deviation")


class CmaEs(Optimiser):
    name = "cma-es"
    title = "CMA-ES"
    source = "Hansen & Ostermeier 2001; Boumaza 2009"
    settings_type: ClassVar[type[Settings]] = CmaEsSettings
    settings: CmaEsSettings

    def __init__(self, settings: CmaEsSettings, space: Space, seed: int | list[int]) -> None:
        from cmaes import CMA  # it loads SciPy's statistics, a second that other commands should not cost

        super().__init__(settings, space, seed)
        bounds = np.tile([space.least, space.most], (max(2, space.dimensions), 1)).astype(float)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._cma = CMA(
                # The library wants two dimensions at least; with one, the second has no effect.
                mean=np.full(len(bounds), (space.least + space.most) / 2),
                sigma=settings.step,
                bounds=bounds,
                population_size=settings.population,
                seed=int(self.rng.integers(2**31)),
            )

    @property
    def population(self) -> int:
        return int(self._cma.population_size)

    @property
    def answer(self) -> Vector:
        return np.asarray(self._cma.mean)[: self.space.dimensions]

    def _ask(self) -> Matrix:
        self._full = np.array([self._cma.ask() for _ in range(self.population)])
        return self._full[:, : self.space.dimensions].copy()

    def _tell(self, candidates: Matrix, fitness: Vector) -> None:  # noqa: ARG002  it keeps its own copy
        self._cma.tell([(point, -value) for point, value in zip(self._full, fitness.tolist(), strict=True)])
