"""Small drawings as SVG: pieces, and boards on cards and lists."""

from blockfall.games.painting import drawing
from blockfall.games.pieces import COLOURS
from blockfall.rulesets import Rules

_CELL = 10


_MARKS = {"#": "var(--bf-settled)", "x": "#4a6fd0", "o": "var(--bf-bad-soft)", "@": "#a25cc5"}


def feature_svg(example: str) -> str:
    """The example board of a feature: counted cells are blue or ringed red, the placed piece is purple."""
    rows = ["." * 10, *example.strip().splitlines()]
    parts = []
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            place = f'x="{x * _CELL + 0.5}" y="{y * _CELL + 0.5}" width="{_CELL - 1}" height="{_CELL - 1}"'
            parts.append(f'<rect {place} fill="{_MARKS.get(mark, "var(--bf-empty)")}" rx="1"/>')
            if mark == "o":
                centre = f'cx="{(x + 0.5) * _CELL}" cy="{(y + 0.5) * _CELL}"'
                parts.append(f'<circle {centre} r="{_CELL / 4}" fill="none" stroke="#d5504b" stroke-width="1.5"/>')
    size = f'width="{10 * _CELL * 1.5}" viewBox="0 0 {10 * _CELL} {len(rows) * _CELL}"'
    return f'<svg {size} role="img" aria-label="An example board">{"".join(parts)}</svg>'


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
