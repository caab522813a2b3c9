"""One restart of learning a board network: from a run's settings to a network in whole numbers."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from blockfall.agents import BoardNetwork, quantise, real_numbers
from blockfall.compute import device_of
from blockfall.errors import SettingError
from blockfall.learning import checkpoint
from blockfall.learning.board_network.network import Shape, TorchBoardNetwork
from blockfall.learning.board_network.seats import LearningSeats, LocalSeats
from blockfall.learning.board_network.trainer import BoardNetworkTrainer, Hyperparameters
from blockfall.learning.core_learner import GAMES_PER_RESTART
from blockfall.learning.method import Beginning, LearningFigures, first_value

_SAMPLE = 2048
"""The most boards that choose the scales of the whole numbers: this many that were played, and as many that were only
considered. Larger numbers on other boards are cut, so without the latter bad boards would be valued too high."""
_KEEP_S = 60.0
"""The most seconds of learning that a kill loses."""


class BoardNetworkLearner:
    """A network that learns. On a CPU it continues from a checkpoint as if it had never stopped."""

    def __init__(self, beginning: Beginning, sizes: dict[str, int], settings: Hyperparameters, seats: int) -> None:
        """`sizes` are those of the agent's network. `seats` games are played at once."""
        self._sizes = sizes
        self._rows = np.zeros((0, beginning.rules.rows), dtype=np.int32)
        self._sums = np.zeros(3)  # of the stage so far: positions, squared errors, values
        self._figures: LearningFigures | None = None
        draws = np.random.SeedSequence([beginning.seed, beginning.restart]).generate_state(2, np.uint64) >> np.uint64(1)
        first_weights, noise = draws.tolist()
        network = TorchBoardNetwork(Shape(**sizes), first_weights)
        if beginning.first is not None:
            first = first_value(beginning.first, BoardNetwork)
            network.load_state_dict({name: torch.from_numpy(array) for name, array in real_numbers(first).items()})
        self.trainer = BoardNetworkTrainer(network, _seats(beginning, seats), settings, noise)

    def learn(self, until: int) -> bool:
        """Play a segment of every game at a time until this many actions are done in all, or a few more.

        Return True after a minute, so that the caller can save a checkpoint and call again.
        """
        pause = time.monotonic() + _KEEP_S
        with _one_thread():
            while self.trainer.actions < until:
                segment, loss = self.trainer.step()
                count = len(segment.target)
                self._sums += count, count * loss, float(segment.predicted.double().sum())
                self._rows = torch.cat([_sample(segment.rows), _sample(segment.looked_at)]).cpu().numpy()
                if time.monotonic() > pause and self.trainer.actions < until:
                    return True
        positions, errors, values = self._sums.tolist()
        self._sums[:] = 0
        self._figures = LearningFigures(errors / positions, values / positions) if positions else None
        return False

    @property
    def parameters(self) -> npt.NDArray[Any]:
        """The bytes of the network in whole numbers; if learning diverged, a number that is not finite."""
        learned = {name: tensor.cpu().numpy() for name, tensor in self.trainer.averaged.state_dict().items()}
        if not all(np.isfinite(array).all() for array in learned.values()):
            return np.full(1, np.nan, dtype=np.float32)
        network = quantise(learned, _boards(self._rows, self._sizes["columns"]), mirror=self.trainer.settings.mirror)
        return np.frombuffer(network.weights, dtype=np.uint8)

    def value(self, parameters: npt.NDArray[Any]) -> BoardNetwork:
        """Return the network of these bytes. Raise a SettingError if they do not fit its sizes."""
        if parameters.dtype != np.uint8:
            raise SettingError("the parameters must be bytes")
        return BoardNetwork(**self._sizes, weights=parameters.tobytes(), mirror=self.trainer.settings.mirror)

    @property
    def figures(self) -> LearningFigures | None:
        """The predictions in the last stage; None if it made none."""
        return self._figures

    def save(self, path: Path, **more: npt.NDArray[Any]) -> None:
        """Write a checkpoint, with more arrays in it."""
        checkpoint.save(path, {**self.trainer.state(), "rows": self._rows, "sums": self._sums, **more})

    def load(self, path: Path) -> checkpoint.Arrays | None:
        """Go back to a checkpoint and return all of its arrays; None if there is none."""
        return checkpoint.restore(path, self._set_state)

    def _set_state(self, arrays: checkpoint.Arrays) -> None:
        self.trainer.set_state(arrays)
        rows, sums = arrays.get("rows"), arrays.get("sums")
        if rows is None or rows.dtype != np.int32 or rows.ndim != 2 or rows.shape[1] != self._sizes["rows"]:
            raise ValueError("`rows` is missing, or is not rows of boards")
        if sums is None or sums.dtype != np.float64 or sums.shape != (3,):
            raise ValueError("`sums` is missing, or is not three numbers")
        self._rows, self._sums = rows, sums


def _seats(beginning: Beginning, count: int) -> LearningSeats:
    """Return the games: on the backend's GPU if it has one, else in this machine's core."""
    it = beginning
    games = it.rules, count, it.seed, it.restart * GAMES_PER_RESTART, it.pieces_known
    device = device_of(it.backend)
    if device is None:
        return LocalSeats(*games)
    from blockfall.learning.board_network.cuda_seats import CudaSeats

    return CudaSeats(*games, device)


def _sample(rows: torch.Tensor) -> torch.Tensor:
    """Return boards at nearly equal distances. Exactly equal ones could pick the same placement of every game."""
    count = min(len(rows), _SAMPLE)
    return rows[torch.linspace(0, len(rows) - 1, count, dtype=torch.float64, device=rows.device).long()]


def _boards(rows: npt.NDArray[np.int32], columns: int) -> npt.NDArray[np.uint32]:
    """Return boards given by rows in the core's form, a number per column."""
    cells = rows[:, :, None] >> np.arange(columns) & 1
    found: npt.NDArray[np.uint32] = (cells << np.arange(rows.shape[1])[None, :, None]).sum(axis=1).astype(np.uint32)
    return found


@contextmanager
def _one_thread() -> Iterator[None]:
    """Give PyTorch one thread: its sums depend on their number, and with one they are equal on equal machines."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
