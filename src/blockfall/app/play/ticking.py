"""Frames at an even pace, and a limit on the games that run at once."""

from blockfall.errors import SettingError

FRAMES_PER_SECOND = 60
_MOST_LATE = 4  # frames that are made up for; the rest of a longer stall is dropped


class FrameClock:
    """The frames that are due, counted from the start so that small delays do not add up."""

    def __init__(self, now_s: float) -> None:
        self._start_s = now_s
        self._done = 0

    def wait_s(self, now_s: float) -> float:
        """Return the time until the next frame."""
        return max(0.0, self._start_s + (self._done + 1) / FRAMES_PER_SECOND - now_s)

    def due(self, now_s: float) -> int:
        """Return the number of frames to play now."""
        frames = int((now_s - self._start_s) * FRAMES_PER_SECOND) - self._done
        if frames > _MOST_LATE:
            self._start_s += (frames - _MOST_LATE) / FRAMES_PER_SECOND
            frames = _MOST_LATE
        self._done += frames
        return frames


class GamesAtOnce:
    """A limit on the games that run at once. More would stall the others."""

    def __init__(self, number: int) -> None:
        self._free = number

    def take(self) -> None:
        """Take a place. Raise an error if none is free."""
        if self._free == 0:
            raise SettingError("too many games run on this server already; try again in a moment")
        self._free -= 1

    def give_back(self) -> None:
        """Free a place again."""
        self._free += 1
