"""Explanations of an agent's choice: every placement with its value, feature by feature."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from blockfall import _core
from blockfall.agents import Agent, AgentLike
from blockfall.agents import agent as find_agent
from blockfall.agents.values import Entry, Explainer
from blockfall.errors import SettingError, shortened
from blockfall.games.board import Board
from blockfall.games.outside import valued
from blockfall.games.tetris import Game, Placement


@dataclass(frozen=True)
class Explained:
    """A placement of the first piece, and the best sequence of placements that begins with it.

    >>> import blockfall
    >>> game = blockfall.Game("nes-no-rotation", seed=7, pieces_known=1)
    >>> best = blockfall.explain(game, "dellacherie")[0]
    >>> best.value == sum(best.shares.values()), best.lines
    (True, 0)
    """

    placement: Placement
    value: float | None
    """The value of the sequence; None if every such sequence loses."""
    measures: dict[str, float]
    """The features of the sequence's final board."""
    shares: dict[str, float]
    """The parts that add up to the value, by feature. Empty for values without such parts, such as a network's."""
    last: Placement | None
    """The placement of the last known piece in that sequence, if more than one is known."""
    after: Board
    """The board after the first piece is placed."""
    lines: int
    """The lines that the first piece clears."""
    entry: Entry | None = None
    """The entry of an agent's Q-table that gave the value."""
    effects: tuple[tuple[float, ...], ...] = ()
    """For a board network: the lines by which its value falls when a cell of `after` is flipped, floor row
    first. Only the placement that the agent plays has them."""


def explain(game: Game, agent: AgentLike, hold: bool = False) -> list[Explained]:
    """Explain all placements of a game's piece. The agent may be given by name.

    The first is the placement that the agent plays. The others follow by value; equal ones keep the order that breaks
    ties. With a guard, or a look-ahead over an unknown piece, the agent may not play the highest value.

    With `hold`, the placements of the piece that the hold queue would bring are included. The first is then the better
    of the agent's choices with either piece.

    >>> import blockfall
    >>> game = blockfall.Game("nes-no-rotation", seed=7)
    >>> found = blockfall.explain(game, "birken-6")
    >>> found[0].placement == game.choose("birken-6"), len(found) == len(game.placements())
    (True, True)
    """
    if not isinstance(game, Game):
        raise SettingError(f"the game is {shortened(game)}; it must be a Game")
    if game.over:
        return []
    player = find_agent(agent)
    outside, explainer = player.value.outside, player.value.explainer
    if hold and game.reserve and not (outside and outside.suggests_moves):  # which decides for itself
        return best_first([explain(game, player), explain(game.holding(), player)])
    played = game.choose(player)
    if outside:
        found = [_explained_outside(game, *one) for one in valued(game, outside)]
        if played.piece != game.known[0]:  # a bot that holds the piece
            found.append(_explained_outside(game.holding(), played, None))
    else:
        found = [_explained(game, player, explainer, placement) for placement in game.placements()]
    player.raise_if_failed()
    ranked = sorted(found, key=lambda one: (one.placement == played, _worth(one)), reverse=True)
    if ranked[0].value is not None:
        effects = explainer.effects(ranked[0].after.columns, game.known[1:2] or None)
        if effects is not None:
            ranked[0] = replace(ranked[0], effects=tuple(map(tuple, effects.tolist())))
    return ranked


def best_first(lists: Sequence[Sequence[Explained]]) -> list[Explained]:
    """Join lists from `explain`: the best of their first entries, then all others by value."""
    heads = [found[0] for found in lists if found]
    if not heads:
        return []
    best = max(heads, key=_worth)
    others = sorted((one for found in lists for one in found if one is not best), key=_worth, reverse=True)
    return [best, *others]


def _worth(one: Explained) -> float:
    return float("-inf") if one.value is None else one.value


def _explained_outside(game: Game, placement: Placement, value: float | None) -> Explained:
    spot = (placement.shape, placement.column, placement.row)
    columns, lines, _ = _core.lock(game.rules.core, game.core.columns, game.core.known[0], *spot)
    return Explained(placement, value, {}, {}, None, Board(columns, game.rules.rows), lines)


def _explained(game: Game, agent: Agent, explainer: Explainer, placement: Placement) -> Explained:
    spot = (placement.shape, placement.column, placement.row)
    lives, value, (piece, shape, x, y), measures = agent.core.best_sequence(game.core, *spot)
    measured = dict(zip(agent.feature_names, measures.tolist(), strict=True)) if lives else {}
    columns, lines, _ = _core.lock(game.rules.core, game.core.columns, game.core.known[0], *spot)
    looks_further = lives and "plies" not in agent.value.options and min(agent.pieces_known, len(game.known)) > 1
    return Explained(
        placement,
        value if lives else None,
        measured,
        explainer.shares(measured),
        game.placement_of(piece, shape, x, y) if looks_further else None,
        Board(columns, game.rules.rows),
        lines,
        explainer.entry(game.board.heights, placement.cells) if lives else None,
    )
