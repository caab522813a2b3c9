"""`blockfall explain`: the reasons for an agent's placement."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.columns import Columns
from rich.panel import Panel
from rich.text import Text

from blockfall.agents import Agent, agent
from blockfall.cli.options import AgentOption, PluginOption, RulesOption, board_text
from blockfall.cli.output import JsonFlag, console, print_json, print_rows, say
from blockfall.errors import SettingError, shortened
from blockfall.games import Board, Game
from blockfall.games.explanation import Explained, explain
from blockfall.games.pieces import COLOURS
from blockfall.rulesets import PIECES, rules

app = typer.Typer()


@app.command(
    "explain",
    epilog="Example: blockfall explain --rules standard --agent dellacherie --board my-board.txt --piece T",
)
def explain_command(
    board_file: Annotated[
        str | None,
        typer.Option(
            "--board", help="The board: a text file of # and ., top row first, or a fumen. The default is empty."
        ),
    ] = None,
    piece: Annotated[str, typer.Option(help="The piece to place: I, O, T, S, Z, J or L.")] = "T",
    next_piece: Annotated[str, typer.Option("--next", help="The next piece, for agents that know it.")] = "",
    rules_name: RulesOption = "standard",
    agent_name: AgentOption = "dellacherie",
    best: Annotated[int, typer.Option(help="The number of placements to show.")] = 3,
    _plugins: PluginOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List the placements of a piece, best first, with the value, weight and share of every feature."""
    game_rules, player = rules(rules_name), agent(agent_name)
    known = _pieces(piece, next_piece)[: player.pieces_known]
    if best < 1:
        raise SettingError(f"--best is {best}; it must be at least 1")
    board = Board.from_text(board_text(board_file) if board_file else "", game_rules.columns, game_rules.rows)
    game = Game.at(game_rules, board, known)
    ranked = explain(game, player)
    if as_json:
        print_json([_as_json(one, gap, player) for one, gap in zip(ranked, _gaps(ranked), strict=True)])
        return
    if not ranked:
        console.print(f"{known[0]} has no placement on this board.")
        return
    console.print(Columns([_picture("before", game.board), *(_after(n, one) for n, one in enumerate(ranked[:2], 1))]))
    _print_ranking(ranked, best, player)
    if ranked[0].value != max((one.value for one in ranked if one.value is not None), default=None):
        why = "look-ahead over the unknown piece" if player.look_ahead else "guard"
        console.print(
            f"{player.name} plays 1: another value is higher, but its {why} decides.",
            highlight=False,
        )
    if len(ranked) > best:
        say(f"{len(ranked) - best} more placements; --best {len(ranked)} shows all.")


def _pieces(piece: str, next_piece: str) -> str:
    known = (piece + next_piece).upper()
    if not piece or len(piece) != 1 or len(next_piece) > 1 or set(known) - set(PIECES):
        raise SettingError(
            f"pieces {shortened(piece)} and {shortened(next_piece)}; each must be one of {' '.join(PIECES)}"
        )
    return known


def _picture(title: str, board: Board, cells: tuple[tuple[int, int], ...] = (), piece: str = "T") -> Panel:
    rows = board.text(cells).splitlines()
    while len(rows) > 4 and set(rows[0]) == {"."}:
        rows.pop(0)
    text = Text()
    for row in rows:
        for mark in row:
            styled = {"#": ("██", "white"), "@": ("██", COLOURS[piece]), ".": (" .", "dim")}[mark]
            text.append(*styled)
        text.append("\n")
    text.rstrip()
    return Panel(text, title=title, border_style="dim", expand=False)


def _after(number: int, one: Explained) -> Panel:
    """Draw the board with the placed piece or, if that clears lines, the board without them."""
    if one.lines:
        return _picture(f"{number}: after {one.lines} line{'s' if one.lines > 1 else ''}", one.after)
    return _picture(f"after {number}", one.after, one.placement.cells, one.placement.piece)


def _print_ranking(ranked: list[Explained], best: int, player: Agent) -> None:
    shown, explainer = ranked[:best], player.value.explainer
    numbers = [str(number) for number in range(1, len(shown) + 1)]
    weights = [f"{weight:g}" for weight in player.weights.values()]
    rows = [(name, *(_share(one, name) for one in shown)) for name in player.feature_names]
    if any(one.entry for one in shown):
        rows.append(("four columns from", *(str(one.entry.first_column + 1) if one.entry else "-" for one in shown)))
        rows.append(("their steps", *(_steps(one) for one in shown)))
    digits = 1 if weights else 3
    rows += [
        ("lines now", *(str(one.lines) for one in shown)),
        ("value", *("lost" if one.value is None else f"{one.value:.{digits}f}" for one in shown)),
        ("ahead of the next", *("-" if gap is None else f"{gap:+.{digits}f}" for gap in _gaps(ranked)[:best])),
        ("column, row", *(f"{one.placement.column + 1}, {one.placement.row + 1}" for one in shown)),
    ]
    heads = ["feature" if player.feature_names else ""]
    if weights:
        heads.append("weight")
        weights += [""] * (len(rows) - len(weights))
        rows = [(name, weight, *cells) for (name, *cells), weight in zip(rows, weights, strict=True)]
    plies = f", {player.plies} plies" if player.plies > 1 else ""
    print_rows(f"{player.name}: {explainer.heading}{plies}", (*heads, *numbers), rows, right=("weight", *numbers))
    if ranked[0].effects:
        console.print(_map(ranked[0]))


def _gaps(ranked: list[Explained]) -> list[float | None]:
    """Return the lead of each placement over the next one."""
    pairs = zip(ranked, [*ranked[1:], None], strict=True)
    return [
        one.value - other.value if other and one.value is not None and other.value is not None else None
        for one, other in pairs
    ]


def _map(one: Explained) -> Panel:
    """Draw the effect of each cell after the best placement, up to one row above the stack."""
    text = Text()
    for y in range(min(max(one.after.heights) + 1, one.after.rows - 1), -1, -1):
        for x, effect in enumerate(one.effects[y]):
            filled = bool(one.after.cells[y][x])
            text.append(f"{round(10 * effect):5d}", "bold white" if filled else "dim")
        text.append("\n")
    text.rstrip()
    title = "influence of each cell: tenths of a line lost if it is flipped"
    return Panel(text, title=title, border_style="dim", expand=False)


def _steps(one: Explained) -> str:
    return " ".join(f"{step:+d}" if step else "0" for step in one.entry.contour) if one.entry else "-"


def _share(one: Explained, name: str) -> str:
    if one.measures and not one.shares:
        return f"{one.measures[name]:g}"
    return f"{one.shares[name] + 0.0:+.1f} ({one.measures[name]:g})" if one.measures else "-"


def _as_json(one: Explained, gap: float | None, player: Agent) -> dict[str, object]:
    return {
        "piece": one.placement.piece,
        "column": one.placement.column,
        "row": one.placement.row,
        "cells": one.placement.cells,
        "value": one.value,
        "lines": one.lines,
        "features": [
            {"name": name, "value": value, "weight": player.weights.get(name), "share": one.shares.get(name)}
            for name, value in one.measures.items()
        ],
        "entry": asdict(one.entry) if one.entry else None,
        "gap": gap,
        "effects": one.effects,
        "last": one.last.cells if one.last else None,
        "board": str(one.after).splitlines(),
    }
