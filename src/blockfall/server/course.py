"""The course server's pieces and boards, as in its frames (aveiro2020).

In a frame, x grows to the right and y downwards. The walls are at x = 0 and x = 9, the floor is at y = 30. A piece lies
in a box of 5 x 5 cells, where `w` turns it to its next state, without kicks. In each frame the piece first falls one
row and then obeys one key.

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
from blockfall.games.protocol import Cell
from blockfall.games.tetris import Game, Placement
from blockfall.rulesets import PIECES, rules

RULES = rules("aveiro")
COLUMNS, ROWS = RULES.columns + 2, RULES.rows
"""The size of a frame: the columns include both walls, the rows do not include the floor."""
WALLS: tuple[Cell, ...] = (
    *((x, ROWS) for x in range(COLUMNS)),
    *((x, y) for x in (0, COLUMNS - 1) for y in range(ROWS)),
)
PREVIEWS = RULES.file.play.previews
TURN, LEFT, RIGHT, DROP, NOTHING = "w", "a", "d", "s", ""


def _states(letter: str) -> tuple[tuple[Cell, ...], ...]:
    """Return the cells of each state inside its box, row by row from the top."""
    drawing = [line.split() for line in RULES.rotation.states[letter].strip().splitlines()]
    return tuple(
        tuple((x, y) for y, row in enumerate(drawing) for x, mark in enumerate(row[state]) if mark == "#")
        for state in range(len(drawing[0]))
    )


STATES = {letter: _states(letter) for letter in PIECES}
SPAWN_X, SPAWN_Y = RULES.file.spawn.column + 1, RULES.file.spawn.row


@dataclass(frozen=True)
class Pose:
    """A falling piece: its rotation state and the upper left corner of its box."""

    piece: str
    state: int
    x: int
    y: int

    @property
    def cells(self) -> list[Cell]:
        """The four cells that the piece fills."""
        return [(self.x + x, self.y + y) for x, y in STATES[self.piece][self.state]]


def spawned(letter: str) -> Pose:
    """Return the pose in which a piece appears. It already falls one row in its first frame."""
    return Pose(letter, 0, SPAWN_X, SPAWN_Y)


@cache
def _by_outline() -> Mapping[frozenset[Cell], tuple[str, int, int, int]]:
    """Return piece, state and place in the box by the cells moved to the origin. All states differ in outline."""
    return {
        frozenset((x - left, y - top) for x, y in cells): (letter, state, left, top)
        for letter, states in STATES.items()
        for state, cells in enumerate(states)
        for left, top in [(min(x for x, _ in cells), min(y for _, y in cells))]
    }


def recognise(cells: Iterable[Cell]) -> Pose | None:
    """Return the pose of the piece that fills these cells, or None if no piece has this shape."""
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
    """Return the settled cells as a board. Walls, duplicates and cells outside the board are ignored."""
    words = [0] * RULES.columns
    for x, y in settled:
        if 0 < x < COLUMNS - 1 and 0 <= y < ROWS:
            words[x - 1] |= 1 << (ROWS - 1 - y)
    return Board(np.array(words, dtype=np.uint32), ROWS)


def pose_of(placement: Placement) -> Pose:
    """Return the pose of a piece at rest in this placement."""
    cells = STATES[placement.piece][placement.shape]  # each state has its own shape
    return Pose(
        placement.piece,
        placement.shape,
        placement.column + 1 - min(x for x, _ in cells),
        ROWS - 1 - placement.row - max(y for _, y in cells),
    )


class Grid:
    """Walls, floor and settled cells: one word per column, whose bit y is row y."""

    def __init__(self, settled: Iterable[Cell]) -> None:
        floor, wall = 1 << ROWS, (1 << (ROWS + 1)) - 1
        self._words = [wall, *[floor] * (COLUMNS - 2), wall]
        for x, y in settled:
            if 0 <= x < COLUMNS and 0 <= y < ROWS:
                self._words[x] |= 1 << y
        self._blocked: dict[tuple[str, int, int], int] = {}

    def blocked(self, piece: str, state: int, x: int) -> int:
        """Return a word whose bit y is set if the piece does not fit with its box at (x, y)."""
        known = self._blocked.get((piece, state, x))
        if known is None:
            known = 0
            for column, row in STATES[piece][state]:
                inside = 0 <= x + column < COLUMNS
                known |= self._words[x + column] >> row if inside else -1
            self._blocked[piece, state, x] = known
        return known

    def fits(self, pose: Pose) -> bool:
        """Return whether all cells of the pose are free."""
        return pose.y >= 0 and not self.blocked(pose.piece, pose.state, pose.x) >> pose.y & 1

    def landing(self, pose: Pose) -> int:
        """Return the row of the box after a drop. The pose must fit."""
        below = self.blocked(pose.piece, pose.state, pose.x) >> (pose.y + 1)
        return pose.y + (below & -below).bit_length() - 1

    def after(self, pose: Pose, key: str) -> Pose | None:
        """Return the pose after one frame with this key, or None if the piece locks."""
        fallen = Pose(pose.piece, pose.state, pose.x, pose.y + 1)
        if not self.fits(fallen):
            return None
        if key == DROP:
            return Pose(pose.piece, pose.state, pose.x, self.landing(fallen))
        turned = (fallen.state + (key == TURN)) % len(STATES[pose.piece])
        moved = Pose(pose.piece, turned, pose.x + (key == RIGHT) - (key == LEFT), fallen.y)
        return moved if self.fits(moved) else fallen


Place = tuple[int, int]
"""State and column of a piece. Its row follows from the number of frames."""
Layer = dict[Place, tuple[int, str, Place]]
"""The places reachable in one row, each with the fewest keys, the last key (or none) and the previous place."""


def _fall(grid: Grid, piece: str, layer: Layer, y: int) -> Layer:
    """Return the places that can be reached one frame later, in row `y`."""
    below: Layer = {}
    states = len(STATES[piece])
    for place, (keys, _, _) in layer.items():
        state, x = place
        if grid.blocked(piece, state, x) >> y & 1:
            continue
        if place not in below or keys <= below[place][0]:  # with the same number of keys, prefer earlier ones
            below[place] = (keys, NOTHING, place)
        for key, moved in ((TURN, ((state + 1) % states, x)), (LEFT, (state, x - 1)), (RIGHT, (state, x + 1))):
            if grid.blocked(piece, *moved) >> y & 1:
                continue
            if moved not in below or keys + 1 < below[moved][0]:
                below[moved] = (keys + 1, key, place)
    return below


def reachable(grid: Grid, start: Pose) -> set[Pose]:
    """Return all poses in which the piece can come to rest if its keys start in the frame after `start`."""
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
    """Return the keys that bring the piece to rest at `target`, one entry per frame, or None if it cannot get there.

    There are as few keys as possible, as early as possible; a frame without a key has an empty entry. The last key is a
    drop, unless the piece already lies at the target.
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
    """Return the core's game with these settled cells and known pieces."""
    return Game.at(RULES, board_of(settled), known)
