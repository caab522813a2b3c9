"""The page Puzzles: a position, a piece, and one placement to find."""

from nicegui import ui

from blockfall.agents import agent
from blockfall.app.parts import widgets
from blockfall.app.parts.address import Address, analyse_link
from blockfall.app.parts.board import BoardCanvas, Picture
from blockfall.app.parts.desk import EXPLANATIONS
from blockfall.app.parts.drawings import piece_svg, small_board
from blockfall.app.parts.placing import Placing
from blockfall.app.parts.records import RECORDS, visitor
from blockfall.app.parts.why import Why
from blockfall.app.puzzles.solving import Puzzle, neighbours, next_puzzle, puzzle, puzzles, rating_after, rating_of
from blockfall.errors import BlockfallError
from blockfall.games.explanation import Explained, explain
from blockfall.games.protocol import Cell
from blockfall.games.tetris import Placement
from blockfall.rulesets import rules
from blockfall.store import Attempt

_JUDGE = "bcts"
_OTHERS = 8
_HOW = "Point at the board and click. R turns the piece. On a phone, tap twice."


def build() -> None:
    """Fill the page."""
    widgets.title("Puzzles", "One placement is far better than the obvious one. Find it.")
    _PuzzlesPage(Address())


class _PuzzlesPage:
    def __init__(self, address: Address) -> None:
        self._address = address
        self._visitor = visitor()
        self._attempts: list[Attempt] = []
        self._tried = True  # until a puzzle is shown
        self._puzzle = next_puzzle([])
        self._game = self._puzzle.game()
        self._placing = Placing([])
        self._pointed: Placement | None = None
        self._cell: Cell | None = None
        self._trouble = widgets.trouble()
        with widgets.parts():
            with widgets.panel("", "bf-scene bf-review").props('aria-label="Puzzle"'):
                self._name = ui.label().classes("bf-seat-name")
                with ui.element("div").classes("bf-seat-game"):
                    self._view = BoardCanvas(
                        10, 20, label="The position", on_cell=self._click, on_hover=self._point, on_turn=self._turn
                    )
                    with ui.element("div").classes("bf-seat-side"):
                        self._piece = widgets.pieces_place("Piece")
                        self._next = widgets.pieces_place("Next")
                turn = ui.button("Turn the piece", icon="rotate_right", on_click=self._turn)
                turn.props("outline no-caps").tooltip("R, or the right mouse button")
            with ui.element("div").classes("bf-beside"):
                with widgets.panel("Your move", "bf-grow"):
                    with ui.row().classes("items-center gap-2 no-wrap"):
                        self._icon = ui.icon("touch_app", size="1.75rem")
                        self._verdict = ui.label().classes("bf-verdict").props("role=status")
                    self._detail = ui.label().classes("bf-soft")
                    with ui.row().classes("gap-2"):
                        ui.button("Next puzzle", icon="skip_next", on_click=self._on).props("unelevated no-caps")
                        self._solution = ui.button("Show the solution", icon="lightbulb", on_click=self._give_up)
                        self._solution.props("outline no-caps")
                        ui.button("Analyse", icon="troubleshoot", on_click=self._analyse).props("outline no-caps")
                with widgets.panel("Your rating", "bf-grow"):
                    self._numbers = widgets.Numbers(["Rating", "Solved", "Tried", "This puzzle"])
                    ui.label(
                        f"{len(puzzles())} puzzles from agents' games. The more of ten agents miss a placement, the "
                        "higher the puzzle's rating. Only the first try counts."
                    ).classes("bf-soft bf-note")
                with widgets.panel("Why", "bf-grow") as self._why_panel:
                    self._why = Why()
                with widgets.panel("Other puzzles", "bf-grow"):
                    self._others = ui.element("nav").classes("bf-others").props('aria-label="Other puzzles"')
        self._why_panel.visible = False
        ui.timer(0, self._open, once=True)

    async def _open(self) -> None:
        self._attempts = await RECORDS.do(lambda store: store.attempts.of(self._visitor))
        asked = self._address.get("puzzle")
        try:
            chosen = puzzle(asked) if asked else next_puzzle(self._attempts)
        except BlockfallError:
            self._trouble.text = f"This link names the puzzle {asked[:80]!r}, which is not here. This is another one."
            chosen = next_puzzle(self._attempts)
        self._begin(chosen)
        self._address.note(puzzle=chosen.id)

    def _begin(self, chosen: Puzzle) -> None:
        self._puzzle, self._game, self._rows = chosen, chosen.game(), chosen.rows()
        game_rules = self._game.rules
        self._tried, self._pointed, self._cell = False, None, None
        self._placing = Placing(self._game.placements())
        if (self._view.columns, self._view.rows) != (game_rules.columns, game_rules.visible_rows):
            self._view.set_size(game_rules.columns, game_rules.visible_rows)
        self._name.text = rules(chosen.rules).title
        self._piece.content, self._next.content = (piece_svg(game_rules, one) for one in (chosen.piece, chosen.next))
        self._say("touch_app", "", "Where does the piece go?", _HOW)
        self._solution.set_enabled(True)
        self._why_panel.visible = False
        self._show_rating()
        self._show_others()
        self._draw()

    def _say(self, icon: str, grade: str, verdict: str, detail: str) -> None:
        self._icon.props(f"name={icon}").classes(replace=grade)
        self._verdict.text, self._detail.text = verdict, detail

    def _show_rating(self) -> None:
        solved = sum(one.solved for one in self._attempts)
        self._numbers.show(
            {
                "Rating": f"{rating_of(self._attempts):.0f}",
                "Solved": solved,
                "Tried": len(self._attempts),
                "This puzzle": str(self._puzzle.rating),
            }
        )

    def _show_others(self) -> None:
        """Show puzzles of about this rating, and the result if they were tried."""
        went = {one.puzzle: one.solved for one in self._attempts}
        self._others.clear()
        with self._others:
            for one in neighbours(self._puzzle, _OTHERS):
                words = f"{one.rating}" + {True: ", solved", False: ", missed", None: ""}[went.get(one.id)]
                with ui.link(target=f"/puzzles?puzzle={one.id}").classes("bf-other"):
                    ui.html(small_board(one.rows()), sanitize=False).props("aria-hidden=true")
                    ui.label(words)

    def _point(self, cell: Cell | None) -> None:
        if cell is not None and not self._tried:
            self._cell = cell
            self._pointed = self._placing.at(cell)
            self._draw()

    def _turn(self) -> None:
        self._placing.turn()
        self._point(self._cell or (4, 10))

    async def _click(self, cell: Cell, dragged: bool) -> None:
        meant = self._placing.at(cell)
        if dragged or meant is None or self._tried:
            return
        if meant != self._pointed:
            self._point(cell)
            return
        await self._finish(meant, self._puzzle.is_solved_by(meant))

    async def _give_up(self) -> None:
        if not self._tried:
            await self._finish(None, solved=False)

    async def _finish(self, placed: Placement | None, solved: bool) -> None:
        """Count the attempt, show the solution and explain it."""
        self._tried = True
        this, before = self._puzzle, rating_of(self._attempts)
        if this.id not in [one.puzzle for one in self._attempts]:
            after = rating_after(before, this.rating, solved)
            self._attempts.append(Attempt(this.id, solved, after))
            await RECORDS.do(lambda store: store.attempts.add(self._visitor, this.id, solved, after))
            moved = f"Your rating is {after:.0f} ({after - before:+.0f})."
        else:
            moved = "You tried this puzzle before: your rating stays."
        self._show_rating()
        self._solution.set_enabled(False)
        self._pointed = placed
        self._draw()
        found = f"{this.solved_by} of 10 agents find it."
        if solved:
            self._say("star", "bf-best", "Solved!", f"{found} {moved}")
        elif placed is not None and frozenset(placed.cells) == this.obvious:
            self._say("cancel", "bf-blunder", "That is the obvious one.", f"The outline is better. {found} {moved}")
        elif placed is not None:
            self._say("cancel", "bf-mistake", "Not this one.", f"The outline is best. {found} {moved}")
        else:
            self._say("lightbulb", "bf-mistake", "The outline is the solution.", f"{found} {moved}")
        await self._explain(this, placed)

    async def _explain(self, this: Puzzle, placed: Placement | None) -> None:
        judge = agent(_JUDGE).knowing(2)
        ranked: list[Explained] = await EXPLANATIONS.do(explain, self._game, judge)
        if this is not self._puzzle:
            return
        best = next(one for one in ranked if this.is_solved_by(one.placement))
        other = next((one for one in ranked if placed and one.placement == placed and one is not best), None)
        if other is None:
            other = next(one for one in ranked if frozenset(one.placement.cells) == this.obvious)
            against = "the obvious one"
        else:
            against = "yours"
        self._why.show(judge, best, other, against)
        self._why_panel.visible = True

    def _draw(self) -> None:
        shown = self._pointed.cells if self._pointed else ()
        solution = sorted(self._puzzle.best) if self._tried and frozenset(shown) != self._puzzle.best else ()
        self._view.show(Picture(self._rows, falling=shown, lit=shown, ghost=solution, mark=self._puzzle.piece))

    def _on(self) -> None:
        chosen = next_puzzle(self._attempts, but=self._puzzle.id)
        self._address.choose(puzzle=chosen.id)
        self._trouble.text = ""
        self._begin(chosen)

    def _analyse(self) -> None:
        ui.navigate.to(analyse_link(self._game, _JUDGE))
