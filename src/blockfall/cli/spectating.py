"""`blockfall spectate`: a course server's game in the terminal."""

import asyncio
import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from blockfall.cli.connecting import UrlArgument
from blockfall.cli.output import JsonFlag, console, say
from blockfall.course import COLUMNS, ROWS, STATES, board_of, recognise
from blockfall.errors import SettingError
from blockfall.games.pieces import COLOURS

if TYPE_CHECKING:
    from blockfall.server.messages import Frame, Info

_FRAMES_PER_SECOND = 30
_SETTLED = "grey70"


def add_to(app: typer.Typer) -> None:
    app.command("spectate", epilog="Example: blockfall spectate ws://127.0.0.1:8000/viewer/me")(spectate_command)


def spectate_command(
    url: UrlArgument,
    games: Annotated[int | None, typer.Option(help="Stop after so many games; goes on unless said.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Look at the game on a server of the course; ws://HOST:PORT/viewer/NAME shows the games of that player."""
    from blockfall.server.client import address
    from blockfall.server.room import VIEWER

    if games is not None and games < 1:
        raise SettingError(f"{games} games; look at 1 at least")
    address(url, VIEWER)
    if as_json:
        asyncio.run(_write_json(url, games))
    elif console.is_terminal:
        asyncio.run(_show(url, games))
    else:
        asyncio.run(_write_text(url, games))


async def _write_json(url: str, games: int | None) -> None:
    """An array that is written as it grows."""
    from blockfall.server.client import spectate
    from blockfall.server.messages import Frame

    between = "["
    try:
        async for said in spectate(url):
            if isinstance(said, Frame) or said.highscores is not None:
                print(between, json.dumps(said.model_dump()), sep="\n", end="", flush=True)
                between = ","
            games = _left(games, said)
            if games == 0:
                return
    finally:
        print("[]" if between == "[" else "\n]")


async def _write_text(url: str, games: int | None) -> None:
    """The board whenever a piece has locked."""
    from blockfall.server.client import spectate
    from blockfall.server.messages import Frame

    async for said in spectate(url):
        if isinstance(said, Frame) and said.piece is None:
            print(f"{said.player or 'a player'}: {said.score} points")
            print(board_of(said.game), end="\n\n", flush=True)
        elif not isinstance(said, Frame) and said.highscores is not None:
            print(_ending(said), flush=True)
        games = _left(games, said)
        if games == 0:
            return


async def _show(url: str, games: int | None) -> None:
    from blockfall.server.client import spectate
    from blockfall.server.messages import Frame

    ends = []
    with Live(console=console, refresh_per_second=_FRAMES_PER_SECOND, screen=False) as live:
        live.update(Text("waiting for a game", style="dim"))
        async for said in spectate(url):
            if isinstance(said, Frame):
                live.update(screen(said))
            elif said.highscores is not None:
                ends.append(_ending(said))
            games = _left(games, said)
            if games == 0:
                break
    for end in ends[-10:]:
        say(end)


def _left(games: int | None, said: "Frame | Info") -> int | None:
    return games - 1 if games is not None and getattr(said, "highscores", None) is not None else games


def _ending(end: "Info") -> str:
    best = ", ".join(f"{name} {score:,}" for name, score in end.highscores or ())
    return f"{end.player or 'a player'}: {end.score:,} points. High scores: {best}"


def screen(frame: "Frame") -> RenderableType:
    """The board and the falling piece, and beside them the score and what comes next."""
    pose = recognise(frame.piece or [])
    colour = dict.fromkeys(frame.piece or [], COLOURS[pose.piece] if pose else _SETTLED)
    colour |= dict.fromkeys(frame.game, _SETTLED)
    board = Text()
    for y in range(ROWS):
        for x in range(1, COLUMNS - 1):
            board.append(*(("██", colour[x, y]) if (x, y) in colour else (" .", "dim")))
        board.append("\n" if y < ROWS - 1 else "")
    facts = Table.grid(padding=(0, 2))
    for label, value in (("points", f"{frame.score:,}"), ("frames per second", f"{frame.game_speed:g}")):
        facts.add_row(Text(label, style="dim"), value)
    coming = [found for cells in frame.next_pieces if (found := recognise(cells or []))]
    side = Group(facts, Text("\nnext", style="dim"), *(_preview(found.piece) for found in coming))
    title = Text(frame.player or "a player")
    return Columns([Panel(board, title=title, border_style="dim"), Panel(side, border_style="dim")])


def _preview(letter: str) -> Text:
    cells = STATES[letter][0]
    left, right = min(x for x, _ in cells), max(x for x, _ in cells)
    picture = Text("\n")
    for y in sorted({y for _, y in cells}):
        picture.append(
            "".join("██" if (x, y) in cells else "  " for x in range(left, right + 1)) + "\n", COLOURS[letter]
        )
    return picture
