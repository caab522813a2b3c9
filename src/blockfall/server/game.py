"""The course server's game, frame by frame, and the messages that show the frames.

In each frame:

1. If no piece is falling, the next one appears. The game ends if there is no room for it.
2. The piece falls one row, then one key moves it.
3. A piece that cannot fall locks instead, and full rows are removed.

A lock that clears n lines adds n squared to the score. The game speeds up as the score grows.
"""

import json
from collections.abc import Iterator, Sequence

from blockfall import _core
from blockfall.games.protocol import Cell
from blockfall.rulesets import PIECES
from blockfall.server.course import COLUMNS, PREVIEWS, ROWS, RULES, STATES, WALLS, Grid, Pose, spawned

SLOWEST = 10
"""The frames per second at the start."""
POINTS_PER_FRAME = 10
"""The points that speed the game up by one frame per second."""

_INFO = json.dumps({"dimensions": [COLUMNS, ROWS], "grid": WALLS})[:-1]
_PREVIEW = {letter: json.dumps(states[0]) for letter, states in STATES.items()}


def dealt(seed: int, number: int) -> Iterator[str]:
    """Yield the pieces of a game without end, the same as in the core's game with this seed and number."""
    count, done = 64, 0
    while True:
        for piece in _core.deal(RULES.core, seed, number, count)[done:].tolist():
            yield PIECES[piece]
        count, done = 2 * count, count


def info(
    speed: int, score: int, player: str | None = None, high_scores: Sequence[tuple[str, int]] | None = None
) -> str:
    """Return the message to a client that joins or, with a player and high scores, the message that ends a game."""
    more = {"game_speed": speed, "score": score}
    end = {} if player is None else {"player": player, "highscores": high_scores}
    return f"{_INFO}, {json.dumps(more | end)[1:]}"


class CourseGame:
    """One player's game, without a clock: `step` plays one frame."""

    def __init__(
        self, pieces: Iterator[str], player: str = "", *, number: int = 0, most_pieces: int | None = None
    ) -> None:
        """Start game `number` of a seed. With `most_pieces` the game ends there and records its moves."""
        self.player = player
        self.number = number
        self.placed: list[Pose] | None = None if most_pieces is None else []
        """The pose in which each piece came to rest."""
        self._most_pieces = most_pieces
        self.score = 0
        self.lines = 0
        self.pieces = 0
        """The number of locked pieces."""
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
        """The frames per second at this score."""
        return SLOWEST + self.score // POINTS_PER_FRAME

    def step(self, key: str = "") -> str:
        """Play one frame and return the message that shows it."""
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
            self._settle(self.settled + self.pose.cells)  # overlaps other cells, as in the course's last frames
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
        if self.placed is not None:
            self.placed.append(pose)
            self.over = len(self.placed) == self._most_pieces

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
