"""`blockfall watch`: an agent's game in the terminal."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from blockfall.agents import Agent, BoardFunction, agent, agent_names, usual_agent
from blockfall.cli.options import (
    HoldOption,
    LookAheadOption,
    MaxPiecesOption,
    PliesOption,
    PluginOption,
    SeedOption,
    looking_ahead,
)
from blockfall.cli.output import JsonFlag, console, say
from blockfall.compute import Request
from blockfall.errors import SettingError
from blockfall.games.explanation import explain
from blockfall.games.painting import EMPTY, PaintedBoard, drawing
from blockfall.games.pieces import COLOURS
from blockfall.games.replay import Replay
from blockfall.games.tetris import Game, Placement
from blockfall.rulesets import Rules, rules

_FRAMES_PER_SECOND = 30
_NOTHING = BoardFunction(lambda boards: [0.0] * len(boards))
"""A stand-in for the player of a replay, whose values are unknown."""


@dataclass(frozen=True)
class WatchedMove:
    """A placement in a watched game, and the state of the game before it."""

    number: int
    known: str
    held: str | None
    painted: PaintedBoard
    placement: Placement
    measures: list[float]
    lines: int
    score: int
    level: int


app = typer.Typer()


WatchedOption = Annotated[
    str | None,
    typer.Option(
        "--agent",
        help="The agent, your own JSON file, or tbp:COMMAND for a bot in another program. [default: noro-small where "
        "pieces do not turn, otherwise birken-6]",
        metavar="AGENT",
        autocompletion=lambda: agent_names(),
    ),
]


@app.command("watch", epilog="Example: blockfall watch --rules nes --agent birken-6 --seed 3 --speed 5")
def watch_command(
    rules_name: Annotated[
        str | None,
        typer.Option(
            "--rules", help="The rule set, or your own TOML file. [default: nes-no-rotation]", metavar="RULES"
        ),
    ] = None,
    agent_name: WatchedOption = None,
    seed: SeedOption = 1,
    speed: Annotated[float, typer.Option(help="Pieces per second; 0 is as fast as possible.")] = 2.0,
    max_pieces: MaxPiecesOption = None,
    plies: PliesOption = None,
    look_ahead: LookAheadOption = None,
    hold: HoldOption = False,
    record: Annotated[Path | None, typer.Option(help="Record the game in this file, as a replay.")] = None,
    replay: Annotated[Path | None, typer.Option(help="Show this replay instead of a new game.")] = None,
    _plugins: PluginOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Watch an agent or a replay in the terminal."""
    if not 0 <= speed < float("inf"):
        raise SettingError(f"a speed of {speed}; it must be 0 or more pieces per second")
    if max_pieces is not None and max_pieces < 1:
        raise SettingError(f"a limit of {max_pieces} pieces; it must be at least 1")
    if replay is not None:
        if record is not None:
            raise SettingError("both --record and --replay; give one of them")
        recorded = Replay.read(replay, None if rules_name is None else rules(rules_name))
        game_rules, player = recorded.rules, Agent(recorded.agent or "replay", _NOTHING)
        game, placements = recorded.begin(), iter(recorded.placements)
        choose: Callable[[], Placement | None] = lambda: next(placements, None)  # noqa: E731
    else:
        game_rules = rules(rules_name or "nes-no-rotation")
        chosen = agent_name or usual_agent(game_rules.name, otherwise="birken-6")
        player = looking_ahead(agent(chosen), plies, look_ahead)
        game = Game.to_watch(game_rules, player, seed)
        choose = lambda: game.choose(player)  # noqa: E731
        if hold:
            Request(game_rules, player, 1, seed, hold=True)  # refuses rules and agents that cannot hold
            choose = lambda: explain(game, player, hold=True)[0].placement  # noqa: E731
    placed: list[Placement] = []
    moves = _moves(game, player, max_pieces, choose, placed)
    try:
        _show_moves(moves, game, player, speed, as_json)
    finally:
        if record is not None:
            Replay(game_rules, placed, seed, agent=player.name).write(record)


def _show_moves(moves: Iterator[WatchedMove], game: Game, player: Agent, speed: float, as_json: bool) -> None:
    if as_json:
        _write_json(moves, player)
    elif console.is_terminal:
        _show(moves, game, player, speed)
    else:
        for move in moves:
            print(f"{move.number}: {move.known}, {move.lines} lines, {move.score} points")
            print(game.board.text(move.placement.cells), end="\n\n")


