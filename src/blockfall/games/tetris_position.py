"""Tetris as a registered game: some pieces of a seed, under any rules, placement by placement.

>>> position = Tetris().start(seed=7, rules="standard", pieces=3)
>>> while not position.over:
...     position = position.apply(position.actions()[0])
>>> position.numbers()
{'Lines': 0, 'Pieces left': 0, 'Piece': '', 'Next': ''}
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from blockfall.games.board import Board
from blockfall.games.protocol import Cell, GameKind, Option, Position, Preview, no_such_action, points_in_words
from blockfall.games.tetris import Game, Placement
from blockfall.rulesets import Rules, rules, rules_names

TetrisAction = tuple[int, int, str]
"""(column of the left edge, row of the lowest cell, piece and shape), such as (3, 0, "T2")."""


@dataclass(frozen=True)
class TetrisPosition(Position):
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

    acyclic = True

    @classmethod
    def of(cls, game: Game, seed: int, left: int) -> "TetrisPosition":
        """Return the position of a game, which must not be played afterwards."""
        outcome = game.outcome
        return cls(game.rules, seed, game.board, outcome.pieces, left, outcome.lines, outcome.score, game)

    def actions(self) -> list[TetrisAction]:
        """Return every placement of the piece, in the order that breaks ties."""
        return list(self._placements)

    def apply(self, action: Any) -> "TetrisPosition":
        """Place the piece."""
        after = self.game.copy()
        after.play(self._placement(action))
        return self.of(after, self.seed, self.left - 1)

    def text(self) -> str:
        """Return all rows of the board, drawn with `#` and `.`."""
        return str(self.board)

    def rows(self) -> list[str]:
        """Return the visible rows."""
        return self.board.text().splitlines()[-self.rules.visible_rows :]

    def numbers(self) -> dict[str, object]:
        """Return the lines, the pieces left, the piece to place and the next one."""
        known = "" if self.over else self.game.known[: self.left]
        return {"Lines": self.lines, "Pieces left": self.left, "Piece": known[:1], "Next": known[1:2]}

    def preview(self, action: Any) -> Preview:
        """Draw the piece where it would land."""
        placement = self._placement(action)
        rows = with_piece(self.rows(), placement)
        return Preview(frozenset(placement.cells), rows, points_in_words(self.apply(action).score - self.score))

    def actions_at(self, cell: Cell) -> list[TetrisAction]:
        """Return each shape with its left edge in the cell's column, or as close as the wall allows."""
        meant = set(pointed_at(cell[0], self._placements.values()))
        return [action for action, placement in self._placements.items() if placement in meant]

    @cached_property
    def _placements(self) -> dict[TetrisAction, Placement]:
        found = self.game.placements() if self.left else []
        return {(one.column, one.row, f"{one.piece}{one.shape}"): one for one in found}

    def _placement(self, action: Any) -> Placement:
        try:
            return self._placements[action]
        except (KeyError, TypeError):
            raise no_such_action(action) from None


class Tetris(GameKind):
    """Tetris under any rules. A search finds the placements of the next pieces that earn the most points."""

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


def pointed_at(column: int, placements: Iterable[Placement]) -> list[Placement]:
    """Return, for each shape, the placements whose left edge is closest to the column from the left."""
    left_edges: dict[int, int] = {}
    found = list(placements)
    for one in found:
        if one.column <= column:
            left_edges[one.shape] = max(one.column, left_edges.get(one.shape, 0))
    return [one for one in found if left_edges.get(one.shape) == one.column]


def with_piece(rows: list[str], placement: Placement) -> list[str]:
    """Return the rows with the piece's letter in its cells; cells above the rows are not drawn."""
    drawn = [list(row) for row in rows]
    for x, y in placement.cells:
        if y < len(rows):
            drawn[len(rows) - 1 - y][x] = placement.piece
    return ["".join(row) for row in drawn]
