"""Analyse, Search: a board, an algorithm and limits; then the search node by node, forwards and back."""

import asyncio
from contextlib import suppress

from nicegui import ui

from blockfall.app.analyse.contest_panel import ContestPanel
from blockfall.app.analyse.findings import FindingsPanels, number
from blockfall.app.analyse.palette import Palette
from blockfall.app.analyse.shelf import Shelf
from blockfall.app.analyse.sketches import FixedSketch, Sketch, checked_text, examples, sketch_of
from blockfall.app.analyse.stepping import Stepper
from blockfall.app.parts import choices, menus, widgets
from blockfall.app.parts.address import Address, board_from_address, board_in_address
from blockfall.app.parts.board import BoardCanvas, Picture
from blockfall.app.parts.desk import SEARCHES
from blockfall.app.parts.options import OptionsForm
from blockfall.errors import BlockfallError
from blockfall.games import GameKind, Position, game, game_names
from blockfall.games.board import EMPTY
from blockfall.games.protocol import Cell
from blockfall.search import GameProblem, SearchSettings, TracedSearch, algorithms, problem_of

_GAME = "hopeless"
MOST_SECONDS = 10.0
MOST_NODES = 20_000
_MEMORY_BYTES = 512 << 20
_SEARCH, _SOLUTION = "search", "solution"


