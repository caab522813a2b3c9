"""Pictures of boards for notebooks: rows of marks become an SVG.

>>> svg(["..", "#T"]).count("<rect")
3
"""

from collections.abc import Sequence

from blockfall.games.pieces import COLOURS

_CELL = 16
_BACKGROUND, _GRID, _PLAIN = "#14171c", "#232830", "#8c96a5"
_DIGITS = dict(zip("123456789", (*COLOURS.values(), "#b08968", "#c7c7c7"), strict=True))
_FILLS = {**COLOURS, **_DIGITS}
_EMPTY = ". _"


def svg(rows: Sequence[str]) -> str:
    """Return a picture of the rows, top row first: a square per cell, in the colour of its piece or digit."""
    width, height = max((len(row) for row in rows), default=0) * _CELL, len(rows) * _CELL
    lines = "".join(f"M{x} 0V{height}" for x in range(0, width + 1, _CELL))
    lines += "".join(f"M0 {y}H{width}" for y in range(0, height + 1, _CELL))
    cells = "".join(
        f'<rect x="{x * _CELL}" y="{y * _CELL}" width="{_CELL}" height="{_CELL}" fill="{_FILLS.get(mark, _PLAIN)}"/>'
        for y, row in enumerate(rows)
        for x, mark in enumerate(row)
        if mark not in _EMPTY
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="{_BACKGROUND}"/>{cells}'
        f'<path d="{lines}" stroke="{_GRID}" fill="none"/></svg>'
    )
