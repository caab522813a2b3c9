"""Games with a speed limit: while it falls one row, a piece moves sideways only so often, less on higher levels."""

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
    """The games of an agent without a limit and with one, from a start level."""

    agent: str
    level: int
    free: Evaluation
    limited: Evaluation

    @property
    def equal(self) -> int:
        """How many games are the same with the limit and without."""
        return int(np.sum((self.limited.lines == self.free.lines) & (self.limited.pieces == self.free.pieces)))

    @property
    def cost(self) -> float:
        """The lines per game that the limit costs."""
        return float(np.mean(self.free.lines) - np.mean(self.limited.lines))


def timed(trained: list[TrainedAgent], budget: str, seed: int, work: Work) -> list[Timed]:
    """Plays the best trained agent and a shipped one."""
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
    """What the limit costs."""
    title = "The speed limit"
    sheet_rows = []
    for one in found:
        with_limit, without = describe(one.limited.lines), describe(one.free.lines)
        reached = one.level + with_limit.max / rules(LIMITED).file.scoring.lines_per_level
        sheet_rows.append(
            (
                one.agent,
                one.level,
                int(reached),
                without.mean,
                with_limit.mean,
                with_limit.sem,
                f"{one.equal / len(one.free.lines):.1%}",
            )
        )
    columns = (
        "agent",
        "start level",
        "highest level",
        "lines without limit",
        "with limit",
        "standard error",
        "games that are equal",
    )
    text = (
        f"The console's pieces fall faster on higher levels. In {LIMITED} a piece moves sideways at most 9 times in a "
        "row of its fall on level 0, 6 times on level 3, and once from level 13 on. Both columns are the same games."
    )
    levels = dict.fromkeys(one.level for one in found)
    words = (text, *(_said(level, [one for one in found if one.level == level]) for level in levels))
    return Section(title, words, (Sheet(title, columns, tuple(sheet_rows)),))


def _said(level: int, found: list[Timed]) -> str:
    """What the games of a start level show."""
    if all(one.equal == len(one.free.lines) for one in found):
        return f"From level {level} the limit never binds: every game of these agents is the same with it and without."
    costs = [one.cost for one in found]
    return f"From level {level} it binds, and costs {min(costs):.2f} to {max(costs):.2f} lines per game."
