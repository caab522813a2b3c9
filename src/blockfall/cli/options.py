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
        "--rules", help="A rule set, or your own TOML file.", metavar="RULES", autocompletion=lambda: rules_names()
    ),
]
AgentOption = Annotated[
    str,
    typer.Option(
        "--agent",
        help="An agent, your own JSON file, or tbp:COMMAND for a bot in another program.",
        metavar="AGENT",
        autocompletion=lambda: agent_names(),
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="The seed of the pieces: the same seed gives the same games.")]
PluginOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        help="A Python file that registers features, rules, games or other things of yours.",
        metavar="FILE",
        callback=_load,
    ),
]
MaxPiecesOption = Annotated[int | None, typer.Option("--max-pieces", help="End every game after so many pieces.")]
PliesOption = Annotated[
    int | None,
    typer.Option("--plies", help="For a network over the board: look 1, 2 or 3 placements ahead."),
]
LookAheadOption = Annotated[
    int | None,
    typer.Option(
        "--look-ahead", help="Look one piece further, which is not known: so many of the best sequences, 0 to 128."
    ),
]
HoldOption = Annotated[bool, typer.Option("--hold", help="Let the agent use the hold queue, where the rules have one.")]
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
        "--set", help="An option of the game or problem, such as columns=6. May be repeated.", metavar="NAME=VALUE"
    ),
]


def given_options(options: list[str] | None, **named: object) -> dict[str, object]:
    """Join what `--set` says with the options that have a name of their own; leaves out what was not given."""
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
    """The text of a board that `--board` names: of a file, or of a fumen."""
    return given if is_fumen(given) else read_text(Path(given))


def looking_ahead(player: Agent, plies: int | None, look_ahead: int | None) -> Agent:
    """The agent with what `--plies` and `--look-ahead` ask for."""
    if plies is not None:
        player = player.with_plies(plies)
    return player if look_ahead is None else player.looking_ahead(look_ahead)


def chosen_backend(name: str | None, threads: int | None) -> Backend:
    """The backend that `--backend` and `--threads` ask for; only one of the two may be given."""
    if name is not None and threads is not None:
        raise SettingError(f"both --backend {name} and --threads {threads}; give one of them")
    return LocalBackend(threads) if name is None else backend(name)
