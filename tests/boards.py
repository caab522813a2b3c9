"""Boards as pictures and as the core's words."""

import numpy as np
import numpy.typing as npt

from tests.reference.rules import Cells


def cells_from(picture: str) -> Cells:
    """Return the filled cells of a picture: `#` is filled, anything else empty; the last row is the floor."""
    rows = [line.strip() for line in picture.strip().splitlines()]
    return frozenset((x, len(rows) - 1 - y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "#")


def words_from(cells: Cells, columns: int) -> npt.NDArray[np.uint32]:
    words = [0] * columns
    for x, y in cells:
        words[x] |= 1 << y
    return np.array(words, dtype=np.uint32)


def cells_of_words(words: npt.NDArray[np.uint32]) -> Cells:
    return frozenset((x, y) for x, word in enumerate(words.tolist()) for y in range(32) if word >> y & 1)
