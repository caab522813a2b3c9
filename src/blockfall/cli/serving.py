"""`blockfall serve`: the course server."""

import asyncio
import gc
import secrets
import signal
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer
from rich.live import Live
from rich.text import Text

from blockfall.cli.output import console, program, say
from blockfall.cli.tournaments import print_standings, standings_table
from blockfall.errors import SettingError
from blockfall.games.streams import check_seed
from blockfall.server.room import Scores
from blockfall.server.rounds import Rounds
from blockfall.server.tournament import MOST_PIECES, RESULTS, ROUNDS, Tournament

if TYPE_CHECKING:
    from blockfall.server.serving import CourseServer

PORT = 8000
_MOST_GAMES = 1000
_TOURNAMENT_GAMES = 100  # at once, by default
_TABLE_SECONDS = 1.0
_SPEEDS = (0.01, 1000.0)


app = typer.Typer()


@app.command("serve", epilog="Example: blockfall serve --port 8000 --games 30")
def serve_command(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 admits other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.")] = PORT,
    games: Annotated[
        int | None,
        typer.Option(help="The number of games at once; other players wait. The default is 1, or 100 in a tournament."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the pieces of all games; random by default.")] = None,
    speed: Annotated[float, typer.Option(help="A factor on the course's pace.")] = 1.0,
    lockstep: Annotated[
        bool, typer.Option("--lockstep", help="Play a frame for each key that the player sends, without a clock.")
    ] = False,
    connections: Annotated[int, typer.Option(help="The maximum number of players and viewers together.")] = 1000,
    tournament: Annotated[
        str | None, typer.Option(help="Play the tournament of this name: the same pieces for everyone.", metavar="NAME")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help=f"In a tournament: the number of games per player. The default is {ROUNDS}.")
    ] = None,
    max_pieces: Annotated[
        int | None, typer.Option(help=f"In a tournament: the most pieces per game. The default is {MOST_PIECES}.")
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(help="In a tournament: the number of players to wait for before the first games."),
    ] = None,
) -> None:
    """Serve the course's Tetris to players and viewers until interrupted.

    If the server is started again with the name of a tournament, the tournament continues.
    """
    if not 0 <= port < 2**16:
        raise SettingError(f"port {port}; it must be a number from 0 to 65535")
    if tournament is None and any(one is not None for one in (rounds, max_pieces, players)):
        raise SettingError("--rounds, --max-pieces and --players are for a tournament; add --tournament NAME")
    if games is None:
        games = 1 if tournament is None else _TOURNAMENT_GAMES
    if not 1 <= games <= _MOST_GAMES:
        raise SettingError(f"{games} games at once; it must be 1 to {_MOST_GAMES}")
    if not 1 <= connections <= 100_000:
        raise SettingError(f"{connections} connections; it must be 1 to 100000")
    if players is not None and not 1 <= players <= connections:
        raise SettingError(f"{players} players; it must be 1 to the {connections} connections")
    if not _SPEEDS[0] <= speed <= _SPEEDS[1]:
        raise SettingError(f"a speed of {speed}; it must be a factor from {_SPEEDS[0]:g} to {_SPEEDS[1]:g}")
    chosen = secrets.randbits(32) if seed is None else check_seed(seed)
    played = None if tournament is None else Tournament.open(tournament, seed, rounds, max_pieces, chosen)
    with nullcontext() if played is None else Rounds(played) as deals:
        by = asyncio.run(_serve(host, port, games, players or 0, chosen, speed, lockstep, connections, deals))
    if played is not None:
        print_standings(played)
        say(f"The results:  {played.folder / RESULTS}")
    if by == signal.SIGINT:
        raise KeyboardInterrupt


async def _serve(
    host: str,
    port: int,
    games: int,
    players: int,
    seed: int,
    speed: float,
    lockstep: bool,
    connections: int,
    deals: "Rounds | None",
) -> signal.Signals:
    """Serve until a signal comes, and return the signal."""
    from blockfall.server.high_scores import CourseScores
    from blockfall.server.logs import Aside, calm_logs, calm_loop
    from blockfall.server.serving import CourseServer, ServerLimits

    calm_logs()
    calm_loop(asyncio.get_running_loop())
    stopped: asyncio.Queue[signal.Signals] = asyncio.Queue()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.put_nowait, number)
    scores, aside = CourseScores(), Aside(say)
    try:
        async with CourseServer(
            _Announced(scores, aside),
            seed,
            host=host,
            port=port,
            games=games,
            players=players,
            speed=speed,
            lockstep=lockstep,
            limits=ServerLimits(connections=connections),
            deals=deals,
        ) as server:
            url = f"ws://{host}:{server.port}"
            _keep_what_is_loaded()
            say(f"Serving at {url}, seed {seed if deals is None else deals.tournament.seed}. Stop with Ctrl-C.")
            games_to_play = "" if deals is None else f" --games {deals.tournament.rounds}"
            say(f"Play on it:   {program()} connect {url} --name me{games_to_play}")
            say(f"Watch it:     {program()} spectate {url}")
            if deals is None:
                by = await stopped.get()
            else:
                say(f"The table:    {program()} tournament '{deals.tournament.name}' --live")
                if players:
                    say(f"The games begin once {players} players have joined.")
                by = await _show_rounds(server, deals, stopped)
        aside.finish()
        pace = server.pace
        if pace.frames:
            say(f"{pace.frames:,} frames, {pace.late:,} late, the worst by {1000 * pace.worst_s:.1f} ms.")
        return by
    finally:
        scores.close()


async def _show_rounds(
    server: "CourseServer", deals: Rounds, stopped: "asyncio.Queue[signal.Signals]"
) -> signal.Signals:
    """Keep the table up to date in the tournament's folder and on a terminal, until a signal comes."""
    live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else nullcontext()
    with live as shown:
        while True:
            deals.show(server.matches)
            if shown:
                table = _missing(server) or standings_table(deals.tournament)
                await asyncio.to_thread(shown.update, table, refresh=True)  # the terminal may have been stopped
            try:
                return await asyncio.wait_for(stopped.get(), _TABLE_SECONDS)
            except TimeoutError:
                continue


def _missing(server: "CourseServer") -> Text | None:
    """Return how many players are awaited, in words, or None once the games have begun."""
    if not server.missing:
        return None
    return Text(f"Waiting for {server.missing} more player{'s' if server.missing > 1 else ''}.")


def _keep_what_is_loaded() -> None:
    """Exempt everything loaded so far from garbage collection. A full collection takes 25 ms and delays frames."""
    gc.collect()
    gc.freeze()


class _Announced:
    """High scores that are announced as well as kept."""

    def __init__(self, scores: Scores, announce: Callable[[str], None]) -> None:
        self._scores, self._announce = scores, announce

    def add(self, name: str, score: int) -> None:
        self._announce(f"{name}: {score:,} points")
        self._scores.add(name, score)

    def best(self) -> Sequence[tuple[str, int]]:
        return self._scores.best()
