"""Blockfall: a laboratory for agents that play falling-block puzzles.

>>> import blockfall
>>> rules, agent = blockfall.rules("nes-no-rotation"), blockfall.agent("birken-6")
>>> game = blockfall.Game(rules, seed=7)
>>> while not game.over:
...     game.play(game.choose(agent))
>>> game.outcome.termination.name
'BLOCK_OUT'
"""

from importlib.metadata import version

from blockfall.agents import Agent, agent, agent_names
from blockfall.compute import Evaluation, evaluate
from blockfall.errors import BlockfallError
from blockfall.features import BoardView, Feature, feature, features, find_feature
from blockfall.games import (
    Board,
    Game,
    GameKind,
    HopelessBoard,
    HumanGame,
    Option,
    Outcome,
    Placement,
    Position,
    Termination,
    game,
    game_names,
    register_game,
)
from blockfall.rulesets import Rules, rules, rules_names

__version__ = version("blockfall")

__all__ = [
    "Agent",
    "BlockfallError",
    "Board",
    "BoardView",
    "Evaluation",
    "Feature",
    "Game",
    "GameKind",
    "HopelessBoard",
    "HumanGame",
    "Option",
    "Outcome",
    "Placement",
    "Position",
    "Rules",
    "Termination",
    "agent",
    "agent_names",
    "evaluate",
    "feature",
    "features",
    "find_feature",
    "game",
    "game_names",
    "register_game",
    "rules",
    "rules_names",
]
