"""Learning from play: temporal differences of a weighted sum or of a network over the board, and Q-learning."""

from typing import Any

from blockfall.errors import FileError, UnknownNameError
from blockfall.learning.board_network.method import BoardNetworkLearning
from blockfall.learning.linear import LinearLearner, LinearLearning, Lstd, TemporalDifference
from blockfall.learning.method import DiscountedLearning, Learner, LearningFigures, LearningMethod
from blockfall.learning.network import NetworkLearner, NetworkLearning, NStepLearning, initial_weights
from blockfall.learning.table import TableLearner, TableLearning
from blockfall.validation import check

__all__ = [
    "METHODS",
    "BoardNetworkLearning",
    "DiscountedLearning",
    "Learner",
    "LearningFigures",
    "LearningMethod",
    "LinearLearner",
    "LinearLearning",
    "Lstd",
    "NStepLearning",
    "NetworkLearner",
    "NetworkLearning",
    "TableLearner",
    "TableLearning",
    "TemporalDifference",
    "find_method",
    "initial_weights",
    "learning_from",
]

METHODS: dict[str, type[LearningMethod]] = {
    method.name: method
    for method in (NetworkLearning, NStepLearning, TableLearning, Lstd, TemporalDifference, BoardNetworkLearning)
}
"""By name. To add one, write a module with its settings and its learner, and put it here."""


def find_method(name: str) -> type[LearningMethod]:
    """The method of this name."""
    if name not in METHODS:
        raise UnknownNameError("learning method", name, list(METHODS))
    return METHODS[name]


def learning_from(keys: dict[str, Any], where: str = "learning", text: str = "") -> LearningMethod:
    """The method of a `[learning]` table: its `name`, data2021 where none is given, and its settings.

    >>> learning_from({"name": "table"}).discount
    0.8
    """
    try:
        method = find_method(str(keys.get("name", NetworkLearning.name)))
    except UnknownNameError as error:
        raise FileError(f"{where}: learning.name: {error}") from None
    settings = {key: value for key, value in keys.items() if key != "name"}
    return check(method, settings, where, text, inside="learning")
