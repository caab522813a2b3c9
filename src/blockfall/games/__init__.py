"""Games that agents and people play."""

from blockfall.games.board import Board
from blockfall.games.tetris import Game, HumanGame, Outcome, Placement, Termination

__all__ = ["Board", "Game", "HumanGame", "Outcome", "Placement", "Termination"]
