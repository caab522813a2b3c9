"""What an agent thinks of every placement of a game. Knows nothing of browsers.

The agent values all placements of a position. A placement loses what its value lies below that of the agent's own
choice. A unit makes losses of all agents alike: the median, over the game's positions, of how far the middle placement
lies below the choice. So whoever plays the middle one of all placements loses about one unit each time.

| grade   | what is lost                               |
|---------|--------------------------------------------|
| best    | nothing                                    |
| good    | at most a quarter of a unit                |
| mistake | at most a unit                             |
| blunder | more, or the game where it could be saved  |
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median

from blockfall.agents import Agent
from blockfall.errors import SettingError
from blockfall.games.explanation import Explained, explain
from blockfall.games.painting import PaintedBoard
from blockfall.games.replay import Replay
from blockfall.games.tetris import Game, Placement
from blockfall.rulesets import Rules

MOST_REVIEWED = 1_000
"""Placements of a game that are reviewed: its last ones."""
MOST_PIECES = 5_000
"""Of a game that an agent plays for a review: a slow agent takes seconds for them."""
_GOOD = 0.25


class Grade(StrEnum):
    """How good a placement is."""

    BEST = "best"
    GOOD = "good"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


@dataclass(frozen=True)
class Judged:
    """A placement of the game, and what the agent thinks of it."""

    placement: Placement
    best: Placement
    """The agent's choice."""
    value: float | None
    """None where the game is lost after it."""
    best_value: float | None
    spread: float | None
    """How far the middle placement lies below the choice. None where all placements lose."""

    @property
    def loss(self) -> float | None:
        """By how much the value lies below that of the agent's choice. None where it loses a game that was not lost."""
        if self.placement == self.best or self.best_value is None:
            return 0.0
        return None if self.value is None else max(0.0, self.best_value - self.value)

    def grade(self, unit: float) -> Grade:
        """The grade, where losses are measured in this unit."""
        if self.loss is None or self.loss > unit:
            return Grade.BLUNDER
        if self.loss == 0:
            return Grade.BEST
        return Grade.GOOD if self.loss <= _GOOD * unit else Grade.MISTAKE


def judged(game: Game, placement: Placement, agent: Agent, hold: bool = False) -> Judged:
    """What the agent thinks of a placement in a game that stands before it. `hold` says that it, too, may hold."""
    ranked = explain(game, agent, hold)
    mine = next((one for one in ranked if _same(one.placement, placement)), None)
    if mine is None:
        raise SettingError(f"{placement.piece} cannot come to rest there")
    best = ranked[0]
    return Judged(mine.placement, best.placement, mine.value, best.value, _spread(ranked))


def unit_of(found: Sequence[Judged]) -> float:
    """The unit of losses: the median of the spreads."""
    return median([one.spread for one in found if one.spread] or [1.0])


def _spread(ranked: Sequence[Explained]) -> float | None:
    best, values = ranked[0].value, [one.value for one in ranked if one.value is not None]
    return None if best is None else max(0.0, best - median(values))


def _ever_holds(replay: Replay) -> bool:
    game = replay.begin()
    for placement in replay.placements:
        if placement.piece != game.known[0]:
            return True
        game.play(placement)
    return False


def _same(one: Placement, other: Placement) -> bool:
    return one.piece == other.piece and set(one.cells) == set(other.cells)


def agents_game(rules: Rules, agent: Agent, seed: int, pieces: int) -> Replay:
    """The game that an agent plays of a seed, up to so many pieces."""
    game = Game.to_watch(rules, agent, seed)
    placed: list[Placement] = []
    while not game.over and len(placed) < min(pieces, MOST_PIECES):
        placed.append(game.choose(agent))
        game.play(placed[-1])
    return Replay(rules, placed, seed, agent=agent.name)


def persons_game(rules: Rules, seed: int, placed: Sequence[Placement], player: str = "") -> Replay:
    """The game that a person played frame by frame, as a replay."""
    game, found = Replay(rules, (), seed).begin(), []
    for one in placed:
        if game.over:
            break
        place = next((other for other in game.placements(hold=True) if _same(one, other)), None)
        if place is None:
            break
        found.append(place)
        game.play(place)
    return Replay(rules, found, seed, agent=player)


@dataclass(frozen=True)
class ReviewStep:
    """A position of the game, to be shown."""

    game: Game
    """Only to look at: do not play it."""
    rows: list[str]
    """The visible rows, the top row first. Each cell has the letter of its piece."""


@dataclass
class Review:
    """A replay under review. `judge` is called until it is done."""

    replay: Replay
    agent: Agent
    judged: list[Judged] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.replay.placements:
            raise SettingError("there is no placement in this game; nothing can be reviewed")
        self.agent.check_rules(self.replay.rules, self.agent.pieces_known)
        self.first = max(0, len(self.replay.placements) - MOST_REVIEWED)
        """The number of the first placement that is reviewed, from 0."""
        self.steps: list[ReviewStep] = []
        self._holds = _ever_holds(self.replay)  # who never holds is compared with an agent that does not
        self._game = self._begin()
        self._painted = PaintedBoard(self.replay.rules.columns, self.replay.rules.rows)
        self._painted.fill(self._game.board)
        for placement in self.replay.placements[: self.first]:
            self._play(placement)
        self._keep()

    @property
    def placements(self) -> Sequence[Placement]:
        """Those that are reviewed."""
        return self.replay.placements[self.first :]

    @property
    def done(self) -> bool:
        """Whether all placements are judged."""
        return len(self.judged) == len(self.placements)

    def judge(self, most: int) -> None:
        """Judges the next placements, so many at most."""
        for placement in self.placements[len(self.judged) : len(self.judged) + most]:
            self.judged.append(judged(self._game, placement, self.agent, self._holds))
            self._play(placement)
            self._keep()

    @property
    def unit(self) -> float:
        """The unit in which losses are measured."""
        return unit_of(self.judged)

    def grades(self) -> list[Grade]:
        """The grade of every placement."""
        unit = self.unit
        return [one.grade(unit) for one in self.judged]

    def accuracy(self) -> float:
        """From 0 to 100. 100 is the agent's own choice each time; 0 is the middle one of all placements."""
        unit = self.unit
        shares = [0.0 if one.loss is None else max(0.0, 1 - one.loss / unit) for one in self.judged]
        return 100 * sum(shares) / len(shares) if shares else 100.0

    def counts(self) -> dict[Grade, int]:
        """How many placements have each grade."""
        found = Counter(self.grades())
        return {grade: found[grade] for grade in Grade}

    def _begin(self) -> Game:
        """Shows as many pieces as the agent may see; an agent that averages over the next piece sees no more."""
        replay, agent = self.replay, self.agent
        if replay.seed is None or not (agent.look_ahead or agent.plies > 1):
            return replay.begin()
        return Game(replay.rules, replay.seed, replay.number, agent.pieces_known, board=replay.board)

    def _play(self, placement: Placement) -> None:
        self._painted.lock(placement)
        self._game.play(placement)

    def _keep(self) -> None:
        rows = self._painted.rows[: self.replay.rules.visible_rows]
        self.steps.append(ReviewStep(self._game.copy(), ["".join(row) for row in reversed(rows)]))
