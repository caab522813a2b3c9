"""A game played by clicks on the page Play: a board to point at, undo, redo and a solver to ask."""

from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, ui

from blockfall.app.parts import choices, menus, widgets
from blockfall.app.parts.address import Address
from blockfall.app.parts.board import BoardCanvas, Picture
from blockfall.app.parts.choices import Kept, kept_switch
from blockfall.app.parts.desk import SEARCHES
from blockfall.app.parts.options import OptionsForm
from blockfall.app.play.clicking import LONGEST_SEARCH_S, Advice, GameSession
from blockfall.app.play.high_scores import key_of
from blockfall.app.play.scoreboard import GameEnd, Scoreboard
from blockfall.errors import BlockfallError
from blockfall.games import GameKind, Preview
from blockfall.games.protocol import Cell
from blockfall.plugins import in_one_line
from blockfall.search import algorithms

_SECONDS_PER_MOVE = 0.7


class AnyGamePart:
    """One visitor's game."""

    def __init__(self, kind: GameKind, address: Address) -> None:
        self._kind, self._address = kind, address
        self._kept = Kept(f"play-{kind.name}")
        self._advice: Advice | None = None
        self._searching = self._gone = self._begun = False
        with ui.element("div").classes("bf-parts"):
            self._build_settings()
            self._stage = widgets.panel("", "bf-grow bf-stage-panel").props('aria-label="Game"')
            with ui.column().classes("bf-side bf-column"):
                self._build_solver()
                self._scoreboard = Scoreboard()
        self._solving = ui.timer(_SECONDS_PER_MOVE, self._play_advice, active=False)
        with widgets.said_at(self._start_trouble):
            self._begin()

    def leave(self) -> None:
        """Stop the solver: the visitor went elsewhere."""
        self._gone = True
        self._solving.cancel()

    def pause(self) -> None:
        """Stop the solver."""
        self._stop()

    def _build_settings(self) -> None:
        with widgets.panel("Board", "bf-side"):
            with ui.row().classes("bf-fields"):
                self._options = OptionsForm(self._kind.options, self._kept, self._address.said)
            self._seed = ui.input("Seed", placeholder="random", validation=choices.seed_text_problem)
            self._seed.props("stack-label hide-bottom-space").classes("w-full")
            self._seed.on("keydown.enter", self._new_game)
            ui.button("New game", icon="casino", on_click=self._new_game).props("unelevated no-caps").classes("w-full")
            self._start_trouble = widgets.trouble()
            with ui.row().classes("gap-x-4 gap-y-0"):
                self._symbols = kept_switch(self._kept, "Symbols", "symbols", False, self._use_effects)
                self._symbols.tooltip("A symbol on each colour, for colour-blind players")
                self._sounds = kept_switch(self._kept, "Sound", "sounds", False, self._use_effects)
            ui.label(self._kind.about).classes("bf-soft text-sm")

    def _use_effects(self) -> None:
        if self._begun:
            self._view.set_habits(symbols=self._symbols.value, sounds=self._sounds.value)

    def _build_solver(self) -> None:
        with widgets.panel("Solver", "w-full"):
            self._algorithm = menus.algorithm_menu(self._kept.one_of("algorithm", "best", algorithms(undoes=False)))
            self._algorithm.classes("w-full")
            self._limit = ui.number("Time limit", value=2, min=1, max=LONGEST_SEARCH_S, precision=0)
            self._limit.validation = choices.whole_problem(1, LONGEST_SEARCH_S)
            self._limit.props("suffix=s hide-bottom-space").classes("w-full")
            with ui.row().classes("gap-2 w-full no-wrap"):
                self._hint = ui.button("Hint", icon="lightbulb", on_click=self._ask).classes("grow")
                self._solve = ui.button("Let it solve", icon="smart_toy", on_click=self._solve_or_stop).classes("grow")
                for button in (self._hint, self._solve):
                    button.props("outline no-caps").set_enabled(False)  # until there is a game
            self._said = ui.label("Ask any algorithm what it would do. Games with its help earn no high score.")
            self._said.classes("bf-soft text-sm").props("role=status")

    def _begin(self) -> None:
        """Begin the game of the address, the one in progress, or else a new one."""
        asked = self._address.get("seed")
        waiting = GameSession.restored(self._kind, self._kept.get("game"))
        if waiting and asked in ("", str(waiting.seed)) and waiting.options == self._options.values():
            self._start(waiting)
        elif asked:
            self._start(GameSession(self._kind, self._address.whole("seed", 0, 0, 2**64 - 1), self._options.values()))
        else:
            self._new_game()

    def _new_game(self) -> None:
        if self._seed.validate() and self._options.hold():
            with widgets.said_at(self._start_trouble):
                self._start(GameSession(self._kind, choices.seed(self._seed.value), self._options.values()))

    def _start(self, session: GameSession) -> None:
        self._begun = True
        for button in (self._hint, self._solve):
            button.set_enabled(True)
        self._session, options = session, session.options
        self._address.note(game=self._kind.name, seed=session.seed, **options)
        self._cell: Cell | None = None
        self._turns = 0
        self._build_stage()
        self._look()
        what = ", ".join([self._kind.title, *(f"{name} {value}" for name, value in options.items())])
        background_tasks.create(self._scoreboard.show(key_of(self._kind, options), what), context=ui.context.client)

    def _build_stage(self) -> None:
        session = self._session
        self._stage.clear()
        with self._stage, ui.element("div").classes("bf-clicks"):
            with ui.element("div").classes("bf-stage-board"):
                self._view = BoardCanvas(
                    len(session.rows[0]),
                    len(session.rows),
                    label=f"The board: arrow keys point, Enter plays{', R turns' if self._kind.turns else ''}",
                    on_cell=self._click,
                    on_hover=self._point,
                    on_turn=self._turn if self._kind.turns else None,
                )
                with (
                    ui.column().classes("bf-cover items-center justify-center") as self._cover,
                    ui.column().classes("bf-cover-box items-center"),
                ):
                    self._end = GameEnd(self._scoreboard, self._new_game, "New game")
                    ui.button("Look at the board", on_click=self._uncover).props("flat dense no-caps")
            with ui.row().classes("items-center justify-center gap-2 w-full"):
                self._undo = self._tool("undo", "Undo", session.undo)
                self._redo = self._tool("redo", "Redo", session.redo)
                self._restart = self._tool("first_page", "Same game again", session.restart)
                if self._kind.turns:
                    button = ui.button(icon="rotate_right", on_click=self._turn).props('outline aria-label="Turn"')
                    button.tooltip("Turn (R, or the right mouse button)")
                self._pointed = ui.label().classes("bf-pointed").props("role=status")
            self._trouble = widgets.trouble()
            self._numbers = widgets.Numbers([*session.numbers(), "Seed"])
        self._use_effects()

    def _tool(self, icon: str, title: str, act: Callable[[], None]) -> ui.button:
        def do() -> None:
            self._stop()
            with widgets.said_at(self._trouble):
                act()
                self._look()

        button = ui.button(icon=icon, on_click=do).props(f'outline aria-label="{title}"')
        button.tooltip(title)
        return button

    def _look(self, sound: str = "", hint: Any = None) -> None:
        """Show the position. `hint` is a solver's action; it stays lit until the next move."""
        session = self._session
        self._kept["game"] = session.as_kept()
        self._hint_shown = hint
        self._hinted = None if hint is None else session.position.preview(hint)
        self._show(self._hinted, sound)
        self._numbers.show(session.numbers() | {"Seed": str(session.seed)})
        self._undo.set_enabled(session.can_undo)
        self._restart.set_enabled(session.can_undo)
        self._redo.set_enabled(session.can_redo)
        if self._hinted is None:
            self._pointed.text = "" if session.over else "Point at the board"
        self._cover.visible = session.over
        if session.over:
            ending, score = session.position.ending(), session.position.score
            detail = ending.detail + (" A solver helped: no high score." if session.helped else "")
            self._end.show(f"{ending.title}: {score:,} points", detail, score, counts=not session.helped)

    def _show(self, preview: Preview | None, sound: str = "") -> None:
        """Draw the board with the effect of an action."""
        lit = preview.cells if preview else frozenset()
        if self._hinted:
            lit |= self._hinted.cells
        self._view.show(Picture(preview.rows if preview else self._session.rows, lit=sorted(lit), sound=sound))
        self._pointed.text = preview.title if preview else ""

    def _uncover(self) -> None:
        self._cover.visible = False

    def _point(self, cell: Cell | None) -> None:
        self._cell = cell
        if self._solving.active:
            return
        with widgets.said_at(self._pointed):
            action = self._session.action_at(cell, self._turns)
            self._show(self._hinted if action is None else self._session.position.preview(action))

    def _turn(self) -> None:
        """Point at the cell's next action."""
        self._turns += 1
        self._point(self._cell)

    def _click(self, cell: Cell, dragged: bool) -> None:
        with widgets.said_at(self._trouble):
            action = self._session.action_at(cell, self._turns)
            if dragged or action is None:
                return
            self._stop()
            self._play(action)

    def _play(self, action: Any) -> None:
        earned = self._session.play(action)
        self._look("over" if self._session.over else "clear")
        if not self._session.over:
            self._pointed.text = f"Earned: {earned:,}"

    async def _ask(self) -> None:
        advice = await self._search()
        if advice and advice.moves:
            with widgets.said_at(self._trouble):
                self._look(hint=advice.moves[0])

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
        """Return a solver's advice; None if the position has changed meanwhile."""
        if self._searching or not self._limit.validate():
            return None
        session, position = self._session, self._session.position
        algorithm = str(self._algorithm.value)
        limit_s = choices.whole(self._limit.value, "time limit", 1, LONGEST_SEARCH_S)
        self._stop()
        self._searching = True
        self._hint.props("loading")
        self._said.text = f"{algorithm} is searching for at most {limit_s} s."
        try:
            with in_one_line():
                advice = await SEARCHES.do(session.advise, algorithm, limit_s)
        except BlockfallError as error:
            self._said.text = widgets.sentence(error)
            return None
        finally:
            self._searching = False
            self._hint.props(remove="loading")
        if self._gone:
            return None
        if session is not self._session or position is not session.position:
            self._said.text = "You have moved since. Ask again."
            return None
        self._kept["algorithm"] = algorithm
        session.helped = True
        self._said.text = str(advice)
        widgets.bring_into_view(self._stage)
        return advice

    def _play_advice(self) -> None:
        """Light the solver's next move, and play it the next time."""
        advice = self._advice
        if advice is None or not advice.moves:
            self._stop()
            return
        with widgets.said_at(self._trouble):
            if self._hint_shown != advice.moves[0]:
                self._look(hint=advice.moves[0])
                return
            self._advice = Advice(advice.algorithm, advice.moves[1:], advice.total, advice.optimal)
            self._play(advice.moves[0])
            return
        self._stop()  # the game raised an error

    def _stop(self) -> None:
        self._advice = None
        self._solving.deactivate()
        self._solve.text = "Let it solve"
