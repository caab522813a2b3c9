"""`blockfall train`, `resume`, `optimisers` and `methods`."""

import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from blockfall.cli.options import BackendOption, PluginOption, ThreadsOption, chosen_backend
from blockfall.cli.output import JsonFlag, console, decimals, meter, print_json, print_rows, program, say, with_error
from blockfall.compute import Backend
from blockfall.experiments.choices import TRAIN_OPTIONS, chosen_configuration
from blockfall.experiments.result import Result
from blockfall.experiments.run import AGENT_FILE, Run, create_run, open_run
from blockfall.experiments.statistics import Description
from blockfall.experiments.training import Training, TrainingProgress
from blockfall.learning import methods
from blockfall.optimisers import optimisers
from blockfall.reports import write_report
from blockfall.reports.of_run import run_report
from blockfall.store import Store
from blockfall.trainers import Trainer

ReportFlag = Annotated[bool, typer.Option(help="Write the report: a page, pictures and a workbook.")]


app = typer.Typer()


@app.command(
    "train",
    epilog="Examples: blockfall train --features soster-1 --optimiser cma-es --out runs/first; "
    "blockfall train --config run.toml --set optimiser.patience=30 --out runs/second",
)
def train_command(
    out: Annotated[Path, typer.Option(help="The run's folder, which must not exist yet.")],
    config: Annotated[Path | None, typer.Option(help="The run's TOML file; options override it.")] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any other key, as TOML, such as optimiser.inertia=[0.7,0.7]. Repeatable."),
    ] = None,
    plugins: PluginOption = None,
    backend: BackendOption = None,
    threads: ThreadsOption = None,
    report: ReportFlag = True,
    as_json: JsonFlag = False,
    **choices: Any,
) -> None:
    """Train an agent. The run can be stopped at any time and resumed with the same result."""
    plays_on = chosen_backend(backend, threads)
    configuration = chosen_configuration(choices, config, plugins or [], changes or [])
    with Store() as store:
        _complete(store, create_run(store, configuration, out, backend=plays_on), plays_on, report, as_json)


def _with_settings(command: Callable[..., None]) -> inspect.Signature:
    """Return the command's signature with the `TRAIN_OPTIONS` after its first two options."""
    first, second, *others, _ = inspect.signature(command).parameters.values()
    settings = [
        inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[option.kind | None, typer.Option(help=option.help)],
        )
        for option in TRAIN_OPTIONS.values()
    ]
    others = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in others]
    return inspect.Signature([first, second, *settings, *others])


train_command.__signature__ = _with_settings(train_command)  # type: ignore[attr-defined]  # which Typer reads


@app.command("resume", epilog="Example: blockfall resume runs/first")
def resume_command(
    folder: Annotated[Path, typer.Argument(help="The run's folder.")],
    backend: BackendOption = None,
    threads: ThreadsOption = None,
    report: ReportFlag = True,
    as_json: JsonFlag = False,
) -> None:
    """Resume a stopped run. Its result is the same as without the stop."""
    plays_on = chosen_backend(backend, threads)
    with Store() as store:
        _complete(store, open_run(store, folder), plays_on, report, as_json)


def _complete(store: Store, run: Run, plays_on: Backend, report: bool, as_json: bool) -> None:
    configuration = run.configuration
    try:
        with meter(configuration.trainer.steps_name, configuration.restarts * configuration.iterations) as shown:

            def watch(progress: TrainingProgress) -> None:
                note = (
                    f"restart {progress.restart + 1} of {progress.restarts}, best {progress.best:,.2f}, "
                    f"mean {progress.mean:,.2f}, {progress.games_per_second:,.0f} games/s"
                )
                shown.update(progress.iterations_done, note)

            result = Training(store, run, plays_on, watch).complete()
        if report:
            drawn = run_report(store, store.runs.find(run.id))
            with meter("drawing", len(drawn.figures)) as shown:
                write_report(drawn, run.folder, progress=shown.update)
    except KeyboardInterrupt:
        print(f"\nFinished work is kept. Continue with:  {program()} resume {run.folder}", file=sys.stderr)
        raise
    if as_json:
        print_json(result.as_json())
    else:
        _print_result(result, report)


def _print_result(result: Result, report: bool) -> None:
    validation, test, folder, rules = result.validation, result.test, result.folder, result.configuration.rules
    rows = [("validation, lines", validation.lines, 1.0), ("test, lines", test.lines, 1.0)]
    counted = "lines"
    if result.configuration.fitness == "score":
        unit, points = (1e6, "M points") if test.points.mean >= 1e6 else (1.0, "points")
        rows += [(f"validation, {points}", validation.points, unit), (f"test, {points}", test.points, unit)]
        counted = "lines and points"
    columns = ("", "games", "mean", "std", "least", "most")
    places = decimals(games.sem / unit for _, games, unit in rows)
    shown = [_games(*row, places) for row in rows]
    print_rows(f"{folder}: {counted} per game", columns, shown, right=columns[1:])
    if test.capped:
        console.print(f"{test.capped:,} games reached the piece limit: the mean is a lower bound.")
    if report:
        say(f"The report:     {folder / 'report.html'}")
    own = folder / "rules.toml" if rules.endswith(".toml") else rules
    plugins = "".join(f" --plugin {folder / plugin}" for plugin in result.configuration.plugins)
    say(f"Watch it play:  {program()} watch --rules {own} --agent {folder / AGENT_FILE}{plugins}")


def _games(name: str, games: Description, unit: float, places: int) -> tuple[str, ...]:
    least, most = (f"{value / unit:,.0f}" for value in (games.min, games.max))
    mean, std = with_error(games.mean / unit, games.sem / unit, places), f"{games.std / unit:,.{places}f}"
    return name, f"{games.n:,}", mean, std, least, most


@app.command("optimisers", epilog="Example: blockfall optimisers --json")
def list_optimisers(_plugins: PluginOption = None, as_json: JsonFlag = False) -> None:
    """List the optimisers, their settings and defaults."""
    _list("Optimisers", optimisers(), as_json)


@app.command("methods", epilog="Example: blockfall methods --json")
def list_methods(_plugins: PluginOption = None, as_json: JsonFlag = False) -> None:
    """List the ways of learning, their settings and defaults."""
    _list("Ways of learning", methods(), as_json)


def _list(title: str, kinds: Mapping[str, type[Trainer]], as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {
                    "name": name,
                    "title": kind.title,
                    "source": kind.source,
                    "settings": {
                        setting: {"default": field.default, "what": field.description}
                        for setting, field in kind.model_fields.items()
                    },
                }
                for name, kind in kinds.items()
            ]
        )
        return
    print_rows(title, ("name", "what", "source"), [(name, kind.title, kind.source) for name, kind in kinds.items()])
    for name, kind in kinds.items():
        fields = [(setting, _default(field.default), field.description) for setting, field in kind.model_fields.items()]
        print_rows(name, ("setting", "default", "what"), fields)


def _default(value: object) -> str:
    """Return a setting's default without exponents; empty for None."""
    if isinstance(value, float) and "e" in repr(value):
        return f"{value:.10f}".rstrip("0")
    return "" if value is None else str(value)
