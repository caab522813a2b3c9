"""Table 9: bots trained with one generator of pieces, tested with each."""

from dataclasses import dataclass

import numpy as np

from blockfall.compute import evaluate
from blockfall.experiments.statistics import describe
from blockfall.studies.base import Work
from blockfall.studies.data2021.trainings import POINTS, PUBLISHED, TrainedBots

GAMES = {"quick": 30, "full": 100}
LIMIT = {"quick": 20_000, "full": 100_000}  # pieces; in permutations of seven a good bot lives for millions


@dataclass(frozen=True)
class Crossing:
    """The mean scores of the bots of all restarts, in millions of points."""

    trained_in: str
    tested_in: str
    means: tuple[float, ...]
    most: float
    """The highest score of all bots' games."""
    capped: int
    games: int
    published: float
    published_most: float

    @property
    def mean(self) -> float:
        """The mean over the bots."""
        return float(np.mean(self.means))

    @property
    def error(self) -> float:
        """The standard error of the mean, between bots."""
        return describe(self.means).sem


def measure_crossed(trained: dict[str, TrainedBots], budget: str, seed: int, work: Work) -> tuple[Crossing, ...]:
    """Test the bots of every generator's trainings with every generator."""
    said = PUBLISHED["crossed"]
    cells = [one for one in trained.values() if one.experiment == "generator"]
    found = []
    with work.phase("generators crossed", len(cells) * len(said["generators"])) as update:
        for place, one in enumerate(cells):
            for column, generator in enumerate(said["generators"]):
                played = [
                    evaluate(generator, bot, GAMES[budget], seed, max_pieces=LIMIT[budget], backend=work.backend)
                    for bot in one.bots
                ]
                means = tuple(float(games.score.mean() / POINTS) for games in played)
                capped = sum(games.capped for games in played)
                count = GAMES[budget] * len(played)
                most = max(float(games.score.max() / POINTS) for games in played)
                theirs = said["mean"][place][column], said["max"][place][column]
                found.append(Crossing(str(one.value), generator, means, most, capped, count, *theirs))
                update(len(found), f"{one.value} in {generator}")
    return tuple(found)
