"""`blockfall tournament`: the standings of tournaments on the course server."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.live import Live
from rich.text import Text

from blockfall.cli.output import JsonFlag, console, print_json, print_rows, say, table
from blockfall.files import write_atomically
from blockfall.server.messages import MOST_NAME
from blockfall.server.tournament import Tournament, names
from blockfall.validation import visible

_COLUMNS = ("place", "player", "points", "games", "best", "lines", "now")
_NUMBERS = ("place", "points", "games", "best", "lines")
_REFRESH_SECONDS = 1.0


app = typer.Typer()


@app.command("tournament", epilog="Example: blockfall tournament spring --out results.xlsx")
def tournament_command(
    name: Annotated[str | None, typer.Argument(help="The tournament's name. The default is all tournaments.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table and every game to this workbook (XLSX).")] = None,
    live: Annotated[bool, typer.Option("--live", help="Show the table until interrupted.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the table of a tournament, which `blockfall serve --tournament NAME` plays."""
    if name is None:
        _list(as_json)
        return
    found = Tournament.read(name)
    if out is not None:
        write_atomically(out, found.workbook())
    if as_json:
        print_json(found.as_json())
    elif live and console.is_terminal:
        with Live(console=console, auto_refresh=False) as shown:
            while True:
                shown.update(standings_table(Tournament.read(name)), refresh=True)
                time.sleep(_REFRESH_SECONDS)
    else:
        print_standings(found)


def _list(as_json: bool) -> None:
    found = [Tournament.read(name) for name in names()]
    if as_json:
        print_json(
            [{"name": one.name, "rounds": one.rounds, "seed": one.seed, "games": len(one.games)} for one in found]
        )
    elif found:
        rows = [(one.name, one.rounds, len({game.player for game in one.games}), len(one.games)) for one in found]
        print_rows("Tournaments", ("name", "games each", "players", "games"), rows, ("games each", "players", "games"))
    else:
        say("No tournaments yet. Begin one:  blockfall serve --tournament NAME")


def print_standings(tournament: Tournament) -> None:
    """Print the table as it stands."""
    print_rows(_title(tournament), _COLUMNS, _rows(tournament), right=_NUMBERS)


def standings_table(tournament: Tournament) -> Text:
    """Return the table for a screen that is redrawn again and again."""
    return table(_title(tournament), _COLUMNS, _rows(tournament)[: max(1, console.height - 6)], right=_NUMBERS)


def _title(tournament: Tournament) -> str:
    return f"{tournament.name}: {tournament.rounds} games each, at most {tournament.max_pieces} pieces"


def _rows(tournament: Tournament) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for row in tournament.standings():
        now = f"game {row.now.round}: {row.now.score:,} points, {row.now.pieces:,} pieces" if row.now else ""
        player, games = visible(row.player, MOST_NAME), f"{row.games} of {tournament.rounds}"
        rows.append((str(row.place), player, f"{row.points:,}", games, f"{row.best:,}", f"{row.lines:,}", now))
    return rows
