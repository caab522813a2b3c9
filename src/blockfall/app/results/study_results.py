"""What a study found: as the package ships it, and as it was run here with the quick budget."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from blockfall.app.parts import jobs
from blockfall.reports import Bars, Report, Section, Sheet
from blockfall.reports.model import Cell
from blockfall.studies import Study
from blockfall.studies.results import BESIDE, sheet_from, shipped_sheets

REPORT_FILES = {"html": "report.html", "json": "report.json"}
_MOST_BARS = 40


@dataclass(frozen=True)
class Agreement:
    """How many of the figures that are published ours agree with."""

    agree: int
    published: int
    others: dict[str, int]
    """What the rest is: better, worse, another board, or different without a better or worse."""

    def __str__(self) -> str:
        if not self.published:
            return "nothing published to compare with"
        rest = "".join(f", {count} {what}" for what, count in self.others.items())
        return f"{self.agree} of {self.published} published figures agree{rest}"


def agreement(beside: Sheet) -> Agreement:
    published = [row for row in beside.rows if row[3] is not None]
    others = Counter(row[4] if isinstance(row[4], str) else "different" for row in published if row[4] is not True)
    return Agreement(sum(row[4] is True for row in published), len(published), dict(others))


def shipped_report(study: Study) -> Report:
    """The shipped tables, opened by a picture of the first."""
    tables = shipped_sheets(study.name)
    beside = tables[BESIDE]
    shown = [row for row in beside.rows if row[3] is not None][:_MOST_BARS]
    items: list[Sheet | Bars] = [beside]
    if shown:
        ours, published = (tuple(_number(row[place]) for row in shown) for place in (1, 3))
        errors = tuple(_number(row[2]) for row in shown)
        items.append(
            Bars(
                "Ours and the published figures",
                labels=tuple(str(row[0]) for row in shown),
                series=(("ours", ours), ("published", published)),
                errors=(errors, (0.0,) * len(shown)),
            )
        )
    others = tuple(table for title, table in tables.items() if title != BESIDE)
    summary = f"{study.source}. {str(agreement(beside)).capitalize()}."
    sections = (Section(beside.title, (), tuple(items)), Section("All tables", (), others))
    return Report(f"{study.name}: {study.title}", summary, sections)


def _number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0


@dataclass(frozen=True)
class OwnRun:
    """A study's folder in the home: what a run of it here has come to."""

    name: str

    @property
    def job(self) -> jobs.Job:
        return jobs.quick_study(self.name)

    @property
    def state(self) -> str:
        if self.job.running:
            return "running"
        if self.file("html"):
            return "finished"
        return "stopped" if self.job.folder.is_dir() else "not run yet"

    @property
    def words(self) -> str:
        """What there is to say of its process: how far it is, or why it ended."""
        if not self.job.running:
            return jobs.problem(self.job)
        return jobs.last_words(self.job) or "It has begun; the first progress takes some seconds."

    def file(self, kind: str) -> Path | None:
        """The report's file of a kind, once it is there."""
        if kind == "xlsx":
            return next(iter(sorted(self.job.folder.glob("*.xlsx"))), None)
        path = self.job.folder / REPORT_FILES[kind]
        return path if path.is_file() else None

    @property
    def figures(self) -> list[Path]:
        return sorted((self.job.folder / "figures").glob("*.png"))

    @property
    def beside(self) -> Sheet | None:
        path = self.file("json")
        if path is None:
            return None
        sections = json.loads(path.read_text())["sections"]
        return sheet_from(sections[0]["tables"][0])
