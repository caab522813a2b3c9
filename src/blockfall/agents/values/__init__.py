"""How agents value boards: one class per kind, by its key in an agent's file.

>>> sorted(KINDS)
['board_network', 'network', 'table', 'weights']
"""

from blockfall.agents.values.board_network import BoardNetwork
from blockfall.agents.values.network import FeatureNetwork
from blockfall.agents.values.outside import BoardFunction, Outside, Program
from blockfall.agents.values.protocol import Entry, Parts, Play, Value
from blockfall.agents.values.table import Table
from blockfall.agents.values.weighted import WeightedFeatures

__all__ = [
    "KINDS",
    "BoardFunction",
    "BoardNetwork",
    "Entry",
    "FeatureNetwork",
    "Outside",
    "Parts",
    "Play",
    "Program",
    "Table",
    "Value",
    "WeightedFeatures",
]

_KINDS: tuple[type[Value], ...] = (WeightedFeatures, FeatureNetwork, Table, BoardNetwork)

KINDS: dict[str, type[Value]] = {kind.key: kind for kind in _KINDS}
"""By key. An agent's file has exactly one of these keys."""
