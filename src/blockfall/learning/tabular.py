"""Q-learning of a table, by the formula of data2021 (5.4.3), on the contour of four columns (3.5.1).

The loop and what the table holds are the core's (native/include/blockfall/table.hpp). The thesis gives the formula and
the states; the rates and the reward are ours, and so is the reading of its max(Q[s, a] of the next, Q[s, a] of this).
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.compute.local import Evaluation
from blockfall.errors import FileError
from blockfall.learning import checkpoint
from blockfall.rulesets import Rules


@dataclass
class TableLearner:
    """A table, and how far it has learned."""

    rules: Rules
    seed: int
    restart: int = 0
    explore: int = 200_000
    """Actions at random first."""
    rate: float = 0.02
    discount: float = 0.8
    max_pieces: int = 5000
    games: int = 0
    actions: int = 0
    table: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros(_core.table_size, dtype=np.float32))

    def learn(self, until: int) -> None:
        """Plays whole games until so many actions are done in all."""
        self.games, self.actions = _core.learn_table(
            self.rules.core,
            self.table,
            self.explore,
            self.rate,
            self.discount,
            self.max_pieces,
            self.seed,
            self.restart << 40,  # so that no two restarts share a game
            self.games,
            self.actions,
            until,
        )

    def play(self, games: int, max_pieces: int | None = None) -> Evaluation:
        """Test games of the player that follows the table."""
        arrays = _core.play_table(self.rules.core, self.table, _core.Purpose.TEST, self.seed, games, max_pieces or 0)
        return Evaluation(**arrays, seconds=0.0)

    def save(self, path: Path) -> None:
        checkpoint.save(path, {"table": self.table, "counts": np.array([self.games, self.actions], dtype=np.int64)})

    def load(self, path: Path) -> bool:
        """Goes back to a checkpoint; False where there is none."""
        arrays = checkpoint.load(path)
        if arrays is None:
            return False
        table, counts = arrays.get("table"), arrays.get("counts")
        if table is None or counts is None or not _fits(table, self.table) or not _fits(counts, np.zeros(2, np.int64)):
            raise FileError(f"{path}: not a checkpoint of a table")
        self.table, (self.games, self.actions) = table, counts.tolist()
        return True


def _fits(array: npt.NDArray[Any], like: npt.NDArray[Any]) -> bool:
    return array.dtype == like.dtype and array.shape == like.shape and not (array.dtype.kind == "i" and array.min() < 0)
