"""The grading of a class: every submission on the same hidden exercises, with marks as a table, XLSX and JSON.

A submission answers one exercise at a time. This process alone has the scheme, the seed and the marks: it plays and
marks the answers. A fault costs the exercise; if it ended the submission's process, the next exercise starts another.
"""

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from blockfall.errors import SettingError
from blockfall.files import write_atomically
from blockfall.reports.model import Report, Section, Sheet
from blockfall.teaching.assignment import Assignment
from blockfall.teaching.exercises import Ask, Exercise, TaskKeys
from blockfall.teaching.sandbox import Sandbox, SubmissionError, readable
from blockfall.teaching.submissions import Submission
from blockfall.validation import visible

_MOST_REASONS = 3  # in a row of the table; the workbook has the reason for every exercise

GradingProgress = Callable[[int, str], None]
"""A function that is called with the number of exercises done and the current activity."""


@dataclass(frozen=True)
class Mark:
    """A submission's mark for one exercise."""

    task: str
    number: int
    points: float
    most: float
    floor: float
    target: float
    earned: float | None = None
    """The points earned in the game; None if a fault ended it."""
    reason: str = ""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the mark as in marks.json."""
        return {
            "task": self.task,
            "number": self.number,
            "points": round(self.points, 3),
            "of": round(self.most, 3),
            "earned": self.earned,
            "floor": self.floor,
            "target": self.target,
            "seconds": round(self.seconds, 3),
            "reason": self.reason,
        }


@dataclass
class MarkedSubmission:
    """A submission with its marks so far."""

    name: str
    marks: list[Mark] = field(default_factory=list)
    graded: bool = False
    """True if all exercises are marked."""

    def points(self, task: str | None = None) -> float:
        """Return the points of a task, or of all tasks."""
        return round(sum(mark.points for mark in self.marks if task in (None, mark.task)), 2)

    def reasons(self, assignment: Assignment) -> str:
        """Return why points were lost: each fault with its number of exercises, and what was earned."""
        if not self.graded:
            return "not graded: interrupted"
        unit = assignment.kind.unit
        faults = Counter(mark.reason for mark in self.marks if mark.reason)
        shown = faults.most_common(_MOST_REASONS)
        said = [f"{count} {unit}{'s' if count > 1 else ''}: {reason}" for reason, count in shown]
        if len(faults) > len(shown):
            said.append(f"{len(faults) - len(shown)} other reasons")
        for task in assignment.tasks:
            played = [mark for mark in self.marks if mark.task == task.name and mark.earned is not None]
            if any(mark.points < mark.most for mark in played):
                earned = mean(mark.earned or 0.0 for mark in played)
                weak, strong = mean(mark.floor for mark in played), mean(mark.target for mark in played)
                said.append(f"{task.name}: mean {earned:g}; {task.floor} {weak:g}, {task.target} {strong:g}")
        return "; ".join(said)


@dataclass
class Grades:
    """The marks of a class."""

    assignment: Assignment
    works: list[MarkedSubmission]
    notes: list[str] = field(default_factory=list)
    """Notes that the teacher must know."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings of `rows`."""
        tasks = (f"{task.name} of {task.points:g}" for task in self.assignment.tasks)
        return ("name", f"points of {self.assignment.points:g}", *tasks, "reasons")

    def rows(self) -> list[tuple[str | float, ...]]:
        """Return a row for each submission."""
        return [
            (
                visible(work.name),
                work.points(),
                *(work.points(task.name) for task in self.assignment.tasks),
                work.reasons(self.assignment),
            )
            for work in self.works
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the grades as in marks.json."""
        return {
            "title": self.assignment.title,
            "assignment": self.assignment.kind.name,
            "of": self.assignment.points,
            "notes": self.notes,
            "submissions": [
                {
                    "name": work.name,
                    "points": work.points(),
                    "graded": work.graded,
                    "tasks": [
                        {"name": task.name, "points": work.points(task.name), "of": task.points}
                        for task in self.assignment.tasks
                    ],
                    "reasons": work.reasons(self.assignment),
                    "exercises": [mark.as_json() for mark in work.marks],
                }
                for work in self.works
            ],
        }

    def report(self) -> Report:
        """Return the workbook's sheets: the marks, and every exercise."""
        marks = Sheet("Marks", self.columns, tuple(self.rows()), " ".join(self.notes))
        unit = self.assignment.kind.unit
        columns = ("name", "task", unit, "points", "of", "earned", "floor", "target", "seconds", "reason")
        every = tuple(
            (
                visible(work.name),
                mark.task,
                mark.number,
                round(mark.points, 3),
                round(mark.most, 3),
                mark.earned,
                mark.floor,
                mark.target,
                round(mark.seconds, 3),
                mark.reason,
            )
            for work in self.works
            for mark in work.marks
        )
        detail = Sheet(f"Every {unit}", columns, every)
        return Report(self.assignment.title, "", (Section("Marks", (), (marks, detail)),))

    def write(self, folder: Path) -> list[Path]:
        """Write marks.xlsx and marks.json."""
        from blockfall.reports.workbook import workbook_bytes

        files: dict[str, str | bytes] = {
            "marks.xlsx": workbook_bytes(self.report()),
            "marks.json": json.dumps(self.as_json(), indent=1) + "\n",
        }
        for name, content in files.items():
            write_atomically(folder / name, content)
        return [folder / name for name in files]


@dataclass(frozen=True)
class _Hidden:
    """An exercise with its place in the scheme."""

    task: TaskKeys
    number: int
    exercise: Exercise

    def mark(self, earned: float | None, reason: str, seconds: float) -> Mark:
        most = self.task.points / self.task.count
        part = 0.0 if earned is None else self.exercise.part(earned, self.task.valid)
        floor, target = self.exercise.floor, self.exercise.target
        return Mark(self.task.name, self.number, part * most, most, floor, target, earned, reason, seconds)


def begin(assignment: Assignment, submissions: Sequence[Submission]) -> Grades:
    """Return the grades before grading. Refuse a folder that submissions could read."""
    here = assignment.folder.resolve()
    for place in readable(assignment.limits.packages):
        if here.is_relative_to(Path(place).resolve()):
            raise SettingError(f"{assignment.folder} lies in {place}, which submissions can read; move it elsewhere")
    return Grades(assignment, [MarkedSubmission(one.name) for one in submissions])


def grade(grades: Grades, submissions: Sequence[Submission], progress: GradingProgress) -> None:
    """Grade the submissions one after the other, and fill `grades`. An interrupt keeps finished marks."""
    assignment = grades.assignment
    total = sum(task.count for task in assignment.tasks)
    hidden: list[_Hidden] = []
    for place, task in enumerate(assignment.tasks):
        for number in range(task.count):
            progress(0, f"making {assignment.kind.unit} {len(hidden) + 1} of {total}")
            hidden.append(_Hidden(task, number + 1, assignment.exercise(place, number)))
    for number, (work, submission) in enumerate(zip(grades.works, submissions, strict=True)):
        for mark in _marks(grades, submission, hidden):
            work.marks.append(mark)
            progress(number * total + len(work.marks), visible(work.name, 40))
        work.graded = True


def _marks(grades: Grades, submission: Submission, hidden: Sequence[_Hidden]) -> Iterator[Mark]:
    assignment, limits = grades.assignment, grades.assignment.limits
    sandbox: Sandbox | None = None
    with tempfile.TemporaryDirectory(prefix="blockfall-") as place:
        try:
            file = submission.copy_to(Path(place).resolve(), assignment.helpers)
        except (SubmissionError, OSError) as fault:
            yield from (one.mark(None, str(fault), 0.0) for one in hidden)
            return
        loads = True
        try:
            for after, one in enumerate(hidden, 1):
                began = time.monotonic()
                try:
                    if sandbox is None or sandbox.closed:
                        loads = False
                        sandbox = Sandbox(
                            file,
                            assignment.kind.function,
                            seconds=limits.seconds,
                            memory_mb=limits.memory_mb,
                            packages=limits.packages,
                        )
                        loads = True
                        _note(grades, sandbox)
                        began = time.monotonic()
                    earned = one.exercise.play(_asking(sandbox, limits.seconds, assignment.kind.unit), limits.seconds)
                    yield one.mark(earned, "", time.monotonic() - began)
                except SubmissionError as fault:
                    yield one.mark(None, str(fault), time.monotonic() - began)
                    if not loads:  # it would not load the next time either
                        rest = hidden[after:]
                        yield from (other.mark(None, str(fault), 0.0) for other in rest)
                        return
        finally:
            if sandbox is not None:
                sandbox.close()


def _asking(sandbox: Sandbox, seconds: float, unit: str) -> Ask:
    """Return a function that asks the submission, with one time limit for all questions of an exercise."""
    left = seconds

    def ask(arguments: Sequence[object]) -> Any:
        nonlocal left
        began = time.monotonic()
        try:
            return sandbox.call(arguments, left, f"more than {seconds:g} s for one {unit}")
        finally:
            left -= time.monotonic() - began

    return ask


def _note(grades: Grades, sandbox: Sandbox) -> None:
    """Note once what submissions can still do on this system."""
    if sandbox.confinement.lacks and not grades.notes:
        able = " and ".join(sandbox.confinement.lacks)
        grades.notes.append(f"On this system submissions can {able}; grade only those that you trust.")
