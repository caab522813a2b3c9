"""The kinds of value by which agents rate boards: one class each, by its key in an agent's file.

To add one, write a module in this folder.

>>> sorted(KINDS)
['board_network', 'network', 'table', 'weights']
"""

from importlib import import_module
from pkgutil import iter_modules

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

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)

_FILED = [kind for kind in Value.__subclasses__() if hasattr(kind, "file_type")]
KINDS: dict[str, type[Value]] = {kind.key: kind for kind in sorted(_FILED, key=lambda kind: kind.key, reverse=True)}
"""The kinds by key: every subclass of `Value` in this folder. An agent's file has exactly one of these keys."""
