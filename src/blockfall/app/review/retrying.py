"""A retry from a position under review: the visitor places pieces, and the agent judges each one."""

from collections.abc import Callable

from blockfall.agents import Agent
from blockfall.app.parts.board import BoardCanvas, Picture
from blockfall.app.parts.placing import Placing
from blockfall.app.review.reviewing import Grade, Judged, judged
from blockfall.games.painting import PaintedBoard
from blockfall.games.protocol import Cell
from blockfall.games.tetris import Game, Placement


class Retry:
    """One retry. `told` gets the agent's judgement of every placement."""

    def __init__(
        self,
        game: Game,
        rows: list[str],
        agent: Agent,
        unit: float,
        view: BoardCanvas,
        told: Callable[[Judged, Grade], None],
    ) -> None:
        """Retry from the position of `game`, and play it on. `rows` are its visible rows with the pieces' letters."""
        self.game = game
        self.placed = 0
        self._agent, self._unit, self._view, self._told = agent, unit, view, told
        self._painted = PaintedBoard(game.rules.columns, game.rules.rows)
        self._painted.fill(game.board)
        for y, row in enumerate(reversed(rows)):
            self._painted.rows[y] = list(row)
        self._cell: Cell = (game.rules.columns // 2, 0)  # shows the piece until somebody points
        self._pointed: Placement | None = None
        self._begin_piece()

    def point(self, cell: Cell | None) -> None:
        """Show where the piece would land."""
        if cell is not None:
            self._cell = cell
            self._pointed = self._placing.at(cell)
            self._draw()

    def turn(self) -> None:
        """Show the next shape of the piece."""
        self._placing.turn()
        self.point(self._cell)

    def click(self, cell: Cell, dragged: bool) -> None:
        """Place the piece where it was shown. A tap elsewhere only shows it there."""
        meant = self._placing.at(cell)
        if dragged or meant is None:
            return
        if meant != self._pointed:
            self.point(cell)
            return
        thought = judged(self.game, meant, self._agent)
        self._painted.lock(meant)
        self.game.play(meant)
        self.placed += 1
        self._begin_piece()
        self._told(thought, thought.grade(self._unit))

    def _begin_piece(self) -> None:
        placements, visible = self.game.placements(), self.game.rules.visible_rows
        seen = [one for one in placements if any(y < visible for _, y in one.cells)]
        self._placing = Placing(seen or placements)  # nobody means to place a piece out of sight
        self._pointed = self._placing.at(self._cell)
        self._draw()

    def _draw(self) -> None:
        rows = self._painted.text(self.game.rules.visible_rows)
        if self._pointed is None:
            self._view.show(Picture(rows))
        else:
            cells = self._pointed.cells
            self._view.show(Picture(rows, falling=cells, lit=cells, mark=self._pointed.piece))
