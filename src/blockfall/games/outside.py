"""The moves of agents outside the core: functions over boards, and bots in other programs."""

import atexit
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents import Outside
from blockfall.errors import BotError, SettingError
from blockfall.games.attack import Attack
from blockfall.games.board import cells_of
from blockfall.games.outcome import Placement, Termination
from blockfall.rulesets import PIECES, Rules
from blockfall.tbp.moves import Spin
from blockfall.tbp.positions import ROWS, BotPosition

if TYPE_CHECKING:
    from blockfall.tbp.conversation import Conversation


class GameView(Protocol):
    """The parts of `blockfall.Game` that are used here."""

    rules: Rules
    core: _core.Game
    attack: Attack

    @property
    def known(self) -> str:
        """The piece to place and those shown after it."""
        ...

    @property
    def held(self) -> str | None:
        """The piece in the hold queue."""
        ...

    @property
    def law(self) -> dict[str, float]:
        """The probability of each piece to follow the known ones."""
        ...

    def placements(self, hold: bool = False) -> list[Placement]:
        """Return the placements of the piece, and with `hold` those of the piece that holding would bring."""
        ...

    def spins(self, placement: Placement) -> tuple[Spin, ...]:
        """Return the spins that reach the placement."""
        ...

    def holding(self) -> "GameView":
        """Return the game after the piece is held."""
        ...


def choose(game: GameView, value: Outside, among: Sequence[Placement] | None = None) -> Placement:
    """Return the choice of an agent outside the core, among all placements or those in `among`."""
    if value.suggests_moves:
        return _suggested(game, value, among)
    return _of_largest_value(game, value, game.placements() if among is None else among)


def first_of_largest(
    values: npt.NDArray[np.float64], lost: npt.NDArray[np.bool_], group: npt.NDArray[np.int32]
) -> npt.NDArray[np.intp]:
    """Return the index of each group's first largest value. Lost ones are smaller than all others; `group` ascends."""
    kept = np.where(lost, -np.inf, values)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    best = np.maximum.reduceat(kept, starts)
    sizes = np.diff(starts, append=len(group))
    places = np.flatnonzero(kept == np.repeat(best, sizes))
    return np.asarray(places[np.searchsorted(places, starts)])


def valued(game: GameView, value: Outside) -> list[tuple[Placement, float | None]]:
    """Return every placement of the piece with its value; None if it loses, and for bots, which give no values."""
    placements = game.placements()
    if value.suggests_moves:
        return [(one, None) for one in placements]
    values, lost = _values(game, value, placements)
    return [(one, None if lost[i] else float(values[i])) for i, one in enumerate(placements)]


def _of_largest_value(game: GameView, value: Outside, placements: Sequence[Placement]) -> Placement:
    if not placements:
        raise SettingError("no placements to choose among; give at least one")
    values, lost = _values(game, value, placements)
    return placements[int(first_of_largest(values, lost, np.zeros(len(placements), np.int32))[0])]


def _values(
    game: GameView, value: Outside, placements: Sequence[Placement]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the function's values of the boards after the placements, and which placements lose."""
    words = np.zeros((len(placements), game.rules.columns), np.uint32)
    lines, lost = np.zeros(len(placements), np.int32), np.zeros(len(placements), np.bool_)
    for i, one in enumerate(placements):
        spot = PIECES.index(one.piece), one.shape, one.column, one.row
        words[i], lines[i], end = _core.lock(game.rules.core, game.core.columns, *spot)
        lost[i] = int(end) != Termination.RUNNING
    return value.values(cells_of(words, game.rules.rows), lines), lost


def _suggested(game: GameView, value: Outside, among: Sequence[Placement] | None) -> Placement:
    talk = conversation(value, game.rules)
    moves = talk.suggest(position_of(game))
    possible = {(one.piece, frozenset(one.cells)): one for one in game.placements(hold=True)}
    for move in moves:
        found = possible.get((move.piece, move.cells))
        if found is None or (among is not None and all(found.cells != one.cells for one in among)):
            continue
        placer = game if found.piece == game.known[0] else game.holding()
        if move.spin == "none" or move.spin in placer.spins(found):
            return replace(found, spin=move.spin)
    raise BotError(f"the bot {talk.command!r} suggested no {'possible ' if moves else ''}move")


def position_of(game: GameView) -> BotPosition:
    """Return the game, whose board has ten columns, in the protocol's terms."""
    rules = game.rules
    words = game.core.columns.tolist()
    rows = [sum((word >> y & 1) << x for x, word in enumerate(words)) for y in range(rules.rows)]
    bag = None
    if rules.file.generator.name == "7-bag":
        bag = "".join(piece for piece, chance in game.law.items() if chance)
    attack = game.attack
    return BotPosition(
        (*rows, *(0,) * (ROWS - len(rows))), game.known, game.held, attack.combo, attack.back_to_back, bag
    )


_RANDOMIZERS = {"7-bag": "seven_bag", "uniform": "uniform"}
_open: "dict[tuple[int, Outside, str], Conversation]" = {}
"""The conversations by thread, program and generator. Each lasts while its thread asks for moves."""


def conversation(program: Outside, rules: Rules) -> "Conversation":
    """Return this thread's conversation with the program, a new one if the last has ended."""
    randomizer = _RANDOMIZERS.get(rules.file.generator.name, "unknown")
    key = threading.get_ident(), program, randomizer
    talk = _open.get(key)
    if talk is None or talk.closed:
        talk = _open[key] = program.converse(randomizer)
    return talk


def end_conversations(of_thread: int | None = None) -> None:
    """End the programs that a thread talks to, by default those of all threads."""
    for key in list(_open):
        if of_thread in (None, key[0]) and (talk := _open.pop(key, None)):
            talk.close()


atexit.register(end_conversations)
