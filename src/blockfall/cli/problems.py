"""Problems of a user's own: reading them from a file, and `blockfall check-problem`."""

import ast
from typing import Annotated, Any

import typer

from blockfall.cli.options import SetOption, given_options
from blockfall.cli.output import JsonFlag, print_json, say
from blockfall.errors import SettingError
from blockfall.plugins import in_one_line, is_named_in_file, named_in_file
from blockfall.search import Problem, check_problem, find_problem
from blockfall.search.findings import in_rows


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        "check-problem",
        epilog="Example: blockfall check-problem examples/eight_puzzle.py:EightPuzzle",
    )(check_command)


def own_problem(named: str, options: dict[str, object]) -> Problem:
    """A problem that a plugin registered, or that of FILE.py:NAME.

    The name in the file is a class, made with the options as keywords, a function that makes a problem, or one.
    """
    found: Any = named_in_file(named) if is_named_in_file(named) else find_problem(named)
    if callable(found) and not isinstance(found, Problem):
        with in_one_line(file_of(named)):
            try:
                found = found(**{name: _value(value) for name, value in options.items()})
            except TypeError as error:
                raise SettingError(f"{named}: {error}; --set NAME=VALUE gives what it needs") from None
    elif options:
        raise SettingError(f"{named} takes no options; it is a problem already")
    if not isinstance(found, Problem):
        raise SettingError(f"{named} is not a problem; a problem is a subclass of blockfall.Problem")
    return found


def file_of(named: str) -> str:
    """The file of FILE.py:NAME."""
    return named.rpartition(":")[0]


def _value(text: object) -> object:
    """What Python would read: a number, a tuple; else the text itself."""
    try:
        return ast.literal_eval(text) if isinstance(text, str) else text
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def check_command(
    problem: Annotated[str, typer.Argument(help="A problem of yours: FILE.py:CLASS.", metavar="FILE.py:CLASS")],
    options: SetOption = None,
    states: Annotated[int, typer.Option(help="How many states are looked at.")] = 20_000,
    time_limit: Annotated[float, typer.Option(help="Stops looking after so many seconds.")] = 10.0,
    as_json: JsonFlag = False,
) -> None:
    """Look for what breaks searches of a problem of yours; show the smallest example found. Exit 1: it is broken."""
    if not time_limit > 0:
        raise SettingError(f"a time limit of {time_limit} seconds; it must be more than 0")
    mine = own_problem(problem, given_options(options))
    with in_one_line(file_of(problem)):
        checked = check_problem(mine, states, time_limit)
        if as_json:
            print_json(
                {
                    "problem": problem,
                    "sound": checked.sound,
                    "states": checked.states,
                    "steps": checked.steps,
                    "goals": checked.goals,
                    "findings": [
                        {
                            "check": one.check,
                            "what": one.what,
                            "breaks": one.breaks,
                            "state": None if one.state is None else mine.text(one.state),
                            "moves": [str(move) if not isinstance(move, str | int) else move for move in one.moves],
                        }
                        for one in checked.findings
                    ],
                }
            )
        else:
            say(f"Looked at {checked.states:,} states, {checked.steps:,} steps and {checked.goals:,} goals.")
            for finding in checked.findings:
                say("\n" + "\n".join(in_rows(mine, finding)))
            if not checked.findings:
                say("Nothing was found that breaks a search.")
            if not checked.goals:
                say("No goal was met, so that nobody knows whether the heuristic says too little.")
    if not checked.sound:
        raise typer.Exit(1)
