"""Q-tables: the values of placements (data2021, 5.4.3, on the contours of its 3.5.1).

A table sees four neighbouring columns from above: the three steps from each to the next, cut at -3 and 3. For each such
contour and each of the nineteen shapes, at every offset within the four columns, it holds a number. A placement is
worth the largest of its numbers. The core plays by it (native/include/blockfall/value/table.hpp).

>>> table = Table.from_values({(("##", "##"), 1): {(0, 0, 0): 2.5}})
>>> table.at((0, 0, 0), ("##", "##"), 1)
2.5
>>> len(table.as_json()["actions"])
1
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, model_validator

from blockfall import _core
from blockfall.agents.values.base import Number, Play, Value, checked, shortest
from blockfall.agents.values.explaining import Entry, Explainer
from blockfall.validation import Model

WINDOW = _core.TABLE_WINDOW
ENTRIES = _core.TABLE_ENTRIES
"""The numbers of a table. Those of offsets at which a shape does not fit are 0 and never used."""

Contour = tuple[int, int, int]
Drawing = tuple[str, ...]
"""A shape's rows, the top one first."""

_STEPS = range(-_core.TABLE_STEEPEST, _core.TABLE_STEEPEST + 1)
CONTOURS: tuple[Contour, ...] = tuple((a, b, c) for a, b, c in product(_STEPS, repeat=WINDOW - 1))


def _drawing(shape: int) -> Drawing:
    """Draw a shape of the core, which has four bits per column."""
    columns = [shape >> 4 * i & 15 for i in range(WINDOW) if shape >> 4 * i & 15]
    return tuple(
        "".join("#" if column >> row & 1 else "." for column in columns)
        for row in range(max(columns).bit_length() - 1, -1, -1)
    )


SHAPES: tuple[Drawing, ...] = tuple(_drawing(shape) for shape in _core.fixed_shapes())


def _offsets(shape: Drawing) -> range:
    return range(WINDOW - len(shape[0]) + 1)


class ActionKeys(Model):
    """A shape at an offset, and its number for each contour."""

    shape: list[str] = Field(description="a list of its rows, the top one first, of # and .")
    offset: int = Field(ge=0, lt=WINDOW, description=f"a whole number from 0 to {WINDOW - 1}")
    values: list[Number] = Field(
        min_length=len(CONTOURS), max_length=len(CONTOURS), description=f"a list of {len(CONTOURS)} numbers"
    )

    @model_validator(mode="after")
    def _fits(self) -> "ActionKeys":
        shape = tuple(self.shape)
        if shape not in SHAPES:
            raise ValueError(f"shape is {self.shape}; it must be one of the seven pieces, turned or not")
        if self.offset not in _offsets(shape):
            raise ValueError(f"offset is {self.offset}; a shape {len(shape[0])} wide has 0 to {_offsets(shape)[-1]}")
        return self


class TableKeys(Model):
    """The key `table` of an agent's file. Actions that it leaves out are worth 0."""

    actions: list[ActionKeys] = Field(description="a list of shape, offset and values")

    @model_validator(mode="after")
    def _once_each(self) -> "TableKeys":
        if len({(tuple(action.shape), action.offset) for action in self.actions}) < len(self.actions):
            raise ValueError("an action occurs twice")
        return self


