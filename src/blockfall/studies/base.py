"""What every study has: settings, work to do in a folder, and findings."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from blockfall.errors import SettingError
from blockfall.experiments.configuration import Configuration
from blockfall.experiments.run import ID_FILE, create_run, open_run
from blockfall.experiments.training import Progress, Training
from blockfall.reports import Report, Section, Table
from blockfall.store import Store
from blockfall.validation import Model

BESIDE = "Ours beside the published figures"
"""The title of the table that opens every study's report."""

Update = Callable[[int, str], None]
"""Called with what is done of a phase, and a note."""


class StudySettings(Model):
    """What a user may choose: every field becomes an option of `blockfall study NAME`. A study names its budgets."""

    budget: str = Field(default="quick", description="quick, or full as published")
    seed: int = Field(default=1, ge=0, lt=2**63, description="a whole number: names all random choices")


@dataclass(frozen=True)
class Row:
    """One of our figures beside the published one. `agrees` is within two standard errors; None where none is known."""

    name: str
    ours: float
    sem: float | None
    published: float | None
    agrees: bool | None
    note: str = ""

    def as_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class Findings:
    rows: tuple[Row, ...]
    report: Report
    tables: tuple[Table, ...] = ()
    """Of the report, those that a terminal should show too."""
    hints: tuple[tuple[str, str], ...] = ()
    """What to try next, and the command's words after `blockfall`."""
    workbook: str = "report.xlsx"
    """The name of the report's XLSX file."""

    @property
    def beside(self) -> Table:
        return Table(
            BESIDE,
            ("what", "ours", "error", "published", "agrees"),
            tuple((row.name, row.ours, row.sem, row.published, row.note or row.agrees) for row in self.rows),
            "They agree where the difference is within two standard errors.",
        )

    @property
    def whole_report(self) -> Report:
        """The report, opened by that table."""
        first = Section(self.beside.title, (), (self.beside,))
        return replace(self.report, sections=(first, *self.report.sections))


@contextmanager
def _unseen(_what: str, _total: int) -> Iterator[Update]:
    yield lambda _done, _note: None


@dataclass(frozen=True)
class Work:
    """Where a study works, and how it tells its progress."""

    out: Path
    store: Store
    threads: int | None = None
    phase: Callable[[str, int], AbstractContextManager[Update]] = _unseen

    @property
    def runs(self) -> Path:
        """The folder of its runs' folders, in studies that train."""
        return self.out / "runs"

    def folder(self, name: str) -> Path:
        """Of a run of this name."""
        return self.runs / name

    def trained(
        self, name: str, configuration: Configuration, update: Callable[[Progress], None]
    ) -> tuple[str, dict[str, Any]]:
        """The id and the result of a run in a folder of this name: read, resumed or trained, as is left to do."""
        folder = self.folder(name)
        if (folder / ID_FILE).exists():
            run = open_run(self.store, folder)
            _check_same(run.configuration, configuration, folder)
        else:
            run = create_run(self.store, configuration, folder)
        whole = all(row.capped is not None for row in self.store.runs.validations(run.id))  # an older store kept less
        result = self.store.runs.find(run.id).result if run.finished and whole else None
        return run.id, result or Training(self.store, run, self.threads, update).complete().as_json()


def _check_same(found: Configuration, wanted: Configuration, folder: Path) -> None:
    if found != wanted:
        raise SettingError(f"{folder}: holds a run with other settings; choose another --out, or delete it")


@dataclass(frozen=True)
class Study:
    name: str
    title: str
    source: str
    settings_type: type[StudySettings]
    run: Callable[[Any, Work], Findings]
    """Of settings of `settings_type`, and the work."""
