"""Watched games, without a browser: they run at any speed, go back, and race on the same pieces.

`Slices` shares a part of one core among all watchers, so that the app stays responsive.
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
from blockfall.rulesets import PIECES, Rules

HISTORY = 5_000
"""The number of positions of a game that are kept."""
_MOST_LEADS = 300
FRAMES_PER_S = 38
_CORE_SHARE = 0.25
"""The part of one core that all games share. Sending their pictures takes about as much again."""
_AWAY_S = 1.0
_LONGEST_WAIT_S = 0.5

Clock = Callable[[], float]


@dataclass(frozen=True)
class WatchedPosition:
    """A game's position before a placement."""

    game: Game
    """Read only: do not play it."""
    painted: str
    """All rows including the hidden ones, top row first. Each cell holds the letter of its piece."""
    chosen: Placement | None
    """The agent's placement; None when the game is over."""
    cleared: tuple[int, ...]
    """The rows that the previous placement cleared. Row 0 is the floor."""

    @property
    def number(self) -> int:
        """The number of placed pieces."""
        return self.game.core.pieces

    @property
    def visible_rows(self) -> list[str]:
        """The painted rows without the hidden ones, top row first."""
        return self.painted.splitlines()[-self.game.rules.visible_rows :]

    def explain(self, agent: Agent) -> list[Explained]:
        """Return all placements of this position, best first, with their reasons."""
        return explain(self.game, agent)


_Kept = tuple[_core.Game, str, tuple[int, int, int, int] | None, tuple[int, ...]]
"""A position in the history. Python's garbage collector skips such tuples but walks instances of classes: with the
hundred thousand of twenty visitors, it would stop everyone for half a second."""


class Watched:
    """An agent's game with its history. The shown position may be older than the last one played."""

    def __init__(self, rules: Rules | str, agent: Agent, seed: int, history: int = HISTORY) -> None:
        self.agent, self.seed = agent, seed
        self._game = Game.to_watch(rules, agent, seed)
        self._painted = PaintedBoard(self._game.rules.columns, self._game.rules.rows)
        self._kept: deque[_Kept] = deque(maxlen=history)
        self._behind = 0
        self._keep(())

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._game.rules

    @property
    def position(self) -> WatchedPosition:
        """The shown position."""
        core, painted, spot, cleared = self._kept[-1 - self._behind]
        game = self._game.copy()
        game.core = copy(core)
        return WatchedPosition(game, painted, game.placement_of(*spot) if spot else None, cleared)

    @property
    def number(self) -> int:
        """The number of placed pieces in the shown position."""
        return self._kept[-1 - self._behind][0].pieces

    @property
    def lines(self) -> int:
        """The cleared lines in the shown position."""
        return self._kept[-1 - self._behind][0].lines

    @property
    def first(self) -> int:
        """The number of placed pieces in the oldest kept position."""
        return self._kept[0][0].pieces

    @property
    def over(self) -> bool:
        """True if the shown position is the end of the game."""
        return self._kept[-1 - self._behind][2] is None

    def step(self) -> bool:
        """Go to the next position, playing it if it is new. Return False at the end of the game."""
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
        """Go to the previous position. Return False if no older one is kept."""
        if self._behind + 1 >= len(self._kept):
            return False
        self._behind += 1
        return True

    def back_to(self, number: int) -> None:
        """Go back to the position after `number` pieces, or to the oldest kept position."""
        while self.number > number and self.back():
            pass

    def _keep(self, cleared: tuple[int, ...]) -> None:
        self._chosen = chosen = None if self._game.over else self._game.choose(self.agent)
        painted = "\n".join(self._painted.text())
        spot = (PIECES.index(chosen.piece), chosen.shape, chosen.column, chosen.row) if chosen else None
        self._kept.append((copy(self._game.core), painted, spot, cleared))


