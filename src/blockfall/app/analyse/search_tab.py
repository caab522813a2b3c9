"""Analyse, a search: a board, an algorithm and limits; then the search node by node, forwards and back."""

import asyncio
from contextlib import suppress
from html import escape

from nicegui import ui

from blockfall.app.analyse.contest import CONTEST_SECONDS, Entry, contestants, enter
from blockfall.app.analyse.contest import chart as contest_chart
from blockfall.app.analyse.shelf import Shelf
from blockfall.app.analyse.sketches import FixedSketch, Sketch, checked_text, examples, sketch_of
from blockfall.app.analyse.small_boards import way
from blockfall.app.analyse.stepping import Stepper
from blockfall.app.analyse.tree import SearchTree
from blockfall.app.parts import choices, menus, widgets
from blockfall.app.parts.address import Address, board_from_address, board_in_address
from blockfall.app.parts.board import COLOUR_MARKS, BoardCanvas, Picture
from blockfall.app.parts.desk import SEARCHES
from blockfall.app.parts.layout import layout
from blockfall.app.parts.options import OptionsForm
from blockfall.errors import BlockfallError
from blockfall.games import GameKind, Position, game, game_names
from blockfall.games.board import EMPTY
from blockfall.games.protocol import Cell
from blockfall.plugins import in_one_line
from blockfall.search import GameProblem, SearchSettings, TracedSearch, algorithms, problem_of
from blockfall.search.tracing import Moment

_GAME = "hopeless"
MOST_SECONDS = 10.0
MOST_NODES = 20_000
_MEMORY_BYTES = 512 << 20
_DARK_MARKS = "28"  # on these white is easier to read than black
_SEARCH, _SOLUTION = "search", "solution"
_FACTS = ("f", "g", "h", "Depth", "Node", "Points", "Open")
_RESULT = ("Points", "Moves", "Expanded", "Generated", "Seconds", "Bytes", "Optimal", "Stopped by")


