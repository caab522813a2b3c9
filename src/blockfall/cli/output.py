"""Printing for all commands: text, JSON, tables and progress."""

import json
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

console = Console()
errors = Console(stderr=True)

_QUIET_SECONDS = 1.0  # shorter work shows no progress
_LONGEST_NAME = 40  # a first column with longer names is folded
_LOG_SECONDS = 10.0  # between two messages without a terminal


def say(text: str) -> None:
    """Prints a text without breaking it into rows, so that commands and paths can be copied."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def program() -> str:
    """The command by which the user calls this program."""
    return "blockfall" if shutil.which("blockfall") else sys.argv[0]


def print_json(value: object) -> None:
    """Prints a value as JSON on stdout."""
    print(json.dumps(value, indent=2))


def print_rows(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]], right: Iterable[str] = ()) -> None:
    """Prints rows under a title. The columns named in `right` are aligned to the right."""
    table = Table(header_style="bold")
    numbers = set(right)
    texts = [[str(cell) for cell in row] for row in rows]
    names_fit = all(len(row[0]) <= _LONGEST_NAME for row in texts)
    for place, column in enumerate(columns):
        fixed = (place == 0 and names_fit) or column in numbers
        justify: Literal["left", "right"] = "right" if column in numbers else "left"
        overflow: Literal["fold", "ellipsis"] = "ellipsis" if fixed else "fold"  # a cut number must be seen as cut
        table.add_column(column, justify=justify, overflow=overflow, no_wrap=fixed)
    for row in texts:
        table.add_row(*row)
    console.print(title, style="bold", highlight=False, markup=False, soft_wrap=True)
    console.print(table)


@dataclass
class Meter:
    """Progress on stderr: a bar with the remaining time, or a message every few seconds if there is no terminal."""

    what: str
    total: int
    bar: Progress | None = None
    started: float = 0.0
    logged: float = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the work began."""
        return time.monotonic() - self.started

    def update(self, done: int, note: str = "") -> None:
        """Shows that so much of the total is done."""
        now = time.monotonic()
        if now - self.started < _QUIET_SECONDS:
            return
        if not errors.is_terminal:
            self._log(now, done, note)
            return
        if self.bar is None:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self.bar = Progress(*columns, TextColumn("{task.fields[note]}"), console=errors, transient=True)
            self.bar.add_task(self.what, total=self.total or None, note="")
            self.bar.start()
        self.bar.update(self.bar.task_ids[0], completed=done, note=note)

    def tick(self) -> None:
        """Shows progress in seconds since the start. A total of 0 means that the end is not known."""
        seconds = int(time.monotonic() - self.started)
        self.update(min(self.total, seconds) if self.total else seconds, "seconds")

    def _log(self, now: float, done: int, note: str) -> None:
        if now - self.logged < _LOG_SECONDS:
            return
        self.logged = now
        left = f", {(self.total - done) * (now - self.started) / done:.0f} s left" if done and self.total else ""
        of = f" of {self.total}" if self.total else ""
        print(f"{self.what}: {done}{of}{left} {note}".rstrip(), file=sys.stderr, flush=True)


@contextmanager
def meter(what: str, total: int) -> Iterator[Meter]:
    """A meter for the work inside a `with`. Its bar is removed at the end."""
    shown = Meter(what, total, started=time.monotonic(), logged=time.monotonic())
    try:
        yield shown
    finally:
        if shown.bar:
            shown.bar.stop()
