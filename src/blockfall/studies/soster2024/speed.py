"""Games with a speed limit: while it falls one row, a piece moves sideways only so often, less on higher levels."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np

from blockfall.agents import Agent, agent
from blockfall.compute import Backend, Evaluation, Shared, evaluate
from blockfall.experiments.run import AGENT_FILE
from blockfall.experiments.statistics import describe
from blockfall.reports import Section, Sheet
from blockfall.rulesets import rules
from blockfall.studies.base import Update, Work
from blockfall.studies.soster2024.plan import PUBLISHED, SLIDES
from blockfall.studies.soster2024.trainings import Trained

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


@contextmanager
def timing(budget: str, seed: int, work: Work) -> Iterator[Callable[[list[Trained]], list[Timed]]]:
    """Plays a shipped agent, beside the trainings where that is possible, and then the best that was trained."""
    if budget == "taste":
        yield lambda _trained: []
        return
    levels = PUBLISHED["speed"]["levels"]
    play = partial(_play, PUBLISHED["speed"]["games"][budget], levels, seed)
    with work.meanwhile(partial(play, SHIPPED, agent(SHIPPED), work.backend)) as shipped:

        def timed(trained: list[Trained]) -> list[Timed]:
            of_the_tables = [one for one in trained if not one.cell.part and one.rules == SLIDES]
            best = max(of_the_tables, key=lambda one: one.mean, default=None)
            with work.phase("speed", (2 if best else 1) * len(levels)) as update:
                found = shipped(update)
                if best:
                    # By the program of its training: the one for requests that are alone is not compiled yet.
                    backend = work.backend.beside_others() if isinstance(work.backend, Shared) else work.backend
                    player = agent(str(best.folder / AGENT_FILE))
                    found += play(best.name, player, backend, lambda done, note: update(len(levels) + done, note))
            return found

        yield timed


def _play(
    games: int, levels: list[int], seed: int, name: str, player: Agent, backend: Backend | None, update: Update
) -> list[Timed]:
    """Plays an agent's games without a limit, and with one from each of these levels."""
    free, found = evaluate(SLIDES, player, games, seed, backend=backend), list[Timed]()
    for level in levels:
        limited = evaluate(rules(LIMITED).starting_at(level), player, games, seed, backend=backend)
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
