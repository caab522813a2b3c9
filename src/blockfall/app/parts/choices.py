"""Visitors' choices, checked when made and again when read back."""

import secrets
from collections.abc import Callable, Iterable
from typing import TypeVar

from nicegui import app, ui

from blockfall.errors import SettingError

T = TypeVar("T")
MOST_SEED = 2**53 - 1
"""The largest whole number that a browser holds exactly."""
_LARGEST_SEED = 2**64 - 1
_RANDOM_SEEDS = 10**6  # short enough to share by word of mouth


def whole(value: object, name: str, least: int, most: int) -> int:
    """Return a whole number from a field."""
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and value == value // 1
        and least <= value <= most
    ):
        return int(value)
    raise SettingError(f"{name}: it must be a whole number from {least} to {most}")


def whole_problem(least: int, most: int, *, optional: bool = False) -> Callable[[object], str | None]:
    """Return a check of a whole number: what is wrong, to show below its field, or None.

    >>> whole_problem(0, 60)(61), whole_problem(0, 60)(60), whole_problem(1, 60, optional=True)(None)
    ('A whole number from 0 to 60, please.', None, None)
    """

    def problem(value: object) -> str | None:
        if optional and value is None:
            return None
        try:
            whole(value, "the number", least, most)
        except SettingError:
            return f"A whole number from {least:,} to {most:,}, please."
        return None

    return problem


def seed_problem(value: object) -> str | None:
    """Return what is wrong with a seed, to show below its field, or None."""
    try:
        whole(value, "the seed", 0, MOST_SEED)
    except SettingError:
        return "A whole number, 0 or more, please."
    return None


def seed(text: object) -> int:
    """Return the seed in a field; a random one if it is empty."""
    said = "" if text is None else str(text).strip()
    if not said:
        return secrets.randbelow(_RANDOM_SEEDS)
    if said.isascii() and said.isdigit() and len(said) <= 20 and int(said) <= _LARGEST_SEED:
        return int(said)
    raise SettingError("the seed must be a whole number from 0 to 2^64 - 1, or empty for a random one")


def seed_text_problem(text: object) -> str | None:
    """Return what is wrong with a seed that may be left empty, to show below its field, or None."""
    try:
        seed(text)
    except SettingError:
        return "A whole number, please, or nothing for a random seed."
    return None


class Kept:
    """A visitor's choices on one page, kept between visits."""

    def __init__(self, page: str) -> None:
        self._page = page

    def __setitem__(self, name: str, value: object) -> None:
        app.storage.user[f"{self._page}.{name}"] = value

    def get(self, name: str) -> object:
        """Return the kept value, unchecked; None if there is none."""
        return app.storage.user.get(f"{self._page}.{name}")

    def whole(self, name: str, usual: int, least: int, most: int) -> int:
        """Return the kept whole number, or the usual one if it is not allowed."""
        try:
            return whole(self.get(name), name, least, most)
        except SettingError:
            return usual

    def one_of(self, name: str, usual: T, among: Iterable[T]) -> T:
        """Return the kept choice, or the usual one if it is not among these."""
        kept = self.get(name)
        return next((choice for choice in among if choice == kept), usual)

    def flag(self, name: str, usual: bool) -> bool:
        """Return whether a switch is on."""
        kept = self.get(name)
        return kept if isinstance(kept, bool) else usual


def kept_switch(kept: Kept, title: str, name: str, usual: bool, on_change: Callable[[], object]) -> ui.switch:
    """Add a switch that remembers its position."""
    switch = ui.switch(title, value=kept.flag(name, usual))

    def change() -> None:
        kept[name] = bool(switch.value)
        on_change()

    switch.on_value_change(change)
    return switch
