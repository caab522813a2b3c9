"""Features: what each one measures, where it comes from, and the groups that the literature uses."""

from blockfall.features.catalogue import Feature, custom_features, features, find_feature
from blockfall.features.custom import BoardView, FeatureError, feature, load_plugin
from blockfall.features.groups import Group, Player, feature_list, groups, players

__all__ = [
    "BoardView",
    "Feature",
    "FeatureError",
    "Group",
    "Player",
    "custom_features",
    "feature",
    "feature_list",
    "features",
    "find_feature",
    "groups",
    "load_plugin",
    "players",
]
