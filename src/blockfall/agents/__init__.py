"""Agents as data: each a JSON file in this folder, or a user's own.

An agent is how it plays (pieces known, guard, look-ahead) around how it values boards: weighted features, a network
over features, a board network, or a Q-table.

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
