"""A visitor's game of Tetris, without browser or clock: held keys in, pictures out, one frame at a time."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from blockfall.app.parts.board import Picture
from blockfall.app.play.keyboard import HALF_TURN
from blockfall.app.play.modes import PlayerProgress, clock, pace
from blockfall.errors import BlockfallError
from blockfall.games import HumanGame, Placement, Termination
from blockfall.games.painting import EMPTY, PaintedBoard
from blockfall.games.protocol import Cell
from blockfall.rulesets import PIECES, Rules, rules, rules_names
from blockfall.validation import Model, check

_MOST_WAITING = 64  # changes of keys; nobody's fingers are that fast
_ENDS = {
    Termination.OVERFLOW: "The stack passed the top.",
    Termination.BLOCK_OUT: "The next piece had no room.",
    Termination.LOCK_OUT: "A piece locked above the board.",
}


class _KeptKeys(Model):
    rules: str
    level: int
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    delay: Annotated[int, Field(ge=0, le=600)]
    repeat: Annotated[int, Field(ge=0, le=600)]
    soft: Annotated[int, Field(ge=1, le=600)] | None = None
    keys: Annotated[list[Annotated[int, Field(ge=0, lt=2**20)]], Field(max_length=1_000_000)]


def playable_rules() -> list[Rules]:
    """Return the rules whose pieces never end. A script of a few pieces is a problem, not a game."""
    found = [rules(name) for name in rules_names()]
    return [one for one in found if one.file.generator.name != "script"]


def with_soft_drop(game_rules: Rules, frames_per_row: int | None) -> Rules:
    """Return the rules with a soft drop of this speed; None keeps the rules' own.

    >>> with_soft_drop(rules("guideline"), 1).file.play.soft_drop_frames_per_row
    1.0
    """
    if frames_per_row is None:
        return game_rules
    play = game_rules.file.play.model_copy(update={"soft_drop_frames_per_row": float(frames_per_row)})
    return replace(game_rules, file=game_rules.file.model_copy(update={"play": play}))


def most_start_level(game_rules: Rules) -> int:
    """Return the last level that differs from the one before; 0 if all levels are alike."""
    return len(game_rules.file.play.frames_per_row) - 1


class HeldKeys:
    """Masks of held keys, taken as they come and handed out one per frame so that no tap is lost.

    In one frame each key changes at most once and at most one key is pressed: a tap within a frame is down in this
    frame and up in the next, and two taps stay two, in order. A half turn becomes two presses of the clockwise key.
    """

    def __init__(self) -> None:
        self._now = 0
        self._half = False
        self._waiting: deque[int] = deque()

    def hold(self, mask: int) -> None:
        """Hold these keys from now on."""
        if len(self._waiting) >= _MOST_WAITING:
            self._waiting.clear()
        half, keys = bool(mask & HALF_TURN), mask & ~HALF_TURN
        if half and not self._half:
            turning, still = keys | HumanGame.CLOCKWISE, keys & ~HumanGame.CLOCKWISE
            self._waiting += (turning, still, turning, still)
        self._half = half
        self._waiting.append(keys)

    def release_all(self) -> None:
        """Release all keys, including those that wait."""
        self._waiting.clear()
        self._now, self._half = 0, False

    def next_frame(self) -> int:
        """Return the keys held in the next frame."""
        changed = pressed = 0
        while self._waiting:
            coming = self._waiting[0]
            flips = coming ^ self._now
            presses = flips & coming
            if flips & changed or (presses and pressed):
                break
            self._now = self._waiting.popleft()
            changed |= flips
            pressed |= presses
        return self._now


class TetrisSession:
    """One game, from its first frame to its last."""

    def __init__(
        self,
        game_rules: Rules,
        seed: int,
        shift_delay_frames: int = 10,
        shift_repeat_frames: int = 2,
        soft_drop_frames: int | None = None,
    ) -> None:
        """`soft_drop_frames` is the time per row while the key is held; None for the rules' own."""
        game_rules = with_soft_drop(game_rules, soft_drop_frames)
        self.rules, self.seed = game_rules, seed
        self.game = HumanGame(game_rules, seed, shift_delay_frames, shift_repeat_frames)
        self.painted = PaintedBoard(game_rules.columns, game_rules.rows)
        self.rows_shown = game_rules.visible_rows + _rows_above(game_rules)
        self.placements: list[Placement] = []
        """The pieces' final placements, in order."""
        self._delays = shift_delay_frames, shift_repeat_frames, soft_drop_frames
        self._keys: list[int] = []  # alternately a mask and the number of frames it was held
        self._seen = self._state()
        self._cleared: list[int] = []
        self._sound = ""

    @classmethod
    def restored(cls, kept: object) -> "TetrisSession | None":
        """Return the game that `as_kept` wrote, replayed to where it was; None for anything else."""
        try:
            said = check(_KeptKeys, kept, "the kept game")
            session = cls(rules(said.rules).starting_at(said.level), said.seed, said.delay, said.repeat, said.soft)
        except BlockfallError:
            return None
        for mask, frames in zip(said.keys[::2], said.keys[1::2], strict=False):
            for _ in range(frames):
                session.step(mask)
        session.picture()
        return session

    def as_kept(self) -> dict[str, object]:
        """Return the game for the next visit: the keys of every frame reproduce it."""
        delay, repeat, soft = self._delays
        level = self.rules.file.scoring.start_level
        return {
            "rules": self.rules.name,
            "level": level,
            "seed": self.seed,
            "delay": delay,
            "repeat": repeat,
            "soft": soft,
            "keys": list(self._keys),
        }

    @property
    def over(self) -> bool:
        """True if the game has ended."""
        return self.game.over

    @property
    def ending(self) -> str:
        """The reason for its end."""
        return _ENDS.get(self.game.termination, "")

    def numbers(self) -> dict[str, object]:
        """Return the numbers to show, by title."""
        core = self.game.core
        return {
            "Time": clock(self.frames),
            "Lines": core.lines,
            "Score": core.score,
            "Level": core.level,
            "Pieces": core.pieces,
            "Per second": pace(self.frames, core.pieces),
        }

    @property
    def frames(self) -> int:
        """The number of frames played."""
        return self.game.core.frame

    @property
    def progress(self) -> PlayerProgress:
        """The person's progress."""
        return PlayerProgress("you", self.game.core.lines, self.over)

    def step(self, keys: int) -> bool:
        """Play one frame with these keys held. Return whether there is something new to see."""
        pieces = self.game.core.pieces
        self.game.core.step(keys)
        if self._keys and self._keys[-2] == keys:
            self._keys[-1] += 1
        else:
            self._keys += (keys, 1)
        if self.game.core.pieces != pieces:
            self._lock()
        state = self._state()
        changed, self._seen = state != self._seen, state
        return changed

    def picture(self, *, ghost: bool = True) -> Picture:
        """Return the picture, with the flashes and sounds since the last one."""
        falling, shadow, mark = self._moving()
        cleared, self._cleared = self._cleared, []
        sound, self._sound = self._sound, ""
        return Picture(
            self.painted.text(self.rows_shown),
            falling=self._visible(falling),
            mark=mark,
            ghost=self._visible(shadow) if ghost else (),
            cleared=cleared,
            sound=sound,
        )

    def _moving(self) -> tuple[Sequence[Cell], Sequence[Cell], str]:
        """Return the cells of the falling piece and of its ghost, and its letter."""
        last = self.game.locked
        if not self.over:
            return self.game.falling_cells, self.game.ghost_cells, self.game.piece
        if last is not None and not self._took_last():
            return last.cells, (), last.piece
        return (), (), EMPTY

    def _took_last(self) -> bool:
        """Return whether the last piece is part of the board. One that locked too high is not."""
        return self.game.termination not in (Termination.LOCK_OUT, Termination.OVERFLOW)

    def _lock(self) -> None:
        placement = self.game.locked
        if placement is not None:
            self.placements.append(placement)
        if placement is not None and self._took_last():
            self._cleared += self.painted.lock(placement)
        self._sound = "over" if self.over else "clear" if self._cleared else "lock"

    def _state(self) -> tuple[object, ...]:
        core = self.game.core
        return core.pieces, self.game.falling_cells, core.known, core.held, core.termination

    def _visible(self, cells: Iterable[Cell]) -> list[Cell]:
        return [(x, y) for x, y in cells if y < self.rows_shown]


def _rows_above(game_rules: Rules) -> int:
    """Return the number of hidden rows in which pieces appear. A person wants to see them come."""
    file = game_rules.file
    return min(file.board.hidden_rows, max(0, -file.spawn.row))


class PieceQueue:
    """Small boards with pieces one above another, turned as they appear in the game."""

    def __init__(self, game_rules: Rules, places: int) -> None:
        self._shapes = {letter: game_rules.core.cells(at, 0, 0, 0) for at, letter in enumerate(PIECES)}
        self._places = places
        every = [cell for shape in self._shapes.values() for cell in shape]
        self._wide, self._high = 1 + max(x for x, _ in every), 1 + max(y for _, y in every)
        self.columns, self.rows = self._wide, max(1, places) * (self._high + 1) - 1

    def picture(self, letters: str) -> Picture:
        """Return a picture of the pieces, from top to bottom."""
        grid = [[EMPTY] * self.columns for _ in range(self.rows)]
        for place, letter in enumerate(letters[: self._places]):
            shape = self._shapes[letter]
            left = (self._wide - 1 - max(x for x, _ in shape)) // 2
            for x, y in shape:
                grid[place * (self._high + 1) + self._high - 1 - y][left + x] = letter
        return Picture(["".join(row) for row in grid])
