"""The parts of every study: settings, work in a folder, rows beside published figures, and a report."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from types import MappingProxyType
from typing import Any

from pydantic import Field

from blockfall.compute import Backend, Evaluation, LocalBackend, PlayProgress, Request, Shared
from blockfall.compute.backends import Divisible
from blockfall.errors import SettingError
from blockfall.experiments.configuration import Configuration
from blockfall.experiments.provenance import Provenance, Signature
from blockfall.experiments.run import ID_FILE, RESULT_FILE, create_run, open_run
from blockfall.experiments.signature import signature
from blockfall.experiments.statistics import Verdict, judge
from blockfall.experiments.training import Training, TrainingProgress
from blockfall.reports import Report, Section, Sheet
from blockfall.search import Searchable, SearchSettings, Solution, solve
from blockfall.store import Store
from blockfall.validation import Model

BESIDE = "Ours beside the published figures"
"""The title of the sheet that opens a study's report, and its name among the shipped sheets."""

Update = Callable[[int, str], None]
"""A function that is called with the number of steps done in a phase, and a note."""


class StudySettings(Model):
    """The settings of a study. Every field becomes an option of `blockfall study NAME`; a study names its budgets."""

    budget: str = Field(default="quick", description="quick, or full as published")
    seed: int = Field(default=1, ge=0, lt=2**63, description="a whole number, the seed of all random choices")


@dataclass(frozen=True)
class Row:
    """One of our figures beside the published one, each with its standard error, and the verdict of `judge`."""

    name: str
    ours: float
    sem: float | None
    published: float | None
    published_sem: float | None
    verdict: Verdict
    note: str = ""

    @property
    def agrees(self) -> bool | None:
        """True if the verdict is `agrees`; None if nothing was published."""
        return None if self.published is None else self.verdict is Verdict.AGREES

    def as_json(self) -> dict[str, object]:
        """Return the fields as `study --json` prints them."""
        return asdict(self) | {"agrees": self.agrees}


def judged(
    name: str,
    ours: float,
    sem: float | None,
    published: float | None,
    published_sem: float | None = None,
    *,
    note: str = "",
) -> Row:
    """Return the row of a figure with its verdict, if more is better."""
    known_sem = None if published is None else published_sem
    return Row(name, ours, sem, published, known_sem, judge(ours, sem, published, known_sem), note)


@dataclass(frozen=True)
class Findings:
    """The findings of a study: rows, and a report that says more.

    >>> import blockfall
    >>> row = judged("birken-6", ours=9.3, sem=0.05, published=9.2, published_sem=0.05)
    >>> found = blockfall.Findings(rows=(row,), report=Report("A study", "What it is about.", ()))
    >>> [(row.name, str(row.verdict)) for row in found.rows]
    [('birken-6', 'agrees')]
    """

    rows: tuple[Row, ...]
    report: Report
    sheets: tuple[Sheet, ...] = ()
    """The sheets of the report that a terminal also shows."""
    hints: tuple[tuple[str, str], ...] = ()
    """Suggestions of what to try next, each with the command's words after `blockfall`."""
    workbook: str = "report.xlsx"
    """The name of the report's XLSX file."""

    @property
    def beside(self) -> Sheet:
        """The rows as a sheet. Errors are standard errors. A row without a published figure shows no verdict."""
        compared = any(row.published is not None for row in self.rows)
        note = (
            "Errors are standard errors. Figures agree if they differ by at most two standard errors of the "
            "difference; if these are more than a quarter of the published figure, the row is inconclusive."
        )
        return Sheet.of(
            BESIDE if compared else "Our figures",
            self.rows,
            ("what", lambda row: row.name),
            ("ours", lambda row: row.ours),
            ("error", lambda row: row.sem),
            ("published", lambda row: row.published),
            ("published error", lambda row: row.published_sem),
            ("verdict", lambda row: None if row.published is None else str(row.verdict)),
            ("note", lambda row: row.note or None),
            note=note if compared else "Errors are standard errors. There are no published figures to compare with.",
            tab="Ours and published" if compared else "",
        )

    def whole_report(self, provenance: Provenance) -> Report:
        """Return the report with its provenance, opened by the sheet `beside`."""
        first = Section(self.beside.title, (), (self.beside,))
        return replace(self.report, sections=(first, *self.report.sections), provenance=provenance)


@contextmanager
def _unseen(_what: str, _total: int) -> Iterator[Update]:
    yield lambda _done, _note: None


