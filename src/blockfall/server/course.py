"""The course server's pieces and boards, as its frames show them (aveiro2020).

Frames have x to the right and y downwards, walls at x = 0 and x = 9 and the floor at y = 30. A piece lives in a box of
5 x 5 cells; `w` turns it to its next state there, without kicks. Each frame lets it fall a row and then takes one key.

>>> recognise([(2, 2), (3, 2), (4, 2), (5, 2)])
Pose(piece='I', state=0, x=2, y=1)
>>> path(Grid([]), spawned("O"), Pose("O", 0, 0, 26))
['a', 'a', 's']
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from blockfall.games.board import Board
from blockfall.games.tetris import Game, Placement
from blockfall.rulesets import PIECES, rules

Cell = tuple[int, int]

RULES = rules("aveiro")
COLUMNS, ROWS = RULES.columns + 2, RULES.rows
"""With both walls; without the floor."""
WALLS: tuple[Cell, ...] = (
    *((x, ROWS) for x in range(COLUMNS)),
    *((x, y) for x in (0, COLUMNS - 1) for y in range(ROWS)),
)
PREVIEWS = RULES.file.play.previews
TURN, LEFT, RIGHT, DROP, NOTHING = "w", "a", "d", "s", ""
MOVES = (TURN, LEFT, RIGHT)


def _states(letter: str) -> tuple[tuple[Cell, ...], ...]:
    """The cells of each state in its box, row by row from the top."""
    drawing = [line.split() for line in RULES.rotation.states[letter].strip().splitlines()]
    return tuple(
        tuple((x, y) for y, row in enumerate(drawing) for x, mark in enumerate(row[state]) if mark == "#")
        for state in range(len(drawing[0]))
    )


STATES = {letter: _states(letter) for letter in PIECES}
SPAWN_X, SPAWN_Y = RULES.file.spawn.column + 1, RULES.file.spawn.row


@dataclass(frozen=True)
class Pose:
    """A piece in the air: its state, and the upper left corner of its box."""

    piece: str
    state: int
    x: int
    y: int

    @property
    def cells(self) -> list[Cell]:
        return [(self.x + x, self.y + y) for x, y in STATES[self.piece][self.state]]


def spawned(letter: str) -> Pose:
    """Where a piece appears; its first frame already lets it fall a row."""
    return Pose(letter, 0, SPAWN_X, SPAWN_Y)


@cache
def _by_outline() -> Mapping[frozenset[Cell], tuple[str, int, int, int]]:
    """Piece, state and the outline's place in the box, by cells moved to the origin. No two states look the same."""
    return {
        frozenset((x - left, y - top) for x, y in cells): (letter, state, left, top)
        for letter, states in STATES.items()
        for state, cells in enumerate(states)
        for left, top in [(min(x for x, _ in cells), min(y for _, y in cells))]
    }


def recognise(cells: Iterable[Cell]) -> Pose | None:
    """The piece that these cells are, wherever it is and however it is turned; None where they are none."""
    found = set(cells)
    if not found:
        return None
    left, top = min(x for x, _ in found), min(y for _, y in found)
    known = _by_outline().get(frozenset((x - left, y - top) for x, y in found))
    if known is None:
        return None
    letter, state, box_left, box_top = known
    return Pose(letter, state, left - box_left, top - box_top)


def board_of(settled: Iterable[Cell]) -> Board:
    """The settled cells as a board of the rules; walls, duplicates and cells outside do not matter."""
    words = [0] * RULES.columns
    for x, y in settled:
        if 0 < x < COLUMNS - 1 and 0 <= y < ROWS:
            words[x - 1] |= 1 << (ROWS - 1 - y)
    return Board(np.array(words, dtype=np.uint32), ROWS)


def pose_of(placement: Placement) -> Pose:
    """The pose in which a piece comes to rest there."""
    cells = STATES[placement.piece][placement.shape]  # every state is a shape of its own
    return Pose(
        placement.piece,
        placement.shape,
        placement.column + 1 - min(x for x, _ in cells),
        ROWS - 1 - placement.row - max(y for _, y in cells),
    )


