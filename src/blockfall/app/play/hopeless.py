"""Hopeless and SameGame on the page Play: a board to click, and a solver to ask."""

from collections.abc import Callable

from nicegui import background_tasks, ui

from blockfall.app.parts import choices, widgets
from blockfall.app.parts.board import BoardCanvas, Cell
from blockfall.app.parts.choices import Kept
from blockfall.app.parts.desk import SEARCHES
from blockfall.app.play.clicking import LONGEST_SEARCH_S, Advice, HopelessSession, title_of
from blockfall.app.play.high_scores import key_of_hopeless
from blockfall.app.play.scoreboard import GameEnd, Scoreboard
from blockfall.errors import BlockfallError
from blockfall.games import Scoring
from blockfall.games.hopeless import LARGEST, MOST_COLOURS
from blockfall.search import algorithms

_FEWEST_COLOURS = 2
_SMALLEST = 2
_USUAL = {"columns": 15, "rows": 15, "colours": 5}  # the boards of the SameGame literature
_SECONDS_PER_MOVE = 0.7


class HopelessPart:
    """One visitor's game."""

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._kept = Kept("play-hopeless")
        self._advice: Advice | None = None
        self._searching = self._gone = False
        with ui.element("div").classes("bf-parts"):
            self._build_settings()
            self._stage = widgets.panel("", "bf-grow bf-stage-panel").props('aria-label="Game"')
            with ui.column().classes("bf-side bf-column"):
                self._build_solver()
                self._scoreboard = Scoreboard()
        self._solving = ui.timer(_SECONDS_PER_MOVE, self._play_advice, active=False)
        self._new_board()

    def leave(self) -> None:
        """The visitor went elsewhere."""
        self._gone = True
        self._solving.cancel()

    def pause(self) -> None:
        """Only the solver plays by itself."""
        self._stop()

    def _build_settings(self) -> None:
        with widgets.panel("Board", "bf-side"):
            with ui.row().classes("bf-fields"):
                self._columns = self._field("Columns", "columns", _SMALLEST, LARGEST)
                self._rows = self._field("Rows", "rows", _SMALLEST, LARGEST)
                self._colours = self._field("Colours", "colours", _FEWEST_COLOURS, MOST_COLOURS)
            self._seed = ui.input("Seed", placeholder="by chance").props("stack-label").classes("w-full")
            self._seed.on("keydown.enter", self._new_board)
            ui.button("New board", icon="casino", on_click=self._new_board).props("unelevated no-caps").classes(
                "w-full"
            )
            with ui.row().classes("gap-x-4 gap-y-0"):
                self._symbols = self._switch("Symbols", "symbols", "A symbol on each colour, for the colour-blind")
                self._sounds = self._switch("Sound", "sounds", "")
            ui.label(_worth(self._scoring)).classes("bf-soft text-sm")

    def _field(self, title: str, name: str, least: int, most: int) -> ui.number:
        value = self._kept.whole(name, _USUAL[name], least, most)
        return ui.number(title, value=value, min=least, max=most, precision=0)

    def _switch(self, title: str, name: str, what: str) -> ui.switch:
        switch = ui.switch(title, value=self._kept.flag(name, usual=False))
        if what:
            switch.tooltip(what)

        def change() -> None:
            self._kept[name] = bool(switch.value)
            self._view.set_habits(symbols=self._symbols.value, sounds=self._sounds.value)

        switch.on_value_change(change)
        return switch

    def _build_solver(self) -> None:
        titles = {name: f"{name}: {one.title}" for name, one in algorithms().items()}
        with widgets.panel("Solver", "w-full"):
            usual = self._kept.one_of("algorithm", "best", titles)
            self._algorithm = ui.select(titles, value=usual, label="Algorithm")
            self._algorithm.classes("w-full")
            self._limit = ui.number("Time limit", value=2, min=1, max=LONGEST_SEARCH_S, precision=0)
            self._limit.props("suffix=s").classes("w-full")
            with ui.row().classes("gap-2 w-full no-wrap"):
                self._hint = ui.button("Hint", icon="lightbulb", on_click=self._ask).classes("grow")
                self._solve = ui.button("Let it solve", icon="smart_toy", on_click=self._solve_or_stop).classes("grow")
                for button in (self._hint, self._solve):
                    button.props("outline no-caps")
            self._said = ui.label("Ask any algorithm what it would do. With its help no high score counts.")
            self._said.classes("bf-soft text-sm").props("role=status")

    def _new_board(self) -> None:
        columns = choices.whole(self._columns.value, "columns", _SMALLEST, LARGEST)
        rows = choices.whole(self._rows.value, "rows", _SMALLEST, LARGEST)
        colours = choices.whole(self._colours.value, "colours", _FEWEST_COLOURS, MOST_COLOURS)
        seed = choices.seed(self._seed.value)
        for name, value in (("columns", columns), ("rows", rows), ("colours", colours)):
            self._kept[name] = value
        self._session = HopelessSession(self._scoring, columns, rows, colours, seed)
        self._build_stage()
        self._look()
        what = f"{title_of(self._scoring)}, {columns}x{rows}, {colours} colours"
        key = key_of_hopeless(self._scoring, columns, rows, colours)
        background_tasks.create(self._scoreboard.show(key, what), context=ui.context.client)

    def _build_stage(self) -> None:
        session = self._session
        self._stage.clear()
        with self._stage, ui.element("div").classes("bf-clicks"):
            with ui.element("div").classes("bf-stage-board"):
                label = "The board: arrow keys point at a block, Enter removes it"
                self._view = BoardCanvas(
                    session.columns, session.rows, label=label, on_cell=self._click, on_hover=self._point
                )
                with ui.column().classes("bf-cover items-center justify-center") as self._cover:
                    self._end = GameEnd(self._scoreboard, self._new_board, "New board")
                    ui.button("Look at the board", on_click=self._uncover).props("flat dense no-caps")
            with ui.row().classes("items-center justify-center gap-2 w-full"):
                self._undo = self._tool("undo", "Undo", session.undo)
                self._redo = self._tool("redo", "Redo", session.redo)
                self._restart = self._tool("first_page", "Same board again", session.restart)
                self._pointed = ui.label().classes("bf-pointed").props("role=status")
            self._facts = widgets.Facts(["Points", "Moves", "Squares left", "Seed"])
        self._view.set_habits(symbols=self._symbols.value, sounds=self._sounds.value)

    def _tool(self, icon: str, title: str, act: Callable[[], None]) -> ui.button:
        def do() -> None:
            self._stop()
            act()
            self._look()

        button = ui.button(icon=icon, on_click=do).props(f'outline aria-label="{title}"')
        button.tooltip(title)
        return button

    def _look(self, sound: str = "", lit: frozenset[Cell] = frozenset()) -> None:
        """Shows the position; `lit` is what a solver points out, and stays lit until something is played."""
        session = self._session
        self._lit = self._pointed_out = lit
        self._view.show(session.picture(lit, sound))
        self._facts.show(session.facts() | {"Seed": str(session.seed)})
        self._undo.set_enabled(session.can_undo)
        self._restart.set_enabled(session.can_undo)
        self._redo.set_enabled(session.can_redo)
        self._pointed.text = "" if session.over else "Point at a block"
        self._cover.visible = session.over
        if session.over:
            won = session.squares == 0
            detail = session.ending() + (" A solver helped: no high score." if session.helped else "")
            title = f"{'Cleared' if won else 'Over'}: {session.game.points:,} points"
            self._end.show(title, detail, session.game.points, counts=not session.helped)

    def _uncover(self) -> None:
        self._cover.visible = False

    def _point(self, cell: Cell | None) -> None:
        if self._solving.active:
            return
        block = self._session.block(cell)
        lit = self._pointed_out | (block.cells if block else frozenset())
        if lit != self._lit:
            self._lit = lit
            self._view.show(self._session.picture(lit))
            self._pointed.text = str(block) if block else ""

    def _click(self, cell: Cell, dragged: bool) -> None:
        if dragged or self._session.block(cell) is None:
            return
        self._stop()
        self._play(cell)

    def _play(self, cell: Cell) -> None:
        earned = self._session.play(cell)
        self._look("over" if self._session.over else "clear")
        if not self._session.over:
            self._pointed.text = f"Earned: {earned:,}"

    async def _ask(self) -> None:
        advice = await self._search()
        if advice and advice.moves:
            block = self._session.block(advice.moves[0])
            assert block is not None
            self._look(lit=block.cells)
            self._pointed.text = str(block)

    async def _solve_or_stop(self) -> None:
        if self._solving.active:
            self._stop()
            return
        advice = await self._search()
        if advice:
            self._advice = advice
            self._solve.text = "Stop"
            self._solving.activate()

    async def _search(self) -> Advice | None:
        """A solver's advice for the position, or None where the position is another by then."""
        if self._searching:
            return None
        session, game = self._session, self._session.game
        algorithm = str(self._algorithm.value)
        limit_s = choices.whole(self._limit.value, "time limit", 1, LONGEST_SEARCH_S)
        self._stop()
        self._searching = True
        self._hint.props("loading")
        self._said.text = f"{algorithm} is searching, {limit_s} s at most."
        try:
            advice = await SEARCHES.do(session.advise, algorithm, limit_s)
        except BlockfallError as error:
            self._said.text = str(error)
            return None
        finally:
            self._searching = False
            self._hint.props(remove="loading")
        if self._gone:
            return None
        if session is not self._session or game is not session.game:
            self._said.text = "The board has changed meanwhile; ask again."
            return None
        self._kept["algorithm"] = algorithm
        session.helped = True
        self._said.text = str(advice)
        widgets.bring_into_view(self._stage)
        return advice

    def _play_advice(self) -> None:
        """The next move of the solver: first it lights up, then it goes."""
        advice = self._advice
        if advice is None or not advice.moves:
            self._stop()
            return
        block = self._session.block(advice.moves[0])
        assert block is not None
        if self._lit != block.cells:
            self._look(lit=block.cells)
            return
        self._advice = Advice(advice.algorithm, advice.moves[1:], advice.total, advice.optimal)
        self._play(advice.moves[0])

    def _stop(self) -> None:
        self._advice = None
        self._solving.deactivate()
        self._solve.text = "Let it solve"


def _worth(scoring: Scoring) -> str:
    """Its points in words."""
    examples = ", ".join(f"{n} squares {scoring.points(n):,}" for n in (2, 3, 5, 10))
    more = f" An empty board earns {scoring.clear_bonus:,} more." if scoring.clear_bonus else ""
    less = " At the end the squares of each colour left cost what they would earn." if scoring.leftover_penalty else ""
    return f"What blocks earn: {examples}.{more}{less}"
