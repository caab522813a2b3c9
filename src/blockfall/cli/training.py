"""`blockfall train`, `resume` and `optimisers`."""

import sys
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from blockfall.cli.options import BackendOption, MaxPiecesOption, PluginOption, ThreadsOption, chosen_backend
from blockfall.cli.output import JsonFlag, console, meter, print_json, print_table, program, say
from blockfall.compute import Backend
from blockfall.errors import SettingError
from blockfall.experiments.configuration import Configuration, configuration_from, load_configuration, merged
from blockfall.experiments.run import AGENT_FILE, Run, create_run, open_run
from blockfall.experiments.store import Store
from blockfall.experiments.training import Progress, Training
from blockfall.optimisers import OPTIMISERS
from blockfall.reports import write_report
from blockfall.reports.of_run import run_report
from blockfall.validation import parse_toml, read_text

ReportFlag = Annotated[bool, typer.Option(help="Write the report: a page, pictures, a workbook.")]


def add_to(app: typer.Typer) -> None:
    app.command(
        "train",
        epilog="Examples: blockfall train --features soster-1 --optimiser cma-es --out runs/first; "
        "blockfall train --config run.toml --set optimiser.patience=30 --out runs/second",
    )(train_command)
    app.command("resume", epilog="Example: blockfall resume runs/first")(resume_command)
    app.command("optimisers", epilog="Example: blockfall optimisers --json")(list_optimisers)


def train_command(
    out: Annotated[Path, typer.Option(help="The run's folder; must not exist yet.")],
    config: Annotated[Path | None, typer.Option(help="The run's TOML file; options override it.")] = None,
    rules: Annotated[str | None, typer.Option(help="A rule set, or your own TOML file.")] = None,
    features: Annotated[str | None, typer.Option(help="A group, or features and groups with commas.")] = None,
    optimiser: Annotated[str | None, typer.Option(help="See `blockfall optimisers`.")] = None,
    fitness: Annotated[str | None, typer.Option(help="mean, record, weighted or score.")] = None,
    pieces_known: Annotated[int | None, typer.Option(help="How many pieces the agent knows: 1 to 8.")] = None,
    restarts: Annotated[int | None, typer.Option(help="Trainings, of which the best by validation is kept.")] = None,
    seed: Annotated[int | None, typer.Option(help="Names all random choices.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Of the optimiser, at most.")] = None,
    population: Annotated[int | None, typer.Option(help="Candidates, or particles, of an iteration.")] = None,
    training: Annotated[int | None, typer.Option(help="Training games per candidate.")] = None,
    validation: Annotated[int | None, typer.Option(help="Validation games per restart.")] = None,
    test: Annotated[int | None, typer.Option(help="Test games.")] = None,
    max_pieces: MaxPiecesOption = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Any other key, as TOML: optimiser.inertia=[0.7,0.7]")
    ] = None,
    plugins: PluginOption = None,
    backend: BackendOption = None,
    threads: ThreadsOption = None,
    report: ReportFlag = True,
    as_json: JsonFlag = False,
) -> None:
    """Train an agent: a run that can be stopped at any time and resumed to the same result."""
    plays_on = chosen_backend(backend, threads)
    text = read_text(config) if config else ""
    table = parse_toml(text, str(config)) if config else {}
    folder = config.parent if config else Path()
    if config:
        load_configuration(config)
    games = {"training": training, "validation": validation, "test": test, "max_pieces": max_pieces}
    chosen: dict[str, Any] = {
        "rules": rules,
        "features": features,
        "plugins": [str(plugin) for plugin in plugins or []],
        "fitness": fitness,
        "pieces_known": pieces_known,
        "restarts": restarts,
        "seed": seed,
        "games": {key: value for key, value in games.items() if value is not None},
        "optimiser": _optimiser_table(optimiser, iterations, population, table),
    }
    if config and rules and rules.endswith(".toml"):
        chosen["rules"] = str(Path(rules).absolute())
    if optimiser:
        table = {key: value for key, value in table.items() if key != "optimiser"}
    table = merged(table, {key: value for key, value in chosen.items() if value not in (None, {}, [])})
    for change in changes or []:
        table = merged(table, _change(change))
    configuration = configuration_from(table, "the command line", "", folder)
    store = Store()
    run = create_run(store, configuration, out, folder)
    _complete(store, run, plays_on, report, as_json)