@dataclass(frozen=True)
class Table(Value):
    """A Q-table. An agent plays the placement whose number is the largest.

    >>> import blockfall
    >>> table = blockfall.Table.from_values({(("##", "##"), 1): {(0, 0, 0): 2.5}})  # O in the middle of a flat floor
    >>> table.at((0, 0, 0), ("##", "##"), 1)
    2.5
    >>> blockfall.Agent("mine", table).pieces_known
    1
    """

    key: ClassVar[str] = "table"
    title: ClassVar[str] = "a table"
    file_type: ClassVar[Any] = Annotated[TableKeys | None, Field(description="an object of actions")]
    options: ClassVar[frozenset[str]] = frozenset()
    gpu_policy: ClassVar[str | None] = "Table"

    parameters: tuple[float, ...] = field()
    """The numbers by contour, shape and offset, in the core's order."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", checked(self.parameters, ENTRIES, "a table"))

    @property
    def pieces_known(self) -> int | None:
        """1: a table values the placement of a single piece."""
        return 1

    @classmethod
    def zeros(cls) -> "Table":
        """Return the table whose numbers are all 0."""
        return cls((0.0,) * ENTRIES)

    @classmethod
    def small(cls) -> "Table":
        """Return the table whose numbers are all 0: every table has the same size."""
        return cls.zeros()

    def with_parameters(self, parameters: Sequence[float]) -> "Table":
        """Return a table of other numbers."""
        return Table(tuple(parameters))

    @classmethod
    def from_file(cls, found: TableKeys, _folder: Path) -> "Table":
        """Return the value of the key `table`. Actions that it leaves out are worth 0."""
        return cls._of(found)

    @classmethod
    def _of(cls, found: TableKeys) -> "Table":
        numbers = np.zeros((len(CONTOURS), len(SHAPES), WINDOW), dtype=np.float32)
        for action in found.actions:
            numbers[:, SHAPES.index(tuple(action.shape)), action.offset] = action.values
        return cls(tuple(numbers.ravel().tolist()))

    @classmethod
    def from_values(cls, values: Mapping[tuple[Drawing, int], Mapping[Contour, float]]) -> "Table":
        """Return the table of these numbers, by shape and offset, then by contour. Numbers left out are 0."""
        actions = [
            ActionKeys(shape=list(shape), offset=offset, values=[known.get(contour, 0.0) for contour in CONTOURS])
            for (shape, offset), known in values.items()
        ]
        return cls._of(TableKeys(actions=actions))

    def at(self, contour: Contour, shape: Drawing, offset: int) -> float:
        """Return the number of a shape at an offset within four columns of this contour."""
        place = (CONTOURS.index(contour) * len(SHAPES) + SHAPES.index(shape)) * WINDOW + offset
        return self.parameters[place]

    def as_json(self, _stem: str = "agent") -> dict[str, Any]:
        """Return the actions, except those that are 0 for all contours."""
        numbers = np.array(self.parameters, dtype=np.float32).reshape(len(CONTOURS), len(SHAPES), WINDOW)
        actions = []
        for number, shape in enumerate(SHAPES):
            for offset in _offsets(shape):
                values = numbers[:, number, offset]
                if values.any():
                    actions.append({"shape": list(shape), "offset": offset, "values": list(map(shortest, values))})
        return {"actions": actions}

    @property
    def explainer(self) -> Explainer:
        """The entry that a placement plays by."""
        return Explainer("what its table sees", entry=self.entry)

    def entry(self, heights: Sequence[int], cells: Collection[tuple[int, int]]) -> Entry:
        """Return the entry that values these cells on columns of these heights.

        It is the one with the largest number; among equals, the leftmost.
        """
        lowest, highest = min(x for x, _ in cells), max(x for x, _ in cells)
        shape = _shape_of(cells)
        found = []
        for first in range(max(highest - WINDOW + 1, 0), min(lowest, len(heights) - WINDOW) + 1):
            tops = heights[first : first + WINDOW]
            a, b, c = (max(_STEPS[0], min(_STEPS[-1], after - before)) for before, after in pairwise(tops))
            found.append(Entry(first, (a, b, c), lowest - first))
        return max(found, key=lambda entry: self.at(entry.contour, shape, entry.offset))

    def _for_core(self, _play: Play) -> _core.Agent:
        return _core.Agent.of_table(self.parameters)


def _shape_of(cells: Collection[tuple[int, int]]) -> Drawing:
    columns, rows = [x for x, _ in cells], [y for _, y in cells]
    return tuple(
        "".join("#" if (x, y) in cells else "." for x in range(min(columns), max(columns) + 1))
        for y in range(max(rows), min(rows) - 1, -1)
    )
