"""Locking, losing, scoring, and an agent's choice, written in the most obvious way."""

from dataclasses import dataclass, field

import numpy as np

from blockfall.agents import Agent
from blockfall.rulesets import Rules
from tests.reference.features import FEATURES, Placed, Position
from tests.reference.features.position import bump, heights
from tests.reference.placements import Spot, cells_of, placements, shifted
from tests.reference.randomizer import law, pieces
from tests.reference.rules import Cells, height_limit, piece_of


@dataclass(frozen=True)
class Locked:
    """The result of locking a piece."""

    before: Cells
    after: Cells
    lines: int
    eroded: int
    loss: str | None


def lock(rules: Rules, board: Cells, cells: Cells) -> Locked:
    over = rules.file.game_over
    if over.overflow and max(y for _, y in cells) >= height_limit(rules):
        return Locked(board, board, 0, 0, "overflow")
    if over.lock_out and min(y for _, y in cells) >= rules.visible_rows:
        return Locked(board, board, 0, 0, "lock-out")
    before = board | {cell for cell in cells if cell[1] < rules.rows}
    full = [y for y in range(rules.rows) if all((x, y) in before for x in range(rules.columns))]
    after = frozenset((x, y - sum(row < y for row in full)) for x, y in before if y not in full)
    return Locked(before, after, len(full), sum(y in full for _, y in cells), None)


@dataclass
class ReferenceGame:
    rules: Rules
    seed: int
    number: int = 0
    pieces_known: int = 1
    board: Cells = frozenset()
    lines: int = 0
    placed: int = 0
    score: int = 0
    clears: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    placements: int = 0
    end: str | None = None

    def __post_init__(self) -> None:
        self._stream = pieces(self.rules, self.seed, self.number)
        self.known = [next(self._stream, None) for _ in range(self.pieces_known)]
        self.dealt = [letter for letter in self.known if letter]
        self._end_if_stuck()

    def _end_if_stuck(self) -> None:
        letter = self.known[0]
        if letter is None:
            self.end = "sequence-end"
        elif self.rules.file.game_over.block_out:
            piece = piece_of(self.rules, letter)
            if shifted(piece.states[0], *piece.spawn) & self.board:
                self.end = "block-out"

    def play(self, spot: Spot) -> None:
        letter = self.known[0]
        assert letter is not None
        locked = lock(self.rules, self.board, cells_of(self.rules, letter, spot))
        self.placed += 1
        self.end = locked.loss
        if self.end:
            return
        scoring = self.rules.file.scoring
        level = scoring.start_level + self.lines // scoring.lines_per_level
        self.score += scoring.piece
        if locked.lines:
            self.score += scoring.lines[locked.lines - 1] * (level + 1 if scoring.by_level else 1)
            self.clears[locked.lines - 1] += 1
        self.lines += locked.lines
        self.board = locked.after
        came = next(self._stream, None)
        self.known = [*self.known[1:], came]
        self.dealt += [came] if came else []
        self._end_if_stuck()

    def choose(self, agent: Agent, among: list[Spot] | None = None) -> Spot:
        """Return the first placement of the best sequence of the known pieces, or of those that begin as given."""
        known = [letter for letter in self.known[: agent.pieces_known] if letter]
        every = sequences(self.rules, self.board, known, self.lines, [])
        if among is not None:
            every = [sequence for sequence in every if sequence.first in among]
        if self._guard_applies(agent):
            at_sides = [sequence for sequence in every if self._at_side(known[0], sequence.first)]
            # The core counts the placements of the last piece before the guard drops those not at a side.
            self.placements += sum(sequence.complete for sequence in (every if len(known) == 1 else at_sides))
            if any(sequence.position and value_of(agent, sequence.position) > -np.inf for sequence in at_sides):
                return self._best_of(agent, at_sides)
        self.placements += sum(sequence.complete for sequence in every)
        return self._best_of(agent, every)

    def _guard_applies(self, agent: Agent) -> bool:
        if agent.guard is None:
            return False
        tops = heights(Position(self.rules, self.board, self.board), self.board)
        return max(tops) >= agent.guard.max_height and bump(tops) >= agent.guard.bumpiness

    def _at_side(self, letter: str, spot: Spot) -> bool:
        columns = {x for x, _ in cells_of(self.rules, letter, spot)}
        return bool(columns & {0, self.rules.columns - 1})

    def _best_of(self, agent: Agent, found: list["Sequence"]) -> Spot:
        if agent.look_ahead:
            return self._best_by_unknown_piece(agent, found)
        best, best_value = None, np.float32(-np.inf)
        for sequence in found:
            if sequence.position is not None:
                value = value_of(agent, sequence.position)
                if value > best_value:
                    best, best_value = sequence.first, value
        if best is None:
            longest = max(sequence.lives for sequence in found)
            best = next(sequence.first for sequence in found if sequence.lives == longest)
        return best

    def _best_by_unknown_piece(self, agent: Agent, found: list["Sequence"]) -> Spot:
        """Return the first placement of the sequence with the best mean over what the next piece can make of it."""
        assert agent.look_ahead
        valued = [(sequence, value_of(agent, sequence.position)) for sequence in found if sequence.position]
        best = sorted(valued, key=lambda pair: -pair[1])[: agent.look_ahead.best]
        chances = law(self.rules, self.dealt)
        chosen, chosen_mean = None, np.float32(-np.inf)
        for sequence in found:  # in order, so that ties go to the first
            if not any(sequence is other for other, _ in best):
                continue
            assert sequence.position
            mean = np.float32(0)
            for letter, chance in chances.items():
                if chance == 0:
                    continue
                further = sequences(
                    self.rules, sequence.position.after, [letter], self.lines, sequence.position.placed, sequence.first
                )
                self.placements += sum(after.complete for after in further)
                values = [value_of(agent, after.position) for after in further if after.position]
                mean += chance * (max(values) if values else np.float32(agent.look_ahead.loss))
            if mean > chosen_mean:
                chosen, chosen_mean = sequence.first, mean
        if chosen is None:
            longest = max(sequence.lives for sequence in found)
            chosen = next(sequence.first for sequence in found if sequence.lives == longest)
        return chosen


