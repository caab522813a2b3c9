"""The parts of a report: sheets, figures and sections. Nothing here draws or writes."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from blockfall.experiments.provenance import Provenance

SheetCell = str | int | float | bool | None
SheetRow = tuple[SheetCell, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class Sheet:
    """Rows and columns with a title and a note."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    note: str = ""
    tab: str = ""
    """The name of its worksheet, at most 31 letters, if the title is longer."""

    @classmethod
    def of(
        cls,
        title: str,
        items: Iterable[T],
        *columns: tuple[str, Callable[[T], SheetCell]],
        note: str = "",
        tab: str = "",
    ) -> "Sheet":
        """Return a sheet with a row for each item. A column is a heading and the function that gives its cells.

        >>> Sheet.of("Squares", (1, 2), ("n", lambda n: n), ("square", lambda n: n * n)).rows
        ((1, 1), (2, 4))
        """
        rows = tuple(tuple(cell(item) for _, cell in columns) for item in items)
        return cls(title, tuple(heading for heading, _ in columns), rows, note, tab)

    def as_json(self) -> dict[str, Any]:
        """Return the sheet as in report.json."""
        return {"title": self.title, "columns": self.columns, "rows": self.rows, "note": self.note}

    def column(self, name: str) -> tuple[SheetCell, ...]:
        """Return the cells of the column of this name."""
        place = self.columns.index(name)
        return tuple(row[place] for row in self.rows)

    def without_empty_columns(self) -> "Sheet":
        """Return the sheet without the columns that are empty.

        >>> Sheet("t", ("a", "b", "c"), ((1, None, "x"), (2, "", "y"))).without_empty_columns().columns
        ('a', 'c')
        """
        kept = [p for p in range(len(self.columns)) if any(row[p] not in (None, "") for row in self.rows)]
        rows = tuple(tuple(row[place] for place in kept) for row in self.rows)
        return Sheet(self.title, tuple(self.columns[place] for place in kept), rows, self.note, self.tab)


@dataclass(frozen=True)
class Series:
    """The points of one curve and, if known, their spread."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    group: str = ""
    """Its group; the curves of a group share a colour and a legend entry."""
    dashed: bool = False
    """True to draw it with dashes, and give it its own legend entry even in a group."""


@dataclass(frozen=True)
class Figure:
    """The base of every kind of figure: a title, the labels of the axes, and a note."""

    title: str
    x_label: str = ""
    y_label: str = ""
    note: str = ""
    tab: str = field(default="", kw_only=True)
    """The name of its worksheet, like a sheet's."""

    @property
    def file_name(self) -> str:
        """The title as a file name in lower case, without its ending."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")[:60]

    def sheet(self) -> Sheet:
        """Return the figure's data for the workbook and the JSON."""
        raise NotImplementedError


@dataclass(frozen=True)
class Curves(Figure):
    """Curves over a common axis. `steps` is for distributions of whole numbers."""

    series: tuple[Series, ...] = ()
    steps: bool = False
    log_x: bool = False
    log_y: bool = False
    points: bool = False
    overlaid: bool = False
    """True if curves may coincide. The first ones are then drawn wider, so that all can be seen."""

    def sheet(self) -> Sheet:
        """Return a row for each x, with a column for each curve."""
        xs = sorted({float(x) for series in self.series for x in series.x})
        at = [dict(zip(map(float, series.x), map(float, series.y), strict=True)) for series in self.series]
        rows = tuple((x, *(values.get(x) for values in at)) for x in xs)
        return Sheet(self.title, (self.x_label or "x", *(series.label for series in self.series)), rows, self.note)


@dataclass(frozen=True)
class Bars(Figure):
    """A bar per label and series. With one series, colour shows the sign."""

    labels: tuple[str, ...] = ()
    series: tuple[tuple[str, tuple[float, ...]], ...] = ()
    errors: tuple[tuple[float, ...], ...] | None = None
    """Standard errors, in the shape of `series`."""
    absolute: bool = False
    """True to draw absolute values and show the sign by colour (soster2024, figures 13 to 32)."""
    log_y: bool = False
    legend: str = ""
    """The title of the legend."""
    most: float | None = None
    """The end of the value axis; by default the largest bar decides."""

    def sheet(self) -> Sheet:
        """Return a row for each label, with a column for each series."""
        rows = tuple[SheetRow, ...](
            (label, *(values[place] for _, values in self.series)) for place, label in enumerate(self.labels)
        )
        return Sheet(self.title, (self.x_label or "name", *(name for name, _ in self.series)), rows, self.note)


