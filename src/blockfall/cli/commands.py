"""The commands by name. A command's module is loaded only when the command is used, to keep `--help` fast."""

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from blockfall import deprecated
from blockfall.errors import UnknownNameError

COMMANDS = {
    "evaluate": "evaluation",
    "watch": "watching",
    "explain": "explaining",
    "compare": "runs",
    "train": "training",
    "resume": "training",
    "runs": "runs",
    "study": "studying",
    "benchmark": "benchmark",
    "solve": "solving",
    "check-problem": "problems",
    "board": "solving",
    "serve": "serving",
    "connect": "connecting",
    "spectate": "spectating",
    "tournament": "tournaments",
    "grade": "grading",
    "assignment": "grading",
    "tbp": "bot",
    "app": "browsing",
    "rules": "listings",
    "features": "listings",
    "groups": "listings",
    "agents": "listings",
    "algorithms": "solving",
    "optimisers": "training",
    "methods": "training",
    "studies": "studying",
    "bench": "bench",
}
"""The module of each command, in the order of the help."""


class LazyCommands(TyperGroup):
    """The commands in `COMMANDS`, in that order."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return the command of this name; while the command list is written, one with its help only."""
        if cmd_name not in COMMANDS:
            return None
        module = COMMANDS[cmd_name]
        if self._listing:
            shown = TyperCommand(cmd_name, help=_helps(module)[cmd_name])
            shown.help = shown.get_short_help_str(200)
            return shown
        return commands_of(module)[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first word names. If there is none, raise an UnknownNameError."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise UnknownNameError("command", args[0], list(COMMANDS))
        return super().resolve_command(
            ctx, [*args[:1], *deprecated.current_options(args[0], args[1:])] if args else args
        )

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands without loading them."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


def commands_of(module: str) -> dict[str, Any]:
    """Return the commands of the `app` in a module of this folder."""
    app: typer.Typer = import_module(f"blockfall.cli.{module}").app
    app.callback()(lambda: None)  # a module with one command is a group, too
    return dict(get_group(app).commands)


@cache
def _helps(module: str) -> dict[str, str]:
    """Return the help of each command of a module's `app` and `group`, read from its source: importing it is slow."""
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8"))
    helps: dict[str, str] = {}
    for node in tree.body:
        match node:
            case ast.FunctionDef(decorator_list=[ast.Call(ast.Attribute(ast.Name("app")), [ast.Constant(name)])]):
                helps[str(name)] = ast.get_docstring(node) or ""
            case ast.Assign([ast.Name("group")], ast.Call(keywords=given)):
                words = {word.arg: str(word.value.value) for word in given if isinstance(word.value, ast.Constant)}
                helps[words["name"]] = words["help"]
    return helps
