"""The results of a request's games."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.compute.summary import TERMINATIONS, Summary
from blockfall.errors import SettingError
from blockfall.games.tetris import Termination

PlayProgress = Callable[[int, int], None]
"""A function that is called now and then with the games and pieces done since the first game."""

GameCounts = npt.NDArray[np.int64]

ARRAYS = ("lines", "pieces", "placements", "score", "clears", "termination")
"""The names of the fields that every evaluation has counted."""


class InterruptedPlay(KeyboardInterrupt):
    """The user stopped the games. `finished` has the figures of those that had ended, if any had."""

    def __init__(self, finished: Summary | None) -> None:
        super().__init__()
        self.finished = finished


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """The results of an agent's games: one entry per game, in the order of their numbers.

    For a population, the first axis of every array is the candidates and the second is their games. Two evaluations are
    equal if every game has the same results in everything that both have counted, with the same number of tries.

    >>> import blockfall
    >>> played = blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=20, seed=1)
    >>> played.lines.shape, int(played.lines.sum()) == played.summary().lines
    ((20,), True)
    """

    lines: GameCounts
    pieces: GameCounts
    placements: GameCounts
    score: GameCounts
    clears: GameCounts
    """clears[game][n - 1]: how often n lines were cleared at once."""
    termination: npt.NDArray[np.uint8]
    """Values of Termination."""
    seconds: float
    attack: GameCounts | None = None
    """The lines that each game sent to an opponent; None if they were not counted."""
    tries: int | None = None
    """The request's tries; None if the games were played to their end. `termination` does not tell the two apart: an
    estimate that found no way to a loss ends as PIECE_LIMIT, like a game that was cut."""

    def __post_init__(self) -> None:
        if self.tries is None and (self.termination == Termination.ESTIMATED.value).any():
            raise ValueError("games were estimated; an evaluation must say with how many tries")

    @property
    def capped(self) -> int:
        """Games ended by the piece limit: their counts are lower bounds."""
        return int((self.termination == Termination.PIECE_LIMIT.value).sum())

    def of_candidates(self, first: int, last: int) -> "Evaluation":
        """Return the games of the candidates from `first` up to but not including `last`.

        The seconds are those of all candidates.

        >>> import blockfall
        >>> population = [[-1.0] * 6, [-0.5] * 6, [1.0] * 6]
        >>> played = blockfall.evaluate_population("nes-no-rotation", "birken-6", population, games=5, seed=1)
        >>> played.of_candidates(1, 3).lines.shape
        (2, 5)
        """
        return self._only(slice(first, last))

    def summary(self) -> Summary:
        """Return the figures of all games together: mean, standard deviation, standard error and more.

        >>> import blockfall
        >>> blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=50, seed=1).summary().games
        50
        """
        lines = self.lines.ravel()
        losses = [2**62 // max(1, count) for count in lines.tolist()] if self.tries else []
        first, second, third, fourth = self.clears.reshape(-1, 4).sum(axis=0).tolist()
        ends = (
            (name, int((self.termination == end.value).sum()))
            for name, end in zip(TERMINATIONS, Termination, strict=True)
        )
        return Summary(
            games=lines.size,
            lines=_total(lines),
            squared_lines=_squares(lines),
            min=int(lines.min()),
            max=int(lines.max()),
            pieces=int(self.pieces.sum()),
            placements=int(self.placements.sum()),
            score=_total(self.score.ravel()),
            clears=(first, second, third, fourth),
            terminations=tuple((name, count) for name, count in ends if count),
            seconds=self.seconds,
            attack=None if self.attack is None else int(self.attack.sum()),
            losses=sum(losses),
            squared_losses=sum(loss**2 for loss in losses),
        )

    def to_pandas(self) -> Any:
        """Return the games as a pandas table: a row per game or, for a population, per candidate and game.

        Its columns are `lines`, `pieces`, `placements`, `score`, `singles`, `doubles`, `triples`, `tetrises`, `attack`
        if it was counted, and `termination`, the name of the game's end.
        """
        try:
            import pandas
        except ImportError:
            raise SettingError("to_pandas needs pandas: pip install pandas") from None
        columns: dict[str, Any] = {
            name: getattr(self, name).ravel() for name in ("lines", "pieces", "placements", "score")
        }
        clears = self.clears.reshape(-1, 4)
        columns |= {name: clears[:, i] for i, name in enumerate(("singles", "doubles", "triples", "tetrises"))}
        if self.attack is not None:
            columns["attack"] = self.attack.ravel()
        columns["termination"] = [TERMINATIONS[end] for end in self.termination.ravel().tolist()]
        names = ["candidate", "game"][-self.lines.ndim :]
        index = pandas.MultiIndex.from_product([range(n) for n in self.lines.shape], names=names)
        return pandas.DataFrame(columns, index=index if len(names) > 1 else pandas.RangeIndex(len(clears), name="game"))

    def summary_of_ended(self) -> Summary | None:
        """Return the figures of the games that have ended, when some were interrupted; None if none has."""
        which = (self.termination != Termination.RUNNING.value) & (self.termination != Termination.INTERRUPTED.value)
        return self._only(which).summary() if which.any() else None

    def _only(self, which: slice | npt.NDArray[np.bool_]) -> "Evaluation":
        """Return the evaluation with only these games."""
        counted = ARRAYS if self.attack is None else (*ARRAYS, "attack")
        return replace(self, **{name: getattr(self, name)[which] for name in counted})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evaluation):
            return False
        both_counted = self.attack is not None and other.attack is not None
        names = (*ARRAYS, "attack") if both_counted else ARRAYS
        return self.tries == other.tries and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in names
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        found = self.summary()
        shape = " x ".join(f"{n:,}" for n in self.lines.shape)
        return (
            f"<Evaluation: {shape} games, {found.mean:,.2f} ± {found.sem:,.2f} lines, from {found.min:,} to "
            f"{found.max:,}, {found.capped:,} capped, {found.seconds:.3g} s>"
        )


_FITS = 2**62


def _total(counts: GameCounts) -> int:
    """Return the sum. Python's integers hold it when 64 bits may not."""
    largest = max(int(counts.max()), -int(counts.min()))
    return int(counts.sum()) if largest * counts.size < _FITS else sum(counts.tolist())


def _squares(counts: GameCounts) -> int:
    """Return the sum of the squares, likewise."""
    largest = int(counts.max())
    return int(np.dot(counts, counts)) if largest**2 * counts.size < _FITS else sum(n * n for n in counts.tolist())