def _optimiser_table(
    name: str | None, iterations: int | None, population: int | None, table: dict[str, Any]
) -> dict[str, Any]:
    """What the options say of the optimiser; one named here starts from its own defaults."""
    chosen: dict[str, Any] = {"name": name} if name else {}
    if iterations is not None:
        chosen["iterations"] = iterations
    if population is not None:
        used = name or (table.get("optimiser") or {}).get("name", Configuration().optimiser_name)
        chosen["particles" if used == "pso" else "population"] = population
    if chosen and not name and not table.get("optimiser"):
        chosen["name"] = Configuration().optimiser_name
    return chosen


def _change(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise SettingError(f"--set {text!r}: not TOML; write KEY=VALUE, strings in quotes") from None


def resume_command(
    folder: Annotated[Path, typer.Argument(help="The run's folder.")],
    backend: BackendOption = None,
    threads: ThreadsOption = None,
    report: ReportFlag = True,
    as_json: JsonFlag = False,
) -> None:
    """Go on with a run that was stopped; it ends with the result that it would have had."""
    plays_on = chosen_backend(backend, threads)
    store = Store()
    _complete(store, open_run(store, folder), plays_on, report, as_json)


def _complete(store: Store, run: Run, plays_on: Backend, report: bool, as_json: bool) -> None:
    configuration = run.configuration
    total = configuration.restarts * configuration.iterations
    try:
        with meter("iterations", total) as shown:

            def watch(progress: Progress) -> None:
                note = (
                    f"restart {progress.restart + 1} of {progress.restarts}, best {progress.best:,.2f}, "
                    f"mean {progress.mean:,.2f}, {progress.games_per_second:,.0f} games/s"
                )
                shown.update(progress.iterations_done, note)

            result = Training(store, run, plays_on, watch).complete()
        if report:
            drawn = run_report(store, store.run(run.id))
            with meter("drawing", len(drawn.figures)) as shown:
                write_report(drawn, run.folder, progress=shown.update)
    except KeyboardInterrupt:
        print(f"\nEverything finished is kept. Go on with:  {program()} resume {run.folder}", file=sys.stderr)
        raise
    if as_json:
        print_json(result)
    else:
        _print_result(run, result, report)


def _print_result(run: Run, result: dict[str, Any], report: bool) -> None:
    test = result["test"]
    rows = [_games("validation", result["validation"]), _games("test", test)]
    if "score" in result:
        unit, name = (1e6, "M points") if result["score"]["mean"] >= 1e6 else (1, "points")
        rows = [
            _games(f"validation, {name}", result["validation"], unit),
            _games(f"test, {name}", result["score"], unit),
            _games("test, lines", test),
        ]
    columns = ("", "games", "mean", "std", "least", "most")
    title = f"{run.folder}: {'points and lines' if 'score' in result else 'lines'} per game"
    print_table(title, columns, rows, right=columns[1:])
    if test["capped"]:
        console.print(f"{test['capped']:,} games met the piece limit: the mean is a lower bound.")
    if report:
        say(f"The report:     {run.folder / 'report.html'}")
    rules = run.configuration.rules if not run.configuration.rules.endswith(".toml") else run.folder / "rules.toml"
    say(f"Watch it play:  {program()} watch --rules {rules} --agent {run.folder / AGENT_FILE}")


def _games(name: str, part: dict[str, Any], unit: float = 1) -> tuple[str, ...]:
    mean, error, std = (f"{part[key] / unit:,.2f}" for key in ("mean", "sem", "std"))
    return name, f"{part['n']:,}", f"{mean} +- {error}", std, *(f"{part[key] / unit:,.0f}" for key in ("min", "max"))


def list_optimisers(as_json: JsonFlag = False) -> None:
    """The optimisers, their settings and defaults."""
    rows = [
        {
            "name": kind.name,
            "title": kind.title,
            "source": kind.source,
            "settings": {
                name: {"default": field.default, "what": field.description}
                for name, field in kind.settings_type.model_fields.items()
            },
        }
        for kind in OPTIMISERS.values()
    ]
    if as_json:
        print_json(rows)
        return
    print_table("Optimisers", ("name", "what", "source"), [(row["name"], row["title"], row["source"]) for row in rows])
    for kind in OPTIMISERS.values():
        print_table(
            kind.name,
            ("setting", "default", "what"),
            [(name, field.default, field.description) for name, field in kind.settings_type.model_fields.items()],
        )
