"""Games that agents and people play."""

from blockfall.games.board import Board
from blockfall.games.hopeless import Hopeless, HopelessBoard, Scoring, scoring, scorings
from blockfall.games.ist_tetris import IstState
from blockfall.games.tetris import Game, HumanGame, Outcome, Placement, Termination

__all__ = [
    "Board",
    "Game",
    "Hopeless",
    "HopelessBoard",
    "HumanGame",
    "IstState",
    "Outcome",
    "Placement",
    "Scoring",
    "Termination",
    "scoring",
    "scorings",
]
