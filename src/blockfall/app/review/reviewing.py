"""An agent's judgement of every placement of a game, without a browser.

The agent values all placements of a position. A placement's loss is the gap between its value and that of the agent's
own choice. Units make the losses of all agents comparable: one unit is the gap between the choice and the median
placement, as the median over the game's positions. Playing the median placement loses about one unit each time.

| grade   | loss                                              |
|---------|---------------------------------------------------|
| best    | none                                              |
| good    | at most a quarter of a unit                       |
| mistake | at most one unit                                  |
| blunder | more than one unit, or a game that could be saved |
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
"""The most placements reviewed. Of a longer game, these are the last ones."""
MOST_PIECES = 5_000
"""The most pieces of a game that an agent plays for a review. A slow agent takes seconds for them."""
_GOOD = 0.25


class Grade(StrEnum):
    """The quality of a placement."""

    BEST = "best"
    GOOD = "good"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


@dataclass(frozen=True)
class Judged:
    """A placement of the game, with the agent's judgement."""

    placement: Placement
    best: Placement
    """The agent's choice."""
    value: float | None
    """None if the placement loses the game."""
    best_value: float | None
    spread: float | None
    """The gap between the agent's choice and the median placement. None if all placements lose."""

    @property
    def loss(self) -> float | None:
        """The gap to the value of the agent's choice. None if the placement loses a game that could be saved."""
        if self.placement == self.best or self.best_value is None:
            return 0.0
        return None if self.value is None else max(0.0, self.best_value - self.value)

    def grade(self, unit: float) -> Grade:
        """Return the grade if losses are measured in this unit."""
        if self.loss is None or self.loss > unit:
            return Grade.BLUNDER
        if self.loss == 0:
            return Grade.BEST
        return Grade.GOOD if self.loss <= _GOOD * unit else Grade.MISTAKE


def judged(game: Game, placement: Placement, agent: Agent, hold: bool = False) -> Judged:
    """Judge a placement in the position before it. `hold` says that the agent may hold as well."""
    ranked = explain(game, agent, hold)
    mine = next((one for one in ranked if _same(one.placement, placement)), None)
    if mine is None:
        raise SettingError(f"{placement.piece} cannot come to rest there")
    best = ranked[0]
    return Judged(mine.placement, best.placement, mine.value, best.value, _spread(ranked))


def unit_of(found: Sequence[Judged]) -> float:
    """Return the unit of losses: the median of the spreads."""
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
    """Return an agent's game on a seed, up to a number of pieces."""
    game = Game.to_watch(rules, agent, seed)
    placed: list[Placement] = []
    while not game.over and len(placed) < min(pieces, MOST_PIECES):
        placed.append(game.choose(agent))
        game.play(placed[-1])
    return Replay(rules, placed, seed, agent=agent.name)


def persons_game(rules: Rules, seed: int, placed: Sequence[Placement], player: str = "") -> Replay:
    """Return a game that a person played frame by frame, as a replay."""
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
    """A position of the game, to show."""

    game: Game
    """Read only: do not play it."""
    rows: list[str]
    """The visible rows, top row first. Each cell holds the letter of its piece."""


@dataclass
class Review:
    """A replay under review. Call `judge` until it is done."""

    replay: Replay
    agent: Agent
    judged: list[Judged] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.replay.placements:
            raise SettingError("this game has no placements to review")
        self.agent.check_rules(self.replay.rules, self.agent.pieces_known)
        self.first = max(0, len(self.replay.placements) - MOST_REVIEWED)
        """The number of the first reviewed placement, from 0."""
        self.steps: list[ReviewStep] = []
        self._holds = _ever_holds(self.replay)  # a player who never holds is compared with an agent that does not
        self._game = self._begin()
        self._painted = PaintedBoard(self.replay.rules.columns, self.replay.rules.rows)
        self._painted.fill(self._game.board)
        for placement in self.replay.placements[: self.first]:
            self._play(placement)
        self._keep()

    @property
    def placements(self) -> Sequence[Placement]:
        """The placements under review."""
        return self.replay.placements[self.first :]

    @property
    def done(self) -> bool:
        """True if all placements are judged."""
        return len(self.judged) == len(self.placements)

    def judge(self, most: int) -> None:
        """Judge up to `most` more placements."""
        for placement in self.placements[len(self.judged) : len(self.judged) + most]:
            self.judged.append(judged(self._game, placement, self.agent, self._holds))
            self._play(placement)
            self._keep()

    @property
    def unit(self) -> float:
        """The unit of losses."""
        return unit_of(self.judged)

    def grades(self) -> list[Grade]:
        """Return the grade of every placement."""
        unit = self.unit
        return [one.grade(unit) for one in self.judged]

    def accuracy(self) -> float:
        """Return the accuracy: 100 for always the agent's choice, 0 for always the median placement."""
        unit = self.unit
        shares = [0.0 if one.loss is None else max(0.0, 1 - one.loss / unit) for one in self.judged]
        return 100 * sum(shares) / len(shares) if shares else 100.0

    def counts(self) -> dict[Grade, int]:
        """Return the number of placements with each grade."""
        found = Counter(self.grades())
        return {grade: found[grade] for grade in Grade}

    def _begin(self) -> Game:
        """Show as many pieces as the agent may see. An agent that averages over the next piece sees no more."""
        replay, agent = self.replay, self.agent
        if replay.seed is None or not (agent.look_ahead or agent.plies > 1):
            return replay.begin()
        return Game(replay.rules, replay.seed, replay.number, agent.pieces_known, board=replay.board)

    def _play(self, placement: Placement) -> None:
        self._painted.lock(placement)
        self._game.play(placement)

    def _keep(self) -> None:
        self.steps.append(ReviewStep(self._game.copy(), self._painted.text(self.replay.rules.visible_rows)))
