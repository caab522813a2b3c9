"""ist2015's Tetris: a board of 18 rows and 10 columns, the pieces still to place, and the points.

Its rules are the rule set `ist`; this module adds the document's names and its drawing.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from blockfall.errors import SettingError, shortened
from blockfall.games.board import Board
from blockfall.games.protocol import Ending, GameKind, Option
from blockfall.games.tetris import Game, Placement
from blockfall.games.tetris_position import PlacementPosition

PIECES = "ijlostz"
COLUMNS, ROWS = 10, 18
_LOST_ROW = 17

IstAction = tuple[int, str]
"""(column of the left edge, orientation), such as (7, "j3")."""

MEASURES = ("max-height", "bumpiness", "heights-sum", "holes", "points")
"""h1 to h5 of ist2015."""
COSTS = ("custo-oportunidade", "qualidade")
HEURISTICS = (*MEASURES[:-1], "qualidade", "ist-h1", "ist-h2", "ist-h3", "lines")
"""The document's h1 to h5 (h5, the points, as `qualidade`) and their sums, and our `lines`, which is admissible."""


@dataclass(frozen=True)
class IstPosition(PlacementPosition):
    """*estado*: the position that `accoes` and `resultado` work on."""

    board: Board
    pieces: str
    score: int = 0

    @classmethod
    def start(cls, pieces: str, board_text: str | None = None) -> "IstPosition":
        """Start with pieces such as "ojlti" or "O J L T I", on an empty board if none is drawn."""
        pieces = "".join(pieces.split()).lower()
        for piece in pieces:
            if piece not in PIECES:
                raise SettingError(f"no piece {shortened(piece)}; the pieces are {' '.join(PIECES)}")
        text = board_text if board_text is not None and board_text.strip() else "." * COLUMNS
        return cls(Board.from_text(text, COLUMNS, ROWS), pieces)

    @property
    def lost(self) -> bool:
        """True if a cell of the top row is filled."""
        return max(self.board.heights) > _LOST_ROW

    @property
    def solved(self) -> bool:
        """*solucao*: no piece left, and nothing in the top row."""
        return not self.pieces and not self.lost

    def apply(self, action: Any) -> "IstPosition":
        """*resultado*: the position after a piece has dropped."""
        placement = self.placement(action)
        rest = self.pieces[1:]
        if any(y >= _LOST_ROW for _, y in placement.cells):  # no row is removed, and cells above the board are lost
            words = self.board.columns.copy()
            for x, y in placement.cells:
                words[x] |= np.uint32(1 << y) if y < ROWS else np.uint32(0)
            return replace(self, board=Board(words, ROWS), pieces=rest)
        game = self._game()
        game.play(placement)
        return replace(self, board=game.board, pieces=rest, score=self.score + game.outcome.score)

    def numbers(self) -> dict[str, object]:
        """Return the pieces to come."""
        return {"Pieces": self.pieces}

    def ending(self) -> Ending:
        """Say whether the game was lost."""
        return Ending("Lost", "A cell of the top row is filled.") if self.lost else Ending("All pieces placed")

    def drawing(self, action: Any = None) -> str:
        """*desenha-estado*: the board without its top row and, if an action is given, the next piece above it."""
        edge = "+-" + "--" * COLUMNS + "+"
        above = [[False] * COLUMNS for _ in range(4)]
        if action:
            placement = self.placement(action)
            for x, y in placement.cells:
                above[y - placement.row][x] = True
        rows = self.board.cells[:_LOST_ROW].tolist()
        return "\n".join(
            [
                f"{edge}  Proxima peca:{self.pieces[:1].upper() or 'NIL'}",
                *(_row(row) for row in reversed(above)),
                f"{edge}  Pontuacao:{self.score}",
                *(_row(row) for row in reversed(rows)),
                edge,
            ]
        )

    def _game(self) -> Game:
        return Game.at("ist", self.board, self.pieces[0].upper())

    @cached_property
    def placements(self) -> dict[IstAction, Placement]:
        """*accoes*: orientation by orientation, columns from left to right; none if the game is over."""
        if not self.pieces or self.lost:
            return {}
        return {(one.column, f"{self.pieces[0]}{one.shape}"): one for one in self._game().placements()}


class IstTetris(GameKind):
    """ist2015's game: place pieces for the most points."""

    name = "ist-tetris"
    title = "ist2015's Tetris"
    source = "ist2015"
    about = "Place all the pieces. A piece that leaves a cell in the top row loses."
    action_words = "column, orientation"
    turns = True
    options = (Option("pieces", "ojlti", "the pieces in order, such as ojlti", title="Pieces, in order", needed=True),)
    search_options = (
        Option("heuristic", None, "estimate of the cost still to pay", choices=HEURISTICS, or_file=True),
        Option("cost", COSTS[0], "the cost of a placement", choices=COSTS),
    )

    def begin(self, seed: int, *, pieces: str) -> IstPosition:  # noqa: ARG002
        """Start on an empty board. The pieces are given, so the seed does not matter."""
        return IstPosition.start(pieces)

    def parse(self, text: str, seed: int, *, pieces: str) -> IstPosition:  # noqa: ARG002
        """Start on a board of # and .; rows that are not drawn are empty."""
        return IstPosition.start(pieces, text)

    @property
    def boards(self) -> str:
        """Tetris: its boards are shared with Tetris."""
        return "tetris"


def _row(row: list[bool]) -> str:
    return "| " + "".join("# " if filled else "  " for filled in row) + "|"
