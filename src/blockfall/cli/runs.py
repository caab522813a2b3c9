"""`blockfall runs`: the training runs. `blockfall compare`: two agents on the same games."""

import csv
import io
import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from blockfall.cli.evaluation import watched
from blockfall.cli.options import (
    BackendOption,
    HoldOption,
    MaxPiecesOption,
    PluginOption,
    RulesOption,
    SeedOption,
    ThreadsOption,
    chosen_backend,
)
from blockfall.cli.output import JsonFlag, decimals, meter, print_json, print_rows, program, say, with_error
from blockfall.compute import GAMES
from blockfall.errors import SettingError
from blockfall.experiments import overview
from blockfall.experiments.comparing import compare
from blockfall.experiments.statistics import Comparison
from blockfall.files import write_atomically
from blockfall.reports.model import Sheet
from blockfall.reports.of_run import run_everything, run_sheets, run_workbook
from blockfall.reports.page import column_texts
from blockfall.store import Point, Store

_LEAST_P = 0.0001  # smaller p-values need no figure

RunArgument = Annotated[str, typer.Argument(help="A run's id, the beginning of one, or its folder.", metavar="RUN")]


app = typer.Typer()
group = typer.Typer(
    name="runs", invoke_without_command=True, help="List, show, compare, export and delete training runs."
)
app.add_typer(group)


@group.callback(epilog="Example: blockfall runs show runs/first")
def list_runs(context: typer.Context, as_json: JsonFlag = False) -> None:
    """List the runs, newest first."""
    if context.invoked_subcommand:
        return
    rows = [run.as_json() for run in overview.runs()]
    if as_json:
        print_json(rows)
        return
    if not rows:
        say("No runs yet. Start one:  blockfall train --out runs/first")
        return
    places = decimals(row["sem"] for row in rows if row["mean"] is not None)
    print_rows(
        "Runs",
        ("id", "name", "state", "trained", "test mean"),
        [
            (
                row["id"],
                row["name"],
                row["state"],
                f"{row['started'][:10]}, {row['rules']}, {row['optimiser']}, {row['fitness']}",
                with_error(row["mean"], row["sem"], places) if row["mean"] is not None else "",
            )
            for row in rows
        ],
        right=("test mean",),
    )


@group.command("show", epilog="Example: blockfall runs show runs/first")
def show_run(name: RunArgument, as_json: JsonFlag = False) -> None:
    """Show a run's configuration, progress, result and provenance."""
    with Store() as store:
        seen = overview.run(name, store)
        done = len(store.runs.iterations(seen.id))
        stages = [point for point in store.runs.curve(seen.id) if point.loss is not None]
    run = seen.run
    row = {
        **seen.as_json(),
        "iterations": done,
        "version": run.version,
        "machine": run.machine,
        "configuration": seen.configuration.as_keys(),
        "result": run.result,
    }
    if as_json:
        print_json(row)
        return
    shown = {key: row[key] for key in ("id", "folder", "state", "started", "finished", "iterations", "version")}
    print_rows(run.folder.name, ("", "value"), [(key, value or "") for key, value in shown.items()])
    say(run.configuration)
    if stages:
        columns = ("restart", "stage", "fitness", "best", "loss", "value")
        numbers = zip(*map(column_texts, zip(*map(_learned, stages), strict=True)), strict=True)
        rows = [(one.restart + 1, one.iteration + 1, *texts) for one, texts in zip(stages, numbers, strict=True)]
        print_rows("Learning", columns, rows, right=columns)
    if run.result:
        test, heads = run.result["test"], ("games", "mean", "std", "least", "most")
        places = decimals([test["sem"]])
        std, mean = f"{test['std']:,.{places}f}", with_error(test["mean"], test["sem"], places)
        cells = (f"{test['n']:,}", mean, std, *(f"{test[key]:,.0f}" for key in ("min", "max")))
        print_rows("Test games, lines", heads, [cells], right=heads)
    else:
        say(f"Resume it:  {program()} resume {run.folder}")


def _learned(point: Point) -> tuple[float, ...]:
    assert point.loss is not None
    assert point.value is not None
    return point.mean, point.best, point.loss, point.value


@group.command("compare", epilog="Example: blockfall runs compare runs/first runs/second")
def compare_runs(first: RunArgument, second: RunArgument, as_json: JsonFlag = False) -> None:
    """Compare two finished runs: their agents on the same test games, and their trainings across restarts."""
    with Store() as store:
        a, b = overview.run(first, store), overview.run(second, store)
        found = overview.compare_runs(store, a, b)
    _print_comparisons(found, (a.run.folder.name, b.run.folder.name), as_json)