def _moves(
    game: Game,
    player: Agent,
    max_pieces: int | None,
    choose: Callable[[], Placement | None],
    placed: list[Placement],
) -> Iterator[WatchedMove]:
    """Yield the moves of the game as they are played, and add the placements to `placed`."""
    painted = PaintedBoard(game.rules.columns, game.rules.rows)
    painted.fill(game.board)
    while not game.over and game.outcome.pieces != max_pieces and (placement := choose()):
        before = game.outcome
        yield WatchedMove(
            before.pieces + 1,
            game.known,
            game.held,
            painted,
            placement,
            game.measure(player, placement),
            before.lines,
            before.score,
            game.level,
        )
        painted.lock(placement)
        game.play(placement)
        placed.append(placement)


def _write_json(moves: Iterator[WatchedMove], player: Agent) -> None:
    """Write a JSON array, entry by entry: a game may be long."""
    print("[", end="")
    for move in moves:
        row = {
            "piece": move.placement.piece,
            "known": move.known,
            "cells": move.placement.cells,
            "features": dict(zip(player.feature_names, move.measures, strict=True)),
            "lines": move.lines,
            "score": move.score,
        }
        print("," if move.number > 1 else "", json.dumps(row), sep="\n", end="")
    print("\n]")


def _show(moves: Iterator[WatchedMove], game: Game, player: Agent, speed: float) -> None:
    pause = 1 / speed if speed else 0.0
    shown = 0.0
    with Live(console=console, auto_refresh=False, screen=False) as live:
        for move in moves:
            if time.monotonic() - shown < 1 / _FRAMES_PER_SECOND and pause < 1 / _FRAMES_PER_SECOND:
                time.sleep(pause)
                continue
            shown = time.monotonic()
            live.update(screen(move, game.rules, player), refresh=True)
            time.sleep(pause)
    end = game.outcome
    why = end.termination.name.lower().replace("_", " ")
    say(f"{end.lines:,} lines, {end.pieces:,} pieces, {end.score:,} points: {why}.")


def screen(move: WatchedMove, game_rules: Rules, player: Agent) -> RenderableType:
    """Draw the board with the piece where it will land, and beside it the agent's feature values."""
    rows = move.painted.with_cells(move.placement.cells, move.placement.piece)[: game_rules.visible_rows]
    landing = set(move.placement.cells)
    board = Text()
    for y in range(len(rows) - 1, -1, -1):
        for x, mark in enumerate(rows[y]):
            board.append(*_cell(mark, (x, y) in landing))
        board.append("\n" if y else "")
    numbers = Table.grid(padding=(0, 2))
    for label, value in (
        ("piece", move.placement.piece),
        ("next", move.known[1:] or "-"),
        *([("held", move.held)] if move.held else []),
        ("lines", f"{move.lines:,}"),
        ("level", f"{move.level}"),
        ("points", f"{move.score:,}"),
        ("pieces", f"{move.number:,}"),
    ):
        numbers.add_row(Text(label, style="dim"), value)
    weighed = Table(header_style="dim", box=None, padding=(0, 1))
    weighed.add_column("feature")
    measures = dict(zip(player.feature_names, move.measures, strict=True))
    shares, weights = player.value.explainer.shares(measures), player.weights
    for heading in ("value", "weight", "share") if shares else ("value",):
        weighed.add_column(heading, justify="right")
    for name, measure in measures.items():
        share = (f"{weights[name]:g}", f"{shares[name] + 0.0:+.1f}") if shares else ()
        weighed.add_row(name, f"{measure:g}", *share)
    pieces = Group(*(_preview(game_rules, letter) for letter in move.known[:2]))
    side = Group(numbers, Text(), pieces, *((Text(), weighed) if player.feature_names else ()))
    return Columns(
        [Panel(board, title=game_rules.name, border_style="dim"), Panel(side, title=player.name, border_style="dim")]
    )


def _cell(mark: str, landing: bool) -> tuple[str, str]:
    if mark == EMPTY:
        return " .", "dim"
    return ("▒▒" if landing else "██"), COLOURS.get(mark, "grey50")


def _preview(game_rules: Rules, letter: str) -> Text:
    """Draw the piece's first state in its rotation system."""
    picture = Text()
    for row in drawing(game_rules, letter):
        picture.append("".join("██" if mark == "#" else "  " for mark in row) + "\n", COLOURS[letter])
    return picture
