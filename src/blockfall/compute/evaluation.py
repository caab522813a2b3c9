"""What the games of a request came to."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blockfall.compute.summary import TERMINATIONS, Summary
from blockfall.games.tetris import Termination

Progress = Callable[[int, int], None]
"""Called now and then with the games and the pieces done since the first game."""

Counts = npt.NDArray[np.int64]

_ARRAYS = ("lines", "pieces", "placements", "score", "clears", "termination")


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """What an agent's games came to: one entry per game, in the order of their numbers.

    Of a population, the candidates are the first axis of every array and their games are the second. Two evaluations
    are equal when every game came to the same; the seconds do not count.

    >>> import blockfall
    >>> played = blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=20, seed=1)
    >>> played.lines.shape, int(played.lines.sum()) == played.summary().lines
    ((20,), True)
    """

    lines: Counts
    pieces: Counts
    placements: Counts
    score: Counts
    clears: Counts
    """clears[game][n - 1]: how often n lines went at once."""
    termination: npt.NDArray[np.uint8]
    """Values of Termination."""
    seconds: float

    @property
    def capped(self) -> int:
        """Games ended by the piece limit: their counts are lower bounds."""
        return int((self.termination == Termination.PIECE_LIMIT.value).sum())

    def summary(self) -> Summary:
        """The figures of all games together: mean, standard deviation, standard error and more.

        >>> import blockfall
        >>> blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=50, seed=1).summary().games
        50
        """
        lines = self.lines.ravel().tolist()  # Python's whole numbers, which no square overflows
        first, second, third, fourth = self.clears.reshape(-1, 4).sum(axis=0).tolist()
        ends = (
            (name, int((self.termination == end.value).sum()))
            for name, end in zip(TERMINATIONS, Termination, strict=True)
        )
        return Summary(
            games=len(lines),
            lines=sum(lines),
            squared_lines=sum(n * n for n in lines),
            min=min(lines),
            max=max(lines),
            pieces=int(self.pieces.sum()),
            placements=int(self.placements.sum()),
            score=sum(self.score.ravel().tolist()),
            clears=(first, second, third, fourth),
            terminations=tuple((name, count) for name, count in ends if count),
            seconds=self.seconds,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evaluation) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in _ARRAYS
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        found = self.summary()
        shape = " x ".join(f"{n:,}" for n in self.lines.shape)
        return (
            f"<Evaluation: {shape} games, {found.mean:,.2f} +- {found.sem:,.2f} lines, from {found.min:,} to "
            f"{found.max:,}, {found.capped:,} capped, {found.seconds:.3g} s>"
        )
