"""`blockfall evaluate`: the strength of an agent."""

import shlex
import sys
from dataclasses import replace
from typing import Annotated

import typer

from blockfall.agents import agent
from blockfall.cli.options import (
    AgentOption,
    BackendOption,
    HoldOption,
    LookAheadOption,
    MaxPiecesOption,
    PliesOption,
    PluginOption,
    RulesOption,
    SeedOption,
    ThreadsOption,
    chosen_backend,
    looking_ahead,
)
from blockfall.cli.output import (
    JsonFlag,
    Meter,
    console,
    decimals,
    errors,
    meter,
    print_json,
    print_rows,
    program,
    say,
    three_digits,
    with_error,
)
from blockfall.compute import GAMES, InterruptedPlay, PlayProgress, Request, Summary, summarise
from blockfall.compute.patience import Patience
from blockfall.errors import SettingError
from blockfall.rulesets import rules

app = typer.Typer()


@app.command(
    "evaluate",
    epilog="Example: blockfall evaluate --rules standard-10x10 --agent bcts --games 400 --seed 1",
)
def evaluate_command(
    rules_name: RulesOption = "nes-no-rotation",
    agent_name: AgentOption = "birken-6",
    games: Annotated[int, typer.Option(help="The number of games.")] = GAMES,
    seed: SeedOption = 1,
    max_pieces: MaxPiecesOption = None,
    tries: Annotated[
        int | None,
        typer.Option(help="Estimate each game's length from this many tries, such as 1000, instead of playing it."),
    ] = None,
    pieces_known: Annotated[
        int | None, typer.Option(help="The number of pieces that the agent knows, 1 to 8, instead of its own.")
    ] = None,
    plies: PliesOption = None,
    look_ahead: LookAheadOption = None,
    hold: HoldOption = False,
    seconds_per_move: Annotated[
        float | None, typer.Option(help="For tbp:COMMAND: the time limit of a move. A slower bot loses.")
    ] = None,
    backend: BackendOption = None,
    threads: ThreadsOption = None,
    _plugins: PluginOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Play many games and report the lines per game."""
    game_rules, player = rules(rules_name), agent(agent_name)
    if pieces_known is not None:
        player = player.knowing(pieces_known)
    player = looking_ahead(player, plies, look_ahead)
    if seconds_per_move is not None:
        if not (outside := player.value.outside):
            raise SettingError(f"--seconds-per-move is for tbp:COMMAND; {player.name} is not a program")
        player = replace(player, value=outside.with_time_limit(seconds_per_move))
    request = Request(game_rules, player, games, seed, max_pieces=max_pieces, hold=hold, tries=tries)
    plays_on = chosen_backend(backend, threads)
    asked = {"rules": game_rules.name, "agent": player.name, "seed": seed}
    try:
        with meter("games", games) as shown:
            summary = summarise(request, plays_on, watched(shown, games, whole=not (max_pieces or tries)))
    except InterruptedPlay as stopped:
        _print_interrupted(stopped.finished, asked, games, as_json)
        raise
    if as_json:
        figures = summary.as_json()
        print_json({**asked, **(_estimates(figures, request) if tries else figures)})
    else:
        asked_for = shlex.join(["--rules", rules_name, "--agent", agent_name, *(["--hold"] if hold else [])])
        _print_summary(request, summary, asked_for)


def _estimates(figures: dict[str, object], request: Request) -> dict[str, object]:
    """Return the figures that apply to estimates."""
    unknown = ("score_mean", "clears", "pieces_per_second")
    return {"tries": request.tries, **{name: value for name, value in figures.items() if name not in unknown}}


def watched(shown: Meter, games: int, whole: bool) -> PlayProgress:
    """Return a callback that shows the progress of games, and warns once if playing them out will take long."""
    patience = Patience(games)

    def report(done: int, pieces: int) -> None:
        if said := patience.judge(done, pieces, shown.seconds):
            fewer = "; --max-pieces 100000 ends long games, whose counts are then lower bounds" if whole else ""
            errors.print(f"blockfall: {said}{fewer}", highlight=False, markup=False, soft_wrap=True)
        shown.update(done, f"{pieces:,} pieces")

    return report


def _print_interrupted(finished: Summary | None, asked: dict[str, object], games: int, as_json: bool) -> None:
    if as_json and finished:
        print_json({**asked, **finished.as_json(), "interrupted": True})
    said = "no game had ended"
    if finished:
        mean = with_error(finished.mean, finished.sem, decimals([finished.sem]))
        said = (
            f"{finished.games:,} of {games:,} games had ended, with {mean} lines per game; longer games are missing, "
            "so this is too low"
        )
    print(f"\nblockfall: stopped; {said}", file=sys.stderr)


def _print_summary(request: Request, summary: Summary, asked_for: str) -> None:
    tries, places = request.tries, decimals([summary.sem])
    played = f"{summary.games:,} estimates of {tries:,} tries" if tries else f"{summary.games:,} games"
    counted = (
        ("points, mean", f"{summary.score_mean:,.{places}f}"),
        *([] if summary.attack_mean is None else [("attack lines sent, mean", f"{summary.attack_mean:,.2f}")]),
        ("clears of 1, 2, 3, 4 lines", ", ".join(f"{n:,}" for n in summary.clears)),
        ("ended by", ", ".join(f"{name} {count:,}" for name, count in summary.terminations)),
        ("pieces per second", three_digits(summary.pieces_per_second)),
    )
    print_rows(
        f"{request.agent.name} on {request.rules.name}, {played}",
        ("lines per game", ""),
        (
            ("mean", with_error(summary.mean, summary.sem, places)),
            ("standard deviation", f"{summary.std:,.{places}f}"),
            ("least and most", f"{summary.min:,} to {summary.max:,}"),
            *(() if tries else counted),
            ("boards valued per second", three_digits(summary.placements_per_second)),
        ),
        right=("",),
    )
    if summary.capped:
        found = "estimates found no way to a loss" if tries else "games reached the piece limit"
        console.print(f"{summary.capped:,} {found}: the mean is a lower bound.")
    say(f"Watch it play:  {program()} watch {asked_for}")
    say("See also:       blockfall rules, blockfall agents, blockfall features")
