"""`blockfall studies` and `blockfall study NAME`: published studies, reproduced."""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from blockfall.cli.options import BackendOption, PluginOption, ThreadsOption, chosen_backend
from blockfall.cli.output import JsonFlag, meter, print_json, print_rows, program, say
from blockfall.reports import Sheet
from blockfall.reports.page import column_kind, sheet_texts
from blockfall.store import Store
from blockfall.studies import STUDIES, Findings, Study, Work, find_study, run_study, studies
from blockfall.studies.base import Update
from blockfall.validation import check

OutOption = Annotated[
    Path | None, typer.Option("--out", help="The folder for the runs and reports. The default is studies/NAME-BUDGET.")
]


class _Studies(TyperGroup):
    """A command per study, including the studies that plugins have registered."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is not None or ctx.resilient_parsing:
            return found
        one = typer.Typer()
        one.callback()(lambda: None)
        _add(one, find_study(cmd_name))
        return get_group(one).get_command(ctx, cmd_name)


app = typer.Typer()
group = typer.Typer(
    name="study",
    cls=_Studies,
    no_args_is_help=True,
    help="Run a published study and compare our figures with the published ones.",
)
app.add_typer(group)


@group.callback()
def _load_plugins(_plugins: PluginOption = None) -> None:
    """Load plugins before the study's name is read: a plugin may bring the study."""


@app.command("studies")
def studies_command(_plugins: PluginOption = None, as_json: JsonFlag = False) -> None:
    """List the published studies."""
    if as_json:
        print_json(
            [
                {"name": s.name, "title": s.title, "source": s.source, "quick_takes": s.quick_takes}
                for s in studies().values()
            ]
        )
        return
    print_rows(
        "Studies",
        ("name", "what", "source", "quick takes"),
        [(study.name, study.title, study.source, study.quick_takes) for study in studies().values()],
    )
    say("Run one:  blockfall study soster2024 --budget quick")


def _command(study: Study) -> Callable[..., None]:
    """Return a command whose options are the fields of the study's settings."""

    def command(out: Path | None, backend: str | None, threads: int | None, as_json: bool, **values: object) -> None:
        settings = check(study.settings_type, values, "the command line")
        folder = out or Path("studies") / f"{study.name}-{settings.budget}"
        takes = f"The quick budget takes {study.quick_takes} on two free cores." if settings.budget == "quick" else ""
        with Store() as store:
            work = Work(folder, store, chosen_backend(backend, threads), _Phases(takes))
            try:
                findings, files = run_study(study, settings, work)
            except KeyboardInterrupt:
                print(f"\n{work.kept}", file=sys.stderr)
                raise
        if as_json:
            names = [str(file) for file in files]
            print_json({"study": study.name, "rows": [row.as_json() for row in findings.rows], "files": names})
        else:
            _print(findings, folder)

    fixed = {
        "out": (OutOption, None),
        "backend": (BackendOption, None),
        "threads": (ThreadsOption, None),
        "as_json": (JsonFlag, False),
    }
    annotations: dict[str, Any] = {name: kind for name, (kind, _) in fixed.items()}
    defaults: dict[str, Any] = {name: default for name, (_, default) in fixed.items()}
    for name, field in study.settings_type.model_fields.items():
        said = field.description or ""
        annotations[name] = Annotated[field.annotation, typer.Option(help=f"{said[:1].upper()}{said[1:]}.")]
        defaults[name] = field.default
    signature = inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=defaults[name])
            for name, kind in annotations.items()
        ]
    )
    command.__annotations__ = annotations
    command.__signature__ = signature  # type: ignore[attr-defined]
    return command


def _add(group: typer.Typer, study: Study) -> None:
    group.command(
        study.name,
        help=f"{study.title} ({study.source}). The quick budget takes {study.quick_takes} on two free cores.",
        epilog=f"Example: blockfall study {study.name} --budget quick --out studies/{study.name}",
    )(_command(study))


for _study in STUDIES.values():
    _add(group, _study)


@dataclass
class _Phases:
    """The progress of each phase, after a sentence that waits until the settings have proved valid."""

    sentence: str

    @contextmanager
    def __call__(self, what: str, total: int) -> Iterator[Update]:
        with meter(what, total) as shown_meter:

            def update(done: int, note: str) -> None:
                if self.sentence:
                    print(self.sentence, file=sys.stderr, flush=True)
                    self.sentence = ""
                shown_meter.update(done, note)

            yield update


def _print(findings: Findings, folder: Path) -> None:
    for sheet in (findings.beside, *findings.sheets):
        print_sheet(sheet)
    lines = [("The report", str(folder / "report.html"))]
    lines += [(what, f"{program()} {words}") for what, words in findings.hints]
    width = max(len(what) for what, _ in lines) + 1
    for what, said in lines:
        say(f"{what + ':':<{width}}  {said}")


def print_sheet(sheet: Sheet) -> None:
    """Print a sheet without its empty columns."""
    shown = sheet.without_empty_columns()
    columns = list(zip(*shown.rows, strict=True))  # by place: columns may share a name
    numbers = [name for name, cells in zip(shown.columns, columns, strict=True) if column_kind(cells) == "number"]
    print_rows(shown.title, shown.columns, zip(*sheet_texts(shown.columns, columns), strict=True), right=numbers)
