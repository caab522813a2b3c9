"""Tetris as a registered game: some pieces of a seed, under any rules, placement by placement.

>>> position = Tetris().start(seed=7, rules="standard", pieces=3)
>>> while not position.over:
...     position = position.apply(position.actions()[0])
>>> position.numbers()
{'Lines': 0, 'Pieces left': 0, 'Piece': '', 'Next': ''}
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from blockfall.games.board import Board
from blockfall.games.protocol import Cell, GameKind, Option, Position, Preview, no_such_action, points_in_words
from blockfall.games.tetris import Game, Placement
from blockfall.rulesets import Rules, rules, rules_names

TetrisAction = tuple[int, int, str]
"""(column of the left edge, row of the lowest cell, piece and shape), such as (3, 0, "T2")."""


class PlacementPosition(Position):
    """A position whose actions are the placements of a piece of Tetris."""

    board: Board
    acyclic = True

    @property
    @abstractmethod
    def placements(self) -> Mapping[Any, Placement]:
        """The placement of each action, in the order that breaks ties."""

    def placement(self, action: Any) -> Placement:
        """Return the placement of an action."""
        try:
            return self.placements[action]
        except (KeyError, TypeError):
            raise no_such_action(action) from None

    def actions(self) -> list[Any]:
        """Return the action of every placement, in the order that breaks ties."""
        return list(self.placements)

    def text(self) -> str:
        """Return all rows of the board, drawn with `#` and `.`."""
        return str(self.board)

    def preview(self, action: Any) -> Preview:
        """Draw the piece where it would land."""
        placement = self.placement(action)
        rows = [list(row) for row in self.rows()]
        for x, y in placement.cells:
            if y < len(rows):
                rows[len(rows) - 1 - y][x] = placement.piece
        earned = points_in_words(self.apply(action).score - self.score)
        return Preview(frozenset(placement.cells), ["".join(row) for row in rows], earned)

    def actions_at(self, cell: Cell) -> list[Any]:
        """Return each shape with its left edge in the cell's column, or as close as the wall allows."""
        edges: dict[int, int] = {}
        for one in self.placements.values():
            if one.column <= cell[0]:
                edges[one.shape] = max(one.column, edges.get(one.shape, 0))
        return [action for action, one in self.placements.items() if edges.get(one.shape) == one.column]


@dataclass(frozen=True)
class TetrisPosition(PlacementPosition):
    """A game of Tetris before a placement. The seed and the number of placed pieces decide the pieces to come."""

    rules: Rules
    seed: int
    board: Board
    placed: int
    left: int
    """The number of pieces that may still be placed."""
    lines: int
    score: int
    game: Game = field(compare=False, repr=False)
    """The game itself, which is copied before each placement."""

    @classmethod
    def of(cls, game: Game, seed: int, left: int) -> "TetrisPosition":
        """Return the position of a game, which must not be played afterwards."""
        outcome = game.outcome
        return cls(game.rules, seed, game.board, outcome.pieces, left, outcome.lines, outcome.score, game)

    def apply(self, action: Any) -> "TetrisPosition":
        """Place the piece."""
        after = self.game.copy()
        after.play(self.placement(action))
        return self.of(after, self.seed, self.left - 1)

    def rows(self) -> list[str]:
        """Return the visible rows."""
        return self.board.text().splitlines()[-self.rules.visible_rows :]

    def numbers(self) -> dict[str, object]:
        """Return the lines, the pieces left, the piece to place and the next one."""
        known = "" if self.over else self.game.known[: self.left]
        return {"Lines": self.lines, "Pieces left": self.left, "Piece": known[:1], "Next": known[1:2]}

    @cached_property
    def placements(self) -> dict[TetrisAction, Placement]:
        """The placement of each action, in the order that breaks ties."""
        found = self.game.placements() if self.left else []
        return {(one.column, one.row, f"{one.piece}{one.shape}"): one for one in found}


class Tetris(GameKind):
    """The game of Tetris under any rules. A search finds the placements of the next pieces with the most points."""

    name = "tetris"
    title = "Tetris"
    source = "the rule set"
    about = "Place the pieces; full rows are cleared."
    action_words = "column, row from the floor, piece and shape"
    turns = True
    options = (
        Option("rules", "standard", "a rule set, or your own TOML file", choices=tuple(rules_names()), or_file=True),
        Option("pieces", 10, "the number of pieces to place", least=1, most=10_000),
    )

    def begin(self, seed: int, **options: Any) -> TetrisPosition:
        """Start on an empty board."""
        return TetrisPosition.of(Game(options["rules"], seed), seed, options["pieces"])

    def parse(self, text: str, seed: int, **options: Any) -> TetrisPosition:
        """Start on a board of # and .; the pieces are those of the seed."""
        game_rules = rules(options["rules"])
        board = Board.from_text(text, game_rules.columns, game_rules.rows)
        return TetrisPosition.of(Game(game_rules, seed, board=board), seed, options["pieces"])

    def ranking(self, **options: Any) -> str:
        """Return the name of the rules, by which high scores are kept: the app's Tetris has no piece limit."""
        return str(options["rules"])
