"""Tetris, placement by placement for agents and frame by frame for people."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents import Agent
from blockfall.errors import SettingError
from blockfall.games.board import Board
from blockfall.rulesets import PIECES, Rules, rules
from blockfall.rulesets.compile import KEY_NAMES
from blockfall.simd import simd

Termination = _core.Termination

MOST_KNOWN = 8


@dataclass(frozen=True)
class Placement:
    """Where a piece comes to rest: one of its shapes, the column of its left edge, the row of its lowest cell."""

    piece: str
    shape: int
    column: int
    row: int
    cells: tuple[tuple[int, int], ...]
    """(column, row), floor row 0."""


@dataclass(frozen=True)
class Outcome:
    """What a game came to."""

    termination: Termination
    lines: int
    pieces: int
    score: int
    clears: tuple[int, int, int, int]
    """How often 1, 2, 3 and 4 lines went at once."""


class Game:
    """A game between two placements.

    >>> game = Game("nes-no-rotation", seed=7)
    >>> game.play(game.placements()[0])
    >>> game.outcome.pieces
    1
    """

    def __init__(
        self,
        rules_or_name: Rules | str,
        seed: int = 0,
        number: int = 0,
        pieces_known: int = 2,
        purpose: _core.Purpose = _core.Purpose.TEST,
        board: Board | None = None,
    ) -> None:
        if not 1 <= pieces_known <= MOST_KNOWN:
            raise SettingError(f"{pieces_known} pieces known; a game shows 1 to {MOST_KNOWN}")
        self.rules = rules(rules_or_name)
        self._pieces_known = pieces_known
        columns = _columns(self.rules, board)
        self.core = _core.Game(self.rules.core, check_seed(seed), number, pieces_known, purpose, columns)

    @classmethod
    def at(cls, rules_or_name: Rules | str, board: Board, known: str) -> "Game":
        """A game that stands at this board with these pieces known."""
        game = cls(rules_or_name, pieces_known=len(known), board=board)
        game.core.set_known([PIECES.index(letter) for letter in known])
        return game

    @classmethod
    def to_watch(cls, rules_or_name: Rules | str, agent: Agent, seed: int) -> "Game":
        """A game for an agent that shows people the next piece, where the agent may see it."""
        shown = agent.pieces_known if agent.look_ahead else max(2, agent.pieces_known)
        return cls(rules_or_name, seed, pieces_known=shown)

    def copy(self, core: _core.Game | None = None) -> "Game":
        """The same game, pieces to come included, to be played on by itself; or as it was when `core` was copied."""
        other = Game.__new__(Game)
        other.rules, other._pieces_known, other.core = self.rules, self._pieces_known, copy(core or self.core)
        return other

    @property
    def board(self) -> Board:
        return Board(self.core.columns, self.rules.rows)

    @property
    def known(self) -> str:
        """The piece to place and those shown after it."""
        return "".join(PIECES[piece] for piece in self.core.known)

    @property
    def over(self) -> bool:
        return self.core.termination != Termination.RUNNING

    @property
    def outcome(self) -> Outcome:
        core = self.core
        one, two, three, four = core.clears
        return Outcome(core.termination, core.lines, core.pieces, core.score, (one, two, three, four))

    @property
    def level(self) -> int:
        return self.core.level

    def placements(self) -> list[Placement]:
        """Every placement of the piece, in the order that breaks ties."""
        if self.over:
            return []
        return [self._placement(*row) for row in self.core.placements().tolist()]

    def choose(self, agent: Agent, among: Sequence[Placement] | None = None) -> Placement:
        """The agent's placement, of all or of some."""
        self._refuse_if_over()
        if agent.look_ahead and self._pieces_known > agent.pieces_known:
            raise SettingError(
                f"{agent.name} averages over the piece after the {agent.pieces_known} that it knows, but this game "
                f"shows {self._pieces_known}; start it with pieces_known={agent.pieces_known}"
            )
        if among is not None and not among:
            raise SettingError("no placements to choose among; give at least one")
        spots = None if among is None else np.array([(p.shape, p.column, p.row) for p in among], np.int32, ndmin=2)
        chosen = agent.core.choose(self.core, simd(), spots)
        agent.raise_if_failed()
        return self._placement(*chosen)

    def play(self, placement: Placement) -> None:
        self._refuse_if_over()
        if placement.piece != self.known[0]:
            raise SettingError(f"a placement of {placement.piece} where {self.known[0]} is to be placed")
        self.core.play(placement.shape, placement.column, placement.row)

    def keys(self, placement: Placement) -> list[str]:
        """The fewest keys that bring the piece there, where the rules are of keys."""
        piece = PIECES.index(placement.piece)
        found = _core.shortest_keys(
            self.rules.core,
            self.core.columns,
            piece,
            placement.shape,
            placement.column,
            placement.row,
            self.core.lines,
        )
        return [KEY_NAMES[key] for key in found]

    def measure(self, agent: Agent, placement: Placement) -> list[float]:
        """The agent's features of the board that the placement leaves."""
        spot = np.array([[placement.shape, placement.column, placement.row]], dtype=np.int32)
        piece = PIECES.index(placement.piece)
        values = agent.core.measure(self.rules.core, self.core.columns, piece, spot, simd(), self.core.lines)
        agent.raise_if_failed()
        return [float(value) for value in values[0]]

    def _refuse_if_over(self) -> None:
        if self.over:
            raise SettingError(f"the game is over: {self.outcome.termination.name.lower().replace('_', ' ')}")

    def _placement(self, shape: int, column: int, row: int) -> Placement:
        return self.placement_of(self.core.known[0], shape, column, row)

    def placement_of(self, piece: int, shape: int, column: int, row: int) -> Placement:
        cells = tuple(self.rules.core.cells(piece, shape, column, row))
        return Placement(PIECES[piece], shape, column, row, cells)

    def __str__(self) -> str:
        return str(self.board)