@dataclass(frozen=True)
class Work:
    """The place where a study works, and the way to show its progress."""

    out: Path
    store: Store
    backend: Backend | None = None
    """The backend that plays the games, by default this machine's cores."""
    phase: Callable[[str, int], AbstractContextManager[Update]] = _unseen

    @property
    def runs(self) -> Path:
        """The folder of the runs' folders, in studies that train."""
        return self.out / "runs"

    @property
    def kept(self) -> str:
        """A sentence on what remains after an interrupt."""
        begun = [run for run in sorted(self.runs.glob("**/")) if (run / ID_FILE).exists()]
        if not begun:
            return "Nothing is kept, because nothing was trained yet: the same command starts again."
        finished = sum((run / RESULT_FILE).exists() for run in begun)
        return (
            f"{self.runs} keeps {finished} finished and {len(begun) - finished} unfinished runs: the same command "
            "continues from there."
        )

    def folder(self, name: str) -> Path:
        """Return the folder of the run with this name."""
        return self.runs / name

    def prepared_for(self, features: Collection[str]) -> "Work":
        """Return the work with a shared backend prepared once for agents that use some of these features."""
        if not isinstance(self.backend, Shared):
            return self
        return replace(self, backend=self.backend.prepared_for(features))

    def solved(self, problem: Searchable, algorithm: str, settings: SearchSettings | None = None) -> Solution:
        """Return the solution of a search. An interrupt ends the whole study."""
        found = solve(problem, algorithm, settings, backend=self.backend)
        if found.stopped_by == "interrupt":
            raise KeyboardInterrupt
        return found

    def trained(
        self, name: str, configuration: Configuration, update: Callable[[TrainingProgress], None]
    ) -> tuple[str, dict[str, Any]]:
        """Return the id and the result of the run with this name. A finished run is read, a stopped one resumed."""
        folder = self.folder(name)
        if (folder / ID_FILE).exists():
            run = open_run(self.store, folder)
            _check_same(run.configuration, configuration, folder)
        else:
            run = create_run(self.store, configuration, folder)
        result = self.store.runs.find(run.id).result if run.finished else None
        return run.id, result or Training(self.store, run, self.backend, update).complete().as_json()

    def train_all(
        self,
        wanted: Mapping[str, Configuration],
        update: Callable[[float, str], None],
        awaited: Mapping[str, Callable[[], Mapping[str, Configuration]]] = MappingProxyType({}),
    ) -> None:
        """Train the runs with these names that are not finished. `update` gets the number of finished runs and a note.

        Other runs may depend on the result of one of these. `awaited` names it, with a function that gives the other
        runs once it is finished. Awaited runs begin first.

        On this machine's threads, as many runs are trained at once as there are threads, one thread each, because a run
        that learns cannot use more. A shared backend plays the games of many runs side by side. Every other backend
        plays one run after another.
        """
        shares = dict[str, float]()
        first = sorted(wanted, key=lambda name: (name not in awaited, wanted[name].learning is None))
        waiting = deque((name, wanted[name]) for name in first)

        def show(name: str, progress: TrainingProgress) -> None:
            shares[name] = progress.iterations_done / progress.iterations
            update(sum(list(shares.values())), f"{name}: best {progress.best:,.2f}")

        def finish(name: str) -> None:
            shares[name] = 1.0
            if name in awaited:
                waiting.extendleft(awaited[name]().items())

        backend, at_once = self.backend or LocalBackend(), 1
        if isinstance(backend, Divisible):
            backend, at_once = backend.one_thread, backend.threads
        elif isinstance(backend, Shared):
            at_once = backend.requests_at_once
        if at_once == 1:
            while waiting:
                name, configuration = waiting.popleft()
                self.trained(name, configuration, partial(show, name))
                finish(name)
            return
        stop = Event()
        player = _SharedStoppable(backend, stop) if isinstance(backend, Shared) else _Stoppable(backend, stop)

        def train(name: str, configuration: Configuration) -> None:
            def watch(progress: TrainingProgress) -> None:
                if stop.is_set():
                    raise KeyboardInterrupt
                show(name, progress)

            with Store(self.store.path) as store:  # a connection belongs to one thread
                Work(self.out, store, player).trained(name, configuration, watch)

        with ThreadPoolExecutor(at_once) as pool:
            running: dict[Future[None], str] = {}
            try:
                while waiting or running:
                    while waiting and len(running) < at_once:
                        name, configuration = waiting.popleft()
                        running[pool.submit(train, name, configuration)] = name
                    for done in wait(running, return_when=FIRST_COMPLETED).done:
                        done.result()
                        finish(running.pop(done))
            except BaseException:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise


@dataclass(frozen=True)
class _Stoppable:
    """A backend for a run that is trained beside others and stops with them."""

    backend: Backend
    stop: Event

    @property
    def threads(self) -> int:
        """The backend's threads."""
        return self.backend.threads

    def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
        """Play the games, with an interrupt if the whole study is interrupted."""

        def go_on(games: int, pieces: int) -> None:
            if self.stop.is_set():
                raise KeyboardInterrupt
            if progress:
                progress(games, pieces)

        return self.backend.play(request, go_on)


@dataclass(frozen=True)
class _SharedStoppable(_Stoppable):
    """A stoppable backend that the runs share."""

    backend: Shared

    @property
    def requests_at_once(self) -> int:
        """The backend's number."""
        return self.backend.requests_at_once

    def prepared_for(self, features: Collection[str]) -> Shared:
        """Return the same backend prepared for these features."""
        return replace(self, backend=self.backend.prepared_for(features))


def _check_same(found: Configuration, wanted: Configuration, folder: Path) -> None:
    if found != wanted:
        raise SettingError(f"{folder}: contains a run with other settings; choose another --out, or delete it")


@dataclass(frozen=True)
class Study:
    """A published study that can be rerun."""

    name: str
    title: str
    source: str
    settings_type: type[StudySettings]
    run: Callable[[Any, Work], Findings]
    """The function that runs the study, with settings of `settings_type`."""
    quick_takes: str
    """The time that the quick budget takes on two free cores, in words."""
    plays: tuple[tuple[str, str], ...] = ()
    """The rules and agents that its figures depend on: entries of the behaviour signature."""
    searches: tuple[tuple[str, str], ...] = ()
    """The games and algorithms that its figures depend on."""
    trainings: tuple[tuple[str, str], ...] = ()
    """The rules and trainers that its figures depend on."""

    def signature(self) -> Signature:
        """Return today's entries of the behaviour signature that the study's figures depend on."""
        return signature(self.plays, self.searches, self.trainings)

    def command(self, settings: StudySettings) -> str:
        """Return the command that runs the study with these settings, without options that have their default."""
        words = ["blockfall", "study", self.name, "--budget", settings.budget, "--seed", str(settings.seed)]
        for name, field in self.settings_type.model_fields.items():
            value = getattr(settings, name)
            if name not in ("budget", "seed") and value != field.default:
                words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        return " ".join(words)
