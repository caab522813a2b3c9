"""Printing for all commands: text, JSON, tables and progress."""

import json
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

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
    """Prints rows under a title. The columns named in `right` are aligned to the right.

    Numbers are never cut and words never broken. Where a screen is too narrow for that, each row is printed as a list
    of its cells; into a pipe or a file, the rows are as wide as they need.
    """
    names, numbers = list(columns), set(right)
    texts = [[str(cell) for cell in row] for row in rows]
    names_fit = all(len(row[0]) <= _LONGEST_NAME for row in texts)
    fixed = [(place == 0 and names_fit) or name in numbers for place, name in enumerate(names)]
    least = [_least_width([name, *(row[place] for row in texts)], fixed[place]) for place, name in enumerate(names)]
    needed = sum(least) + 3 * len(least) + 1  # with the borders
    console.print(title, style="bold", highlight=False, markup=False, soft_wrap=True)
    if needed > console.width and (console.is_terminal or "COLUMNS" in os.environ):
        _print_lists(names, texts)
        return
    table = Table(header_style="bold")
    for place, name in enumerate(names):
        justify: Literal["left", "right"] = "right" if name in numbers else "left"
        table.add_column(Text(name), justify=justify, overflow="fold", no_wrap=fixed[place], min_width=least[place])
    for row in texts:
        table.add_row(*map(Text, row))
    console.print(table, width=max(console.width, needed), crop=False)


def _least_width(texts: list[str], whole: bool) -> int:
    """The width that a column needs: of its longest cell, or of its longest word where cells may be broken."""
    parts = [texts[0].split(), *([[text] for text in texts[1:]] if whole else [text.split() for text in texts[1:]])]
    return max((cell_len(part) for words in parts for part in words), default=0)


def _print_lists(names: list[str], texts: list[list[str]]) -> None:
    """Each row as a list: its first cell, and under it the others that say something, with their columns' names."""
    width = max((cell_len(name) for name in names[1:]), default=0)
    whole_words: Any = {"width": console.width, "break_long_words": False, "break_on_hyphens": False}
    for first, *others in texts:
        say(textwrap.fill(first, **whole_words))
        for name, text in zip(names[1:], others, strict=True):
            if text:
                label = f"  {name}{' ' * (width - cell_len(name))}  "
                say(textwrap.fill(text, **whole_words, initial_indent=label, subsequent_indent=" " * len(label)))


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