class SearchTab:
    """One visitor's search."""

    def __init__(self, address: Address | None) -> None:
        """`address` is None while the address tells of another tab."""
        self.address = address
        self._asked = dict(address.said) if address else {}
        self._colour = "1"
        self._traced: TracedSearch[GameProblem] | None = None
        self._running = self._comparing = False
        self._sketch: Sketch = FixedSketch([EMPTY])  # until a game has given its own
        with widgets.parts():
            with widgets.panel("", "bf-scene").props('aria-label="Board"'):
                self._hint = ui.label().classes("bf-soft bf-hint")
                self._view = BoardCanvas(1, 1, label="The board", on_cell=self._touch)
                self._view.classes("bf-sketch")
                self._palette = ui.element("div").classes("bf-palette").props('role=group aria-label="Colours"')
                self._shown = ui.toggle(
                    {_SEARCH: "The search", _SOLUTION: "The solution"}, value=_SEARCH, on_change=self._change_view
                )
                self._shown.props('no-caps unelevated dense aria-label="Shown"').classes("self-center bf-shown")
                self._stepper = Stepper(self._show_step)
                self._edit_button = ui.button("Edit the board", icon="edit", on_click=self._edit).props("flat no-caps")
            with ui.element("div").classes("bf-beside"):
                with widgets.panel("Search", "bf-grow"):
                    self._build_settings()
                with widgets.panel("Tree", "bf-grow") as self._tree_panel:
                    self._tree = SearchTree(self._go_to)
                    self._tree_note = ui.label().classes("bf-soft bf-note")
                with widgets.panel("This node", "bf-half") as self._node_panel:
                    self._numbers = widgets.Numbers(_FACTS)
                    self._path = ui.html(sanitize=False).classes("bf-way-box").mark("path")
                with widgets.panel("Result", "bf-half") as self._result_panel:
                    self._result = widgets.Numbers(_RESULT)
                    self._result_note = ui.label().classes("bf-soft bf-note").props("role=status")
                    self._play_button = ui.button("Play the solution", icon="play_arrow", on_click=self._play_solution)
                    self._play_button.props("outline no-caps")
                with widgets.panel("Open list", "bf-grow") as self._open_panel:
                    self._open = ui.html(sanitize=False).classes("bf-why-box")
                with widgets.panel("Algorithms compared", "bf-grow"):
                    self._build_contest()
                with widgets.panel("Board", "bf-grow"):
                    self._build_board_settings()
        self._change_game()
        self._read_address()

    def in_address(self) -> dict[str, object]:
        """The board and the search as the address says them."""
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
        """Shows the board that the address asks for, and searches it again if it had been searched."""
        asked, self._asked = self._asked, {}
        if asked.get("board") and self._kind.reads_boards:
            try:
                self._read(board_from_address(asked["board"]))
            except BlockfallError as error:
                self._hint.text = f"The board of this link cannot be shown: {error}."
                return
        if asked.get("searched"):
            self._show_findings(True)  # their places, so that nothing jumps when they come
            ui.timer(0, self._search, once=True)

    def _note(self) -> None:
        if self.address and not self._asked:
            with suppress(BlockfallError):  # a field is being typed
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
                self._text = ui.textarea("The top row first: digits and ., or # and . for Tetris")
                self._text.props("autogrow input-class=bf-mono").classes("w-full")
                ui.button("Use this text", on_click=self._read_text).props("flat no-caps")
            self._shelf_box = ui.element("div")

    def _build_contest(self) -> None:
        ui.label(
            f"Every algorithm searches this board, up to {CONTEST_SECONDS:g} s each and as many nodes as above."
        ).classes("bf-soft text-sm")
        self._contest_button = ui.button("Compare the algorithms", icon="leaderboard", on_click=self._compare)
        self._contest_button.props("outline no-caps")
        self._contest_trouble = widgets.trouble()
        self._contest = ui.html(sanitize=False).classes("w-full").mark("contest")

    async def _compare(self) -> None:
        if self._comparing or not self._fields_hold():
            return
        with widgets.said_at(self._contest_trouble):
            await self._hold_contest(self._problem())

    async def _hold_contest(self, problem: GameProblem) -> None:
        nodes = choices.whole(self._nodes.value, "the limit of nodes", 1, MOST_NODES)
        sketch, entries, refused = str(self._sketch), list[Entry](), list[str]()
        self._comparing = True
        self._contest_button.props("loading")
        try:
            for algorithm in contestants():
                try:
                    with in_one_line():
                        entries.append(await SEARCHES.do(enter, problem, algorithm, nodes))
                except BlockfallError as error:
                    refused.append(f"{algorithm}: {error}")
                if sketch != str(self._sketch):
                    break
                notes = "".join(f'<p class="bf-soft bf-note">{escape(text)}</p>' for text in refused)
                self._contest.content = contest_chart(entries) + notes
        finally:
            self._comparing = False
            self._contest_button.props(remove="loading")

    @property
    def _kind(self) -> GameKind:
        return game(str(self._game.value))

    def _fields_hold(self) -> bool:
        """Whether every field of a search holds what is allowed. Those that do not say so below them."""
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
        self._colour = (*self._sketch.marks, EMPTY)[0]
        self._build_palette()
        self._edit()

    def _build_palette(self) -> None:
        self._palette.clear()
        with self._palette:
            for mark in self._sketch.marks:
                name = "Take squares away" if mark == EMPTY else f"Paint colour {mark}"
                button = ui.button(on_click=lambda mark=mark: self._take_colour(mark))
                button.props(f'unelevated aria-label="{name}" aria-pressed={str(mark == self._colour).lower()}')
                if mark == EMPTY:
                    button.props("icon=backspace color=secondary")
                else:
                    button.style(f"background-color: {COLOUR_MARKS[mark]} !important").text = mark
                    button.props(f"text-color={'white' if mark in _DARK_MARKS else 'black'}")
                if mark == self._colour:
                    with button:
                        ui.badge("✓", color="dark").props("floating aria-hidden=true")

    def _take_colour(self, colour: str) -> None:
        self._colour = colour
        self._build_palette()

    def _touch(self, cell: Cell, dragged: bool) -> None:
        if self._running or not self._sketch.paintable:
            return
        self._sketch.touch(cell, dragged, self._colour)
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
        """Shows the board to be searched; what was found on another one is gone."""
        self._forget()
        self._show_findings(False)

    def _forget(self) -> None:
        """Shows the board without what was found. The findings keep their places."""
        self._traced = None
        self._contest.content = ""
        self._search_trouble.text = self._contest_trouble.text = ""
        self._stepper.set_steps(0)
        self._result.show(dict.fromkeys(_RESULT, "-"))
        self._numbers.show(dict.fromkeys(_FACTS, "-"))
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
        nodes = choices.whole(self._nodes.value, "the limit of nodes", 1, MOST_NODES)
        self._forget()
        self._set_running(True)
        try:
            limits = SearchSettings(time_limit_s=seconds, node_limit=nodes, memory_limit_bytes=_MEMORY_BYTES)
            self._traced = await SEARCHES.do(TracedSearch.run, problem, str(self._algorithm.value), limits)
        finally:
            self._set_running(False)
        self._show_result(self._traced)
        self._show_findings(True)
        self._note()
        expanded = len(self._traced) > 0
        self._node_panel.visible = self._open_panel.visible = expanded
        self._hint.text = f"{'Step through it, or edit' if expanded else 'Edit'} the board to begin anew."
        drawn = layout(self._traced.parents)
        self._tree.show(drawn)
        way = "Click a node to go there. Its way from the root is bright."
        self._tree_note.text = way if expanded else "No node was expanded."
        if len(self._traced) > len(drawn):
            self._tree_note.text += f" The tree shows the first {len(drawn):,} nodes."
        self._shown.value = _SEARCH
        self._stepper.set_steps(len(self._traced))
        await self._show_step(0)

    def _go_to(self, step: int) -> None:
        self._shown.value = _SEARCH
        self._stepper.go(step)

    def _change_view(self) -> None:
        """The search node by node, or the solution move by move."""
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

    def _show_move(self, traced: TracedSearch[GameProblem], number: int) -> None:
        """The solution's board after so many moves, with the next move lit."""
        moves, position = traced.solution.moves, traced.problem.position
        for move in moves[:number]:
            position = position.apply(move)
        preview = position.preview(moves[number]) if number < len(moves) else None
        self._view.show(Picture(preview.rows if preview else position.rows(), lit=preview.cells if preview else ()))
        earned = position.score - traced.problem.position.score
        self._hint.text = f"{number} of {len(moves)} moves, {_number(earned)} points."

    def _show_findings(self, visible: bool) -> None:
        for part in (self._tree_panel, self._node_panel, self._open_panel, self._result_panel, self._edit_button):
            part.visible = visible
        self._shown.visible = visible
        self._palette.visible = not visible and bool(self._sketch.marks)

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
        node = moment.expansion
        self._numbers.show(
            {
                "f": _number(node.f),
                "g": _number(node.g),
                "h": _number(node.h),
                "Depth": node.depth,
                "Node": node.node,
                "Points": "-" if moment.points is None else _number(moment.points),
                "Open": "-" if moment.open is None else moment.open_count,
            }
        )
        self._tree.go_to(step)
        self._path.content = _way(traced, moment)
        self._open.content = _open_list(moment)

    def _show_result(self, traced: TracedSearch[GameProblem]) -> None:
        found = traced.solution
        self._play_button.set_enabled(bool(found.moves))
        self._result.show(
            {
                "Points": "none" if found.points is None else _number(found.points),
                "Moves": len(found.moves),
                "Expanded": found.nodes_expanded,
                "Generated": found.nodes_generated,
                "Seconds": f"{found.seconds:.3f}",
                "Bytes": found.peak_bytes,
                "Optimal": "yes" if found.optimal else "not proved",
                "Stopped by": found.stopped_by,
            }
        )
        self._result_note.text = "A limit came first. This is the greedy way out." if found.fallback else ""


