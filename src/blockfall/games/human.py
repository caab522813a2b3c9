"""The game of Tetris frame by frame, as people play it."""

from itertools import count
from pathlib import Path

from blockfall import _core
from blockfall.errors import SettingError, whole
from blockfall.games.board import Board
from blockfall.games.drawing import svg
from blockfall.games.streams import check_seed
from blockfall.games.tetris import Placement, Termination, columns_of
from blockfall.rulesets import PIECES, Rules
from blockfall.rulesets import rules as find_rules


class HumanGame:
    """The game as a person plays it: keys held frame by frame, sixty frames a second.

    The same rules, seed, settings and keys always give the same game, so the list of keys is a recording.

    >>> import blockfall
    >>> game = blockfall.HumanGame("nes", seed=7)
    >>> first = game.piece
    >>> while game.pieces == 0:
    ...     game.step(game.LEFT | game.DOWN)
    >>> game.locked.piece == first, game.locked.row
    (True, 0)
    """

    LEFT, RIGHT, DOWN, CLOCKWISE, COUNTER_CLOCKWISE, DROP, HOLD = 1, 2, 4, 8, 16, 32, 64

    core: _core.HumanGame
    """The core's form of the game. It is not part of the interface and may change."""

    def __init__(
        self,
        rules: Rules | str | Path,
        seed: int = 0,
        shift_delay_frames: int = 10,
        shift_repeat_frames: int = 2,
        board: Board | None = None,
    ) -> None:
        """Start a game of a seed. A sideways key repeats after a delay of frames, then every `shift_repeat_frames`."""
        for name, frames in (("shift_delay_frames", shift_delay_frames), ("shift_repeat_frames", shift_repeat_frames)):
            if not 0 <= whole(frames, name) < 2**31:
                raise SettingError(f"{name} is {frames}; it must be 0 or more frames")
        self.rules = find_rules(rules)
        columns = columns_of(self.rules, board)
        self.core = _core.HumanGame(self.rules.core, check_seed(seed), shift_delay_frames, shift_repeat_frames, columns)

    def step(self, keys: int = 0, frames: int = 1) -> None:
        """Play a number of frames with these keys held."""
        for _ in range(frames):
            self.core.step(keys)

    @property
    def board(self) -> Board:
        """The board without the falling piece."""
        return Board(self.core.columns, self.rules.rows)

    @property
    def piece(self) -> str:
        """The falling piece; empty after the last piece of a script."""
        return self.known[:1]

    @property
    def known(self) -> str:
        """The falling piece and those shown after it."""
        return "".join(PIECES[piece] for piece in self.core.known)

    @property
    def held(self) -> str | None:
        """The piece in the hold queue."""
        return None if self.core.held is None else PIECES[self.core.held]

    @property
    def falling_cells(self) -> list[tuple[int, int]]:
        """The cells of the falling piece, (column, row); none after the last piece of a script."""
        if not self.core.known:
            return []
        _, shape, x, y = self.core.falling
        return self.rules.core.cells(self.core.known[0], shape, x, y)

    @property
    def ghost_cells(self) -> list[tuple[int, int]]:
        """The cells where the falling piece would land if it fell straight down."""
        cells, words = self.falling_cells, self.core.columns.tolist()
        if not cells:
            return []
        below = next(drop for drop in count() if any(y == drop or words[x] >> (y - drop - 1) & 1 for x, y in cells))
        return [(x, y - below) for x, y in cells]

    @property
    def locked(self) -> Placement | None:
        """The placement of the last piece that locked, before rows were cleared."""
        if self.core.locked is None:
            return None
        piece, shape, x, y = self.core.locked
        return Placement(PIECES[piece], shape, x, y, tuple(self.rules.core.cells(piece, shape, x, y)))

    @property
    def pieces(self) -> int:
        """The number of pieces that have locked."""
        return self.core.pieces

    @property
    def lines(self) -> int:
        """The number of lines cleared."""
        return self.core.lines

    @property
    def score(self) -> int:
        """The points so far."""
        return self.core.score

    @property
    def termination(self) -> Termination:
        """The way in which the game ended."""
        return Termination(self.core.termination)

    @property
    def over(self) -> bool:
        """True if the game has ended."""
        return self.termination != Termination.RUNNING

    def _repr_svg_(self) -> str:
        cells = () if self.over else self.falling_cells
        return svg(self.board.text(cells, self.piece or "@").splitlines()[-self.rules.visible_rows :])

    def __str__(self) -> str:
        return self.board.text(() if self.over else self.falling_cells)
