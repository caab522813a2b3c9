"""Small boards as SVG: the way to a node, a board for each move, with the cells that the next move takes."""

from collections.abc import Collection, Sequence
from html import escape
from typing import Any

from blockfall.app.parts.board import COLOUR_MARKS
from blockfall.games import Position
from blockfall.games.pieces import COLOURS
from blockfall.games.protocol import Cell, action_in_words

_CELL = 8
_MOST_BOARDS = 12
_FILLS = COLOURS | COLOUR_MARKS


def small_board(rows: Sequence[str], lit: Collection[Cell] = ()) -> str:
    """A board as a picture; `lit` are cells, the floor being row 0, that have a bright edge.

    >>> small_board(["1.", "12"], [(0, 0)]).count("<rect")
    4
    """
    wide, high = _CELL * max(map(len, rows)), _CELL * len(rows)
    squares = "".join(
        f'<rect x="{x * _CELL + 0.5}" y="{y * _CELL + 0.5}" width="{_CELL - 1}" height="{_CELL - 1}" '
        f'fill="{_FILLS.get(mark, "var(--bf-settled)")}"/>'
        for y, row in enumerate(rows)
        for x, mark in enumerate(row)
        if mark != "."
    )
    edges = "".join(
        f'<rect x="{x * _CELL + 1}" y="{(len(rows) - 1 - y) * _CELL + 1}" width="{_CELL - 2}" height="{_CELL - 2}" '
        'fill="none" stroke="var(--bf-ink)" stroke-width="2"/>'
        for x, y in lit
    )
    return f'<svg class="bf-small" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">{squares}{edges}</svg>'


def way(start: Position, moves: Sequence[Any]) -> str:
    """The way from a position as small boards. Of a long way, the last boards."""
    boards, position = [], start
    for number, move in enumerate(moves, 1):
        preview = position.preview(move)
        words = escape(f"Move {number}: {preview.title or action_in_words(move)}")
        boards.append(
            f'<figure title="{words}" role="img" aria-label="{words}">{small_board(preview.rows, preview.cells)}'
            f"<figcaption>{number}</figcaption></figure>"
        )
        position = position.apply(move)
    hidden = len(boards) - _MOST_BOARDS
    more = f'<span class="bf-soft">{hidden} before</span>' if hidden > 0 else ""
    here = f'<figure role="img" aria-label="Here">{small_board(position.rows())}<figcaption>here</figcaption></figure>'
    return f'<div class="bf-way">{more}{"".join(boards[-_MOST_BOARDS:])}{here}</div>'
