"""Tetris, placement by placement for agents and frame by frame for people."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from enum import IntEnum
from itertools import count

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents import Agent
from blockfall.errors import SettingError
from blockfall.games.board import Board
from blockfall.games.streams import Purpose
from blockfall.rulesets import PIECES, Rules
from blockfall.rulesets import rules as find_rules
from blockfall.rulesets.compile import KEY_NAMES


class Termination(IntEnum):
    """How a game ended.

    >>> Termination.BLOCK_OUT.name
    'BLOCK_OUT'
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


@dataclass(frozen=True)
class Placement:
    """Where a piece comes to rest: one of its shapes, the column of its left edge, the row of its lowest cell.

    >>> placement = Game("nes-no-rotation", seed=7).placements()[0]
    >>> placement.column, placement.row
    (0, 0)
    """

    piece: str
    shape: int
    column: int
    row: int
    cells: tuple[tuple[int, int], ...]
    """(column, row), floor row 0."""


@dataclass(frozen=True)
class Outcome:
    """What a game came to.

    >>> Game("nes", seed=7).outcome.lines
    0
    """

    termination: Termination
    lines: int
    pieces: int
    score: int
    clears: tuple[int, int, int, int]
    """How often 1, 2, 3 and 4 lines went at once."""


class Game:
    """A game between two placements: the board, the pieces known, and what has been counted.

    The same rules, seed, number and purpose always deal the same pieces.

    >>> game = Game("nes-no-rotation", seed=7)
    >>> game.play(game.placements()[0])
    >>> game.outcome.pieces
    1
    """

    def __init__(
        self,
        rules: Rules | str,
        seed: int = 0,
        number: int = 0,
        pieces_known: int = 2,
        purpose: Purpose = Purpose.TEST,
        board: Board | None = None,
    ) -> None:
        """Starts game `number` of a seed, from an empty board or from `board`."""
        _check_known(pieces_known)
        self.rules = find_rules(rules)
        self._pieces_known = pieces_known
        columns = _columns(self.rules, board)
        self.core = _core.Game(self.rules.core, check_seed(seed), number, pieces_known, _core.Purpose(purpose), columns)

    @classmethod
    def at(cls, rules: Rules | str, board: Board, known: str, dealt: str = "", lines: int = 0, seed: int = 0) -> "Game":
        """A game that stands at this board with these pieces known.

        `dealt` are the pieces that came before the known ones, in order; they say what may come next. Where there are
        none, the known ones are the game's first. A bag that cannot have dealt them begins anew where a piece repeats.
        `lines` have gone so far, and the seed draws the pieces after the known ones.

        >>> from blockfall.games.board import Board
        >>> game = Game.at("tetrisbot-7-bag", Board.empty(10, 20), "IT", dealt="SZOJ")
        >>> [piece for piece, chance in game.law.items() if chance]
        ['L']
        """
        _check_known(len(known))
        if lines < 0:
            raise SettingError(f"{lines} lines; it must be 0 or more")
        for letter in dealt + known:
            if letter not in PIECES:
                raise SettingError(f"no piece {letter!r}; the pieces are {' '.join(PIECES)}")
        game = cls.__new__(cls)
        game.rules, game._pieces_known = find_rules(rules), len(known)
        columns, pieces = _columns(game.rules, board), [PIECES.index(letter) for letter in dealt + known]
        game.core = _core.Game.at(game.rules.core, columns, pieces, len(known), lines, check_seed(seed))
        return game

    @classmethod
    def to_watch(cls, rules: Rules | str, agent: Agent, seed: int) -> "Game":
        """A game for an agent that shows people the next piece, where the agent may see it."""
        shown = agent.pieces_known if agent.look_ahead else max(2, agent.pieces_known)
        return cls(rules, seed, pieces_known=shown)

    def copy(self) -> "Game":
        """The same game, pieces to come included, to be played on by itself."""
        other = Game.__new__(Game)
        other.rules, other._pieces_known, other.core = self.rules, self._pieces_known, copy(self.core)
        return other

    @property
    def board(self) -> Board:
        """The board as it stands."""
        return Board(self.core.columns, self.rules.rows)

    @property
    def known(self) -> str:
        """The piece to place and those shown after it."""
        return "".join(PIECES[piece] for piece in self.core.known)

    @property
    def law(self) -> dict[str, float]:
        """The chance of each piece to come after those known, as somebody knows it who has seen all pieces so far."""
        return dict(zip(PIECES, self.core.law, strict=True))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.core.termination != int(Termination.RUNNING)

    @property
    def outcome(self) -> Outcome:
        """What the game has come to so far."""
        core = self.core
        one, two, three, four = core.clears
        end = Termination(core.termination)
        return Outcome(end, core.lines, core.pieces, core.score, (one, two, three, four))

    @property
    def level(self) -> int:
        """The level of the rules, which lines raise."""
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
        spots = None
        if among is not None:
            self._refuse_impossible(among)
            spots = np.array([(p.shape, p.column, p.row) for p in among], np.int32, ndmin=2)
        chosen = agent.core.choose(self.core, spots)
        agent.raise_if_failed()
        return self._placement(*chosen)

    def play(self, placement: Placement) -> None:
        """Places the piece, and the next one comes. Refuses a placement that is not one of `placements()`."""
        self._refuse_if_over()
        self._refuse_impossible([placement])
        self.core.play_unchecked(placement.shape, placement.column, placement.row)

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
        values = agent.core.measure(self.rules.core, self.core.columns, piece, spot, self.core.lines)
        agent.raise_if_failed()
        return [float(value) for value in values[0]]

    def _refuse_if_over(self) -> None:
        if self.over:
            raise SettingError(f"the game is over: {self.outcome.termination.name.lower().replace('_', ' ')}")

    def _refuse_impossible(self, placements: Sequence[Placement]) -> None:
        possible = {tuple(row) for row in self.core.placements().tolist()}
        for one in placements:
            where = f"shape {one.shape} at column {one.column}, row {one.row}"
            if one.piece != self.known[0]:
                raise SettingError(f"a placement of {one.piece} where {self.known[0]} is to be placed")
            if (one.shape, one.column, one.row) not in possible:
                raise SettingError(f"{one.piece} cannot come to rest as {where}; see placements()")
            if one.cells != self._placement(one.shape, one.column, one.row).cells:
                raise SettingError(f"a placement of {one.piece} whose cells are not those of {where}")

    def _placement(self, shape: int, column: int, row: int) -> Placement:
        return self.placement_of(self.core.known[0], shape, column, row)

    def placement_of(self, piece: int, shape: int, column: int, row: int) -> Placement:
        """A placement by the numbers that the core gives it; `piece` is a place in `PIECES`."""
        cells = tuple(self.rules.core.cells(piece, shape, column, row))
        return Placement(PIECES[piece], shape, column, row, cells)

    def __str__(self) -> str:
        return str(self.board)


