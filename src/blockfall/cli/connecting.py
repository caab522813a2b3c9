"""`blockfall connect`: an agent plays on a course server."""

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from blockfall.agents import Agent, agent
from blockfall.cli.options import AgentOption, PluginOption
from blockfall.cli.output import JsonFlag, errors, print_json, print_rows
from blockfall.errors import ConnectionLostError, SettingError
from blockfall.rulesets import rules
from blockfall.validation import visible

if TYPE_CHECKING:
    from blockfall.server.client import CourseResult
    from blockfall.server.messages import Frame

UrlArgument = Annotated[str, typer.Argument(help="The server's address, such as ws://127.0.0.1:8000.", metavar="URL")]

_MOST_KNOWN = 4  # the piece and the three after it
_WAITS = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds before each new attempt to connect. A frame from the server starts the list again."""
_LOG_SECONDS = 10.0


app = typer.Typer()


@app.command("connect", epilog="Example: blockfall connect ws://127.0.0.1:8000 --agent dt-20 --name me --games 3")
def connect_command(
    url: UrlArgument,
    agent_name: AgentOption = "dt-20",
    name: Annotated[str, typer.Option(help="The player's name in the server's high scores.")] = "blockfall",
    games: Annotated[int, typer.Option(help="The number of games, played one after the other.")] = 1,
    pieces_known: Annotated[
        int | None, typer.Option(help="The number of pieces that the agent knows, 1 to 4, instead of its own.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Reconnect after a lost connection.")] = False,
    _plugins: PluginOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Play on a course server. The exit code is 3 if the server cannot be reached or the connection is lost.

    Ctrl-C ends the game and prints the results so far.
    """
    from blockfall.server.client import address, check_name
    from blockfall.server.room import PLAYER

    player = agent(agent_name)
    if pieces_known is not None:
        if not 1 <= pieces_known <= _MOST_KNOWN:
            raise SettingError(f"{pieces_known} pieces known; it must be 1 to {_MOST_KNOWN}")
        player = player.knowing(pieces_known)
    player.check_rules(rules("aveiro"))
    if games < 1:
        raise SettingError(f"{games} games; it must be at least 1")
    address(url, PLAYER)
    played: list[CourseResult] = []
    title = f"{player.name} at {url}"
    try:
        asyncio.run(_play(url, player, check_name(name), games, retry, played))
    except KeyboardInterrupt:
        _print(title, played, as_json)
        raise
    except ConnectionLostError:
        if played:
            _print(title, played, as_json)
        raise
    _print(title, played, as_json)


def _print(title: str, played: "list[CourseResult]", as_json: bool) -> None:
    from blockfall.server.messages import MOST_NAME

    if as_json:
        print_json([game.as_json() for game in played])
        return
    if not played:
        return
    print_rows(
        title,
        ("game", "points", "pieces", "missed", "frames per second", "seconds"),
        [
            (n, f"{p.score:,}", f"{p.tally.pieces:,}", p.tally.missed, f"{p.speed:g}", f"{p.seconds:.1f}")
            for n, p in enumerate(played, 1)
        ],
        right=("game", "points", "pieces", "missed", "frames per second", "seconds"),
    )
    ranked = [
        (place, escape(visible(who, MOST_NAME)), f"{score:,}")
        for place, (who, score) in enumerate(played[-1].high_scores, 1)
    ]
    if ranked:
        print_rows("High scores there", ("place", "name", "points"), ranked, right=("place", "points"))


async def _play(url: str, player: Agent, name: str, games: int, retry: bool, played: "list[CourseResult]") -> None:
    """Play the games and add each to `played`, including one that is interrupted."""
    from blockfall.server.client import CourseResult, play
    from blockfall.server.pilot import Tally

    failures = 0
    while len(played) < games:
        shown, tally, started = _Shown(f"game {len(played) + 1} of {games}"), Tally(), time.monotonic()
        try:
            played.append(await play(url, player, name, shown, tally))
            failures = 0
        except asyncio.CancelledError:
            if shown.last:
                seconds = time.monotonic() - started
                played.append(CourseResult(shown.last.score, shown.last.game_speed, tally, seconds, (), finished=False))
            raise
        except ConnectionLostError as error:
            failures = 0 if shown.last else failures
            if not retry or failures == len(_WAITS):
                raise
            print(f"blockfall: {error}; trying again in {_WAITS[failures]:g} s", file=sys.stderr, flush=True)
            await asyncio.sleep(_WAITS[failures])
            failures += 1


class _Shown:
    """The score on stderr: always in the same place on a terminal, otherwise every few seconds."""

    def __init__(self, what: str) -> None:
        self.last: Frame | None = None
        self._what = what
        self._told = time.monotonic()

    def __call__(self, frame: "Frame") -> None:
        self.last = frame
        now = time.monotonic()
        if now - self._told < (0.25 if errors.is_terminal else _LOG_SECONDS):
            return
        self._told = now
        text = f"{self._what}: {frame.score:,} points at {frame.game_speed:g} frames per second"
        print(
            f"\r\x1b[K{text}" if errors.is_terminal else text, end="" if errors.is_terminal else "\n", file=sys.stderr
        )
        sys.stderr.flush()
