"""Features: their definitions, their sources, and the groups that the literature uses."""

from blockfall.features.catalogue import Feature, built_in_features, custom_features, feature, find_feature
from blockfall.features.custom import BoardView, FeatureError
from blockfall.features.groups import Group, Player, feature_list, groups, players

__all__ = [
    "BoardView",
    "Feature",
    "FeatureError",
    "Group",
    "Player",
    "built_in_features",
    "custom_features",
    "feature",
    "feature_list",
    "find_feature",
    "groups",
    "players",
]