class HumanGame:
    """The game as a person plays it: keys held frame by frame, sixty frames a second.

    The same rules, seed, settings and keys always give the same game, so the list of keys is a recording.

    >>> game = HumanGame("nes", seed=7)
    >>> game.step(HumanGame.LEFT, frames=3)
    >>> game.over
    False
    """

    LEFT, RIGHT, DOWN, CLOCKWISE, COUNTER_CLOCKWISE, DROP, HOLD = 1, 2, 4, 8, 16, 32, 64

    def __init__(
        self,
        rules: Rules | str,
        seed: int = 0,
        shift_delay_frames: int = 10,
        shift_repeat_frames: int = 2,
        board: Board | None = None,
    ) -> None:
        """Starts a game of a seed. A sideways key repeats after a delay of frames, then every `shift_repeat_frames`."""
        if shift_delay_frames < 0 or shift_repeat_frames < 0:
            raise SettingError("shift_delay_frames and shift_repeat_frames must not be negative")
        self.rules = find_rules(rules)
        columns = _columns(self.rules, board)
        self.core = _core.HumanGame(self.rules.core, check_seed(seed), shift_delay_frames, shift_repeat_frames, columns)

    def step(self, keys: int = 0, frames: int = 1) -> None:
        """Plays so many frames with these keys held."""
        for _ in range(frames):
            self.core.step(keys)

    @property
    def board(self) -> Board:
        """The board without the falling piece."""
        return Board(self.core.columns, self.rules.rows)

    @property
    def piece(self) -> str:
        """The falling piece."""
        return PIECES[self.core.known[0]]

    @property
    def known(self) -> str:
        """The falling piece and those shown after it."""
        return "".join(PIECES[piece] for piece in self.core.known if piece < len(PIECES))

    @property
    def held(self) -> str | None:
        """The piece in the hold queue."""
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
    def termination(self) -> Termination:
        """How the game ended."""
        return Termination(self.core.termination)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.termination != Termination.RUNNING

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


def _check_known(pieces: int) -> None:
    if not 1 <= pieces <= _core.MAX_KNOWN:
        raise SettingError(f"{pieces} pieces known; a game shows 1 to {_core.MAX_KNOWN}")


def check_seed(seed: int) -> int:
    """The seed. Raises a SettingError for a number that is none."""
    if not 0 <= seed < 2**64:
        raise SettingError(f"seed {seed}; a seed is a whole number from 0 to 2^64 - 1")
    return seed
