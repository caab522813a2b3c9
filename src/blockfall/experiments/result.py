"""The results of a finished run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockfall.agents import Agent
from blockfall.experiments.configuration import Configuration
from blockfall.experiments.statistics import Description


@dataclass(frozen=True)
class Figures:
    """The figures of some games: their lines, their points, and the number that the piece limit ended."""

    lines: Description
    points: Description
    capped: int
    """The games that the piece limit ended. If there are any, the means are lower bounds."""


def restart_stem(restart: int) -> str:
    """Return the beginning of the names of a restart's own files in the run's folder. Restarts count from 0."""
    return f"restart-{restart + 1}"


@dataclass(frozen=True)
class RestartResult:
    """The result of one restart."""

    agent: Agent
    training_fitness: float
    """The best fitness of a candidate on its training games. It is too high, because luck chooses the candidate too."""
    validation_fitness: float
    validation: Figures
    stopped_by: str


@dataclass(frozen=True)
class Result:
    """The result of a run: its agent, with the agent's validation and test games.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import blockfall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = blockfall.Store(Path(folder, "store.sqlite3"))
    ...     few = blockfall.GameSettings(training=1, validation=2, test=3)
    ...     search = blockfall.RandomSearch(iterations=1, population=2)
    ...     done = blockfall.train(optimiser=search, games=few, out=Path(folder, "first"), store=store)
    >>> done.agent.name, done.validation.lines.n, done.test.lines.n, done.test.capped
    ('random-mean', 2, 3, 0)
    """

    folder: Path
    configuration: Configuration
    restarts: tuple[RestartResult, ...]
    chosen_restart: int
    """The best restart by its validation games, from 0."""
    test: Figures

    @property
    def agent(self) -> Agent:
        """The agent of the chosen restart."""
        return self.restarts[self.chosen_restart].agent

    @property
    def validation(self) -> Figures:
        """The validation games of the chosen restart."""
        return self.restarts[self.chosen_restart].validation

    def as_json(self) -> dict[str, Any]:
        """Return the content of result.json. It has no dates, paths or ids, so equal runs give equal files."""
        restarts = [
            {
                "training_fitness": restart.training_fitness,
                "validation_fitness": restart.validation_fitness,
                "validation": self._validation_as_json(restart.validation),
                "stopped_by": restart.stopped_by,
                **restart.agent.value_as_json(restart_stem(number)),
            }
            for number, restart in enumerate(self.restarts)
        ]
        return {
            **self.configuration.as_keys(),
            "restarts": restarts,
            "chosen_restart": self.chosen_restart,
            **self.agent.value_as_json(),
            "validation": self._validation_as_json(self.validation),
            "test": {**self.test.lines.as_json(), "capped": self.test.capped, **self._both(self.test)},
            **({"score": self.test.points.as_json()} if self._scores else {}),
        }

    @property
    def _scores(self) -> bool:
        return self.configuration.fitness == "score"

    def _validation_as_json(self, games: Figures) -> dict[str, Any]:
        """Return the figures in the unit of the fitness."""
        counted = games.points if self._scores else games.lines
        return {**counted.as_json(), **self._both(games)}

    def _both(self, games: Figures) -> dict[str, Any]:
        """Return lines and points, each under a key if the fitness counts points, so that nobody has to guess."""
        return {"lines": games.lines.as_json(), "points": games.points.as_json()} if self._scores else {}
