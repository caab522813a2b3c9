"""`blockfall runs`: what has been trained. `blockfall compare`: two agents on the same games."""

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from blockfall.agents import agent
from blockfall.cli.options import MaxPiecesOption, PluginOption, RulesOption, SeedOption
from blockfall.cli.output import JsonFlag, meter, print_json, print_table, program, say
from blockfall.compute.local import evaluate
from blockfall.errors import FileError, SettingError
from blockfall.experiments.run import ID_FILE
from blockfall.experiments.statistics import Comparison, compare, compare_independent, describe
from blockfall.experiments.store import Store, StoredRun
from blockfall.files import is_locked, write_atomically
from blockfall.reports.model import Table
from blockfall.reports.of_run import run_report, run_tables
from blockfall.validation import parse_toml

RunArgument = Annotated[str, typer.Argument(help="A run's id, the beginning of one, or its folder.", metavar="RUN")]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(invoke_without_command=True, help="List, show, compare, export and delete training runs.")
    group.callback(epilog="Example: blockfall runs show runs/first")(list_runs)
    group.command("show", epilog="Example: blockfall runs show runs/first")(show_run)
    group.command("compare", epilog="Example: blockfall runs compare runs/first runs/second")(compare_runs)
    group.command("export", epilog="Example: blockfall runs export runs/first --format xlsx --out first.xlsx")(
        export_run
    )
    group.command("delete", epilog="Example: blockfall runs delete runs/first --yes")(delete_run)
    app.add_typer(group, name="runs")
    app.command("compare", epilog="Example: blockfall compare dellacherie bcts --rules standard-10x10 --games 200")(
        compare_agents
    )


def list_runs(context: typer.Context, as_json: JsonFlag = False) -> None:
    if context.invoked_subcommand:
        return
    rows = [_summary(run) for run in Store().runs()]
    if as_json:
        print_json(rows)
        return
    if not rows:
        say("No runs yet. Start one:  blockfall train --out runs/first")
        return
    print_table(
        "Runs",
        ("id", "name", "state", "trained", "test mean"),
        [
            (
                row["id"],
                row["name"],
                row["state"],
                f"{row['started'][:10]}, {row['rules']}, {row['optimiser']}, {row['fitness']}",
                f"{row['mean']:.2f} +- {row['sem']:.2f}" if row["mean"] is not None else "",
            )
            for row in rows
        ],
        right=("test mean",),
    )


def _summary(run: StoredRun) -> dict[str, Any]:
    configuration = _configuration(run)
    test = run.result["test"] if run.result else {}
    return {
        "id": run.id,
        "name": run.folder.name,
        "folder": str(run.folder),
        "state": "finished" if run.finished else "running" if is_locked(run.folder) else "stopped",
        "rules": configuration.get("rules"),
        "optimiser": (configuration.get("learning") or configuration.get("optimiser", {})).get("name"),
        "fitness": configuration.get("fitness"),
        "mean": test.get("mean"),
        "sem": test.get("sem"),
        "started": run.started,
        "finished": run.finished,
    }


def _configuration(run: StoredRun) -> dict[str, Any]:
    return parse_toml(run.configuration, f"run {run.id}")


def _find(store: Store, name: str) -> StoredRun:
    folder = Path(name)
    if (folder / ID_FILE).is_file():
        return store.run((folder / ID_FILE).read_text().strip())
    found = [run for run in store.runs() if run.id.startswith(name)]
    if len(found) > 1:
        raise SettingError(f"{name!r} begins the ids of {len(found)} runs; write more of it")
    return found[0] if found else store.run(name)


def show_run(name: RunArgument, as_json: JsonFlag = False) -> None:
    """One run: its configuration, progress, result and provenance."""
    store = Store()
    run = _find(store, name)
    done = len(store.iterations(run.id))
    row = {
        **_summary(run),
        "iterations": done,
        "version": run.version,
        "machine": run.machine,
        "configuration": _configuration(run),
        "result": run.result,
    }
    if as_json:
        print_json(row)
        return
    facts = {key: row[key] for key in ("id", "folder", "state", "started", "finished", "iterations", "version")}
    print_table(run.folder.name, ("", "value"), [(key, value or "") for key, value in facts.items()])
    say(run.configuration)
    if run.result:
        print_table(
            "Test games",
            ("games", "mean", "std", "least", "most"),
            [tuple(f"{run.result['test'][key]:,.4g}" for key in ("n", "mean", "std", "min", "max"))],
        )
    else:
        say(f"Go on with:  {program()} resume {run.folder}")


def compare_runs(first: RunArgument, second: RunArgument, as_json: JsonFlag = False) -> None:
    """Two finished runs: their agents on the same test games, and their trainings by the spread between restarts."""
    store = Store()
    a, b = _find(store, first), _find(store, second)
    for run in (a, b):
        if not run.result:
            raise SettingError(f"run {run.id} is not finished; go on with `blockfall resume {run.folder}`")
    lines = [[game[1] for game in store.test_games(run.id)] for run in (a, b)]
    found: dict[str, Comparison] = {}
    if _same_games(a, b):
        found["agents, on the same games"] = compare(*lines)
    else:
        found["agents, on different games"] = compare_independent(*lines)
    means = [[float(describe(row.lines).mean) for row in store.validations(run.id)] for run in (a, b)]
    units = {"score" if _configuration(run).get("fitness") == "score" else "lines" for run in (a, b)}
    if min(map(len, means)) >= 2 and len(units) == 1:
        what = "trainings, by the points of their restarts" if "score" in units else "trainings, by their restarts"
        found[what] = compare_independent(*means)
    _print_comparisons(found, (a.folder.name, b.folder.name), as_json)


