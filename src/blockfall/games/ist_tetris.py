"""ist2015's states: a board of 18 rows and 10 columns, the pieces still to place, and the points.

Its rules are the rule set `ist`; here are its own names for them, and its drawing.
"""

from dataclasses import dataclass, replace

import numpy as np

from blockfall.errors import SettingError
from blockfall.games.board import Board
from blockfall.games.tetris import Game, Placement

PIECES = "ijlostz"
COLUMNS, ROWS = 10, 18
_LOST_ROW = 17

Action = tuple[int, str]
"""(column of its left edge, orientation), such as (7, "j3")."""


@dataclass(frozen=True)
class IstState:
    """*estado*: what `accoes` and `resultado` work on."""

    board: Board
    pieces: str
    points: int = 0

    @classmethod
    def start(cls, pieces: str, board_text: str | None = None) -> "IstState":
        """Of pieces such as "ojlti" or "O J L T I"."""
        pieces = "".join(pieces.split()).lower()
        for piece in pieces:
            if piece not in PIECES:
                raise SettingError(f"no piece {piece!r}; the pieces are {' '.join(PIECES)}")
        text = board_text if board_text is not None and board_text.strip() else "." * COLUMNS
        return cls(Board.from_text(text, COLUMNS, ROWS), pieces)

    @property
    def lost(self) -> bool:
        return max(self.board.heights) > _LOST_ROW

    @property
    def solved(self) -> bool:
        """*solucao*: no piece left, and nothing in the top row."""
        return not self.pieces and not self.lost

    def actions(self) -> list[Action]:
        """*accoes*: orientation by orientation, columns from left to right; none where the game is over."""
        if not self.pieces or self.lost:
            return []
        return list(self._placements())

    def result(self, action: Action) -> "IstState":
        """*resultado*: the state after a piece has dropped."""
        placement = self._placement(action)
        rest = self.pieces[1:]
        if any(y >= _LOST_ROW for _, y in placement.cells):  # nothing is removed; cells above the board are gone
            words = self.board.columns.copy()
            for x, y in placement.cells:
                words[x] |= np.uint32(1 << y) if y < ROWS else np.uint32(0)
            return replace(self, board=Board(words, ROWS), pieces=rest)
        game = self._game()
        game.play(placement)
        return replace(self, board=game.board, pieces=rest, points=self.points + game.outcome.score)

    def drawing(self, action: Action | None = None) -> str:
        """*desenha-estado*: the next piece above the board where an action is given; the top row is not drawn."""
        edge = "+-" + "--" * COLUMNS + "+"
        above = [[False] * COLUMNS for _ in range(4)]
        if action:
            placement = self._placement(action)
            for x, y in placement.cells:
                above[y - placement.row][x] = True
        rows = self.board.cells[:_LOST_ROW].tolist()
        return "\n".join(
            [
                f"{edge}  Proxima peca:{self.pieces[:1].upper() or 'NIL'}",
                *(_line(row) for row in reversed(above)),
                f"{edge}  Pontuacao:{self.points}",
                *(_line(row) for row in reversed(rows)),
                edge,
            ]
        )

    def _game(self) -> Game:
        return Game.at("ist", self.board, self.pieces[0].upper())

    def _placements(self) -> dict[Action, Placement]:
        return {(p.column, f"{self.pieces[0]}{p.shape}"): p for p in self._game().placements()}

    def _placement(self, action: Action) -> Placement:
        if action not in self.actions():
            raise SettingError(f"no action {action[0]} {action[1]} in this state")
        return self._placements()[action]


def _line(row: list[bool]) -> str:
    return "| " + "".join("# " if filled else "  " for filled in row) + "|"
