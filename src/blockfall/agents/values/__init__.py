"""The kinds of value by which agents rate boards: one class each, by its key in an agent's file.

>>> sorted(KINDS)
['board_network', 'network', 'table', 'weights']
"""

from blockfall.agents.values.base import Outside, Play, Value
from blockfall.agents.values.board_network import BoardNetwork
from blockfall.agents.values.explaining import Entry, Explainer
from blockfall.agents.values.network import FeatureNetwork
from blockfall.agents.values.outside import BoardFunction, Program
from blockfall.agents.values.table import Table
from blockfall.agents.values.weighted import WeightedFeatures

__all__ = [
    "KINDS",
    "BoardFunction",
    "BoardNetwork",
    "Entry",
    "Explainer",
    "FeatureNetwork",
    "Outside",
    "Play",
    "Program",
    "Table",
    "Value",
    "WeightedFeatures",
]

_KINDS: tuple[type[Value], ...] = (WeightedFeatures, FeatureNetwork, Table, BoardNetwork)

KINDS: dict[str, type[Value]] = {kind.key: kind for kind in _KINDS}
"""The kinds by key. An agent's file has exactly one of these keys."""
