"""Boards as text for terminals and as pictures: rows of marks, the floor row first."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from blockfall.games.pieces import COLOURS

EMPTY, FILLED = ".", "#"
_CELL = 16  # pixels
_BACKGROUND, _GRID, _PLAIN = "#14171c", "#232830", "#8c96a5"
_DIGITS = dict(zip("123456789", ("#d5504b", "#5aa846", "#4a6fd0", "#e3b62b", "#a25cc5", "#35b8d6"), strict=False))
_CLEAR = "\x1b[H\x1b[2J"

Rows = Sequence[Sequence[str]]


def text_of(rows: Rows, below: str = "") -> str:
    """Draw the board as text, top row first, with a line of text below it."""
    drawn = "\n".join("".join(row) for row in reversed(rows))
    return f"{drawn}\n{below}\n"


def show(rows: Rows, below: str = "") -> None:
    """Print the board to the terminal, over the previous one."""
    print(_CLEAR + text_of(rows, below), end="", flush=True)


def picture_of(rows: Rows) -> npt.NDArray[np.uint8]:
    """Draw the board as an image of (height, width, 3) bytes, 16 pixels per cell."""
    colours = {mark: _rgb(colour) for mark, colour in {**COLOURS, **_DIGITS, FILLED: _PLAIN}.items()}
    empty = _rgb(_BACKGROUND)
    cells = np.array([[colours.get(mark, empty) for mark in row] for row in reversed(rows)], np.uint8)
    image = cells.repeat(_CELL, axis=0).repeat(_CELL, axis=1)
    image[::_CELL] = image[:, ::_CELL] = _rgb(_GRID)
    return image


def rows_of(cells: npt.NDArray[np.bool_]) -> list[list[str]]:
    """Return a board's cells as rows of marks."""
    return [[FILLED if filled else EMPTY for filled in row] for row in cells.tolist()]


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
