"""Why an agent plays what it plays: every placement with its value, feature by feature."""

from dataclasses import dataclass
from itertools import pairwise

from blockfall import _core
from blockfall.agents import Agent, Table
from blockfall.agents.table import CONTOURS, WINDOW, Contour, Drawing
from blockfall.games.board import Board
from blockfall.games.tetris import Game, Placement


@dataclass(frozen=True)
class Entry:
    """An entry of a table: four columns, and the piece's place in them."""

    first_column: int
    contour: Contour
    offset: int


@dataclass(frozen=True)
class Explained:
    """A placement of the first piece, and the best sequence of placements that begins with it."""

    placement: Placement
    value: float | None
    """None where every such sequence loses."""
    measures: dict[str, float]
    """The features of the sequence's final board."""
    shares: dict[str, float]
    """Weight times measure; they add up to the value. Empty where the value has no such parts: a network, a table."""
    last: Placement | None
    """Where the last known piece goes in that sequence, if there is more than one."""
    after: Board
    """The board once the first piece is placed."""
    lines: int
    """Lines that it removes."""
    entry: Entry | None = None
    """The entry of an agent's table that gave the value."""


def explain(game: Game, agent: Agent) -> list[Explained]:
    """Explains all placements: first the one that the agent plays, then by value; ties in the order that breaks them.

    A guard, or a look-ahead over an unknown piece, may play another than the one of the highest value.
    """
    if game.over:
        return []
    played = game.choose(agent)
    found = [_explained(game, agent, placement) for placement in game.placements()]
    agent.raise_if_failed()
    value = {one.placement: float("-inf") if one.value is None else one.value for one in found}
    return sorted(found, key=lambda one: (one.placement == played, value[one.placement]), reverse=True)


def _explained(game: Game, agent: Agent, placement: Placement) -> Explained:
    spot = (placement.shape, placement.column, placement.row)
    lives, value, (piece, shape, x, y), measures = agent.core.best_sequence(game.core, *spot)
    measured = dict(zip(agent.feature_names, measures.tolist(), strict=True)) if lives else {}
    columns, lines, _ = _core.lock(game.rules.core, game.core.columns, game.core.known[0], *spot)
    looks_further = lives and min(agent.pieces_known, len(game.known)) > 1
    return Explained(
        placement,
        value if lives else None,
        measured,
        {name: agent.weights[name] * measure for name, measure in measured.items() if name in agent.weights},
        game.placement_of(piece, shape, x, y) if looks_further else None,
        Board(columns, game.rules.rows),
        lines,
        _best_entry(game.board, agent.table, placement) if agent.table and lives else None,
    )


def _best_entry(board: Board, table: Table, placement: Placement) -> Entry:
    """The first of the best: four columns that hold the piece, from the left."""
    lowest, highest = min(x for x, _ in placement.cells), max(x for x, _ in placement.cells)
    shape = _drawing(placement)
    steepest = max(CONTOURS[-1])
    found = []
    for first in range(max(highest - WINDOW + 1, 0), min(lowest, len(board.heights) - WINDOW) + 1):
        tops = board.heights[first : first + WINDOW]
        a, b, c = (max(-steepest, min(steepest, after - before)) for before, after in pairwise(tops))
        found.append(Entry(first, (a, b, c), lowest - first))
    return max(found, key=lambda entry: table.at(entry.contour, shape, entry.offset))


def _drawing(placement: Placement) -> Drawing:
    columns, rows = [x for x, _ in placement.cells], [y for _, y in placement.cells]
    return tuple(
        "".join("#" if (x, y) in placement.cells else "." for x in range(min(columns), max(columns) + 1))
        for y in range(max(rows), min(rows) - 1, -1)
    )