class Show:
    """One game, or several on the same pieces. All have placed the same number of pieces, unless they are over."""

    def __init__(
        self, rules: Rules | str, agents: Sequence[Agent], seed: int, history: int = HISTORY, goal_lines: int = 0
    ) -> None:
        """A race ends when a game has `goal_lines` lines, or with the last game if that is 0."""
        self._goal = goal_lines if len(agents) > 1 else 0
        self.games = [Watched(rules, agent, seed, history) for agent in agents]
        self.leads: list[tuple[int, int]] = [(0, 0)]
        """Placed pieces and the lines by which the first game leads, for some positions of a race."""

    @property
    def number(self) -> int:
        """The largest number of placed pieces of any game."""
        return max(game.number for game in self.games)

    @property
    def first(self) -> int:
        """The number of placed pieces in the oldest position that every game has kept."""
        return max(game.first for game in self.games)

    @property
    def over(self) -> bool:
        """True if every game is over or a race has reached its goal."""
        reached = self._goal > 0 and any(game.lines >= self._goal for game in self.games)
        return reached or all(game.over for game in self.games)

    @property
    def lead(self) -> int:
        """The lines by which the first game leads the last one."""
        return self.games[0].lines - self.games[-1].lines

    def step(self) -> bool:
        """Play one piece in every game. Return False if the games are over."""
        if self.over:
            return False
        moved = [game.step() for game in self.games]  # all of them: `any` alone would stop at the first
        return any(moved)

    def play(self, pieces: int | None, seconds: float, clock: Clock = time.perf_counter) -> bool:
        """Play up to this number of pieces, at least one, until time is up. Return False if every game is over."""
        end = clock() + seconds
        played = 0
        while (going := self.step()) and (played := played + 1) != pieces and clock() < end:
            pass
        self._note_lead()
        return going

    def back(self) -> None:
        """Go back one piece in every game."""
        self._back_to(self.number - 1)

    def to_start(self) -> None:
        """Go back to the oldest position that every game has kept."""
        self._back_to(self.first)

    def _back_to(self, number: int) -> None:
        for game in self.games:
            game.back_to(number)

    def _note_lead(self) -> None:
        if self.number <= self.leads[-1][0]:
            return
        self.leads.append((self.number, self.lead))
        if len(self.leads) > _MOST_LEADS:
            self.leads = [*self.leads[:-1:2], self.leads[-1]]


SPEEDS = 30
"""Steps of a slider from 1 to 1,000 pieces per second. One more step means as fast as possible."""


def speed_of(step: object) -> float | None:
    """Return the pieces per second of a slider's step. None means as fast as possible."""
    if not isinstance(step, int | float) or not 0 <= step <= SPEEDS + 1:
        raise SettingError(f"the speed is {step!r}; it must be a step from 0 to {SPEEDS + 1}")
    return None if step > SPEEDS else float(10 ** (3 * step / SPEEDS))


def step_of(said: str | None, otherwise: int) -> int:
    """Return the slider's step for a speed in an address (pieces per second or `full`), or `otherwise`."""
    if said == "full":
        return SPEEDS + 1
    try:
        return min(SPEEDS, max(0, round(math.log10(float(said or "")) * SPEEDS / 3)))
    except (ValueError, OverflowError):
        return otherwise


class Pacer:
    """The pieces that are due at a speed, and those played in the last second."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._lately: deque[tuple[float, int]] = deque()
        self.restart()

    def restart(self) -> None:
        """Forget the past: counting starts now."""
        self._last, self._owed = self._clock(), 0.0
        self._lately.clear()

    def due(self, speed: float) -> int:
        """Return the pieces that have become due since the last call. Most of a long pause is dropped."""
        now = self._clock()
        self._owed = min(self._owed + (now - self._last) * speed, max(1.0, speed / 4))
        self._last = now
        whole = int(self._owed + 1e-6)  # timers end a little early
        self._owed -= whole
        return whole

    def rate(self, number: int) -> float:
        """Return the pieces per second over the last second. Call it with each number of pieces that is shown."""
        now = self._clock()
        self._lately.append((now, number))
        while now - self._lately[0][0] > 1.0 and len(self._lately) > 2:
            self._lately.popleft()
        since, before = self._lately[0]
        return (number - before) / (now - since) if now > since else 0.0


class Slices:
    """A part of one core, shared fairly among all watchers."""

    def __init__(self, share: float = _CORE_SHARE, clock: Clock = time.monotonic) -> None:
        self._share, self._clock = share, clock
        self._accounts: dict[Hashable, tuple[float, float]] = {}

    def ask(self, who: Hashable) -> float:
        """Return the seconds that this watcher may use now; 0 while earlier use is not paid off."""
        now = self._clock()
        self._accounts = {one: (last, left) for one, (last, left) in self._accounts.items() if now - last < _AWAY_S}
        last, left = self._accounts.get(who, (now - 1 / FRAMES_PER_S, 0.0))
        share = self._share / len(self._accounts | {who: None})
        left = min(left + (now - last) * share, 2 * share / FRAMES_PER_S)  # keeps late frames short on a busy machine
        self._accounts[who] = (now, left)
        return max(0.0, left)

    def spent(self, who: Hashable, seconds: float) -> None:
        """Charge the seconds used. The debt is limited, since Python's garbage collector may have caused it."""
        last, left = self._accounts.get(who, (self._clock(), 0.0))
        most = _LONGEST_WAIT_S * self._share / max(1, len(self._accounts))
        self._accounts[who] = (last, max(left - seconds, -most))
