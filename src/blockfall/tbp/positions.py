"""Positions of the protocol: the board, the queue, the held piece, and what counts for the attack.

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
    """A game as the protocol tells it, before a piece is placed."""

    board: tuple[int, ...]
    """A number per row, the floor first; bit 0 is the left column."""
    queue: str
    """The pieces known; the first is the one to place."""
    hold: str | None = None
    combo: int = 0
    """The clears in a row so far."""
    back_to_back: bool = False
    """Whether the last clear was of four lines, or a spin."""
    bag: str | None = None
    """The pieces that are left in the bag after the queue, where pieces come in bags of seven."""

    @classmethod
    def empty(cls, queue: str) -> "BotPosition":
        """The beginning of a game."""
        return cls((0,) * ROWS, queue)

    def after(self, move: Move) -> "BotPosition":
        """The position after a move. Refuses a piece that cannot be placed now, and cells that are taken."""
        hold, queue = self._taken(move.piece)
        rows = list(self.board)
        for x, y in move.cells:
            if not (0 <= x < COLUMNS and 0 <= y < ROWS) or rows[y] >> x & 1:
                raise SettingError(f"the move fills ({x}, {y}), which is taken or outside of the board")
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

    def rests(self, move: Move) -> bool:
        """Whether the cells of a move are free and something is right below them."""
        inside = all(0 <= x < COLUMNS and 0 <= y < ROWS and not self.board[y] >> x & 1 for x, y in move.cells)
        return inside and any(y == 0 or self.board[y - 1] >> x & 1 for x, y in move.cells)

    @property
    def reserve(self) -> str | None:
        """The piece that the hold queue would bring: the held one, or else the next one."""
        return self.hold or self.queue[1:2] or None

    def _taken(self, piece: str) -> tuple[str | None, str]:
        """What is held and what is in the queue once this piece has been taken. Hold is used where it must be."""
        first = self.queue[:1]
        if piece == first:
            return self.hold, self.queue[1:]
        if first and piece == self.reserve:
            return first, self.queue[1:] if self.hold else self.queue[2:]
        raise SettingError(f"a move of {piece}, where the queue is {self.queue or 'empty'} and hold is {self.hold}")
