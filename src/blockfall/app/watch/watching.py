"""A game that somebody watches: played on at any pace, gone back through, and raced against another on the same pieces.

Nothing here knows of browsers. `Slices` shares a part of one core among all who watch, so that the app stays quick.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass

from blockfall import _core
from blockfall.agents import Agent
from blockfall.errors import SettingError
from blockfall.games.explanation import Explained, explain
from blockfall.games.painting import PaintedBoard
from blockfall.games.tetris import Game, Placement
from blockfall.rulesets import Rules

HISTORY = 5_000
"""Positions kept of a game."""
_MOST_LEADS = 300
FRAMES_PER_S = 38
_CORE_SHARE = 0.25
"""Of one core, for all games together; sending what they look like takes about as much again."""
_AWAY_S = 1.0
_LONGEST_WAIT_S = 0.5

Clock = Callable[[], float]


@dataclass(frozen=True)
class Position:
    """How a game stood before a placement."""

    game: Game
    """Not to be played on."""
    painted: str
    """The rows with the letters of their pieces, the top row first, the hidden rows included."""
    chosen: Placement | None
    """What the agent plays here; None where the game is over."""
    cleared: tuple[int, ...]
    """The rows that went with the placement before, the floor being 0."""

    @property
    def number(self) -> int:
        """Of pieces placed so far."""
        return self.game.core.pieces

    @property
    def visible_rows(self) -> list[str]:
        return self.painted.splitlines()[-self.game.rules.visible_rows :]

    def explain(self, agent: Agent) -> list[Explained]:
        return explain(self.game, agent)


_Kept = tuple[_core.Game, str, tuple[int, int, int] | None, tuple[int, ...]]
"""A position in history. Python's garbage collector walks objects of classes, but not tuples like this one: with a
hundred thousand of them for twenty visitors, that is half a second for everyone."""


class Watched:
    """An agent's game with its history. What is shown may lie behind what has been played."""

    def __init__(self, rules: Rules | str, agent: Agent, seed: int, history: int = HISTORY) -> None:
        self.agent, self.seed = agent, seed
        self._game = Game.to_watch(rules, agent, seed)
        self._painted = PaintedBoard(self._game.rules.columns, self._game.rules.rows)
        self._kept: deque[_Kept] = deque(maxlen=history)
        self._behind = 0
        self._keep(())

    @property
    def rules(self) -> Rules:
        return self._game.rules

    @property
    def position(self) -> Position:
        """The one shown."""
        core, painted, spot, cleared = self._kept[-1 - self._behind]
        game = self._game.copy()
        game.core = copy(core)
        return Position(game, painted, game.placement_of(core.known[0], *spot) if spot else None, cleared)

    @property
    def number(self) -> int:
        """Of pieces placed in the position shown."""
        return self._kept[-1 - self._behind][0].pieces

    @property
    def lines(self) -> int:
        return self._kept[-1 - self._behind][0].lines

    @property
    def first(self) -> int:
        """The number of the earliest position kept."""
        return self._kept[0][0].pieces

    @property
    def over(self) -> bool:
        """Whether what is shown is the game's end."""
        return self._kept[-1 - self._behind][2] is None

    def step(self) -> bool:
        """The next position, played where it has not been yet; False at the game's end."""
        if self._behind:
            self._behind -= 1
            return True
        if self._chosen is None:
            return False
        cleared = self._painted.lock(self._chosen)
        self._game.play(self._chosen)
        self._keep(tuple(cleared))
        return True

    def back(self) -> bool:
        """The position before; False where none is kept."""
        if self._behind + 1 >= len(self._kept):
            return False
        self._behind += 1
        return True

    def back_to(self, number: int) -> None:
        while self.number > number and self.back():
            pass

    def _keep(self, cleared: tuple[int, ...]) -> None:
        self._chosen = chosen = None if self._game.over else self._game.choose(self.agent)
        painted = "\n".join("".join(row) for row in reversed(self._painted.rows))
        spot = (chosen.shape, chosen.column, chosen.row) if chosen else None
        self._kept.append((copy(self._game.core), painted, spot, cleared))


