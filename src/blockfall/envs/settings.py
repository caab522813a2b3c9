"""What the environments share: checked settings, spaces, rewards and numbers of actions."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from blockfall.errors import SettingError, shortened

RENDER_MODES = ["human", "ansi", "rgb_array"]
LARGEST = float(np.finfo(np.float32).max)
NO_ACTION = -1


def one_of(value: Any, allowed: Sequence[str], name: str) -> str:
    """The value, where it is one of those allowed."""
    if value not in allowed:
        raise SettingError(f"{name} is {shortened(value)}; it must be one of {', '.join(allowed)}")
    return str(value)


def penalty_of(value: Any, name: str) -> float:
    """A penalty: a finite number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LARGEST:
        raise SettingError(f"{name} is {shortened(value)}; it must be a number, 0 or more")
    return float(value)


def render_mode_of(value: Any) -> str | None:
    """A render mode, or None."""
    return None if value is None else one_of(value, RENDER_MODES, "render_mode")


def action_number(action: Any) -> int:
    """The action as a whole number; one that is no whole number becomes -1, which is no action."""
    try:
        return int(operator.index(action))
    except TypeError:
        return NO_ACTION


def planes_space(planes: int, rows: int, columns: int) -> spaces.Box:
    """The space of planes of 0 and 1."""
    return spaces.Box(0, 1, (planes, rows, columns), np.uint8)


def numbers_space(count: int) -> spaces.Box:
    """The space of so many numbers."""
    return spaces.Box(-LARGEST, LARGEST, (count,), np.float32)


def observation_space(kind: str, planes: spaces.Box, numbers: spaces.Box) -> spaces.Space[Any]:
    """The space of the observations of this kind."""
    if kind == "both":
        return spaces.Dict({"board": planes, "features": numbers})
    return planes if kind == "board" else numbers


def one_hot(places: Sequence[int | None], kinds: int) -> npt.NDArray[np.float32]:
    """A number 1 at each place: `kinds` numbers per place, all 0 where there is none."""
    numbers = np.zeros((len(places), kinds), np.float32)
    for row, place in enumerate(places):
        if place is not None:
            numbers[row, place] = 1
    return numbers.ravel()
