"""A user's own problems: how they are read from a file, and `blockfall check-problem`."""

import ast
from typing import Annotated, Any

import typer

from blockfall.cli.options import SetOption, given_options
from blockfall.cli.output import JsonFlag, print_json, say
from blockfall.errors import SettingError
from blockfall.plugins import in_one_line, is_named_in_file, named_in_file
from blockfall.search import Problem, check_problem, find_problem
from blockfall.search.findings import in_rows

app = typer.Typer()


def own_problem(named: str, options: dict[str, object]) -> Problem:
    """Return the problem that a plugin registered, or that FILE.py:NAME names.

    NAME is a problem, or a class or function that makes one; the options become its keyword arguments.
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
    """Return the file in FILE.py:NAME."""
    return named.rpartition(":")[0]


def _value(text: object) -> object:
    """Return the Python literal that the text spells, such as a number or a tuple, or else the text."""
    try:
        return ast.literal_eval(text) if isinstance(text, str) else text
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


@app.command(
    "check-problem",
    epilog="Example: blockfall check-problem examples/eight_puzzle.py:EightPuzzle",
)
def check_command(
    problem: Annotated[str, typer.Argument(help="Your problem: FILE.py:CLASS.", metavar="FILE.py:CLASS")],
    options: SetOption = None,
    states: Annotated[int, typer.Option(help="The number of states to check.")] = 20_000,
    time_limit: Annotated[float, typer.Option(help="The time limit in seconds.")] = 10.0,
    as_json: JsonFlag = False,
) -> None:
    """Check your own problem for faults that break searches, and show the smallest example. Exit 1 if there is one."""
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
            say(f"Checked {checked.states:,} states, {checked.steps:,} steps and {checked.goals:,} goals.")
            for finding in checked.findings:
                say("\n" + "\n".join(in_rows(mine, finding)))
            if not checked.findings:
                say("No fault found.")
            if not checked.goals:
                say("No goal was reached, so the heuristic could not be checked for underestimates.")
    if not checked.sound:
        raise typer.Exit(1)
