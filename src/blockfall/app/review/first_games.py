"""Sample games on the page Review: who plays, who reviews, and a picture of the end."""

from dataclasses import dataclass
from functools import cache

from blockfall.agents import agent
from blockfall.app.parts.address import link
from blockfall.app.parts.drawings import small_board
from blockfall.app.review.reviewing import agents_game
from blockfall.games.painting import PaintedBoard
from blockfall.rulesets import rules

_PIECES = 150


@dataclass(frozen=True)
class FirstGame:
    """An agent's game on a seed, and the agent that reviews it."""

    title: str
    agent: str
    rules: str
    seed: int
    by: str

    @property
    def address(self) -> str:
        """The address of its review."""
        return link("/review", rules=self.rules, agent=self.agent, seed=self.seed, pieces=_PIECES, by=self.by)

    @property
    def who(self) -> str:
        """Player, rules and reviewer."""
        return f"{self.agent}, {rules(self.rules).title}, reviewed by {self.by}"


FIRST_GAMES = (
    FirstGame("Lost early", "ist-h1", "guideline", 3, "dellacherie"),
    FirstGame("Pieces cannot turn", "birken-6", "nes-no-rotation", 4, "noro-small"),
    FirstGame("Many blunders, still alive", "data-14", "guideline", 4, "dellacherie"),
    FirstGame("Two good players disagree", "lee", "standard", 6, "bcts"),
)


@cache
def ended(one: FirstGame) -> tuple[str, str]:
    """Return the last board as a picture, and a sentence about the end. This takes milliseconds."""
    replay = agents_game(rules(one.rules), agent(one.agent), one.seed, _PIECES)
    painted = PaintedBoard(replay.rules.columns, replay.rules.rows)
    for placement in replay.placements:
        painted.lock(placement)
    came_to = replay.outcome
    how = "Over" if came_to.pieces < _PIECES else "Still running"
    board = small_board(painted.text(replay.rules.visible_rows))
    return board, f"{how} after {came_to.pieces} pieces, with {came_to.lines} lines."
