"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from blockfall.compute import Backend, LocalBackend, backend
from blockfall.errors import SettingError
from blockfall.plugins import load_plugin


def _load(paths: list[Path] | None) -> list[Path]:
    for path in paths or []:
        load_plugin(path)
    return paths or []


RulesOption = Annotated[str, typer.Option("--rules", help="A rule set, or your own TOML file.", metavar="RULES")]
AgentOption = Annotated[str, typer.Option("--agent", help="An agent, or your own JSON file.", metavar="AGENT")]
SeedOption = Annotated[int, typer.Option("--seed", help="The seed of the pieces: the same seed gives the same games.")]
PluginOption = Annotated[
    list[Path] | None,
    typer.Option("--plugin", help="A Python file with features or games of yours.", metavar="FILE", callback=_load),
]
MaxPiecesOption = Annotated[int | None, typer.Option("--max-pieces", help="End every game after so many pieces.")]
BackendOption = Annotated[
    str | None,
    typer.Option(
        "--backend",
        help="Who does the work: local, local:THREADS, cuda or dask:ADDRESS. The default is local, on all cores.",
        metavar="BACKEND",
    ),
]
ThreadsOption = Annotated[int | None, typer.Option("--threads", help="Short for --backend local:THREADS.")]


def chosen_backend(name: str | None, threads: int | None) -> Backend:
    """The backend that `--backend` and `--threads` ask for; only one of the two may be given."""
    if name is not None and threads is not None:
        raise SettingError(f"both --backend {name} and --threads {threads}; give one of them")
    return LocalBackend(threads) if name is None else backend(name)
