"""Where a piece comes to rest, how a game ended, and what it came to."""

from dataclasses import dataclass
from enum import IntEnum

from blockfall.tbp.moves import Spin


class Termination(IntEnum):
    """How a game ended.

    >>> import blockfall
    >>> played = blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=20, seed=1)
    >>> {blockfall.Termination(end).name for end in played.termination}
    {'BLOCK_OUT'}
    """

    RUNNING = 0
    """It has not ended."""
    OVERFLOW = 1
    """The stack passed the height limit."""
    BLOCK_OUT = 2
    """The next piece had no room to appear."""
    LOCK_OUT = 3
    """A piece locked wholly above the visible rows."""
    PIECE_LIMIT = 4
    """It reached the caller's limit of pieces. Its counts are lower bounds."""
    SEQUENCE_END = 5
    """A scripted sequence of pieces ran out."""
    INTERRUPTED = 6
    """The caller stopped it."""
    FORFEITED = 7
    """A bot in another program gave no possible move in time, or died."""
    ESTIMATED = 8
    """It was not played to its end: how long it would be was estimated."""


@dataclass(frozen=True)
class Placement:
    """Where a piece comes to rest: one of its shapes, the column of its left edge, the row of its lowest cell.

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
    """(column, row), floor row 0."""
    spin: Spin = "none"
    """How it is reached, where the rules count attacks: `mini` or `full` for a T whose last move is a turn."""


@dataclass(frozen=True)
class Outcome:
    """What a game came to.

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
    """How often 1, 2, 3 and 4 lines went at once."""
    attack: int = 0
    """The lines sent to an opponent, where the rules count them."""
