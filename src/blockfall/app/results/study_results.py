"""The results of a study: those shipped with the package, and those of a quick run here."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from blockfall.app.parts import jobs
from blockfall.experiments.statistics import Verdict
from blockfall.reports import Bars, Report, Section, Sheet
from blockfall.reports.model import SheetCell
from blockfall.studies import Study
from blockfall.studies.results import BESIDE, sheet_from, shipped_provenance, shipped_sheets

REPORT_FILES = {"html": "report.html", "json": "report.json"}
_MOST_BARS = 40
_PLURAL = {"differs": "differ"}
_SHOWN = ("what", "ours", "error", "published", "published error")


@dataclass(frozen=True)
class Agreement:
    """The number of published figures that ours agree with."""

    agree: int
    published: int
    others: dict[str, int]
    """The number of figures with each of the other verdicts."""

    def __str__(self) -> str:
        if not self.published:
            return "nothing published to compare with"
        rest = "".join(
            f", {count} {what if count == 1 else _PLURAL.get(what, what)}" for what, count in self.others.items()
        )
        return f"{self.agree} of {self.published} published figures agree{rest}"


def agreement(beside: Sheet) -> Agreement:
    """Count the verdicts of a study's first sheet."""
    verdicts = Counter(Verdict(str(verdict)) for verdict in beside.column("verdict") if verdict is not None)
    agree = verdicts.pop(Verdict.AGREES, 0)
    return Agreement(agree, agree + verdicts.total(), {str(verdict): verdicts[verdict] for verdict in sorted(verdicts)})


def shipped_report(study: Study) -> Report:
    """The shipped sheets as a report, with a picture of the first."""
    sheets = shipped_sheets(study.name)
    beside = sheets[BESIDE]
    figures = zip(*(beside.column(name) for name in _SHOWN), strict=True)
    shown = [row for row in figures if row[3] is not None][:_MOST_BARS]
    items: list[Sheet | Bars] = [beside]
    if shown:
        ours, published = (tuple(_number(row[place]) for row in shown) for place in (1, 3))
        errors = tuple(tuple(_number(row[place]) for row in shown) for place in (2, 4))
        items.append(
            Bars(
                "Ours and the published figures",
                labels=tuple(str(row[0]) for row in shown),
                series=(("ours", ours), ("published", published)),
                errors=errors,
            )
        )
    others = tuple(sheet for title, sheet in sheets.items() if title != BESIDE)
    summary = f"{study.source}. {str(agreement(beside)).capitalize()}."
    sections = (Section(beside.title, (), tuple(items)), Section("All tables", (), others))
    return Report(f"{study.name}: {study.title}", summary, sections, shipped_provenance(study.name))


def _number(cell: SheetCell) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0


@dataclass(frozen=True)
class OwnRun:
    """A study's folder in the home, for its run on this machine."""

    name: str

    @property
    def job(self) -> jobs.Job:
        """The process that runs the study."""
        return jobs.quick_study(self.name)

    @property
    def state(self) -> str:
        """Running, finished, stopped, or not run yet."""
        if self.job.running:
            return "running"
        if self.file("html"):
            return "finished"
        return "stopped" if self.job.folder.is_dir() else "not run yet"

    @property
    def words(self) -> str:
        """The progress of its process, or why it ended."""
        if not self.job.running:
            return jobs.problem(self.job)
        return jobs.last_words(self.job) or "Started. The first progress takes a few seconds."

    def file(self, kind: str) -> Path | None:
        """Return the report's file of this kind, or None before it is written."""
        if kind == "xlsx":
            return next(iter(sorted(self.job.folder.glob("*.xlsx"))), None)
        path = self.job.folder / REPORT_FILES[kind]
        return path if path.is_file() else None

    @property
    def figures(self) -> list[Path]:
        """Return the report's pictures, in order."""
        return sorted((self.job.folder / "figures").glob("*.png"))

    @property
    def beside(self) -> Sheet | None:
        """Return the sheet that compares its figures with the published ones, or None before it is written."""
        path = self.file("json")
        if path is None:
            return None
        sections = json.loads(path.read_text(encoding="utf-8"))["sections"]
        return sheet_from(sections[0]["tables"][0])
