"""The course server's game, frame by frame, and the frames as it sends them.

A frame: where there is no piece, the next one appears (no room for it ends the game); it falls a row; where it can, one
key moves it, and where it cannot, it locks and full rows go. Every lock adds the square of its lines to the score, and
the score sets the pace.
"""

import json
from collections.abc import Iterator, Sequence

from blockfall import _core
from blockfall.rulesets import PIECES
from blockfall.server.course import COLUMNS, PREVIEWS, ROWS, RULES, STATES, WALLS, Cell, Grid, Pose, spawned

SLOWEST = 10
"""Frames per second at the start."""
POINTS_PER_FRAME = 10
"""So many points more, and there is one frame per second more."""

_INFO = json.dumps({"dimensions": [COLUMNS, ROWS], "grid": WALLS})[:-1]
_PREVIEW = {letter: json.dumps(states[0]) for letter, states in STATES.items()}


def dealt(seed: int, number: int) -> Iterator[str]:
    """The pieces of a game: those of the core's game of this seed and number."""
    count, done = 64, 0
    while True:
        for piece in _core.deal(RULES.core, seed, number, count)[done:].tolist():
            yield PIECES[piece]
        count, done = 2 * count, count


def info(
    speed: int, score: int, player: str | None = None, high_scores: Sequence[tuple[str, int]] | None = None
) -> str:
    """What a client is told when it joins, and with its name and the high scores, when its game has ended."""
    more = {"game_speed": speed, "score": score}
    end = {} if player is None else {"player": player, "highscores": high_scores}
    return f"{_INFO}, {json.dumps(more | end)[1:]}"


class CourseGame:
    def __init__(self, pieces: Iterator[str], player: str = "") -> None:
        self.player = player
        self.score = 0
        self.lines = 0
        self.pieces = 0
        """Locked so far."""
        self.over = False
        self.settled: list[Cell] = []
        self.pose: Pose | None = None
        self._pieces = pieces
        self._next = [next(pieces) for _ in range(PREVIEWS + 1)]
        self.frames = 0
        self._name_text = json.dumps(player)
        self._settle([])

    @property
    def speed(self) -> int:
        """Frames per second."""
        return SLOWEST + self.score // POINTS_PER_FRAME

    def step(self, key: str = "") -> str:
        """One frame, and the message that shows it."""
        if self.pose is None:
            self._spawn()
        if self.pose:
            moved = self._grid.after(self.pose, key)
            if moved is None:
                self._lock(self.pose)
            self.pose = moved
        self.frames += 1
        return self._message()

    def _spawn(self) -> None:
        self.pose = spawned(self._next.pop(0))
        self._next.append(next(self._pieces))
        self._next_text = ", ".join(_PREVIEW[letter] for letter in self._next[:PREVIEWS])
        if not self._grid.fits(self.pose):
            self.over = True
            self._settle(self.settled + self.pose.cells)  # on top of what is there, as the course's last frames show
            self.pose = None

    def _lock(self, pose: Pose) -> None:
        settled = self.settled + pose.cells
        rows = [0] * ROWS
        for _, y in settled:
            rows[y] += 1
        full = [y for y in range(ROWS) if rows[y] == RULES.columns]
        self._settle([(x, y + sum(y < row for row in full)) for x, y in settled if y not in full] if full else settled)
        self.pieces += 1
        self.lines += len(full)
        self.score += RULES.file.scoring.lines[len(full) - 1] if full else 0

    def _settle(self, settled: list[Cell]) -> None:
        self.settled = settled
        self._grid = Grid(settled)
        self._settled_text = json.dumps(settled)

    def _message(self) -> str:
        piece = json.dumps(self.pose.cells) if self.pose else "null"
        player = f', "player": {self._name_text}' if self.frames > 1 else ""
        return (
            f'{{"game": {self._settled_text}, "piece": {piece}, "next_pieces": [{self._next_text}], '
            f'"game_speed": {self.speed}, "score": {self.score}{player}}}'
        )
