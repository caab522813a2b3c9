"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from blockfall.features import load_plugin


def _load(paths: list[Path] | None) -> list[Path]:
    for path in paths or []:
        load_plugin(path)
    return paths or []


RulesOption = Annotated[str, typer.Option("--rules", help="A rule set, or your own TOML file.", metavar="RULES")]
AgentOption = Annotated[str, typer.Option("--agent", help="An agent, or your own JSON file.", metavar="AGENT")]
SeedOption = Annotated[int, typer.Option("--seed", help="Names the pieces: the same seed gives the same games.")]
PluginOption = Annotated[
    list[Path] | None,
    typer.Option("--plugin", help="A Python file with features or games of yours.", metavar="FILE", callback=_load),
]
MaxPiecesOption = Annotated[int | None, typer.Option("--max-pieces", help="End every game after so many pieces.")]
ThreadsOption = Annotated[int | None, typer.Option("--threads", help="Threads to play on; all cores unless said.")]
