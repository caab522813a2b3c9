"""The protocol's positions: the board, the queue, the held piece, and what the attack depends on.

>>> start = BotPosition.empty("TIOLJSZ")
>>> after = start.after(Move.of("I", [(0, 0), (1, 0), (2, 0), (3, 0)]))
>>> after.hold, after.queue, after.board[0]
('T', 'OLJSZ', 15)
"""

from dataclasses import dataclass, replace

from blockfall.errors import SettingError
from blockfall.tbp.moves import Move

COLUMNS, ROWS = 10, 40
_FULL = (1 << COLUMNS) - 1
_TETRIS = 4


@dataclass(frozen=True)
class BotPosition:
    """The state of a game before a piece is placed, as the protocol describes it."""

    board: tuple[int, ...]
    """A number per row, the floor first; bit 0 is the left column."""
    queue: str
    """The known pieces; the first is the one to place."""
    hold: str | None = None
    combo: int = 0
    """The number of consecutive clears so far."""
    back_to_back: bool = False
    """True if the last clear was four lines or a spin."""
    bag: str | None = None
    """With bags of seven, the pieces left in the bag after the queue."""

    @classmethod
    def empty(cls, queue: str) -> "BotPosition":
        """Return the start of a game."""
        return cls((0,) * ROWS, queue)

    def after(self, move: Move) -> "BotPosition":
        """Return the position after a move. Refuse a piece that cannot be placed now, and cells that are not free."""
        hold, queue = self._taken(move.piece)
        rows = list(self.board)
        for x, y in move.cells:
            if not (0 <= x < COLUMNS and 0 <= y < ROWS) or rows[y] >> x & 1:
                raise SettingError(f"the move fills ({x}, {y}), which is not free or outside the board")
            rows[y] |= 1 << x
        left = [row for row in rows if row != _FULL]
        lines = ROWS - len(left)
        return replace(
            self,
            board=(*left, *(0,) * lines),
            queue=queue,
            hold=hold,
            combo=self.combo + 1 if lines else 0,
            back_to_back=(lines == _TETRIS or move.spin != "none") if lines else self.back_to_back,
        )

    @property
    def reserve(self) -> str | None:
        """The piece that holding would bring into play: the held one, or else the next one."""
        return self.hold or self.queue[1:2] or None

    def _taken(self, piece: str) -> tuple[str | None, str]:
        """Return the held piece and the queue after this piece is taken, holding if that is the only way."""
        first = self.queue[:1]
        if piece == first:
            return self.hold, self.queue[1:]
        if first and piece == self.reserve:
            return first, self.queue[1:] if self.hold else self.queue[2:]
        raise SettingError(f"the move places {piece}, but the queue is {self.queue or 'empty'} and hold is {self.hold}")
