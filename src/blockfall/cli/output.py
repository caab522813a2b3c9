"""Printing for all commands: text, JSON, tables and progress."""

import json
import math
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

_PIPE_WIDTH = 80  # into a pipe or a file, unless COLUMNS is set
console = Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else _PIPE_WIDTH)
errors = Console(stderr=True)

_QUIET_SECONDS = 1.0  # shorter work shows no progress
_LONGEST_NAME = 40  # a first column with longer names is wrapped
_GAP = 2  # spaces between two columns
_LOG_SECONDS = 10.0  # between two messages without a terminal


def say(text: str) -> None:
    """Print a text without wrapping it, so that commands and paths can be copied."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def program() -> str:
    """Return the command that starts this program."""
    return "blockfall" if shutil.which("blockfall") else sys.argv[0]


def three_digits(number: float) -> str:
    """Return a number as a whole number of three significant digits.

    >>> three_digits(54_678_901.2), three_digits(31_249.0), three_digits(7.6)
    ('54,700,000', '31,200', '8')
    """
    return f"{float(f'{number:.3g}'):,.0f}"


def decimals(errors: Iterable[float]) -> int:
    """Return the decimals that give the least of these standard errors two significant digits, but at most three.

    >>> decimals([453.23]), decimals([0.14, 2.8]), decimals([0.0003]), decimals([0.0])
    (0, 2, 3, 2)
    """
    least = min((error for error in errors if error > 0), default=0.1)
    return min(3, max(0, 1 - math.floor(math.log10(least))))


def with_error(mean: float, error: float, places: int) -> str:
    """Return a mean and its standard error with this number of decimals.

    >>> with_error(9.7412, 0.1401, 2)
    '9.74 ± 0.14'
    """
    return f"{mean:,.{places}f} ± {error:,.{places}f}"


def print_json(value: object) -> None:
    """Print a value as JSON on stdout."""
    print(json.dumps(value, indent=2))


def print_rows(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]], right: Iterable[str] = ()) -> None:
    """Print a table as `table` lays it out, then an empty line."""
    console.print(table(title, columns, rows, right), end="\n\n", soft_wrap=True)


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]], right: Iterable[str] = ()) -> Text:
    """Lay out rows under a title, no wider than the screen. The columns named in `right` hold numbers.

    Numbers, names and the words of a heading are never cut. If the screen is too narrow, a table of numbers continues
    in a second one below it. Any other table becomes a list with a line per cell, also if that is shorter.
    """
    numbers, texts = set(right), [[str(cell) for cell in row] for row in rows]
    whole = all(cell_len(row[0]) <= _LONGEST_NAME for row in texts)
    found = [
        _Column(name, [row[place] for row in texts], name in numbers, name in numbers or (whole and not place))
        for place, name in enumerate(columns)
    ]
    parts = _side_by_side(found)
    lines = [line for number, part in enumerate(parts) for line in [Text()] * bool(number) + _table_lines(part)]
    if len(parts) < 2 and (not parts or len(lines) > len(_list_lines(found))):
        lines = _list_lines(found)
    for line in lines:
        line.rstrip()
    return Text("\n").join([Text(title, style="bold"), *lines])


@dataclass(frozen=True)
class _Column:
    """The heading and the cells of a column."""

    name: str
    cells: list[str]
    is_number: bool
    is_whole: bool
    """True if its cells are never wrapped."""

    @property
    def least(self) -> int:
        """The least width: that of the longest cell, or of the longest word if cells may be wrapped."""
        cells = self.cells if self.is_whole else [word for cell in self.cells for word in cell.split()]
        return max(map(cell_len, [*self.name.split(), *cells]), default=0)

    @property
    def most(self) -> int:
        """The width without any wrapping."""
        return max(map(cell_len, (self.name, *self.cells)))

    def drawn(self, text: str, width: int) -> list[Text]:
        """Return a cell or the heading, wrapped to this width."""
        return list(Text(text).wrap(console, width, justify="right" if self.is_number else "left", overflow="fold"))


def _side_by_side(columns: list[_Column]) -> list[list[_Column]]:
    """Return the columns of each table: all in one if they fit, else the first column with as many numbers as fit.

    Return no table if neither is possible.
    """

    def fits(part: list[_Column]) -> bool:
        return sum(one.least for one in part) + _GAP * (len(part) - 1) <= console.width

    first, *others = columns
    parts = [[first]]
    for column in others:
        if not fits([*parts[-1], column]):
            parts.append([first])
        parts[-1].append(column)
    splits = len(parts) == 1 or all(column.is_number for column in others)
    return parts if splits and all(map(fits, parts)) else []


def _table_lines(columns: list[_Column]) -> list[Text]:
    """Return the lines of a table. Spare width goes to the narrowest columns."""
    widths = [column.least for column in columns]
    for _ in range(console.width - sum(widths) - _GAP * (len(widths) - 1)):
        wanting = [place for place, column in enumerate(columns) if widths[place] < column.most]
        if wanting:
            widths[min(wanting, key=widths.__getitem__)] += 1
    gap, rule = " " * _GAP, "-" if console.options.ascii_only else "─"

    def row(cells: Iterable[str]) -> list[Text]:
        drawn = [column.drawn(cell, width) for column, cell, width in zip(columns, cells, widths, strict=True)]
        blank = [Text(" " * width) for width in widths]
        return [
            Text(gap).join(cell[n] if n < len(cell) else empty for cell, empty in zip(drawn, blank, strict=True))
            for n in range(max(map(len, drawn)))
        ]

    head = row(column.name for column in columns)
    for line in head:
        line.stylize("bold")
    body = [line for cells in zip(*(column.cells for column in columns), strict=True) for line in row(cells)]
    return [*head, Text(gap.join(rule * width for width in widths), style="dim"), *body]


def _list_lines(columns: list[_Column]) -> list[Text]:
    """Return each row as a list: its first cell, then the other non-empty cells with their headings."""
    first, *others = columns
    indent, lines = " " * _GAP, list[Text]()
    width = max((cell_len(column.name) for column in others), default=0)
    for number, name in enumerate(first.cells):
        lines += Text(name).wrap(console, console.width, overflow="fold")
        for column in others:
            parts = Text(column.cells[number]).wrap(console, console.width - width - 2 * _GAP, overflow="fold")
            for place, part in enumerate(parts if column.cells[number] else ()):
                label = column.name if not place else ""
                lines.append(Text.assemble(indent, label, " " * (width - cell_len(label)), indent, part))
    return lines


@dataclass
class Meter:
    """Progress on stderr: a bar with the remaining time, or without a terminal a message every few seconds."""

    what: str
    total: int
    bar: Progress | None = None
    started: float = 0.0
    logged: float = 0.0

    @property
    def seconds(self) -> float:
        """The seconds since the work began."""
        return time.monotonic() - self.started

    def update(self, done: int, note: str = "") -> None:
        """Show the amount done."""
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
        """Show progress in seconds since the start. A total of 0 means that the end is unknown."""
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
    """Show progress during a `with` block. The bar is removed at the end."""
    shown = Meter(what, total, started=time.monotonic(), logged=time.monotonic())
    try:
        yield shown
    finally:
        if shown.bar:
            shown.bar.stop()
