"""`blockfall evaluate`: how well an agent plays."""

from typing import Annotated

import typer

from blockfall.agents import Agent, agent
from blockfall.cli.options import (
    AgentOption,
    BackendOption,
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
from blockfall.cli.output import JsonFlag, console, meter, print_json, print_rows, program, say
from blockfall.compute import Request, Summary, summarise
from blockfall.rulesets import Rules, rules


def add_to(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        "evaluate",
        epilog="Example: blockfall evaluate --rules standard-10x10 --agent bcts --games 400 --seed 1",
    )(evaluate_command)


def evaluate_command(
    rules_name: RulesOption = "nes-no-rotation",
    agent_name: AgentOption = "birken-6",
    games: Annotated[int, typer.Option(help="How many games to play.")] = 1000,
    seed: SeedOption = 1,
    max_pieces: MaxPiecesOption = None,
    pieces_known: Annotated[int | None, typer.Option(help="Overrides the agent's own: 1 to 8.")] = None,
    plies: PliesOption = None,
    look_ahead: LookAheadOption = None,
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
    request = Request(game_rules, player, games, seed, max_pieces=max_pieces)
    plays_on = chosen_backend(backend, threads)
    with meter("games", games) as shown:
        summary = summarise(request, plays_on, lambda done, pieces: shown.update(done, f"{pieces:,} pieces"))
    if as_json:
        print_json({"rules": game_rules.name, "agent": player.name, "seed": seed, **summary.as_json()})
    else:
        _print_summary(game_rules, player, summary, rules_name, agent_name)


def _print_summary(game_rules: Rules, player: Agent, summary: Summary, rules_name: str, agent_name: str) -> None:
    print_rows(
        f"{player.name} on {game_rules.name}, {summary.games:,} games",
        ("lines per game", ""),
        (
            ("mean", f"{summary.mean:,.2f} +- {summary.sem:,.2f}"),
            ("standard deviation", f"{summary.std:,.2f}"),
            ("least and most", f"{summary.min:,} to {summary.max:,}"),
            ("points, mean", f"{summary.score_mean:,.1f}"),
            ("clears of 1, 2, 3, 4 lines", ", ".join(f"{n:,}" for n in summary.clears)),
            ("ended by", ", ".join(f"{name} {count:,}" for name, count in summary.terminations)),
            ("pieces per second", f"{summary.pieces_per_second:,.0f}"),
            ("boards valued per second", f"{summary.placements_per_second:,.0f}"),
        ),
        right=("",),
    )
    if summary.capped:
        console.print(f"{summary.capped:,} games met the piece limit: the mean is a lower bound.")
    say(f"Watch it play:  {program()} watch --rules {rules_name} --agent {agent_name}")
    say("What else there is:  blockfall rules, blockfall agents, blockfall features")
