"""Q-learning of a table, by the formula of data2021 (5.4.3), on the contour of four columns (3.5.1).

The loop and the table's content are the core's (native/include/blockfall/learning/table.hpp). The reward is ours, and
so is our reading of the thesis's max(Q[s, a] of the next, Q[s, a] of this).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from blockfall import _core
from blockfall.agents import Table
from blockfall.learning import checkpoint
from blockfall.learning.core_learner import GAMES_PER_RESTART
from blockfall.learning.method import (
    MOST_ACTIONS,
    Beginning,
    DiscountedLearning,
    LearningFigures,
    Rate,
    Share,
    first_value,
    numbers_of,
)


class TableLearning(DiscountedLearning):
    """Tabular Q-learning: a table with a value for every contour of four columns, learned from its own games.

    `learning_rate` and `discount` are the formula's alpha and gamma. The rates are ours.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import blockfall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = blockfall.train(
    ...         rules="tetrisbot",
    ...         learning=blockfall.TableLearning(actions=2000, stages=2, warm_up=500),
    ...         games=blockfall.GameSettings(training=2, validation=2, test=3, max_pieces=100),
    ...         out=Path(folder, "run"),
    ...         store=blockfall.Store(Path(folder, "store.sqlite3")),
    ...     )
    >>> type(result.agent.value).__name__
    'Table'
    """

    name = "table"
    title = "Q-learning of a table"
    source = "data2021, 5.4.3"
    sees_features = False
    learns = Table
    refused_keys = ("features", "hidden", "guard", "unknown_piece")

    warm_up: int = Field(
        default=200_000, ge=0, le=MOST_ACTIONS, description="a whole number: random actions at the start"
    )
    discount: Share = 0.8
    learning_rate: Rate = 0.02

    def untrained(self, features: Sequence[str], hidden: Sequence[int]) -> Table:  # noqa: ARG002  it sees the contour
        """Return a table of zeros."""
        return Table.zeros()

    def start(self, beginning: Beginning) -> "TableLearner":
        """Begin with a table of zeros, or with that of the first agent."""
        return TableLearner(self, beginning)


class TableLearner:
    """One restart of learning: a table, and how far it has learned."""

    def __init__(self, settings: TableLearning, beginning: Beginning) -> None:
        self.settings, self.beginning = settings, beginning
        self.games = self.actions = 0
        self._values = np.zeros(_core.TABLE_ENTRIES, dtype=np.float32)
        self._warm_up = settings.warm_up if beginning.first is None else 0
        self._curve: tuple[float, float] | None = None
        if beginning.first is not None:
            self._values[:] = first_value(beginning.first, Table).parameters

    def learn(self, until: int) -> None:
        """Play whole games until this many actions are done in all."""
        settings, it = self.settings, self.beginning
        self.games, self.actions, self._curve = _core.learn_table(
            it.rules.core,
            self._values,
            self._warm_up,
            settings.learning_rate,
            settings.discount,
            settings.max_pieces,
            it.seed,
            it.restart * GAMES_PER_RESTART,
            self.games,
            self.actions,
            until,
        )

    @property
    def parameters(self) -> npt.NDArray[np.float32]:
        """The numbers that the table has learned."""
        return self._values.copy()

    def value(self, parameters: npt.NDArray[Any]) -> Table:
        """Return the table of these numbers. Raise a SettingError if they do not fit."""
        return Table(tuple(numbers_of(parameters)))

    @property
    def figures(self) -> LearningFigures | None:
        """The predictions in the last call of `learn`; None if it made none."""
        return LearningFigures(*self._curve) if self._curve else None

    @property
    def table(self) -> Table:
        """The table learned so far."""
        return Table(tuple(self._values.tolist()))

    def save(self, path: Path, **more: npt.NDArray[Any]) -> None:
        """Write a checkpoint, with more arrays in it."""
        counts = np.array([self.games, self.actions], dtype=np.int64)
        checkpoint.save(path, {"values": self._values, "counts": counts, **more})

    def load(self, path: Path) -> checkpoint.Arrays | None:
        """Go back to a checkpoint and return all of its arrays; None if there is none."""
        return checkpoint.restore(path, self._set_state)

    def _set_state(self, arrays: checkpoint.Arrays) -> None:
        values, counts = arrays.get("values"), arrays.get("counts")
        if values is None or counts is None or not _fits(values, self._values) or not _fits(counts, np.zeros(2, int)):
            raise ValueError("it holds no table")
        self._values, (self.games, self.actions) = values.copy(), counts.tolist()


def _fits(array: npt.NDArray[Any], like: npt.NDArray[Any]) -> bool:
    return array.dtype == like.dtype and array.shape == like.shape and not (array.dtype.kind == "i" and array.min() < 0)