@app.command("compare", epilog="Example: blockfall compare dellacherie bcts --rules standard-10x10 --games 200")
def compare_agents(
    first: Annotated[str, typer.Argument(help="The first agent, or your own JSON file.")],
    second: Annotated[str, typer.Argument(help="The second agent, or your own JSON file.")],
    rules_name: RulesOption = "nes-no-rotation",
    games: Annotated[int, typer.Option(help="The number of games that each plays.")] = GAMES,
    seed: SeedOption = 1,
    max_pieces: MaxPiecesOption = None,
    hold: HoldOption = False,
    backend: BackendOption = None,
    threads: ThreadsOption = None,
    _plugins: PluginOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Compare two agents on the same games: is one better, and by how much?"""
    plays_on = chosen_backend(backend, threads)
    with meter("games", 2 * games) as shown:
        found = compare(
            rules_name,
            (first, second),
            games,
            seed,
            max_pieces=max_pieces,
            hold=hold,
            backend=plays_on,
            progress=watched(shown, 2 * games, whole=not max_pieces),
        )
    means = [(one.summary().mean, one.summary().sem) for one in found.played]
    if not as_json:
        queue = ", with the hold queue" if hold else ""
        limit = "" if max_pieces is None else f", at most {max_pieces:,} pieces each"
        say(f"Rules {rules_name}, seed {seed}, {games:,} games each{limit}{queue}. Lines per game:")
        places = decimals(sem for _, sem in means)
        for name, (mean, sem) in zip(found.names, means, strict=True):
            say(f"  {name}: {with_error(mean, sem, places)}")
    played = {
        "rules": rules_name,
        "seed": seed,
        "games": games,
        "max_pieces": max_pieces,
        "hold": hold,
        "first_mean": means[0][0],
        "second_mean": means[1][0],
    }
    _print_comparisons({"on the same games": found.lines}, found.names, as_json, played)


def _print_comparisons(
    found: dict[str, Comparison], names: tuple[str, str], as_json: bool, played: dict[str, object] | None = None
) -> None:
    if as_json:
        said = {"first": names[0], "second": names[1], **(played or {})}
        print_json([{"name": name, **said, **c.as_json()} for name, c in found.items()])
        return
    for name, c in found.items():
        say(f"{name}: {c.sentence(*names)}")
        unit, digits = "points" if "points" in name else "lines", decimals([(c.high - c.low) / 4])
        chance = f"p = {c.p_value:.3g}" if c.p_value >= _LEAST_P else f"p < {_LEAST_P:.4f}"
        say(
            f"  {names[0]} - {names[1]}: {c.difference:+,.{digits}f} {unit} "
            f"(95 %: {c.low:+,.{digits}f} to {c.high:+,.{digits}f}), {chance}, "
            f"effect size {c.effect_size:+.2f}, {'pairs' if c.paired else 'values'}: {c.n[0]:,}"
        )


@group.command("export", epilog="Example: blockfall runs export runs/first --format xlsx --out first.xlsx")
def export_run(
    name: RunArgument,
    out: Annotated[Path, typer.Option(help="The file to write.")],
    form: Annotated[
        Literal["csv", "xlsx", "json", "parquet"],
        typer.Option("--format", help="The format: csv, xlsx, json or parquet."),
    ] = "csv",
    table: Annotated[
        Literal["iterations", "validations", "games"], typer.Option(help="For csv and parquet: the table to write.")
    ] = "games",
) -> None:
    """Export a run from the store: one table as CSV or Parquet, or everything as JSON or a workbook."""
    content: str | bytes
    with Store() as store:
        run = overview.run(name, store).run
        tables = run_sheets(store, run)
        if form == "csv":
            content = _as_csv(tables[table])
        elif form == "parquet":
            content = _as_parquet(tables[table])
        elif form == "json":
            content = json.dumps(run_everything(store, run))
        else:
            content = run_workbook(store, run)
    write_atomically(out, content)
    say(f"Wrote {out}")


def _as_csv(table: Sheet) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return text.getvalue()


def _as_parquet(table: Sheet) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise SettingError("Parquet needs pyarrow; install it with: pip install pyarrow") from None
    columns = {name: [row[place] for row in table.rows] for place, name in enumerate(table.columns)}
    out = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(columns), out)
    return bytes(out.getvalue().to_pybytes())


@group.command("delete", epilog="Example: blockfall runs delete runs/first --yes")
def delete_run(
    name: RunArgument, yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False
) -> None:
    """Delete a run from the store, with its folder."""
    with Store() as store:
        run = overview.run(name, store).run
        if not yes:
            typer.confirm(f"Delete run {run.id} and its folder {run.folder}?", abort=True)
        own = overview.delete_run(store, run)
    say(f"Deleted {run.id}" + ("" if own else "; its folder was gone already"))
