"""The progress of a training, from the store: its curve and its numbers."""

from collections import Counter
from dataclasses import dataclass, field

from blockfall.app.parts import jobs
from blockfall.experiments.overview import Overview
from blockfall.store import Point, Store

_RECENT = 10  # iterations used to estimate speed and time left


@dataclass
class RunProgress:
    """A run's progress. Each reading adds only what is new."""

    run: str
    overview: Overview | None = None
    points: list[Point] = field(default_factory=list)
    running: bool = False
    problem: str = ""
    """The error that ended its process, if any."""

    def read(self, store: Store) -> bool:
        """Read what is new, and return whether anything has changed."""
        before = (self.running, self.overview and self.overview.run.finished, len(self.points), self.problem)
        self.overview = Overview(store.runs.find(self.run))
        job = jobs.training(self.overview.run.folder)
        self.running = not self.overview.run.finished and job.running
        self.problem = "" if self.running else jobs.problem(job)
        self.points += store.runs.curve(self.run, Counter(point.restart for point in self.points))
        return before != (self.running, self.overview.run.finished, len(self.points), self.problem)

    @property
    def seen(self) -> Overview:
        """The run as last read."""
        assert self.overview, "read it first"
        return self.overview

    @property
    def state(self) -> str:
        """Running, stopped or finished."""
        return "finished" if self.seen.run.finished else "running" if self.running else "stopped"

    @property
    def restart(self) -> int:
        """The current restart, from 0."""
        return self.points[-1].restart if self.points else 0

    @property
    def share(self) -> float:
        """The share of iterations that are done, or no longer needed because a restart ended early."""
        if self.state == "finished":
            return 1.0
        if not self.points:
            return 0.0
        last, each = self.points[-1], self.seen.configuration.iterations
        done = Counter(point.restart for point in self.points)
        # Restarts run one after another or in step, so one at another iteration than the last point has ended.
        steps = sum(count if count == last.iteration + 1 else each for count in done.values())
        return steps / (each * self.seen.configuration.restarts)

    @property
    def games_per_second(self) -> float | None:
        """The speed of the last iterations."""
        recent = self.points[-_RECENT:]
        seconds = sum(point.seconds for point in recent)
        return sum(point.games for point in recent) / seconds if seconds else None

    @property
    def seconds_left(self) -> float | None:
        """The time left at the recent speed if no restart ends early, without validation and test."""
        recent = self.points[-_RECENT:]
        if not recent or not self.running:
            return None
        left = (1 - self.share) * self.seen.configuration.iterations * self.seen.configuration.restarts
        return left * sum(point.seconds for point in recent) / len(recent)

    @property
    def seconds(self) -> float:
        """The time that all iterations took."""
        return sum(point.seconds for point in self.points)

    @property
    def curves(self) -> dict[str, list[Point]]:
        """Return the iterations of every restart so far, by name."""
        return {f"restart {number + 1}": self.curve(number) for number in range(self.restart + 1)}

    def curve(self, restart: int) -> list[Point]:
        """Return the iterations of a restart."""
        return [point for point in self.points if point.restart == restart]


def state_of(seen: Overview) -> str:
    """Return the run's state. A run whose process is still starting counts as running."""
    starting = seen.state == "stopped" and jobs.training(seen.run.folder).running
    return "running" if starting else seen.state


def duration(seconds: float | None) -> str:
    """Return a duration in words.

    >>> duration(7), duration(312), duration(8000)
    ('7 s', '5 min 12 s', '2 h 13 min')
    """
    if seconds is None:
        return "-"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
