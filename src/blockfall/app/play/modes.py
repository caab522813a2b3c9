"""Ways to play Tetris: endless, sprint, marathon, and against an agent on the same pieces.

A mode says when a game ends and what counts. Time is in frames.
"""

from dataclasses import dataclass

from blockfall.app.play.ticking import FRAMES_PER_SECOND

SPRINT_LINES = 40
MARATHON_LINES = 150


@dataclass(frozen=True)
class Mode:
    """A way to play."""

    name: str
    title: str
    what: str
    goal_lines: int | None = None
    """The lines that end the game."""
    by_time: bool = False
    """True if the shortest time is best, not the most points."""
    counts_down: bool = False
    """True if a countdown comes before the first piece."""
    against: bool = False
    """True if an agent plays the same pieces."""


MODES = {
    mode.name: mode
    for mode in (
        Mode("endless", "Endless", "Play until the stack reaches the top."),
        Mode(
            "sprint",
            "Sprint",
            f"Clear {SPRINT_LINES} lines as fast as you can.",
            SPRINT_LINES,
            by_time=True,
            counts_down=True,
        ),
        Mode("marathon", "Marathon", f"Score as many points as you can with {MARATHON_LINES} lines.", MARATHON_LINES),
        Mode(
            "versus",
            "Versus",
            f"An agent gets the same pieces. The first to clear {SPRINT_LINES} lines wins; topping out loses.",
            SPRINT_LINES,
            counts_down=True,
            against=True,
        ),
    )
}


@dataclass(frozen=True)
class PlayerProgress:
    """A player's progress."""

    name: str
    lines: int
    over: bool


@dataclass(frozen=True)
class ModeEnding:
    """The end of a game."""

    title: str
    detail: str
    counts: bool
    """True if the game may enter the high scores."""


def ending(
    mode: Mode, frames: int, score: int, you: PlayerProgress, rival: PlayerProgress | None, why_over: str
) -> ModeEnding | None:
    """Return how the game ended; None while it runs. `why_over` says why the person's game was over.

    >>> done = PlayerProgress("you", 40, False)
    >>> ending(MODES["sprint"], 2899, 0, done, None, "").title
    '40 lines in 0:48.32'
    """
    goal = mode.goal_lines
    reached = goal is not None and you.lines >= goal
    if rival is not None and goal is not None:
        return _of_match(goal, you, rival, why_over)
    if reached and mode.by_time:
        return ModeEnding(f"{goal} lines in {clock(frames)}", f"{pace(frames, you.lines)} lines per second.", True)
    if reached:
        return ModeEnding(f"{score:,} points", f"All {goal} lines in {clock(frames)}.", True)
    if not you.over:
        return None
    if mode.by_time:
        return ModeEnding("Game over", f"{you.lines} of {goal} lines. {why_over}", False)
    return ModeEnding("Game over", f"{score:,} points, {you.lines:,} lines. {why_over}", True)


def _of_match(goal: int, you: PlayerProgress, rival: PlayerProgress, why_over: str) -> ModeEnding | None:
    lines = f"{you.lines} lines against {rival.lines}."
    if you.lines >= goal:
        return ModeEnding("You win", lines, False)
    if rival.lines >= goal:
        return ModeEnding(f"{rival.name} wins", lines, False)
    if rival.over:
        return ModeEnding("You win", f"{rival.name} reached the top. {lines}", False)
    if you.over:
        return ModeEnding(f"{rival.name} wins", f"{why_over} {lines}", False)
    return None


def clock(frames: int) -> str:
    """Return a time as on a stopwatch.

    >>> clock(0), clock(2899), clock(60 * 125)
    ('0:00.00', '0:48.32', '2:05.00')
    """
    hundredths = round(100 * frames / FRAMES_PER_SECOND)
    return f"{hundredths // 6000}:{hundredths // 100 % 60:02}.{hundredths % 100:02}"


def pace(frames: int, count: int) -> str:
    """Return the count per second, as text.

    >>> pace(0, 0), pace(120, 5)
    ('-', '2.50')
    """
    return f"{count * FRAMES_PER_SECOND / frames:.2f}" if frames else "-"