class Show:
    """One game, or several on the same pieces, in step: all have placed equally many, but those that are over."""

    def __init__(self, rules: Rules | str, agents: Sequence[Agent], seed: int, history: int = HISTORY) -> None:
        self.games = [Watched(rules, agent, seed, history) for agent in agents]
        self.leads: list[tuple[int, int]] = [(0, 0)]
        """Of a race: pieces placed, and by how many lines the first game leads. Sparse, and only of what was shown."""

    @property
    def number(self) -> int:
        return max(game.number for game in self.games)

    @property
    def first(self) -> int:
        return max(game.first for game in self.games)

    @property
    def over(self) -> bool:
        return all(game.over for game in self.games)

    @property
    def lead(self) -> int:
        """By how many lines the first game is ahead of the last one."""
        return self.games[0].lines - self.games[-1].lines

    def step(self) -> bool:
        """False where every game is over."""
        moved = [game.step() for game in self.games]
        return any(moved)

    def play(self, pieces: int | None, seconds: float, clock: Clock = time.perf_counter) -> bool:
        """So many pieces, or as many as come in this time, but one at least; False where every game is over."""
        end = clock() + seconds
        played = 0
        while (going := self.step()) and (played := played + 1) != pieces and clock() < end:
            pass
        self._note_lead()
        return going

    def back(self) -> None:
        number = self.number - 1
        for game in self.games:
            game.back_to(number)

    def to_start(self) -> None:
        """Of what is kept."""
        number = self.first
        for game in self.games:
            game.back_to(number)

    def _note_lead(self) -> None:
        if self.number <= self.leads[-1][0]:
            return
        self.leads.append((self.number, self.lead))
        if len(self.leads) > _MOST_LEADS:
            self.leads = [*self.leads[:-1:2], self.leads[-1]]


SPEEDS = 30
"""Steps of a slider from one piece per second to a thousand; one more is as fast as it goes."""


def speed_of(step: object) -> float | None:
    """Pieces per second of a slider's step; None is as fast as it goes."""
    if not isinstance(step, int | float) or not 0 <= step <= SPEEDS + 1:
        raise SettingError(f"a speed is a step from 0 to {SPEEDS + 1}")
    return None if step > SPEEDS else float(10 ** (3 * step / SPEEDS))


def step_of(said: str | None, otherwise: int) -> int:
    """The slider's step that is nearest to a speed in a page's address: pieces per second, or `full`."""
    if said == "full":
        return SPEEDS + 1
    try:
        return min(SPEEDS, max(0, round(math.log10(float(said or "")) * SPEEDS / 3)))
    except (ValueError, OverflowError):
        return otherwise


class Pace:
    """How many pieces are due at a speed, and how many came in the last second."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._lately: deque[tuple[float, int]] = deque()
        self.restart()

    def restart(self) -> None:
        self._last, self._owed = self._clock(), 0.0
        self._lately.clear()

    def due(self, speed: float) -> int:
        """Whole pieces since the last call; what a stall has cost is not caught up."""
        now = self._clock()
        self._owed = min(self._owed + (now - self._last) * speed, max(1.0, speed / 4))
        self._last = now
        whole = int(self._owed + 1e-6)  # timers end a little early
        self._owed -= whole
        return whole

    def rate(self, number: int) -> float:
        """Pieces per second lately; call it with each number shown."""
        now = self._clock()
        self._lately.append((now, number))
        while now - self._lately[0][0] > 1.0 and len(self._lately) > 2:
            self._lately.popleft()
        since, before = self._lately[0]
        return (number - before) / (now - since) if now > since else 0.0


class Slices:
    """Time to play, shared fairly among those who ask: a part of one core for all of them together."""

    def __init__(self, share: float = _CORE_SHARE, clock: Clock = time.monotonic) -> None:
        self._share, self._clock = share, clock
        self._accounts: dict[Hashable, tuple[float, float]] = {}

    def ask(self, who: Hashable) -> float:
        """Seconds that may be spent now; none where earlier spending is not yet paid off."""
        now = self._clock()
        self._accounts = {one: (last, left) for one, (last, left) in self._accounts.items() if now - last < _AWAY_S}
        last, left = self._accounts.get(who, (now - 1 / FRAMES_PER_S, 0.0))
        share = self._share / len(self._accounts | {who: None})
        left = min(left + (now - last) * share, 2 * share / FRAMES_PER_S)  # on a busy machine late frames stay short
        self._accounts[who] = (now, left)
        return max(0.0, left)

    def spent(self, who: Hashable, seconds: float) -> None:
        """Python's garbage collector may have spent much of it, so nobody pays long for a slice."""
        last, left = self._accounts.get(who, (self._clock(), 0.0))
        most = _LONGEST_WAIT_S * self._share / max(1, len(self._accounts))
        self._accounts[who] = (last, max(left - seconds, -most))