def _seconds_problem(value: object) -> str | None:
    """What is wrong with a limit of time, to be said below its field. None where nothing is."""
    if isinstance(value, int | float) and 0 < value <= MOST_SECONDS:
        return None
    return f"More than 0 and at most {MOST_SECONDS:g}, please."


def _number_or(said: str | None, usual: float) -> float:
    """The number in an address, or the usual one."""
    try:
        number = float(said or "")
    except ValueError:
        return usual
    return number if 0 <= number < 2**53 else usual


def _number(value: float) -> str:
    return f"{value:,.10g}"


def _way(traced: TracedSearch[GameProblem], moment: Moment) -> str:
    if moment.path is None:
        return '<p class="bf-soft">The way to this node is not in the trace.</p>'
    if not moment.path:
        return '<p class="bf-soft">The root.</p>'
    return way(traced.problem.position, moment.path)


def _open_list(moment: Moment) -> str:
    if moment.open is None:
        return '<p class="bf-soft">This algorithm keeps no list of open nodes.</p>'
    if not moment.open:
        return '<p class="bf-soft">Nothing is open.</p>'
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("node", "f", "g", "h", "depth", ""))
    rows = "".join(
        f'<tr><th scope="row">{one.node}</th><td>{_number(one.f)}</td><td>{_number(one.g)}</td>'
        f"<td>{_number(one.h)}</td><td>{one.depth}</td><td>{'next' if one.next else ''}</td></tr>"
        for one in moment.open
    )
    more = moment.open_count - len(moment.open)
    rest = f'<p class="bf-soft">and {more:,} more</p>' if more else ""
    return f'<table class="bf-why bf-open"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{rest}'
