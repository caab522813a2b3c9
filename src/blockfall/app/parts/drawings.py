"""Small SVG drawings for cards and lists: pieces, boards, search trees and optimisers' candidates."""

from collections.abc import Collection, Sequence

from blockfall.app.parts.board import COLOUR_MARKS
from blockfall.app.parts.layout import DrawnNode
from blockfall.games.painting import drawing
from blockfall.games.pieces import COLOURS
from blockfall.games.protocol import Cell
from blockfall.rulesets import Rules

_CELL, _SIDE = 10, 8
_FILLS = COLOURS | COLOUR_MARKS
_WIDE, _HIGH, _EDGE = 200, 90, 6  # of a drawing without cells

_MARKS = {"#": "var(--bf-settled)", "x": "#4a6fd0", "o": "var(--bf-bad-soft)", "@": "#a25cc5"}


def feature_svg(example: str) -> str:
    """Draw a feature's example board: counted cells are blue or ringed red, the placed piece is purple."""
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
    """Draw a piece as it appears under these rules."""
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


def small_board(rows: Sequence[str], lit: Collection[Cell] = ()) -> str:
    """Draw a board. `lit` cells, the floor being row 0, have a bright edge.

    >>> small_board(["1.", "12"], [(0, 0)]).count("<rect")
    4
    """
    wide, high = _SIDE * max(map(len, rows)), _SIDE * len(rows)
    squares = "".join(
        f'<rect x="{x * _SIDE + 0.5}" y="{y * _SIDE + 0.5}" width="{_SIDE - 1}" height="{_SIDE - 1}" '
        f'fill="{_FILLS.get(mark, "var(--bf-settled)")}"/>'
        for y, row in enumerate(rows)
        for x, mark in enumerate(row)
        if mark != "."
    )
    edges = "".join(
        f'<rect x="{x * _SIDE + 1}" y="{(len(rows) - 1 - y) * _SIDE + 1}" width="{_SIDE - 2}" height="{_SIDE - 2}" '
        'fill="none" stroke="var(--bf-ink)" stroke-width="2"/>'
        for x, y in lit
    )
    return f'<svg class="bf-small" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">{squares}{edges}</svg>'


def tree_svg(nodes: Sequence[DrawnNode]) -> str:
    """Draw a search tree. Nodes expanded later are darker."""
    widest, deepest = max(node.across for node in nodes) or 1, max(node.depth for node in nodes) or 1
    places = [_place(node.across / widest if len(nodes) > 1 else 0.5, node.depth / deepest) for node in nodes]
    lines = [
        f'<line x1="{places[node.parent][0]:.1f}" y1="{places[node.parent][1]:.1f}" x2="{x:.1f}" y2="{y:.1f}"/>'
        for node, (x, y) in zip(nodes, places, strict=True)
        if node.parent is not None
    ]
    drawn = f'<g stroke="var(--bf-soft)" stroke-opacity=".5">{"".join(lines)}</g>{_dots(places)}'
    return _drawing(drawn, "The nodes of a small search: dark ones were expanded last")


def swarm_svg(places: Sequence[tuple[float, float]]) -> str:
    """Draw an optimiser's candidates, in order, on a square from 0 to 1 with the best place in the middle."""
    x, y = _place(0.5, 0.5)
    goal = f'<circle cx="{x}" cy="{y}" r="5" fill="none" stroke="#d5504b" stroke-width="1.5"/>'
    return _drawing(
        _dots([_place(*one) for one in places]) + goal, "What it tries: dark dots came last, the ring is the best place"
    )


def _place(across: float, down: float) -> tuple[float, float]:
    return _EDGE + across * (_WIDE - 2 * _EDGE), _EDGE + down * (_HIGH - 2 * _EDGE)


def _dots(places: Sequence[tuple[float, float]]) -> str:
    last = max(1, len(places) - 1)
    return "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="#4a6fd0" fill-opacity="{0.25 + 0.75 * number / last:.2f}"/>'
        for number, (x, y) in enumerate(places)
    )


def _drawing(inside: str, label: str) -> str:
    return f'<svg width="{_WIDE}" viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-label="{label}">{inside}</svg>'
