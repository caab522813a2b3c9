"""The parts of an explanation that depend on the kind of value. Each kind fills in what it can tell."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Entry:
    """An entry of a Q-table: the window of columns that it sees, and where the piece stands in it."""

    first_column: int
    contour: tuple[int, int, int]
    offset: int


@dataclass(frozen=True)
class Explainer:
    """The parts of an explanation beside the value itself. By default, only the features that go in."""

    heading: str = "the inputs of the value"
    """The heading of the list of inputs."""
    remark: str = ""
    """A sentence about the value."""
    weights: Mapping[str, float] | None = None
    """The weight of each feature, if the value is a weighted sum."""
    shares: Callable[[Mapping[str, float]], dict[str, float]] = lambda _measures: {}
    """A function that splits the value of these measures into parts that add up to it, by feature."""
    entry: Callable[[Sequence[int], Collection[tuple[int, int]]], Entry | None] = lambda _heights, _cells: None
    """A function that finds the entry for a piece in these cells on columns of these heights."""
    effects: Callable[[npt.NDArray[np.uint32], str | None], npt.NDArray[Any] | None] = lambda _board, _piece: None
    """A function that measures how much each cell of a board matters with a piece in hand."""
