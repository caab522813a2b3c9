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

from blockfall.agents import Agent, FeatureNetwork, Guard, LookAhead, Table, WeightedFeatures, agent, agent_names
from blockfall.compute import (
    Backend,
    Evaluation,
    LocalBackend,
    Population,
    Purpose,
    Request,
    backend,
    evaluate,
    evaluate_population,
)
from blockfall.errors import BlockfallError
from blockfall.features import BoardView, Feature, feature, features, find_feature
from blockfall.games import Board, Game, Hopeless, HopelessBoard, HumanGame, Outcome, Placement, Termination
from blockfall.rulesets import Rules, rules, rules_names

__version__ = version("blockfall")

__all__ = [
    "Agent",
    "Backend",
    "BlockfallError",
    "Board",
    "BoardView",
    "Evaluation",
    "Feature",
    "FeatureNetwork",
    "Game",
    "Guard",
    "Hopeless",
    "HopelessBoard",
    "HumanGame",
    "LocalBackend",
    "LookAhead",
    "Outcome",
    "Placement",
    "Population",
    "Purpose",
    "Request",
    "Rules",
    "Table",
    "Termination",
    "WeightedFeatures",
    "agent",
    "agent_names",
    "backend",
    "evaluate",
    "evaluate_population",
    "feature",
    "features",
    "find_feature",
    "rules",
    "rules_names",
]
