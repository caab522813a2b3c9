"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from blockfall.agents import Agent, agent_names
from blockfall.compute import BACKENDS, Backend, LocalBackend, backend
from blockfall.errors import SettingError
from blockfall.fumen import is_fumen
from blockfall.plugins import load_plugin
from blockfall.rulesets import rules_names
from blockfall.validation import read_text


def _load(paths: list[Path] | None) -> list[Path]:
    for path in paths or []:
        load_plugin(path)
    return paths or []


RulesOption = Annotated[
    str,
    typer.Option(
        "--rules", help="The rule set, or your own TOML file.", metavar="RULES", autocompletion=lambda: rules_names()
    ),
]
AgentOption = Annotated[
    str,
    typer.Option(
        "--agent",
        help="The agent, your own JSON file, or tbp:COMMAND for a bot in another program.",
        metavar="AGENT",
        autocompletion=lambda: agent_names(),
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="The seed of the pieces: the same seed gives the same games.")]
PluginOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        help="A Python file that registers your own features, rules, games and so on. Repeatable.",
        metavar="FILE",
        callback=_load,
    ),
]
MaxPiecesOption = Annotated[int | None, typer.Option("--max-pieces", help="The most pieces per game.")]
PliesOption = Annotated[
    int | None,
    typer.Option("--plies", help="For a board network: the number of placements to look ahead, 1 to 3."),
]
LookAheadOption = Annotated[
    int | None,
    typer.Option("--look-ahead", help="The number of best sequences, 0 to 128, to extend by one unknown piece."),
]
HoldOption = Annotated[bool, typer.Option("--hold", help="Let the agent use the hold queue, if the rules have one.")]
BackendOption = Annotated[
    str | None,
    typer.Option(
        "--backend",
        help=f"Where to compute: {', '.join(row.form for row in BACKENDS.values())}. "
        "The default is local, on all cores.",
        metavar="BACKEND",
    ),
]
ThreadsOption = Annotated[int | None, typer.Option("--threads", help="Short for --backend local:THREADS.")]

SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="An option of the game or problem, such as columns=6. Repeatable.", metavar="NAME=VALUE"
    ),
]


def given_options(options: list[str] | None, **named: object) -> dict[str, object]:
    """Join the `--set` options with those that have their own names. Leave out those that were not given."""
    given = {name: value for name, value in named.items() if value is not None}
    for text in options or []:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise SettingError(f"--set {text}; it must be NAME=VALUE, such as columns=6")
        if name in given:
            raise SettingError(f"{name} is given twice")
        given[name] = value
    return given


def board_text(given: str) -> str:
    """Return the board that `--board` gives: a fumen, or the text of a file."""
    return given if is_fumen(given) else read_text(Path(given))


def looking_ahead(player: Agent, plies: int | None, look_ahead: int | None) -> Agent:
    """Return the agent with the settings of `--plies` and `--look-ahead`."""
    if plies is not None:
        player = player.with_plies(plies)
    return player if look_ahead is None else player.looking_ahead(look_ahead)


def chosen_backend(name: str | None, threads: int | None) -> Backend:
    """Return the backend that `--backend` or `--threads` asks for. Only one of them may be given."""
    if name is not None and threads is not None:
        raise SettingError(f"both --backend {name} and --threads {threads}; give one of them")
    return LocalBackend(threads) if name is None else backend(name)
