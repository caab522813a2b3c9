"""Games that agents and people play, behind one protocol, with a registry."""

from blockfall.games.board import Board
from blockfall.games.hopeless import Hopeless, HopelessBoard, HopelessPosition, Scoring, scoring, scorings
from blockfall.games.human import HumanGame
from blockfall.games.ist_tetris import IstPosition, IstTetris
from blockfall.games.many import Afterstates, Games, Steps
from blockfall.games.protocol import Ending, GameKind, Option, Position, Preview
from blockfall.games.registry import game, game_names, register_game, shipped_games
from blockfall.games.replay import Replay
from blockfall.games.tetris import Game, Outcome, Placement, Termination
from blockfall.games.tetris_position import Tetris, TetrisPosition

__all__ = [
    "Afterstates",
    "Board",
    "Ending",
    "Game",
    "GameKind",
    "Games",
    "Hopeless",
    "HopelessBoard",
    "HopelessPosition",
    "HumanGame",
    "IstPosition",
    "IstTetris",
    "Option",
    "Outcome",
    "Placement",
    "Position",
    "Preview",
    "Replay",
    "Scoring",
    "Steps",
    "Termination",
    "Tetris",
    "TetrisPosition",
    "game",
    "game_names",
    "register_game",
    "scoring",
    "scorings",
    "shipped_games",
]
