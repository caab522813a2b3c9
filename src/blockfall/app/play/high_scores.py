"""High scores of visitors, by game and rules. Each call opens the store: call from a thread."""

from collections.abc import Mapping

from blockfall.errors import SettingError
from blockfall.games import GameKind
from blockfall.games.protocol import OptionValue
from blockfall.store import Store

MOST_SHOWN = 10
MOST_NAME = 24

Ranking = list[tuple[str, int]]
"""Names and scores, best first."""


def key_of(kind: GameKind, options: Mapping[str, OptionValue]) -> str:
    """Return the store's key for such games. The course server uses the rules' name alone."""
    return f"play/{kind.ranking(**options)}"


def clean_name(given: object) -> str:
    """Return a name that is safe to show on anyone's screen."""
    text = given if isinstance(given, str) else ""
    printable = "".join(mark if mark.isprintable() else " " for mark in text)
    name = " ".join(printable.split())[:MOST_NAME].strip()
    if not name:
        raise SettingError("a high score needs a name; give one of up to 24 characters")
    return name


def place_of(score: int, ranking: Ranking, *, times: bool = False) -> int | None:
    """Return the place that a score would take, from 1; None if it would not be shown. Only `times` may be negative.
    >>> place_of(-2900, [("ann", -2899)], times=True), place_of(0, [])
    (2, None)
    """
    place = 1 + sum(other >= score for _, other in ranking)
    return place if (times or score > 0) and place <= MOST_SHOWN else None


def load(key: str) -> Ranking:
    """Return the ranking of this key."""
    with Store() as store:
        return store.high_scores.best(key, MOST_SHOWN)


def add(key: str, name: str, score: int) -> Ranking:
    """Keep a score and return the new ranking."""
    with Store() as store:
        store.high_scores.add(key, name, score)
        return store.high_scores.best(key, MOST_SHOWN)
