"""Games with a speed limit: the higher the level, the fewer moves sideways a piece has in each row of its fall."""

from dataclasses import dataclass

import numpy as np

from blockfall.agents import agent
from blockfall.compute import Evaluation, evaluate
from blockfall.experiments.run import AGENT_FILE
from blockfall.experiments.statistics import describe
from blockfall.reports import Section, Sheet
from blockfall.rulesets import rules
from blockfall.studies.base import Work
from blockfall.studies.soster2024.plan import PUBLISHED, SLIDES
from blockfall.studies.soster2024.trainings import TrainedAgent

LIMITED = "nes-no-rotation-timed"
SHIPPED = "birken-6"


@dataclass(frozen=True)
class Timed:
    """An agent's games without and with the limit, from a start level."""

    agent: str
    level: int
    free: Evaluation
    limited: Evaluation

    @property
    def equal(self) -> int:
        """The number of games that are the same with and without the limit."""
        return int(np.sum((self.limited.lines == self.free.lines) & (self.limited.pieces == self.free.pieces)))

    @property
    def cost(self) -> float:
        """The lines per game that the limit costs."""
        return float(np.mean(self.free.lines) - np.mean(self.limited.lines))


def timed(trained: list[TrainedAgent], budget: str, seed: int, work: Work) -> list[Timed]:
    """Play the best trained agent and a shipped one."""
    games, levels = PUBLISHED["speed"]["games"][budget], PUBLISHED["speed"]["levels"]
    best = max((t for t in trained if not t.cell.part and t.rules == SLIDES), key=lambda t: t.mean, default=None)
    players = [(SHIPPED, agent(SHIPPED))]
    if best:
        players.append((best.name, agent(str(best.folder / AGENT_FILE))))
    found = []
    with work.phase("speed", len(players) * len(levels)) as update:
        for name, player in players:
            free = evaluate(SLIDES, player, games, seed, backend=work.backend)
            for level in levels:
                limited = evaluate(rules(LIMITED).starting_at(level), player, games, seed, backend=work.backend)
                found.append(Timed(name, level, free, limited))
                update(len(found), name)
    return found


def speed(found: list[Timed]) -> Section:
    """Return the cost of the limit."""
    title = "The speed limit"
    described = [(one, describe(one.free.lines), describe(one.limited.lines)) for one in found]
    per_level = rules(LIMITED).file.scoring.lines_per_level
    sheet = Sheet.of(
        title,
        described,
        ("agent", lambda row: row[0].agent),
        ("start level", lambda row: row[0].level),
        ("highest level", lambda row: int(row[0].level + row[2].max / per_level)),
        ("lines without limit", lambda row: row[1].mean),
        ("with limit", lambda row: row[2].mean),
        ("standard error", lambda row: row[2].sem),
        ("games that are equal", lambda row: f"{row[0].equal / row[1].n:.1%}"),
    )
    text = (
        f"The console's pieces fall faster on higher levels. In {LIMITED} a piece moves sideways at most 9 times in a "
        "row of its fall on level 0, 6 times on level 3, and once from level 13. Both columns have the same seeds."
    )
    levels = dict.fromkeys(one.level for one in found)
    words = (text, *(_said(level, [one for one in found if one.level == level]) for level in levels))
    return Section(title, words, (sheet,))


def _said(level: int, found: list[Timed]) -> str:
    """Return the findings of a start level in words."""
    if all(one.equal == len(one.free.lines) for one in found):
        return f"From level {level} the limit never binds: every game of these agents is the same with and without it."
    costs = [one.cost for one in found]
    return f"From level {level} the limit binds, and costs {min(costs):.2f} to {max(costs):.2f} lines per game."