@dataclass(frozen=True)
class Boxes(Figure):
    """A box per sample: quartiles, whiskers at 5 and 95 percent, and the mean as a point."""

    labels: tuple[str, ...] = ()
    samples: tuple[Sequence[float], ...] = ()

    def sheet(self) -> Sheet:
        """Return a row for each sample, with its quantiles and its mean."""
        columns = ("name", "5 %", "25 %", "median", "75 %", "95 %", "mean")
        rows = tuple[SheetRow, ...](
            (label, *(float(q) for q in np.quantile(sample, (0.05, 0.25, 0.5, 0.75, 0.95))), float(np.mean(sample)))
            for label, sample in zip(self.labels, self.samples, strict=True)
        )
        return Sheet(self.title, columns, rows, self.note)


@dataclass(frozen=True)
class Dots(Figure):
    """A row per sample, from the top, with a dot for each of its few values and a line at their mean."""

    labels: tuple[str, ...] = ()
    samples: tuple[Sequence[float], ...] = ()
    marks: tuple[float | None, ...] = ()
    """Another value per row, from another source, or None."""
    dot_label: str = ""
    mark_label: str = ""
    log_x: bool = False

    def sheet(self) -> Sheet:
        """Return a row for each sample, with its values, its mean and its mark."""
        most = max(map(len, self.samples))
        columns = ("name", *(str(number) for number in range(1, most + 1)), "mean")
        rows = []
        for place, (label, sample) in enumerate(zip(self.labels, self.samples, strict=True)):
            values = [float(value) for value in sample]
            mark = (self.marks[place],) if self.marks else ()
            rows.append((label, *values, *[None] * (most - len(values)), float(np.mean(values)), *mark))
        return Sheet(self.title, (*columns, self.mark_label) if self.marks else columns, tuple(rows), self.note)


@dataclass(frozen=True)
class Landscape(Figure):
    """A function of two variables as contours, with points on it."""

    x: npt.NDArray[np.float64] | None = None
    y: npt.NDArray[np.float64] | None = None
    z: npt.NDArray[np.float64] | None = None
    points: npt.NDArray[np.float64] | None = None

    def sheet(self) -> Sheet:
        """Return a row for each point."""
        points = [] if self.points is None else self.points.tolist()
        return Sheet(self.title, (self.x_label, self.y_label), tuple((x, y) for x, y in points), self.note)


@dataclass(frozen=True)
class Panels(Figure):
    """Several figures in one picture."""

    figures: tuple[Figure, ...] = ()
    columns: int = 2


@dataclass(frozen=True)
class Section:
    """A section of a report: a heading, paragraphs, then sheets and figures."""

    title: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[Sheet | Figure, ...] = ()


def sheets_of(figure: Figure) -> list[Sheet]:
    """Return a figure's data: one sheet, or one for each panel."""
    if isinstance(figure, Panels):
        return [sheet for part in figure.figures for sheet in sheets_of(part)]
    return [figure.sheet()]


@dataclass(frozen=True)
class Report:
    """A title, a summary and sections. A study's report also states its provenance."""

    title: str
    summary: str
    sections: tuple[Section, ...]
    provenance: Provenance | None = None
    data: tuple[Sheet, ...] = ()
    """Sheets that are too long for the page, for the workbook and report.json only."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of all sections, in order."""
        return tuple(item for section in self.sections for item in section.items if isinstance(item, Figure))

    def as_json(self) -> dict[str, Any]:
        """Return the report as in report.json, with the data of its figures instead of their pictures."""
        made_by = {"provenance": self.provenance.as_json()} if self.provenance else {}
        return {
            "title": self.title,
            "summary": self.summary,
            **made_by,
            "sections": [
                {
                    "title": section.title,
                    "paragraphs": section.paragraphs,
                    "tables": [item.as_json() for item in section.items if isinstance(item, Sheet)],
                    "figures": [
                        sheet.as_json()
                        for item in section.items
                        if isinstance(item, Figure)
                        for sheet in sheets_of(item)
                    ],
                }
                for section in self.sections
            ],
            "data": [sheet.as_json() for sheet in self.data],
        }