class HumanGame:
    """The game as a person plays it: keys held frame by frame, sixty frames a second.

    The same rules, seed, settings and keys always give the same game, so the list of keys is a recording.
    """

    LEFT, RIGHT, DOWN, CLOCKWISE, COUNTER_CLOCKWISE, DROP, HOLD = 1, 2, 4, 8, 16, 32, 64

    def __init__(
        self,
        rules_or_name: Rules | str,
        seed: int = 0,
        shift_delay_frames: int = 10,
        shift_repeat_frames: int = 2,
        board: Board | None = None,
    ) -> None:
        if shift_delay_frames < 0 or shift_repeat_frames < 0:
            raise SettingError("shift_delay_frames and shift_repeat_frames must not be negative")
        self.rules = rules(rules_or_name)
        columns = _columns(self.rules, board)
        self.core = _core.HumanGame(self.rules.core, check_seed(seed), shift_delay_frames, shift_repeat_frames, columns)

    def step(self, keys: int = 0, frames: int = 1) -> None:
        """So many frames with these keys held."""
        for _ in range(frames):
            self.core.step(keys)

    @property
    def board(self) -> Board:
        return Board(self.core.columns, self.rules.rows)

    @property
    def piece(self) -> str:
        return PIECES[self.core.known[0]]

    @property
    def known(self) -> str:
        return "".join(PIECES[piece] for piece in self.core.known if piece < len(PIECES))

    @property
    def held(self) -> str | None:
        return None if self.core.held is None else PIECES[self.core.held]

    @property
    def falling_cells(self) -> list[tuple[int, int]]:
        """(column, row) of the falling piece."""
        _, shape, x, y = self.core.falling
        return self.rules.core.cells(self.core.known[0], shape, x, y)

    @property
    def ghost_cells(self) -> list[tuple[int, int]]:
        """Where the falling piece would land if it fell straight down."""
        cells, words = self.falling_cells, self.core.columns.tolist()
        below = next(drop for drop in count() if any(y == drop or words[x] >> (y - drop - 1) & 1 for x, y in cells))
        return [(x, y - below) for x, y in cells]

    @property
    def locked(self) -> Placement | None:
        """Where the last piece locked, before rows went."""
        if self.core.locked is None:
            return None
        piece, shape, x, y = self.core.locked
        return Placement(PIECES[piece], shape, x, y, tuple(self.rules.core.cells(piece, shape, x, y)))

    @property
    def over(self) -> bool:
        return self.core.termination != Termination.RUNNING

    def __str__(self) -> str:
        return self.board.text(() if self.over else self.falling_cells)


def _columns(game_rules: Rules, board: Board | None) -> npt.NDArray[np.uint32]:
    """The words of the board that a game starts from."""
    if board is None:
        return np.zeros(game_rules.columns, dtype=np.uint32)
    if (len(board.columns), board.rows) != (game_rules.columns, game_rules.rows):
        raise SettingError(
            f"a board of {len(board.columns)}x{board.rows} where {game_rules.name} has "
            f"{game_rules.columns}x{game_rules.rows}"
        )
    return board.columns


def check_seed(seed: int) -> int:
    if not 0 <= seed < 2**64:
        raise SettingError(f"seed {seed}; a seed is a whole number from 0 to 2^64 - 1")
    return seed
