"""An agent as a bot of the Tetris Bot Protocol: a state machine over messages, without input or output.

>>> from blockfall.agents import agent
>>> from blockfall.rulesets import rules
>>> bot = Bot(agent("dellacherie"), rules("guideline"))
>>> bot.hear('{"type": "rules", "randomizer": "seven_bag"}')
['{"type": "ready"}\\n']
"""

from dataclasses import replace

import numpy as np

from blockfall.agents import Agent
from blockfall.errors import BlockfallError, SettingError
from blockfall.games.board import Board
from blockfall.games.explanation import best_first, explain
from blockfall.games.tetris import Game
from blockfall.rulesets import Rules
from blockfall.tbp.messages import parsed, read_new_piece, read_play, read_start, written
from blockfall.tbp.moves import Move
from blockfall.tbp.positions import COLUMNS, BotPosition

_MOST_MOVES = 10
"""The most moves in a suggestion. A frontend plays the first one that it can."""


class Bot:
    """A bot that plays like an agent. It uses the hold queue when that gives the better value."""

    def __init__(self, agent: Agent, rules: Rules) -> None:
        if rules.columns != COLUMNS:
            raise SettingError(f"the protocol has boards of {COLUMNS} columns; {rules.name} has {rules.columns}")
        if agent.is_outside:
            raise SettingError(f"{agent.name} has {agent.value.title}; only agents that the core plays can be bots")
        self.agent, self.rules = agent, rules
        self.position: BotPosition | None = None
        """The current position. None before the first `start`, after `stop`, and after a message that made no sense."""
        self.ended = False
        """Whether `quit` was received."""

    def greeting(self, version: str) -> str:
        """Return the message `info`, which the bot sends first."""
        return written("info", name=f"Blockfall {self.agent.name}", version=version, author="Blockfall", features=[])

    def hear(self, text: str | bytes) -> list[str]:
        """Take a message and return the answers. A message of an unknown type is ignored.

        A message that makes no sense raises an error. If it was a board, a move or a piece, the position is then
        unknown, and the bot suggests nothing until the next `start`.
        """
        message = parsed(text)
        match message["type"]:
            case "rules":
                return [written("ready")]
            case "start":
                self.position = None
                self.position = read_start(message)
            case "suggest":
                return [written("suggestion", moves=[move.as_json() for move in self.suggestions()])]
            case "play":
                position, self.position = self.position, None
                if position:
                    self.position = position.after(read_play(message))
            case "new_piece":
                position, self.position = self.position, None
                if position:
                    self.position = replace(position, queue=position.queue + read_new_piece(message))
            case "stop":
                self.position = None
            case "quit":
                self.ended = True
        return []

    def suggestions(self) -> list[Move]:
        """Return the best moves, best first. Without a game, or if its board does not fit the rules, there are none."""
        position = self.position
        board = _board(position, self.rules) if position else None
        if position is None or board is None or not position.queue:
            return []
        first, following = position.queue[0], position.queue[1:]
        orders = [first + following]
        if position.reserve and self.rules.file.play.hold and position.reserve != first:
            orders.append(position.reserve + (following if position.hold else following[1:]))
        games = [Game.at(self.rules, board, order[: self.agent.pieces_known]) for order in orders]
        ranked = best_first([explain(game, self.agent) for game in games])
        return [Move.of(one.placement.piece, one.placement.cells, one.placement.spin) for one in ranked[:_MOST_MOVES]]


def _board(position: BotPosition, rules: Rules) -> Board | None:
    """Return the board under these rules; None if it has filled cells above the rules' rows. It is never cut."""
    if any(position.board[rules.rows :]):
        return None
    words = [sum((row >> x & 1) << y for y, row in enumerate(position.board[: rules.rows])) for x in range(COLUMNS)]
    try:
        return Board(np.array(words, np.uint32), rules.rows)
    except BlockfallError:
        return None
