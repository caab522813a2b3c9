"""Tetris, placement by placement, as agents play it."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents import Agent, AgentLike
from blockfall.agents import agent as find_agent
from blockfall.errors import SettingError, shortened, whole
from blockfall.games.attack import SPINS, Attack
from blockfall.games.board import Board, cells_of
from blockfall.games.drawing import svg
from blockfall.games.outcome import Outcome, Placement, Termination
from blockfall.games.outside import choose
from blockfall.games.streams import Purpose, check_purpose, check_seed
from blockfall.rulesets import PIECES, Rules
from blockfall.rulesets import rules as find_rules
from blockfall.rulesets.compile import KEY_NAMES
from blockfall.tbp.moves import Spin

__all__ = ["Game", "Outcome", "Placement", "Termination", "columns_of"]


class Game:
    """A game between two placements: the board, the known pieces, and the counts.

    The same rules, seed, number and purpose always deal the same pieces.

    >>> game = Game("nes-no-rotation", seed=7)
    >>> game.play(game.placements()[0])
    >>> game.outcome.pieces
    1
    """

    core: _core.Game
    """The core's form of the game. It is not part of the interface and may change."""

    def __init__(
        self,
        rules: Rules | str | Path,
        seed: int = 0,
        number: int = 0,
        pieces_known: int = 2,
        purpose: Purpose = Purpose.TEST,
        board: Board | None = None,
    ) -> None:
        """Start game `number` of a seed, from an empty board or from `board`."""
        _check_known(pieces_known)
        self.rules = find_rules(rules)
        self._pieces_known = pieces_known
        columns = columns_of(self.rules, board)
        if not 0 <= whole(number, "number") < 2**63:
            raise SettingError(f"game number {number}; games are numbered from 0")
        played_for = _core.Purpose(check_purpose(purpose))
        self.core = _core.Game(self.rules.core, check_seed(seed), number, pieces_known, played_for, columns)
        self.attack = Attack()
        """The attack so far, if the rules count it: its lines, the consecutive clears, and back-to-back."""

    @classmethod
    def at(
        cls, rules: Rules | str | Path, board: Board, known: str, dealt: str = "", lines: int = 0, seed: int = 0
    ) -> "Game":
        """Return a game at this board with these known pieces.

        `dealt` are the pieces before the known ones, in order, which decide what may follow; without them, the known
        pieces are the game's first. A bag that cannot have dealt them starts again where a piece repeats. `lines` is
        the number of lines cleared so far, and the seed draws the pieces after the known ones. The pool of `tgm3-real`
        also changes by hidden rolls; there the probabilities of the next piece are only approximate.

        >>> from blockfall.games.board import Board, cells_of
        >>> game = Game.at("tetrisbot-7-bag", Board.empty(10, 20), "IT", dealt="SZOJ")
        >>> [piece for piece, chance in game.law.items() if chance]
        ['L']
        """
        if not isinstance(known, str) or not isinstance(dealt, str):
            raise SettingError(f"pieces {shortened(dealt)} and {shortened(known)}; they must be letters, such as 'IT'")
        _check_known(len(known))
        if not 0 <= whole(lines, "lines") < 2**62:
            raise SettingError(f"{lines} lines; it must be 0 or more")
        for letter in dealt + known:
            if letter not in PIECES:
                raise SettingError(f"no piece {shortened(letter)}; the pieces are {' '.join(PIECES)}")
        game = cls.__new__(cls)
        game.rules, game._pieces_known = find_rules(rules), len(known)
        columns, pieces = columns_of(game.rules, board), [PIECES.index(letter) for letter in dealt + known]
        game.core = _core.Game.at(game.rules.core, columns, pieces, len(known), lines, check_seed(seed))
        game.attack = Attack()
        return game

    @classmethod
    def to_watch(cls, rules: Rules | str | Path, agent: Agent, seed: int) -> "Game":
        """Return a game for an agent that also shows people the next piece, if the agent may see it."""
        shown = agent.pieces_known if agent.look_ahead or agent.plies > 1 else max(2, agent.pieces_known)
        return cls(rules, seed, pieces_known=shown)

    def copy(self) -> "Game":
        """Return an independent copy of the game, including the pieces to come."""
        other = Game.__new__(Game)
        other.rules, other._pieces_known, other.core = self.rules, self._pieces_known, copy(self.core)
        other.attack = self.attack
        return other

    @property
    def board(self) -> Board:
        """The current board."""
        return Board(self.core.columns, self.rules.rows)

    @property
    def known(self) -> str:
        """The piece to place and those shown after it."""
        return "".join(PIECES[piece] for piece in self.core.known)

    @property
    def held(self) -> str | None:
        """The piece in the hold queue."""
        return None if self.core.held is None else PIECES[self.core.held]

    @property
    def reserve(self) -> str | None:
        """The piece that holding would bring: the held one or, without one, the next. None without a hold queue."""
        if not self.rules.file.play.hold or self.over:
            return None
        return self.held or self.known[1:2] or None

    @property
    def law(self) -> dict[str, float]:
        """The probability of each piece to follow the known ones, for someone who has seen all pieces so far."""
        return dict(zip(PIECES, self.core.law, strict=True))

    @property
    def over(self) -> bool:
        """True if the game has ended."""
        return self.core.termination != int(Termination.RUNNING)

    @property
    def outcome(self) -> Outcome:
        """The result of the game so far."""
        core = self.core
        one, two, three, four = core.clears
        end = Termination(core.termination)
        return Outcome(end, core.lines, core.pieces, core.score, (one, two, three, four), self.attack.lines)

    @property
    def level(self) -> int:
        """The level, which rises with the lines."""
        return self.core.level

    def placements(self, hold: bool = False) -> list[Placement]:
        """Return every placement of the piece, in the order that breaks ties.

        With `hold`, those of the piece that holding would bring follow. Playing one of them holds the piece.
        """
        if self.over:
            return []
        spins = self._spins()
        found = [self._placement(shape, x, y, spins) for shape, x, y in self.core.placements().tolist()]
        return found + self.holding().placements() if hold and self.reserve else found

    def afterstates(self) -> tuple[list[Placement], npt.NDArray[np.bool_]]:
        """Return every placement of the piece, and the boards that they leave.

        The boards are an array of cells without full rows: boards[placement][row][column], floor row first. A placement
        that loses the game leaves the board as it was.

        >>> placements, boards = Game("standard", seed=7).afterstates()
        >>> boards.shape == (len(placements), 20, 10)
        True
        """
        placements = self.placements()
        words = np.zeros((len(placements), self.rules.columns), np.uint32)
        piece = self.core.known[0] if placements else 0
        for i, one in enumerate(placements):
            words[i] = _core.lock(self.rules.core, self.core.columns, piece, one.shape, one.column, one.row)[0]
        return placements, cells_of(words, self.rules.rows)

    def choose(self, agent: AgentLike, among: Sequence[Placement] | None = None) -> Placement:
        """Return an agent's choice among all placements or those in `among`. The agent may be given by name.

        >>> game = Game("nes-no-rotation", seed=7)
        >>> game.choose("birken-6").piece == game.known[0]
        True
        """
        self._refuse_if_over()
        player = find_agent(agent)
        player.check_rules(self.rules, self._pieces_known)
        if outside := player.value.outside:
            return choose(self, outside, among)
        if (player.look_ahead or player.plies > 1) and self._pieces_known > player.pieces_known:
            raise SettingError(
                f"{player.name} averages over the piece after the {player.pieces_known} that it knows, but this game "
                f"shows {self._pieces_known}; start it with pieces_known={player.pieces_known}"
            )
        if among is not None and not among:
            raise SettingError("no placements to choose among; give at least one")
        spots = None
        if among is not None:
            self._refuse_impossible(among)
            spots = np.array([(p.shape, p.column, p.row) for p in among], np.int32, ndmin=2)
        chosen = player.core.choose(self.core, spots)
        player.raise_if_failed()
        return self._placement(*chosen, self._spins())

    def play(self, placement: Placement) -> None:
        """Place the piece. Refuse a placement that is not one of `placements(hold=True)`.

        A placement of the piece that holding would bring holds the current piece first.
        """
        self._refuse_if_over()
        if placement.piece != self.known[0] and placement.piece == self.reserve:
            swapped = self.holding()
            swapped._refuse_if_over()
            swapped._refuse_impossible([placement])
            self.core.hold()
        else:
            self._refuse_impossible([placement])
        before = self.core.lines
        self.core.play_unchecked(placement.shape, placement.column, placement.row)
        if self.rules.file.attack:
            lines, empty = self.core.lines - before, not self.core.columns.any()
            self.attack = self.attack.after(self.rules.file.attack, lines, placement.spin, empty)

    def forfeit(self) -> None:
        """End the game because its player gives no move."""
        self._refuse_if_over()
        self.core.forfeit()

    def keys(self, placement: Placement) -> list[str]:
        """Return the shortest list of keys that brings the piece there, if the rules have keys."""
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
        """Return the agent's features of the board after the placement; none if it uses none."""
        if agent.is_outside:
            return []
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
                raise SettingError(f"a placement of {one.piece}, but the piece to place is {self.known[0]}")
            if (one.shape, one.column, one.row) not in possible:
                raise SettingError(f"{one.piece} cannot come to rest as {where}; see placements()")
            if one.cells != self._placement(one.shape, one.column, one.row, {}).cells:
                raise SettingError(f"a placement of {one.piece} whose cells are not those of {where}")
            if one.spin != "none" and one.spin not in self.spins(one):
                raise SettingError(f"{one.piece} as {where} is not reached by a {one.spin} spin")

    def spins(self, placement: Placement) -> tuple[Spin, ...]:
        """Return the spins that reach the placement of the piece; none unless the rules count attacks."""
        return self._spins().get((placement.shape, placement.column, placement.row), ())

    def _spins(self) -> dict[tuple[int, int, int], tuple[Spin, ...]]:
        """Return the spins that reach each shape, column and row: the mini first."""
        if not self.rules.file.attack or self.known[:1] != "T":
            return {}
        found: dict[tuple[int, int, int], tuple[Spin, ...]] = {}
        for shape, x, y, spin in sorted(_core.spins(self.rules.core, self.core.columns).tolist()):
            found[shape, x, y] = (*found.get((shape, x, y), ()), SPINS[spin])
        return found

    def holding(self) -> "Game":
        """Return the game after the piece is held."""
        other = self.copy()
        other.core.hold()
        return other

    def _placement(
        self, shape: int, column: int, row: int, spins: dict[tuple[int, int, int], tuple[Spin, ...]]
    ) -> Placement:
        placement = self.placement_of(self.core.known[0], shape, column, row)
        best = spins.get((shape, column, row))
        return replace(placement, spin=best[-1]) if best else placement

    def placement_of(self, piece: int, shape: int, column: int, row: int) -> Placement:
        """Return the placement with the core's numbers; `piece` is an index into `PIECES`."""
        cells = tuple(self.rules.core.cells(piece, shape, column, row))
        return Placement(PIECES[piece], shape, column, row, cells)

    def _repr_svg_(self) -> str:
        return svg(self.board.text().splitlines()[-self.rules.visible_rows :])

    def __str__(self) -> str:
        return str(self.board)


def columns_of(game_rules: Rules, board: Board | None) -> npt.NDArray[np.uint32]:
    """Return the words of the board that a game starts from."""
    if board is None:
        return np.zeros(game_rules.columns, dtype=np.uint32)
    if not isinstance(board, Board):
        raise SettingError(f"the board is {shortened(board)}; it must be a Board, such as Board.from_text gives")
    if (len(board.columns), board.rows) != (game_rules.columns, game_rules.rows):
        raise SettingError(
            f"a board of {len(board.columns)}x{board.rows}; {game_rules.name} has boards of "
            f"{game_rules.columns}x{game_rules.rows}"
        )
    return board.columns


def _check_known(pieces: int) -> None:
    if not 1 <= whole(pieces, "pieces_known") <= _core.MAX_KNOWN:
        raise SettingError(f"{pieces} pieces known; a game shows 1 to {_core.MAX_KNOWN}")
