"""The figures of many games. Figures of two batches add up, so a batch of any length fits in memory."""

import math
from dataclasses import dataclass

from blockfall.games.tetris import Termination

TERMINATIONS = tuple(end.name.lower().replace("_", "-") for end in Termination)
"""The names of the ways in which games end, in the order of a summary."""


@dataclass(frozen=True)
class Summary:
    """The figures of games. All sums are whole numbers, so the figures do not depend on how the games were sliced."""

    games: int
    lines: int
    squared_lines: int
    """The sum of the squares of each game's lines."""
    min: int
    max: int
    pieces: int
    placements: int
    score: int
    clears: tuple[int, int, int, int]
    """How often 1, 2, 3 and 4 lines were cleared at once."""
    terminations: tuple[tuple[str, int], ...]
    """The ways in which games ended, each with its count; ways that no game ended are left out."""
    seconds: float
    attack: int | None = None
    """The lines that all games sent to an opponent; None if they were not counted."""
    losses: int = 0
    """The sum over estimates of the games that would be lost within 2**62 lines; 0 if the games were played."""
    squared_losses: int = 0
    """The sum of their squares."""

    def __add__(self, other: "Summary") -> "Summary":
        """Return the summary of both batches together."""
        first, second, third, fourth = (a + b for a, b in zip(self.clears, other.clears, strict=True))
        ends = dict(self.terminations)
        for name, count in other.terminations:
            ends[name] = ends.get(name, 0) + count
        return Summary(
            games=self.games + other.games,
            lines=self.lines + other.lines,
            squared_lines=self.squared_lines + other.squared_lines,
            min=min(self.min, other.min),
            max=max(self.max, other.max),
            pieces=self.pieces + other.pieces,
            placements=self.placements + other.placements,
            score=self.score + other.score,
            clears=(first, second, third, fourth),
            terminations=tuple((name, ends[name]) for name in TERMINATIONS if name in ends),
            seconds=self.seconds + other.seconds,
            attack=None if self.attack is None or other.attack is None else self.attack + other.attack,
            losses=self.losses + other.losses,
            squared_losses=self.squared_losses + other.squared_losses,
        )

    @property
    def mean(self) -> float:
        """Lines per game. For estimates it is the harmonic mean, because the rate of losses has no bias."""
        return self.games * 2**62 / self.losses if self.losses else self.lines / self.games

    @property
    def std(self) -> float:
        """The sample standard deviation of the lines, with n - 1 in the denominator."""
        if self.losses:
            return self.mean * _deviation(self.games, self.losses, self.squared_losses) / (self.losses / self.games)
        return _deviation(self.games, self.lines, self.squared_lines)

    @property
    def sem(self) -> float:
        """The standard error of the mean."""
        return self.std / math.sqrt(self.games)

    @property
    def score_mean(self) -> float:
        """Points per game."""
        return self.score / self.games

    @property
    def attack_mean(self) -> float | None:
        """Lines sent to an opponent per game."""
        return None if self.attack is None else self.attack / self.games

    @property
    def capped(self) -> int:
        """Games ended by the piece limit: their counts are lower bounds."""
        return dict(self.terminations).get("piece-limit", 0)

    @property
    def pieces_per_second(self) -> float:
        """Pieces placed per second of playing time."""
        return self.pieces / self.seconds

    @property
    def placements_per_second(self) -> float:
        """Boards valued per second of playing time."""
        return self.placements / self.seconds

    def as_json(self) -> dict[str, object]:
        """Return the figures as `blockfall evaluate --json` prints them."""
        names = ["games", "mean", "std", "sem", "min", "max", "lines", "pieces", "placements", "score_mean"]
        names += [] if self.attack is None else ["attack", "attack_mean"]
        return {
            **{name: getattr(self, name) for name in (*names, "capped")},
            "clears": list(self.clears),
            "terminations": dict(self.terminations),
            **{name: getattr(self, name) for name in ("seconds", "pieces_per_second", "placements_per_second")},
        }


def _deviation(count: int, total: int, squares: int) -> float:
    """Return the standard deviation of a sample with this sum and this sum of squares."""
    return math.sqrt((count * squares - total**2) / (count * (count - 1))) if count > 1 else 0.0
