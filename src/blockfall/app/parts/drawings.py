"""Small drawings as SVG: pieces, and boards on cards and lists."""

from blockfall.games.painting import drawing
from blockfall.games.pieces import COLOURS
from blockfall.rulesets import Rules

_CELL = 10


def piece_svg(rules: Rules, letter: str) -> str:
    """A picture of a piece as it appears under these rules."""
    rows = drawing(rules, letter)
    squares = "".join(
        f'<rect x="{x * _CELL + 0.5}" y="{y * _CELL + 0.5}" width="{_CELL - 1}" height="{_CELL - 1}" rx="1"/>'
        for y, row in enumerate(rows)
        for x, mark in enumerate(row)
        if mark == "#"
    )
    left = min(row.index("#") for row in rows)
    wide = max(row.rindex("#") for row in rows) + 1 - left
    box = f"{left * _CELL} 0 {wide * _CELL} {len(rows) * _CELL}"
    size = f'width="{wide * _CELL}" height="{len(rows) * _CELL}"'
    return f'<svg {size} viewBox="{box}" fill="{COLOURS[letter]}" role="img" aria-label="{letter}">{squares}</svg>'
