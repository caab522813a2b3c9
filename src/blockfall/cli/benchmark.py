"""`blockfall benchmark`: an agent's results on the benchmark suite."""

import json
from pathlib import Path
from typing import Annotated

import typer

from blockfall.agents import agent
from blockfall.cli.options import BackendOption, PluginOption, ThreadsOption, chosen_backend
from blockfall.cli.output import JsonFlag, console, decimals, meter, print_json, print_rows, say, with_error
from blockfall.experiments.benchmark import BUDGETS, BenchmarkResult, BudgetName, benchmark, tasks
from blockfall.files import write_atomically
from blockfall.search import algorithms

app = typer.Typer()


@app.command("benchmark", epilog="Example: blockfall benchmark --agent dellacherie --tasks ten,bot")
def benchmark_command(
    agent_name: Annotated[
        str,
        typer.Option("--agent", help="An agent, as for evaluate, or a search algorithm for the search tasks."),
    ] = "dellacherie",
    names: Annotated[
        str | None,
        typer.Option(
            "--tasks",
            help=f"The tasks, separated by commas: {', '.join(task.name for task in tasks())}. The default is all.",
        ),
    ] = None,
    budget: Annotated[BudgetName, typer.Option(help="The effort: quick takes a minute, full takes hours.")] = BUDGETS[
        0
    ],
    out: Annotated[Path | None, typer.Option(help="Write the result to this file, as JSON.")] = None,
    backend: BackendOption = None,
    threads: ThreadsOption = None,
    _plugins: PluginOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Play the fixed tasks of the benchmark suite. See docs/leaderboard.md for the shipped agents' results."""
    plays_on = chosen_backend(backend, threads)
    player = agent_name if agent_name in algorithms() else agent(agent_name)
    chosen = None if names is None else [name.strip() for name in names.split(",") if name.strip()]
    with meter("games", 0) as shown:
        found = benchmark(
            player,
            chosen,
            budget,
            plays_on,
            lambda task, done, games: shown.update(done, f"of {games:,}: {task}"),
        )
    if out is not None:
        write_atomically(out, json.dumps(found.as_json(), indent=2) + "\n")
    if as_json:
        print_json(found.as_json())
    else:
        _print(found)


def _print(found: BenchmarkResult) -> None:
    places = decimals(task.sem for task in found.tasks)
    print_rows(
        f"{found.agent}, budget {found.budget}",
        ("task", "games", "mean", "us", "published"),
        (
            (
                task.name,
                f"{task.games:,}",
                f"{'over ' if task.capped else ''}{with_error(task.mean, task.sem, places)} {task.unit}",
                f"{task.microseconds_per_decision:,.1f}",
                f"{task.best_published['mean']:,}" if task.best_published else "",
            )
            for task in found.tasks
        ),
        right=("games", "mean", "us", "published"),
    )
    console.print(
        "us: microseconds per decision. over: some games reached the piece limit, so the mean is a lower bound."
    )
    say("The tasks and other players' results:  docs/leaderboard.md")