def _same_games(a: StoredRun, b: StoredRun) -> bool:
    one, other = _configuration(a), _configuration(b)
    keys = ("rules", "seed")
    games = [table.get("games", {}) for table in (one, other)]
    limits = [table.get("max_test_pieces", table.get("max_pieces")) for table in games]
    same_limits = games[0].get("test") == games[1].get("test") and limits[0] == limits[1]
    return all(one.get(key) == other.get(key) for key in keys) and same_limits


def compare_agents(
    first: Annotated[str, typer.Argument(help="An agent, or a JSON file.")],
    second: Annotated[str, typer.Argument(help="Another.")],
    rules_name: RulesOption = "nes-no-rotation",
    games: Annotated[int, typer.Option(help="How many games each plays.")] = 1000,
    seed: SeedOption = 1,
    max_pieces: MaxPiecesOption = None,
    _plugins: PluginOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Two agents on the same games: is one better, and by how much?"""
    if games < 2:
        raise SettingError(f"{games} games; a comparison needs at least 2")
    lines = []
    with meter("games", 2 * games) as shown:
        for number, name in enumerate((first, second)):

            def report(done: int, _pieces: int, before: int = number * games) -> None:
                shown.update(before + done)

            played = evaluate(rules_name, agent(name), games, seed, max_pieces=max_pieces, progress=report)
            lines.append(played.lines)
    _print_comparisons({"on the same games": compare(*lines)}, (agent(first).name, agent(second).name), as_json)


def _print_comparisons(found: dict[str, Comparison], names: tuple[str, str], as_json: bool) -> None:
    if as_json:
        print_json([{"name": name, "first": names[0], "second": names[1], **c.as_json()} for name, c in found.items()])
        return
    for name, c in found.items():
        verdict = c.verdict.replace("the first", names[0]).replace("the second", names[1])
        say(f"{name}: {verdict}")
        unit = "points" if "points" in name else "lines"
        say(
            f"  {names[0]} - {names[1]}: {c.difference:+,.3f} {unit} (95 %: {c.low:+,.3f} to {c.high:+,.3f}), "
            f"p = {c.p_value:.3g}, effect size {c.effect_size:+.3f}, {'pairs' if c.paired else 'values'}: {c.n[0]:,}"
        )


def export_run(
    name: RunArgument,
    out: Annotated[Path, typer.Option(help="The file to write.")],
    form: Annotated[
        Literal["csv", "xlsx", "json", "parquet"], typer.Option("--format", help="csv, xlsx, json or parquet.")
    ] = "csv",
    table: Annotated[
        Literal["iterations", "validations", "games"], typer.Option(help="The table, for csv and parquet.")
    ] = "games",
) -> None:
    """Write what the store holds of a run: one table as CSV or Parquet, everything as JSON or a workbook."""
    store = Store()
    run = _find(store, name)
    tables = run_tables(store, run)
    content: str | bytes
    if form == "csv":
        content = _as_csv(tables[table])
    elif form == "parquet":
        content = _as_parquet(tables[table])
    elif form == "json":
        rows = {key: [dict(zip(t.columns, row, strict=True)) for row in t.rows] for key, t in tables.items()}
        content = json.dumps({**_summary(run), "configuration": _configuration(run), **rows, "result": run.result})
    else:
        from blockfall.reports.model import Report, Section
        from blockfall.reports.workbook import workbook_bytes

        report = run_report(store, run)
        everything = Section("Everything", (), tuple(tables.values()))
        content = workbook_bytes(Report(report.title, report.summary, (*report.sections, everything)))
    write_atomically(out, content)
    say(f"Wrote {out}")


def _as_csv(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return text.getvalue()


def _as_parquet(table: Table) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise SettingError("Parquet needs pyarrow: `pip install pyarrow`, or choose csv, xlsx or json") from None
    columns = {name: [row[place] for row in table.rows] for place, name in enumerate(table.columns)}
    out = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(columns), out)
    return bytes(out.getvalue().to_pybytes())


def delete_run(name: RunArgument, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> None:
    """Delete a run from the store, and its folder."""
    store = Store()
    run = _find(store, name)
    if is_locked(run.folder):
        raise FileError(f"{run.folder}: a process is working on it; stop it first")
    if not yes:
        typer.confirm(f"Delete run {run.id} and its folder {run.folder}?", abort=True)
    own = (run.folder / ID_FILE).is_file() and (run.folder / ID_FILE).read_text().strip() == run.id
    if own:
        shutil.rmtree(run.folder)
    store.delete_run(run.id)
    say(f"Deleted {run.id}" + ("" if own else "; its folder was gone already"))
