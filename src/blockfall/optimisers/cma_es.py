"""CMA-ES (Hansen & Ostermeier 2001), through the library `cmaes`."""

import math
import warnings

import numpy as np
from pydantic import Field

from blockfall.optimisers.base import Matrix, Optimisation, Optimiser, Space, Vector
from blockfall.validation import whole_number

_LEAST_DIMENSIONS = 2  # the library's least; a search of one dimension gets a second one without effect


class CmaEs(Optimiser):
    """CMA-ES draws candidates from a bell curve over the weights, which it moves and stretches towards the best.

    >>> import blockfall
    >>> search = blockfall.CmaEs(step=0.5, iterations=50).start(blockfall.Space(2, -5.0, 5.0), seed=1)
    >>> while not search.finished:
    ...     search.tell(-(search.ask() ** 2).sum(axis=1))  # fitness is maximised
    >>> bool(search.best_fitness > -0.1)
    True
    """

    name = "cma-es"
    title = "CMA-ES"
    source = "Hansen & Ostermeier 2001; Boumaza 2009"
    repeatable = False

    population: int | None = whole_number(2, 100_000, None, more="; without it, 4 + 3 ln(n)")
    step: float = Field(default=0.3, gt=0, le=1e6, description="a positive number: the first standard deviation")

    def usual_candidates(self, dimensions: int) -> int:
        """Return Hansen's default."""
        return 4 + math.floor(3 * math.log(max(_LEAST_DIMENSIONS, dimensions)))

    def start(self, space: Space, seed: int | list[int]) -> "Adaptation":
        """Begin in the middle of the space."""
        return Adaptation(self, space, seed)


class Adaptation(Optimisation[CmaEs]):
    """A Gaussian over all weights together, whose covariance matrix adapts."""

    def __init__(self, optimiser: CmaEs, space: Space, seed: int | list[int]) -> None:
        from cmaes import CMA  # loads SciPy's statistics for a second, which other commands should not pay

        super().__init__(optimiser, space, seed)
        bounds = np.tile([space.least, space.most], (max(_LEAST_DIMENSIONS, space.dimensions), 1)).astype(float)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._cma = CMA(
                mean=np.full(len(bounds), (space.least + space.most) / 2),
                sigma=optimiser.step,
                bounds=bounds,
                population_size=self.population,
                seed=int(self.rng.integers(2**31)),
            )

    @property
    def answer(self) -> Vector:
        """The Gaussian's mean."""
        return np.asarray(self._cma.mean)[: self.space.dimensions]

    def _ask(self) -> Matrix:
        points = np.array([self._cma.ask() for _ in range(self.population)])
        candidates, self._without_effect = np.split(points, [self.space.dimensions], axis=1)
        return candidates.copy()

    def _tell(self, candidates: Matrix, fitness: Vector) -> None:
        points = np.hstack([candidates, self._without_effect])
        self._cma.tell([(point, -value) for point, value in zip(points, fitness.tolist(), strict=True)])
