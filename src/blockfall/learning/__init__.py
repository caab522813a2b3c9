"""Learning from play: Q-learning of a network, and of a table."""

from blockfall.learning.network import NetworkLearner, initial_weights
from blockfall.learning.settings import METHODS, LearningSettings, learning_settings

__all__ = ["METHODS", "LearningSettings", "NetworkLearner", "initial_weights", "learning_settings"]