class Grid:
    """Walls, floor and settled cells, a word per column, bit y the row y."""

    def __init__(self, settled: Iterable[Cell]) -> None:
        floor, wall = 1 << ROWS, (1 << (ROWS + 1)) - 1
        self._words = [wall, *[floor] * (COLUMNS - 2), wall]
        for x, y in settled:
            if 0 <= x < COLUMNS and 0 <= y < ROWS:
                self._words[x] |= 1 << y
        self._blocked: dict[tuple[str, int, int], int] = {}

    def blocked(self, piece: str, state: int, x: int) -> int:
        """Bit y: the piece in this state does not fit with its box at (x, y)."""
        known = self._blocked.get((piece, state, x))
        if known is None:
            known = 0
            for column, row in STATES[piece][state]:
                inside = 0 <= x + column < COLUMNS
                known |= self._words[x + column] >> row if inside else -1
            self._blocked[piece, state, x] = known
        return known

    def fits(self, pose: Pose) -> bool:
        return pose.y >= 0 and not self.blocked(pose.piece, pose.state, pose.x) >> pose.y & 1

    def landing(self, pose: Pose) -> int:
        """The row of the box where a piece that fits comes to rest when it drops."""
        below = self.blocked(pose.piece, pose.state, pose.x) >> (pose.y + 1)
        return pose.y + (below & -below).bit_length() - 1

    def after(self, pose: Pose, key: str) -> Pose | None:
        """The pose after one frame with this key; None where the piece locks."""
        fallen = Pose(pose.piece, pose.state, pose.x, pose.y + 1)
        if not self.fits(fallen):
            return None
        if key == DROP:
            return Pose(pose.piece, pose.state, pose.x, self.landing(fallen))
        turned = (fallen.state + (key == TURN)) % len(STATES[pose.piece])
        moved = Pose(pose.piece, turned, pose.x + (key == RIGHT) - (key == LEFT), fallen.y)
        return moved if self.fits(moved) else fallen


Place = tuple[int, int]
"""State and column of a piece; its row follows from the frame."""
Layer = dict[Place, tuple[int, str, Place]]
"""What the fewest keys reach in a row: their count, the last key (or none) and the place before it."""


def _fall(grid: Grid, piece: str, layer: Layer, y: int) -> Layer:
    """A frame further: every place of the row below, y."""
    below: Layer = {}
    states = len(STATES[piece])
    for place, (keys, _, _) in layer.items():
        state, x = place
        if grid.blocked(piece, state, x) >> y & 1:
            continue
        if place not in below or keys <= below[place][0]:  # of as many keys, those that are pressed sooner
            below[place] = (keys, NOTHING, place)
        for key, moved in ((TURN, ((state + 1) % states, x)), (LEFT, (state, x - 1)), (RIGHT, (state, x + 1))):
            if grid.blocked(piece, *moved) >> y & 1:
                continue
            if moved not in below or keys + 1 < below[moved][0]:
                below[moved] = (keys + 1, key, place)
    return below


def reachable(grid: Grid, start: Pose) -> set[Pose]:
    """Every pose in which the piece can come to rest, from the frame after `start` on."""
    found = set()
    layer: Layer = {(start.state, start.x): (0, NOTHING, (start.state, start.x))}
    y = start.y
    while layer:
        for state, x in layer:
            found.add(Pose(start.piece, state, x, grid.landing(Pose(start.piece, state, x, y))))
        y += 1
        layer = _fall(grid, start.piece, layer, y)
    return found


def path(grid: Grid, start: Pose, target: Pose) -> list[str] | None:
    """The fewest keys, one or none per frame, that bring the piece to rest at `target`; of those, the soonest.

    Ends with a drop, unless the piece already lies there. None where no keys do.
    """
    goal = (target.state, target.x)
    least = (target.state - start.state) % len(STATES[start.piece]) + abs(target.x - start.x)
    layers: list[Layer] = [{(start.state, start.x): (0, NOTHING, (start.state, start.x))}]
    best: tuple[int, int] | None = None  # keys and frames
    y = start.y
    while layers[-1] and y <= target.y:
        here = layers[-1].get(goal)
        if here and (best is None or here[0] < best[0]) and _lands(grid, start.piece, goal, y, target.y):
            best = (here[0], y - start.y)
            if here[0] == least:
                break
        y += 1
        layers.append(_fall(grid, start.piece, layers[-1], y))
    if best is None:
        return None
    keys: list[str] = []
    place = goal
    for frame in range(best[1], 0, -1):
        _, key, place = layers[frame][place]
        keys.append(key)
    keys.reverse()
    return keys if start.y + best[1] == target.y else [*keys, DROP]


def _lands(grid: Grid, piece: str, place: Place, y: int, row: int) -> bool:
    return grid.landing(Pose(piece, *place, y)) == row


def game_at(settled: Iterable[Cell], known: str) -> Game:
    """The core's game between two placements."""
    return Game.at(RULES, board_of(settled), known)
