"""Learning from play: Q-learning of a network, and of a table."""

from collections.abc import Sequence

from blockfall.learning.network import NetworkLearner, initial_weights
from blockfall.learning.settings import METHODS, LearningSettings, NetworkSettings, TableSettings, learning_settings
from blockfall.learning.table import TableLearner
from blockfall.rulesets import Rules

__all__ = [
    "METHODS",
    "LearningSettings",
    "NetworkLearner",
    "NetworkSettings",
    "TableLearner",
    "TableSettings",
    "initial_weights",
    "learning_settings",
    "make_learner",
]


def make_learner(
    rules: Rules, features: Sequence[str], hidden: Sequence[int], settings: LearningSettings, seed: int, restart: int
) -> NetworkLearner | TableLearner:
    """What these settings are of; a table has no features and no hidden layers."""
    if isinstance(settings, NetworkSettings):
        return NetworkLearner(rules, tuple(features), tuple(hidden), settings, seed, restart)
    assert isinstance(settings, TableSettings)
    return TableLearner(rules, settings, seed, restart)
