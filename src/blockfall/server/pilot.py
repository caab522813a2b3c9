"""A pilot that sees every frame and answers the newest one with a key.

In the frame before a piece appears, which shows no piece, the agent chooses the piece's target. The pilot then takes
the way to the target with the fewest keys.

A key takes some frames to show. The pilot assumes that sent keys arrive in order, one per frame, so a slow connection
does no harm. It makes a new plan if these keys cannot explain a frame, or if a key takes longer than usual to show.

Two kinds of keys wait until all others have shown: the drop, because it cannot be undone, and every key while the delay
changes, because the server forgets the first of two keys that arrive within one frame. As the second may be an empty
key, the pilot sends nothing while a key is on its way. In lockstep none ever is, so it answers every frame.
"""

from dataclasses import dataclass, field

from blockfall.agents import Agent
from blockfall.games.board import Board
from blockfall.games.protocol import Cell
from blockfall.games.tetris import Game, Placement
from blockfall.server.course import (
    DROP,
    NOTHING,
    Grid,
    Pose,
    board_of,
    game_at,
    path,
    pose_of,
    reachable,
    recognise,
    spawned,
)
from blockfall.server.messages import Frame

_MOST_DELAY = 12.0
_FADING = 0.03
"""The frames by which the least and the most delay approach each other after every key."""


@dataclass
class Tally:
    """The counts of a pilot in a game."""

    frames: int = 0
    pieces: int = 0
    """Pieces that have locked."""
    missed: int = 0
    """Locked pieces that missed their first target."""
    surprises: int = 0
    """Frames in which the sent keys cannot explain the piece's place."""


@dataclass
class Pilot:
    """A player of one game for an agent: call `see` with every frame, and `key` for the answer to the newest."""

    agent: Agent
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self._settled: list[Cell] | None = None
        self._grid = Grid([])
        self._pose: Pose | None = None
        """The piece as last seen or, before it appears, the pose in which it will."""
        self._falling = False
        """True once the piece has been seen."""
        self._known = ""
        """The letters of the piece and of those after it."""
        self._sent: list[tuple[str, int]] = []
        """Keys that have not shown yet, each with the number of frames seen before it was sent."""
        self._least_delay, self._most_delay = _MOST_DELAY, 0.0
        """The least and the most frames that recent keys took to show; none has shown yet."""
        self._game: Game | None = None
        self._target: Placement | None = None
        self._target_knew = 0
        """The number of pieces known when the target was chosen."""
        self._gave_up = False
        """True once the first target has turned out to be out of reach."""
        self._way: list[str] = []
        self._way_from: Pose | None = None

    def see(self, frame: Frame) -> None:
        """Take in a frame. Call this for every frame, in order."""
        self.tally.frames += 1
        known = [recognise(cells or []) for cells in frame.next_pieces]
        following = "".join(pose.piece for pose in known if pose)
        if frame.piece is None:
            self._end_piece(frame.game)
            self._sent = self._sent[1:]
            self._known = following
            self._pose = spawned(following[0]) if following else None
            return
        self._take_board(frame.game)
        seen = recognise(frame.piece)
        if seen and not self._grid.fits(seen):
            seen = None
        if seen is None:
            self._forget()
        elif self._pose is None or self._pose.piece != seen.piece:
            self._forget()
            self._known = seen.piece + following
        else:
            self._explain(self._pose, seen)
            self._known = seen.piece + following
        self._pose = seen
        self._falling = True

    def key(self) -> str | None:
        """Return the answer to the newest frame: a key, empty for no key, or None if even that would do harm."""
        key = NOTHING
        pose = self._expected()
        if pose:
            key = self._next_key(pose)
        would_undo = key == NOTHING and any(sent for sent, _ in self._sent)
        self._sent.append((key, self.tally.frames))
        return None if would_undo else key

    def _end_piece(self, settled: list[Cell]) -> None:
        """Count the piece that has locked. A piece that had no room to appear never fell, so it does not count."""
        self.tally.pieces += self._falling or self._target is not None
        astray = self._game and self._target and _locked(self._game, self._target) != board_of(settled)
        self.tally.missed += bool(astray) or self._gave_up
        self._gave_up = False
        self._falling = False
        self._target = None
        self._way_from = None
        self._take_board(settled)

    def _take_board(self, settled: list[Cell]) -> None:
        if settled != self._settled:
            self._settled = settled
            self._grid = Grid(settled)

    def _forget(self) -> None:
        """Drop the plan and the sent keys. The next frames show where the piece is."""
        self._sent.clear()
        self._target = None
        self._way_from = None

    def _explain(self, before: Pose, seen: Pose) -> None:
        """Find which sent key has shown: the first, none yet, or a later one that replaced it."""
        if self._sent and self._grid.after(before, self._sent[0][0]) == seen:
            self._shown(0)
        elif self._grid.after(before, NOTHING) == seen:
            waited = self.tally.frames - self._sent[0][1] if self._sent else 0
            if waited > (self._most_delay or _MOST_DELAY) + 1:
                self._sent.clear()  # lost
        else:
            later = [number for number, (key, _) in enumerate(self._sent) if self._grid.after(before, key) == seen]
            if later:
                self._shown(later[0])
            else:
                self.tally.surprises += 1
                self._sent.clear()

    def _shown(self, number: int) -> None:
        key, when = self._sent[number]
        if key:
            delay = self.tally.frames - when
            self._least_delay = min(delay, self._least_delay + _FADING)
            self._most_delay = max(delay, self._most_delay - _FADING)
        del self._sent[: number + 1]

    def _expected(self) -> Pose | None:
        """Return the pose once all sent keys have arrived, or None if the piece will have locked by then."""
        pose = self._pose
        for key, _ in self._sent:
            pose = pose and self._grid.after(pose, key)
        return pose

    def _next_key(self, pose: Pose) -> str:
        knows = min(len(self._known), self.agent.pieces_known)
        if self._target is None or self._target_knew < knows:
            self._choose(pose, knows)
        if self._target is None:
            return NOTHING
        if self._way_from != pose:
            way = path(self._grid, pose, pose_of(self._target))
            if way is None:
                self._gave_up = True
                self._choose(pose, knows)
                way = path(self._grid, pose, pose_of(self._target)) if self._target else []
            self._way = way or []
        key = self._way[0] if self._way else NOTHING
        alone = key == DROP or self._most_delay - self._least_delay >= 1
        if alone and any(sent for sent, _ in self._sent):
            return NOTHING
        self._way = self._way[1:]
        self._way_from = self._grid.after(pose, key)
        return key

    def _choose(self, pose: Pose, knows: int) -> None:
        self._target = None
        self._way_from = None
        game = game_at(self._settled or [], self._known[:knows])
        if game.over:
            return
        among = None
        if pose != spawned(pose.piece):
            within = reachable(self._grid, pose)
            among = [placement for placement in game.placements() if pose_of(placement) in within]
        if among is None or among:
            self._game, self._target_knew = game, knows
            self._target = game.choose(self.agent, among)


def _locked(game: Game, target: Placement) -> Board:
    """Return the board after the target has locked and full rows have been removed."""
    after = Game.at(game.rules, game.board, game.known)
    after.play(target)
    return after.board
