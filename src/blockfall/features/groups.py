"""Named lists of features, from the five documents and from players in the literature."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from blockfall.errors import UnknownNameError
from blockfall.features.catalogue import built_in_features, custom_features, find_feature

_FOLDER = Path(__file__).parent
_COLUMNS = 10  # on boards in the literature


@dataclass(frozen=True)
class Group:
    """A named list of features."""

    name: str
    source: str
    features: tuple[str, ...]


@dataclass(frozen=True)
class Player:
    """A published player: a row of data2021's table 3."""

    name: str
    author: str
    year: int
    algorithm: str
    board: str
    score: str
    features: tuple[str, ...]
    """The features; empty if the source names none."""
    agents: tuple[str, ...]
    """The shipped agents with this player's weights."""


def _read(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))


@cache
def players() -> tuple[Player, ...]:
    """Return the published players, in the order of data2021's table 3."""
    return tuple(_player(name, **row) for name, row in _read("players.toml").items())


def _player(name: str, features: list[int], agents: Sequence[str] = (), **row: Any) -> Player:
    names = tuple(feature for number in features for feature in _numbered(number))
    return Player(name=name, features=names, agents=tuple(agents), **row)


def _numbered(number: int) -> list[str]:
    """Return the features of a number in data2021's table 2. Numbers 9 and 27 mean one feature per column."""
    if number == 9:
        return [f"column-height-{column}" for column in range(1, _COLUMNS + 1)]
    if number == 27:
        return [f"height-difference-{column}" for column in range(1, _COLUMNS)]
    return [find_feature(f"lit-{number}").name]


@cache
def groups() -> dict[str, Group]:
    """Return all groups by name: first those of the documents, then those of the players."""
    listed = [
        Group(name, row["source"], tuple(find_feature(feature).name for feature in row["features"]))
        for name, row in _read("groups.toml").items()
    ]
    stated = [
        Group(player.name, f"{player.author} {player.year}, as data2021's table 3 states it", player.features)
        for player in players()
        if player.features
    ]
    return {group.name: group for group in [*listed, *stated]}


def feature_list(names: str) -> tuple[str, ...]:
    """Return the features of a comma-separated list of features and groups.

    >>> feature_list("ist-h1,NTL")
    ('holes', 'row-transitions-occupied')
    """
    found: list[str] = []
    for name in (part.strip() for part in names.split(",")):
        if name in groups():
            found += groups()[name].features
        else:
            try:
                found.append(find_feature(name).name)
            except UnknownNameError:
                features = (*built_in_features(), *custom_features())
                known = [*groups(), *(feature.name for feature in features)]
                raise UnknownNameError("feature or group", name, known) from None
    return tuple(dict.fromkeys(found))
