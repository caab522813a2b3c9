"""Placements, and the results of games."""

from dataclasses import dataclass
from enum import IntEnum

from blockfall.tbp.moves import Spin


class Termination(IntEnum):
    """The way in which a game ended.

    >>> import blockfall
    >>> played = blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=20, seed=1)
    >>> {blockfall.Termination(end).name for end in played.termination}
    {'BLOCK_OUT'}
    """

    RUNNING = 0
    """The game has not ended."""
    OVERFLOW = 1
    """The stack passed the height limit."""
    BLOCK_OUT = 2
    """The next piece had no room to appear."""
    LOCK_OUT = 3
    """A piece locked wholly above the visible rows."""
    PIECE_LIMIT = 4
    """The game reached the caller's piece limit. Its counts are lower bounds."""
    SEQUENCE_END = 5
    """A scripted sequence of pieces ran out."""
    INTERRUPTED = 6
    """The caller stopped the game."""
    FORFEITED = 7
    """A bot in another program gave no possible move in time, or died."""
    ESTIMATED = 8
    """The length of the game was estimated instead of playing it to its end."""


@dataclass(frozen=True)
class Placement:
    """A place where a piece comes to rest: a shape, the column of its left edge, and the row of its lowest cell.

    >>> import blockfall
    >>> game = blockfall.Game.at("nes-no-rotation", blockfall.Board.empty(10, 20), "O")
    >>> game.placements()[0]
    Placement(piece='O', shape=0, column=0, row=0, cells=((0, 1), (1, 1), (0, 0), (1, 0)), spin='none')
    """

    piece: str
    shape: int
    column: int
    row: int
    cells: tuple[tuple[int, int], ...]
    """The cells, (column, row); the floor is row 0."""
    spin: Spin = "none"
    """The spin that reaches it, if the rules count attacks: `mini` or `full` for a T whose last move is a turn."""


@dataclass(frozen=True)
class Outcome:
    """The result of a game.

    >>> import blockfall
    >>> game = blockfall.Game("nes-no-rotation", seed=7)
    >>> game.play(game.choose("birken-6"))
    >>> game.outcome.pieces, game.outcome.termination.name
    (1, 'RUNNING')
    """

    termination: Termination
    lines: int
    pieces: int
    score: int
    clears: tuple[int, int, int, int]
    """How often 1, 2, 3 and 4 lines were cleared at once."""
    attack: int = 0
    """The lines sent to an opponent, if the rules count them."""
