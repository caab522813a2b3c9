"""Learning from play: temporal differences of a weighted sum or of a board network, and Q-learning."""

from typing import Any

from blockfall.learning.board_network.method import BoardNetworkLearning
from blockfall.learning.linear import LinearLearner, LinearLearning, Lstd, TemporalDifference
from blockfall.learning.method import Beginning, DiscountedLearning, Learner, LearningFigures, LearningMethod
from blockfall.learning.network import NetworkLearner, NetworkLearning, NStepLearning, initial_weights
from blockfall.learning.table import TableLearner, TableLearning
from blockfall.trainers import AnyKind, TrainerRegistry

__all__ = [
    "METHODS",
    "Beginning",
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
    "methods",
    "register_method",
]


_KINDS = (NetworkLearning, NStepLearning, TableLearning, Lstd, TemporalDifference, BoardNetworkLearning)
METHODS = TrainerRegistry("learning method", "learning", LearningMethod, *_KINDS)  # type: ignore[type-abstract]
"""Every way of learning. To add one, write a module with its settings and its learner, and name it here."""

methods = METHODS.known
find_method = METHODS.find


def register_method(kind: AnyKind) -> AnyKind:
    """Add a way of learning of your own, which runs and the app then know by its name. Write it above the class.

    >>> import blockfall
    >>> @blockfall.register_method
    ... class Patient(blockfall.Lstd):
    ...     name, title, source = "patient-lstd", "LSTD that solves rarely", "an example"
    ...     policy_actions: int = 100_000
    >>> blockfall.Configuration(learning=Patient(), pieces_known=1).trainer.name
    'patient-lstd'
    """
    return METHODS.register(kind)


def learning_from(keys: dict[str, Any], where: str = "learning", text: str = "") -> LearningMethod:
    """Return the method of a `[learning]` table: its `name`, by default data2021, and its settings.

    >>> learning_from({"name": "table"}).discount
    0.8
    """
    return METHODS.from_keys({"name": NetworkLearning.name, **keys}, where, text)
