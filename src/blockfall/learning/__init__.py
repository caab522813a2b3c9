"""Learning from play: Q-learning of a network, and of a table."""

from blockfall.learning.network import NetworkLearner, initial_weights
from blockfall.learning.settings import (
    METHODS,
    Learner,
    LearningMethod,
    NetworkLearning,
    NStepLearning,
    TableLearning,
    find_method,
    learning_from,
)
from blockfall.learning.table import TableLearner

__all__ = [
    "METHODS",
    "Learner",
    "LearningMethod",
    "NStepLearning",
    "NetworkLearner",
    "NetworkLearning",
    "TableLearner",
    "TableLearning",
    "find_method",
    "initial_weights",
    "learning_from",
]
