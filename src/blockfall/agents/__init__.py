"""Agents as data: each a JSON file in this folder, or a user's own.

An agent values boards by weighted features, a network over features, a board network or a Q-table, and plays by these
values with its number of known pieces, its guard and its look-ahead.

>>> agent("dellacherie").weights["holes"]
-4.0
"""

from blockfall.agents.definition import MOST_PLIES, MOST_SEQUENCES, Agent, Guard, GuardKeys, LookAhead, UnknownPieceKeys
from blockfall.agents.loading import AgentLike, agent, agent_names, register_agent, registered_agents, usual_agent
from blockfall.agents.values import (
    BoardFunction,
    BoardNetwork,
    FeatureNetwork,
    Outside,
    Program,
    Table,
    Value,
    WeightedFeatures,
)
from blockfall.agents.values.quantising import quantise, real_numbers

__all__ = [
    "MOST_PLIES",
    "MOST_SEQUENCES",
    "Agent",
    "AgentLike",
    "BoardFunction",
    "BoardNetwork",
    "FeatureNetwork",
    "Guard",
    "GuardKeys",
    "LookAhead",
    "Outside",
    "Program",
    "Table",
    "UnknownPieceKeys",
    "Value",
    "WeightedFeatures",
    "agent",
    "agent_names",
    "quantise",
    "real_numbers",
    "register_agent",
    "registered_agents",
    "usual_agent",
]
