"""From frames to keys: sees every frame, and says one key for the newest.

A piece gets a target, the agent's choice, as soon as it is known to come: on the frame that shows no piece, the last
one before it appears. The way there is the one with the fewest keys. Keys that were sent but have not shown yet are
taken to be on their way, in order, one per frame, so a server that is some frames away is no problem; a frame that
they do not explain, or a key that does not show for longer than usual, makes a new plan from where the piece is. The
drop, which cannot be taken back, waits until all other keys have shown; and so does every key where the delay changes,
since of two keys that come within a frame the first is lost.
"""

from dataclasses import dataclass, field

from blockfall.agents import Agent
from blockfall.games.board import Board
from blockfall.games.tetris import Game, Placement
from blockfall.server.course import (
    DROP,
    NOTHING,
    Cell,
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
"""Frames by which the extremes of the delay are forgotten with every key."""


@dataclass
class Tally:
    frames: int = 0
    pieces: int = 0
    """Locked."""
    missed: int = 0
    """Those of them that did not lock where they were first meant to."""
    surprises: int = 0
    """Frames that showed a piece where no key sent could have brought it."""


@dataclass
class Pilot:
    agent: Agent
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self._settled: list[Cell] | None = None
        self._grid = Grid([])
        self._pose: Pose | None = None
        """Of the piece, as seen; of the one to come, where it will appear."""
        self._falling = False
        """It has been seen."""
        self._known = ""
        """The piece and those after it."""
        self._sent: list[tuple[str, int]] = []
        """Keys on their way, and the frames that had been seen when they were sent."""
        self._least_delay, self._most_delay = _MOST_DELAY, 0.0
        """Frames that keys have taken to show, of late; none has yet."""
        self._game: Game | None = None
        self._target: Placement | None = None
        self._target_knew = 0
        """Pieces that were known when it was chosen."""
        self._gave_up = False
        """The first target could not be reached any more."""
        self._way: list[str] = []
        self._way_from: Pose | None = None

    def see(self, frame: Frame) -> None:
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

    def key(self) -> str:
        """The answer to the newest frame."""
        key = NOTHING
        pose = self._expected()
        if pose:
            key = self._next_key(pose)
        self._sent.append((key, self.tally.frames))
        return key

    def _end_piece(self, settled: list[Cell]) -> None:
        """A piece that found no room to appear has had no target and was not seen to fall."""
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
        """Nothing is known of the piece any more but what the next frames show."""
        self._sent.clear()
        self._target = None
        self._way_from = None

    def _explain(self, before: Pose, seen: Pose) -> None:
        """Which of the keys sent has shown: the first, none yet, or a later one that came in its place."""
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
        """Where the piece will be once the keys on their way have come; None where it will have locked."""
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
    """The board once the target is locked and its full rows are gone."""
    after = Game.at(game.rules, game.board, game.known)
    after.play(target)
    return after.board