@dataclass(frozen=True)
class Sequence:
    """A sequence of placements of the known pieces, as far as they could be placed."""

    first: Spot
    lives: int
    """The number of pieces placed before it lost or ran out of room."""
    complete: bool
    """Whether the last piece has a placement, lost or not."""
    position: Position | None
    """The final board, unless it is lost."""


def sequences(
    rules: Rules,
    board: Cells,
    known: list[str],
    game_lines: int,
    placed: list[Placed],
    first: Spot | None = None,
) -> list[Sequence]:
    found: list[Sequence] = []
    letter, rest = known[0], known[1:]
    lines = game_lines + sum(piece.lines for piece in placed)
    for spot in placements(rules, board, letter, lines):
        start = first or spot
        cells = cells_of(rules, letter, spot)
        locked = lock(rules, board, cells)
        if locked.loss:
            found.append(Sequence(start, len(placed), not rest, None))
            continue
        longer = [*placed, Placed(cells, locked.lines, locked.eroded)]
        if not rest:
            position = Position(rules, locked.before, locked.after, longer, game_lines)
            found.append(Sequence(start, len(longer), True, position))
            continue
        further = sequences(rules, locked.after, rest, game_lines, longer, start)
        found += further or [Sequence(start, len(longer), False, None)]
    return found


def value_of(agent: Agent, position: Position) -> np.float32:
    """Return the binary32 sum in the agent's feature order."""
    total = np.float32(0)
    with np.errstate(over="ignore", invalid="ignore"):
        for number, (name, weight) in enumerate(agent.weights.items()):
            product = np.float32(weight) * np.float32(FEATURES[name](position))
            total = product if number == 0 else total + product
    return total
