"""The winner of a race, and the score of two agents over many games on the same pieces, without a browser."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from blockfall.agents import Agent
from blockfall.app.watch.watching import Show
from blockfall.compute import LocalBackend, Purpose, evaluate
from blockfall.experiments.statistics import describe
from blockfall.rulesets import Rules

GOALS = {40: "40 lines", 100: "100 lines", 1000: "1,000 lines", 0: "the end"}
"""The goals of a race. Some agents never reach the end of a game."""
MANY_GAMES = 100
_BATCH = 10
_MOST_PIECES = 1_000
_MOST_SECONDS = 10.0


def winner(race: Show) -> int | None:
    """Return the number of the game with the most lines; None for a draw."""
    lead = race.lead
    return None if lead == 0 else int(lead < 0)


@dataclass
class Score:
    """The games that each agent won, and those drawn."""

    won: list[int] = field(default_factory=lambda: [0, 0])
    drawn: int = 0

    def add(self, who: int | None) -> None:
        """Count a finished game."""
        if who is None:
            self.drawn += 1
        else:
            self.won[who] += 1

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.won) + self.drawn

    def words(self, names: list[str]) -> str:
        """Return the score in words.

        >>> Score([5, 1], 2).words(["lee", "bcts"])
        'lee 5, bcts 1, drawn 2'
        """
        told = [f"{name} {count}" for name, count in zip(names, self.won, strict=True)]
        return ", ".join([*told, *([f"drawn {self.drawn}"] if self.drawn else [])])


@dataclass(frozen=True)
class ManyGames:
    """The lines of two agents on the same games."""

    names: list[str]
    lines: tuple[np.ndarray, np.ndarray]

    @property
    def score(self) -> Score:
        """The games that each agent won."""
        score = Score()
        for first, second in zip(*self.lines, strict=True):
            score.add(None if first == second else int(second > first))
        return score

    def __str__(self) -> str:
        games = len(self.lines[0])
        means = [describe(lines) for lines in self.lines]
        told = " against ".join(f"{mean.mean:,.1f} ± {mean.sem:,.1f}" for mean in means)
        return (
            f"Over {games} games on the same pieces: {self.score.words(self.names)}. Lines per game: {told}; "
            f"a game ends after {_MOST_PIECES:,} pieces."
        )


def many_games(
    rules: Rules, players: list[Agent], seed: int, clock: Callable[[], float] = time.monotonic
) -> Iterator[ManyGames]:
    """Play the same games with both agents, a few at a time, up to `MANY_GAMES` or until time is up."""
    began = clock()
    lines: tuple[list[int], list[int]] = ([], [])
    for first in range(0, MANY_GAMES, _BATCH):
        for player, found in zip(players, lines, strict=True):
            played = evaluate(
                rules,
                player,
                _BATCH,
                seed,
                first_game=first,
                max_pieces=_MOST_PIECES,
                purpose=Purpose.TEST,
                backend=LocalBackend(threads=1),
            )
            found += played.lines.tolist()
        yield ManyGames([player.name for player in players], (np.array(lines[0]), np.array(lines[1])))
        if clock() - began > _MOST_SECONDS:
            return
