"""Shared parts of the environments: checks of settings, spaces, rewards and action numbers."""

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
    """Return the value, which must be one of those allowed."""
    if value not in allowed:
        raise SettingError(f"{name} is {shortened(value)}; it must be one of {', '.join(allowed)}")
    return str(value)


def penalty_of(value: Any, name: str) -> float:
    """Return a penalty, which must be a finite number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LARGEST:
        raise SettingError(f"{name} is {shortened(value)}; it must be a number, 0 or more")
    return float(value)


def render_mode_of(value: Any) -> str | None:
    """Return a render mode, or None."""
    return None if value is None else one_of(value, RENDER_MODES, "render_mode")


def action_number(action: Any) -> int:
    """Return the action as a whole number, or -1, an impossible action, for anything else."""
    try:
        return int(operator.index(action))
    except TypeError:
        return NO_ACTION


def planes_space(planes: int, rows: int, columns: int) -> spaces.Box:
    """Return the space of planes of 0 and 1."""
    return spaces.Box(0, 1, (planes, rows, columns), np.uint8)


def numbers_space(count: int) -> spaces.Box:
    """Return the space of this many numbers."""
    return spaces.Box(-LARGEST, LARGEST, (count,), np.float32)


def observation_space(kind: str, planes: spaces.Box, numbers: spaces.Box) -> spaces.Space[Any]:
    """Return the space of this kind of observation."""
    if kind == "both":
        return spaces.Dict({"board": planes, "features": numbers})
    return planes if kind == "board" else numbers


def one_hot(places: Sequence[int | None], kinds: int) -> npt.NDArray[np.float32]:
    """Return the one-hot codes of the places: `kinds` numbers each, all 0 for None."""
    numbers = np.zeros((len(places), kinds), np.float32)
    for row, place in enumerate(places):
        if place is not None:
            numbers[row, place] = 1
    return numbers.ravel()
