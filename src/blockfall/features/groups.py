"""Feature lists by name: the documents' and those that the players of the literature state."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from blockfall.errors import UnknownNameError
from blockfall.features.catalogue import find_feature

_FOLDER = Path(__file__).parent
_COLUMNS = 10  # of the boards in the literature


@dataclass(frozen=True)
class Group:
    name: str
    source: str
    features: tuple[str, ...]


@dataclass(frozen=True)
class Player:
    """A row of data2021's table 3."""

    name: str
    author: str
    year: int
    algorithm: str
    board: str
    score: str
    features: tuple[str, ...]
    """Empty where the source states none."""
    agents: tuple[str, ...]
    """Shipped agents with this player's own weights."""


def _read(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((_FOLDER / name).read_text())


@cache
def players() -> tuple[Player, ...]:
    return tuple(_player(name, **row) for name, row in _read("players.toml").items())


def _player(name: str, features: list[int], agents: Sequence[str] = (), **row: Any) -> Player:
    names = tuple(feature for number in features for feature in _numbered(number))
    return Player(name=name, features=names, agents=tuple(agents), **row)


def _numbered(number: int) -> list[str]:
    """Feature n of data2021's table 2; two of them stand for one feature per column."""
    if number == 9:
        return [f"column-height-{column}" for column in range(1, _COLUMNS + 1)]
    if number == 27:
        return [f"height-difference-{column}" for column in range(1, _COLUMNS)]
    return [find_feature(f"lit-{number}").name]


@cache
def groups() -> dict[str, Group]:
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
    """The features of a group, or of a list separated by commas; each may itself be a group.

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
                raise UnknownNameError("feature or group", name, list(groups())) from None
    return tuple(dict.fromkeys(found))
