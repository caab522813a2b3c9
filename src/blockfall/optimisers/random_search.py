"""Random search: the baseline that an optimiser has to beat."""

from blockfall.optimisers.base import Matrix, Optimisation, Optimiser, Space, Vector
from blockfall.validation import whole_number


class RandomSearch(Optimiser):
    """Random search: every candidate is drawn independently. It is the baseline for all other optimisers.

    >>> import blockfall
    >>> search = blockfall.RandomSearch(population=100, iterations=50).start(blockfall.Space(2, -5.0, 5.0), seed=1)
    >>> while not search.finished:
    ...     search.tell(-(search.ask() ** 2).sum(axis=1))  # fitness is maximised
    >>> bool(search.best_fitness > -0.1)
    True
    """

    name = "random"
    title = "Random search"
    source = "the baseline"

    population: int = whole_number(1, 100_000, 30)

    def start(self, space: Space, seed: int | list[int]) -> "Draws":
        """Begin to draw candidates."""
        return Draws(self, space, seed)


class Draws(Optimisation[RandomSearch]):
    """Candidates that are independent of earlier ones."""

    def _ask(self) -> Matrix:
        return self.space.random(self.rng, self.population)

    def _tell(self, candidates: Matrix, fitness: Vector) -> None:
        """Learn nothing."""
