"""The commands by name. A command's module is loaded when the command is used, so that `--help` comes at once."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from blockfall import deprecated
from blockfall.errors import UnknownNameError

COMMANDS = {
    "evaluate": ("evaluation", "Play many games and report the lines per game."),
    "watch": ("watching", "Watch an agent play in the terminal, or watch a replay."),
    "explain": (
        "explaining",
        "List the placements of a piece, best first, with the value, weight and share of every feature.",
    ),
    "compare": ("runs", "Two agents on the same games: is one better, and by how much?"),
    "train": ("training", "Train an agent: a run that can be stopped at any time and resumed to the same result."),
    "resume": ("training", "Go on with a run that was stopped; it ends with the result that it would have had."),
    "runs": ("runs", "List, show, compare, export and delete training runs."),
    "study": ("studying", "Run a published study: our figures beside the published ones."),
    "benchmark": ("benchmark", "Play the fixed tasks of the benchmark suite."),
    "solve": ("solving", "Search a game, or a problem of yours, for its best solution."),
    "check-problem": (
        "problems",
        "Look for what breaks searches of a problem of yours; show the smallest example found.",
    ),
    "board": ("solving", "Make the board that a game starts with: a random one of 20x10 in 4 colours for hopeless."),
    "serve": ("serving", "Serve the course's Tetris to players and viewers until interrupted."),
    "connect": ("connecting", "Play on a course server."),
    "spectate": ("spectating", "Watch the games on a course server."),
    "tournament": ("tournaments", "Show the table of a tournament, which `blockfall serve --tournament NAME` plays."),
    "grade": ("grading", "Grade what a class handed in."),
    "assignment": ("grading", "Write assignments for a class."),
    "tbp": (
        "bot",
        "Play as a bot of the Tetris Bot Protocol: messages come on standard input, answers go to standard output.",
    ),
    "app": ("browsing", "Play, watch, analyse, train and compare in the browser."),
    "rules": ("listings", "List the rule sets."),
    "features": ("listings", "List the features that agents weigh."),
    "groups": ("listings", "List the groups of features that the literature uses."),
    "agents": ("listings", "List the agents."),
    "algorithms": ("solving", "List the search algorithms: what each does, and what it promises."),
    "optimisers": ("training", "List the optimisers, their settings and defaults."),
    "methods": ("training", "List the ways of learning, their settings and defaults."),
    "studies": ("studying", "The published studies that can be run here."),
    "bench": ("bench", "Time named workloads on one thread, each instruction set beside the scalar code."),
}
"""The module of each command, and the first sentence of its help; a test compares it with the command's own."""


class LazyCommands(TyperGroup):
    """The commands of `COMMANDS`, in that order."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command of this name; while help is written, a stand-in that has nothing but its sentence."""
        if cmd_name not in COMMANDS:
            return None
        module, sentence = COMMANDS[cmd_name]
        if self._listing:
            return TyperCommand(cmd_name, help=sentence)
        return commands_of(module)[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names. A word that names none is answered with the nearest."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise UnknownNameError("command", args[0], list(COMMANDS))
        return super().resolve_command(
            ctx, [*args[:1], *deprecated.current_options(args[0], args[1:])] if args else args
        )

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the list of the commands without loading them."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


def commands_of(module: str) -> dict[str, Any]:
    """The commands that a module of this folder adds."""
    room = typer.Typer()
    room.callback()(lambda: None)
    import_module(f"blockfall.cli.{module}").add_to(room)
    return dict(get_group(room).commands)
