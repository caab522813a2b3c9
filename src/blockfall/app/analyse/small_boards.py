"""The path to a node of a search as small boards: one per move, with the cells that the next move takes."""

from collections.abc import Sequence
from html import escape
from typing import Any

from blockfall.app.parts.drawings import small_board
from blockfall.games import Position
from blockfall.games.protocol import action_in_words

_MOST_BOARDS = 12


def way(start: Position, moves: Sequence[Any]) -> str:
    """Draw the path from a position as small boards, or only its end if it is long."""
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
