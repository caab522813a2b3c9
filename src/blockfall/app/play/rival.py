"""An agent that plays the same pieces as a person, at the person's pace or its own."""

from blockfall.agents import Agent
from blockfall.app.parts.board import Picture
from blockfall.app.play.modes import PlayerProgress
from blockfall.app.play.ticking import FRAMES_PER_SECOND
from blockfall.app.watch.watching import Watched
from blockfall.rulesets import Rules

PACES: dict[float, str] = {0: "with you", 0.5: "1 piece in 2 s", 1: "1 piece per s", 2: "2 per s", 4: "4 per s"}
"""Pieces per second, in words; 0 is a piece for each of the person's."""


class Rival:
    """One game of an agent."""

    def __init__(self, rules: Rules, agent: Agent, seed: int, pieces_per_second: float) -> None:
        """Choose the first placement. This may take a while: do not call it on the event loop."""
        self.agent, self._pace = agent, pieces_per_second
        self._game = Watched(rules, agent, seed, history=1)

    @property
    def progress(self) -> PlayerProgress:
        """Its progress."""
        return PlayerProgress(self.agent.name, self._game.lines, self._game.over)

    @property
    def pieces(self) -> int:
        """The pieces that it has placed."""
        return self._game.number

    def is_due(self, frames: int, pieces: int) -> bool:
        """Return whether it plays now, given the frames passed and the pieces that the person has placed."""
        allowed = pieces if self._pace == 0 else int(frames * self._pace / FRAMES_PER_SECOND)
        return not self._game.over and self.pieces < allowed

    def play(self) -> None:
        """Place one piece. This may take a while: do not call it on the event loop."""
        self._game.step()

    def picture(self) -> Picture:
        """Return its board, with the rows that flash."""
        position = self._game.position
        return Picture(position.visible_rows, cleared=position.cleared)
