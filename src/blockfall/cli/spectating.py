"""`blockfall spectate`: a course server's game in the terminal."""

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from blockfall.cli.connecting import UrlArgument
from blockfall.cli.output import JsonFlag, console
from blockfall.errors import SettingError
from blockfall.games.pieces import COLOURS
from blockfall.server.course import COLUMNS, ROWS, STATES, board_of, recognise
from blockfall.server.messages import MOST_NAME
from blockfall.validation import visible

if TYPE_CHECKING:
    from blockfall.server.messages import Frame, Info

_FRAMES_PER_SECOND = 30
_SETTLED = "grey70"


app = typer.Typer()


@app.command("spectate", epilog="Example: blockfall spectate ws://127.0.0.1:8000/viewer/me")
def spectate_command(
    url: UrlArgument,
    games: Annotated[int | None, typer.Option(help="The number of games to watch. The default is no limit.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Watch the games on a course server. ws://HOST:PORT/viewer/NAME shows only that player's games."""
    from blockfall.server.client import address
    from blockfall.server.room import VIEWER

    if games is not None and games < 1:
        raise SettingError(f"{games} games; it must be at least 1")
    address(url, VIEWER)
    if as_json:
        _write_json(url, games)
    elif console.is_terminal:
        _show(url, games)
    else:
        _write_text(url, games)


def _watch(url: str, games: int | None, see: Callable[["Frame"], None], end: Callable[["Info"], None]) -> None:
    """Call `see` with each frame, and `end` at the end of each game."""
    from blockfall.server.client import spectate
    from blockfall.server.messages import Frame

    ended = 0

    def take(said: "Frame | Info") -> bool:
        nonlocal ended
        if isinstance(said, Frame):
            see(said)
        elif said.highscores is not None:
            ended += 1
            end(said)
        return ended != games

    asyncio.run(spectate(url, take))


def _write_json(url: str, games: int | None) -> None:
    """Write a JSON array, entry by entry, while the game goes on."""
    between = "["

    def write(said: "Frame | Info") -> None:
        nonlocal between
        print(between, json.dumps(said.model_dump(mode="json")), sep="\n", end="", flush=True)
        between = ","

    try:
        _watch(url, games, write, write)
    finally:
        print("[]" if between == "[" else "\n]")


def _write_text(url: str, games: int | None) -> None:
    """Print the board whenever a piece has locked."""

    def write(frame: "Frame") -> None:
        if frame.piece is None:
            print(f"{_shown(frame.player)}: {frame.score} points")
            print(board_of(frame.game), end="\n\n", flush=True)

    _watch(url, games, write, lambda end: print(_ending(end), flush=True))


def _show(url: str, games: int | None) -> None:
    with Live(console=console, refresh_per_second=_FRAMES_PER_SECOND, screen=False) as live:
        live.update(Text("waiting for a game", style="dim"))
        _watch(url, games, lambda frame: live.update(screen(frame)), lambda end: live.console.print(Text(_ending(end))))


def _ending(end: "Info") -> str:
    best = ", ".join(f"{_shown(name)} {score:,}" for name, score in end.highscores or ())
    return f"{_shown(end.player)}: {end.score:,} points. High scores: {best}"


def _shown(name: str | None) -> str:
    """Return a player's name, made safe for the terminal."""
    return visible(name, MOST_NAME) if name else "a player"


def screen(frame: "Frame") -> RenderableType:
    """Draw the board with the falling piece, and beside it the score and the next pieces."""
    pose = recognise(frame.piece or [])
    colour = dict.fromkeys(frame.piece or [], COLOURS[pose.piece] if pose else _SETTLED)
    colour |= dict.fromkeys(frame.game, _SETTLED)
    board = Text()
    for y in range(ROWS):
        for x in range(1, COLUMNS - 1):
            board.append(*(("██", colour[x, y]) if (x, y) in colour else (" .", "dim")))
        board.append("\n" if y < ROWS - 1 else "")
    numbers = Table.grid(padding=(0, 2))
    for label, value in (("points", f"{frame.score:,}"), ("frames per second", f"{frame.game_speed:g}")):
        numbers.add_row(Text(label, style="dim"), value)
    coming = [found for cells in frame.next_pieces if (found := recognise(cells or []))]
    side = Group(numbers, Text("\nnext", style="dim"), *(_preview(found.piece) for found in coming))
    title = Text(_shown(frame.player))
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
