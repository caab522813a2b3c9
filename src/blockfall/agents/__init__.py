"""Agents as data: each a JSON file in this folder, or a user's own.

An agent is how it plays (pieces known, guard, look-ahead) around how it values boards: weighted features, a network
over features, a network over the board, or a Q-table.

>>> agent("dellacherie").weights["holes"]
-4.0
"""

from blockfall.agents.definition import MOST_PLIES, MOST_SEQUENCES, Agent, Guard, GuardKeys, LookAhead, UnknownPieceKeys
from blockfall.agents.loading import agent, agent_names
from blockfall.agents.values import BoardNetwork, FeatureNetwork, Parts, Table, Value, WeightedFeatures
from blockfall.agents.values.quantising import quantise

__all__ = [
    "MOST_PLIES",
    "MOST_SEQUENCES",
    "Agent",
    "BoardNetwork",
    "FeatureNetwork",
    "Guard",
    "GuardKeys",
    "LookAhead",
    "Parts",
    "Table",
    "UnknownPieceKeys",
    "Value",
    "WeightedFeatures",
    "agent",
    "agent_names",
    "quantise",
]
