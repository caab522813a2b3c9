"""The Tetris Bot Protocol (TBP): its moves, its positions, its messages, and a talk with a bot in another program.

The protocol is the community's (tetris-bot-protocol/tbp-spec): JSON objects, one per row of text, on a bot's standard
input and output. These modules know pieces and cells only, no rules and no agents.
"""

from blockfall.tbp.conversation import BotError, Conversation
from blockfall.tbp.messages import MessageError
from blockfall.tbp.moves import Move, Spin
from blockfall.tbp.positions import COLUMNS, ROWS, BotPosition

__all__ = ["COLUMNS", "ROWS", "BotError", "BotPosition", "Conversation", "MessageError", "Move", "Spin"]