class SearchTab:
    """One visitor's search."""

    def __init__(self, address: Address | None) -> None:
        """`address` is None while the page's address describes another tab."""
        self.address = address
        self._asked = dict(address.said) if address else {}
        self._traced: TracedSearch[GameProblem] | None = None
        self._running = False
        self._sketch: Sketch = FixedSketch([EMPTY])  # until a game is chosen
        with widgets.parts():
            with widgets.panel("", "bf-scene").props('aria-label="Board"'):
                self._hint = ui.label().classes("bf-soft bf-hint")
                self._view = BoardCanvas(1, 1, label="The board", on_cell=self._touch)
                self._view.classes("bf-sketch")
                self._palette = Palette()
                self._shown = ui.toggle(
                    {_SEARCH: "The search", _SOLUTION: "The solution"}, value=_SEARCH, on_change=self._change_view
                )
                self._shown.props('no-caps unelevated dense aria-label="Shown"').classes("self-center bf-shown")
                self._stepper = Stepper(self._show_step)
                self._edit_button = ui.button("Edit the board", icon="edit", on_click=self._edit).props("flat no-caps")
            with ui.element("div").classes("bf-beside"):
                with widgets.panel("Search", "bf-grow"):
                    self._build_settings()
                self._findings = FindingsPanels(self._go_to, self._play_solution)
                with widgets.panel("Algorithms compared", "bf-grow"):
                    self._contest = ContestPanel(self._contest_problem, lambda: str(self._sketch))
                with widgets.panel("Board", "bf-grow"):
                    self._build_board_settings()
        self._change_game()
        self._read_address()

    def in_address(self) -> dict[str, object]:
        """Return the board and the search in the form of the address."""
        options = {**self._settings.values(), **self._board_settings.values(), **self._search_settings.values()}
        return {
            "game": self._kind.name,
            "algorithm": self._algorithm.value,
            "seconds": self._seconds.value,
            "nodes": self._nodes.value,
            "seed": self._seed.value,
            **options,
            "board": board_in_address(str(self._sketch)) if self._kind.reads_boards else None,
            "searched": self._traced is not None,
        }

    def _read_address(self) -> None:
        """Show the board in the address, and repeat its search if there was one."""
        asked, self._asked = self._asked, {}
        if asked.get("board") and self._kind.reads_boards:
            try:
                self._read(board_from_address(asked["board"]))
            except BlockfallError as error:
                self._hint.text = f"The board in this link cannot be shown: {error}."
                return
        if asked.get("searched"):
            self._show_findings(True)  # takes up their space, so that nothing jumps later
            ui.timer(0, self._search, once=True)

    def _note(self) -> None:
        if self.address and not self._asked:
            with suppress(BlockfallError):  # someone is typing in a field
                self.address.note(**self.in_address())

    def _build_settings(self) -> None:
        asked = self._asked
        kind = next((name for name in game_names() if name == asked.get("game")), _GAME)
        algorithm = next((name for name in algorithms(undoes=False) if name == asked.get("algorithm")), "a-star")
        seconds, nodes = _number_or(asked.get("seconds"), 5), int(_number_or(asked.get("nodes"), 5_000))
        with ui.element("div").classes("bf-choices"):
            titles = {name: game(name).title for name in game_names()}
            self._game = ui.select(titles, label="Game", value=kind, on_change=self._change_game)
            self._algorithm = menus.algorithm_menu(algorithm)
            self._algorithm.on_value_change(self._note)
            self._of_search = ui.element("div").classes("bf-contents")
            self._seconds = ui.number("Seconds at most", value=seconds, min=0.1, max=MOST_SECONDS)
            self._seconds.validation = _seconds_problem
            self._nodes = ui.number("Nodes at most", value=nodes, min=1, max=MOST_NODES, precision=0)
            self._nodes.validation = choices.whole_problem(1, MOST_NODES)
            for field in (self._seconds, self._nodes):
                field.props("hide-bottom-space")
        self._run_button = ui.button("Search", icon="play_circle", on_click=self._search).props("unelevated no-caps")
        self._search_trouble = widgets.trouble()

    def _build_board_settings(self) -> None:
        with ui.element("div").classes("bf-choices"):
            self._of_board = ui.element("div").classes("bf-contents")
            seed = int(_number_or(self._asked.get("seed"), 1))
            self._seed = ui.number("Seed", value=seed, min=0, precision=0, validation=choices.seed_problem)
            self._seed.props("hide-bottom-space")
            ui.button("New board", icon="casino", on_click=self._draw_start).props("flat no-caps")
        self._board_trouble = widgets.trouble()
        self._text_box = ui.element("div").classes("w-full")
        with self._text_box:
            self._clear_button = ui.button("Clear", icon="layers_clear", on_click=self._clear).props("flat no-caps")
            with ui.expansion("Paste a board as text", icon="content_paste").classes("w-full"):
                self._text = ui.textarea("Top row first: digits and ., or # and . for Tetris")
                self._text.props("autogrow input-class=bf-mono").classes("w-full")
                ui.button("Use this text", on_click=self._read_text).props("flat no-caps")
            self._shelf_box = ui.element("div")

    @property
    def _kind(self) -> GameKind:
        return game(str(self._game.value))

    def _fields_hold(self) -> bool:
        """Validate every field of a search; wrong ones say so below them."""
        forms = self._settings, self._search_settings, self._board_settings
        numbers = self._seconds, self._nodes, self._seed
        return all([*(field.validate() for field in numbers), *(form.hold() for form in forms)])

    def _change_game(self) -> None:
        with widgets.said_at(self._board_trouble):
            self._take_game()

    def _take_game(self) -> None:
        kind = self._kind
        for box in (self._of_search, self._of_board, self._shelf_box):
            box.clear()
        with self._of_search:
            self._settings = OptionsForm([one for one in kind.options if not one.start_only], asked=self._asked)
            self._search_settings = OptionsForm(kind.search_options, asked=self._asked)
        with self._of_board:
            self._board_settings = OptionsForm([one for one in kind.options if one.start_only], asked=self._asked)
        with self._shelf_box:
            Shelf(kind.boards, self._read, lambda: str(self._sketch))
        self._text_box.visible = kind.reads_boards
        if kind.needs_board:
            self._sketch = sketch_of(kind, next(iter(examples()[kind.boards].values())))
        else:
            self._sketch = sketch_of(kind, self._start().text())
        self._clear_button.visible = self._sketch.paintable
        self._palette.offer(self._sketch.marks)
        self._edit()

    def _touch(self, cell: Cell, dragged: bool) -> None:
        if self._running or not self._sketch.paintable:
            return
        self._sketch.touch(cell, dragged, self._palette.colour)
        self._edit()

    def _clear(self) -> None:
        self._sketch.clear()
        self._edit()

    def _read_text(self) -> None:
        widgets.at_field(self._text, lambda: self._read(self._text.value))

    def _read(self, text: object) -> None:
        position = self._kind.read(checked_text(text), self._seed_given(), **self._settings.values())
        self._sketch = sketch_of(self._kind, position.text())
        self._edit()

    def _draw_start(self) -> None:
        if self._fields_hold():
            with widgets.said_at(self._board_trouble):
                self._sketch = sketch_of(self._kind, self._start().text())
                self._edit()

    def _start(self) -> Position:
        options = {**self._settings.values(), **self._board_settings.values()}
        return self._kind.start(self._seed_given(), **options)

    def _seed_given(self) -> int:
        return choices.whole(self._seed.value, "a seed", 0, choices.MOST_SEED)

    def _edit(self) -> None:
        """Show the board to search, and drop the findings on the last one."""
        self._forget()
        self._show_findings(False)

    def _forget(self) -> None:
        """Show the board without findings, whose panels keep their places."""
        self._traced = None
        self._contest.clear()
        self._findings.clear()
        self._search_trouble.text = ""
        self._stepper.set_steps(0)
        self._hint.text = f"{self._sketch.hint}; then search."
        if (self._view.columns, self._view.rows) != (self._sketch.columns, self._sketch.rows):
            self._view.set_size(self._sketch.columns, self._sketch.rows)
        self._view.show(Picture(self._sketch.text_rows))
        self._note()

    def _problem(self) -> GameProblem:
        kind = self._kind
        if kind.reads_boards:
            start = kind.read(self._sketch.board_text(), self._seed_given(), **self._settings.values())
        else:
            start = self._start()
        return problem_of(start, **self._search_settings.values())

    def _node_limit(self) -> int:
        return choices.whole(self._nodes.value, "the node limit", 1, MOST_NODES)

    def _contest_problem(self) -> tuple[GameProblem, int] | None:
        return (self._problem(), self._node_limit()) if self._fields_hold() else None

    async def _search(self) -> None:
        if self._running:
            return
        if self._fields_hold():
            with widgets.said_at(self._search_trouble):
                await self._search_from(self._problem())
        if self._traced is None:
            self._show_findings(False)

    async def _search_from(self, problem: GameProblem) -> None:
        seconds = float(self._seconds.value or 0)
        nodes = self._node_limit()
        self._forget()
        self._set_running(True)
        try:
            limits = SearchSettings(time_limit_s=seconds, node_limit=nodes, memory_limit_bytes=_MEMORY_BYTES)
            self._traced = await SEARCHES.do(TracedSearch.run, problem, str(self._algorithm.value), limits)
        finally:
            self._set_running(False)
        self._show_findings(True)
        self._findings.show(self._traced)
        self._note()
        self._hint.text = f"{'Step through it, or edit' if len(self._traced) else 'Edit'} the board to start again."
        self._shown.value = _SEARCH
        self._stepper.set_steps(len(self._traced))
        await self._show_step(0)

    def _go_to(self, step: int) -> None:
        self._shown.value = _SEARCH
        self._stepper.go(step)

    def _change_view(self) -> None:
        """Switch between the search, node by node, and the solution, move by move."""
        if self._traced is not None:
            solving = self._shown.value == _SOLUTION
            self._stepper.set_steps(len(self._traced.solution.moves) + 1 if solving else len(self._traced))
            self._stepper.go(0)

    def _play_solution(self) -> None:
        if self._traced is not None:
            self._shown.value = _SOLUTION
            self._change_view()
            self._stepper.play()
            widgets.bring_into_view(self._view)

    def _show_move(self, traced: TracedSearch[GameProblem], made: int) -> None:
        """Show the solution's board after this many moves, with the next move lit."""
        moves, position = traced.solution.moves, traced.problem.position
        for move in moves[:made]:
            position = position.apply(move)
        preview = position.preview(moves[made]) if made < len(moves) else None
        self._view.show(Picture(preview.rows if preview else position.rows(), lit=preview.cells if preview else ()))
        earned = position.score - traced.problem.position.score
        self._hint.text = f"{made} of {len(moves)} moves, {number(earned)} points."

    def _show_findings(self, visible: bool) -> None:
        self._findings.set_visible(visible)
        self._edit_button.visible = self._shown.visible = visible
        self._palette.box.visible = not visible and bool(self._sketch.marks)

    def _set_running(self, running: bool) -> None:
        self._running = running
        self._run_button.set_enabled(not running)
        self._run_button.text = "Searching" if running else "Search"

    async def _show_step(self, step: int) -> None:
        traced = self._traced
        if traced is not None and self._shown.value == _SOLUTION:
            self._show_move(traced, step)
            return
        if traced is None or not 0 <= step < len(traced):
            return
        moment = await asyncio.to_thread(traced.at, step)
        if traced is not self._traced:
            return
        if moment.rows is not None:
            self._view.show(Picture(moment.rows))
        self._findings.go_to(step, moment, traced)


def _seconds_problem(value: object) -> str | None:
    """Return what is wrong with a time limit, to show below its field, or None."""
    if isinstance(value, int | float) and 0 < value <= MOST_SECONDS:
        return None
    return f"More than 0 and at most {MOST_SECONDS:g}, please."


def _number_or(said: str | None, usual: float) -> float:
    """Return the number in an address, or the usual one."""
    try:
        number = float(said or "")
    except ValueError:
        return usual
    return number if 0 <= number < 2**53 else usual
