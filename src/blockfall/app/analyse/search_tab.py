"""Analyse, a search: a board, an algorithm and limits; then the search node by node, forwards and back."""

import asyncio
from html import escape
from typing import Any

from nicegui import ui

from blockfall.app.analyse.shelf import Shelf
from blockfall.app.analyse.sketches import HopelessSketch, TetrisSketch, examples
from blockfall.app.analyse.stepping import Stepper
from blockfall.app.analyse.tracing import MOST_NODES, MOST_SECONDS, Moment, TracedSearch
from blockfall.app.parts import choices, widgets
from blockfall.app.parts.board import HOPELESS_COLOURS, BoardCanvas, Cell, Picture
from blockfall.app.parts.desk import SEARCHES
from blockfall.errors import SettingError
from blockfall.games.hopeless import EMPTY, MOST_COLOURS, HopelessBoard, parse_size, scoring, scorings
from blockfall.games.ist_tetris import COLUMNS, ROWS, IstState
from blockfall.search import HopelessProblem, IstProblem, algorithms

IST = "ist-tetris"
_MOST_PIECES = 40
_FACTS = ("f", "g", "h", "Depth", "Node", "Points", "Open")
_RESULT = ("Points", "Moves", "Expanded", "Generated", "Seconds", "Bytes", "Optimal", "Stopped by")


class SearchTab:
    def __init__(self) -> None:
        self._hopeless = HopelessSketch.read(next(iter(examples()["hopeless"].values())))
        self._tetris = TetrisSketch(COLUMNS, ROWS)
        self._colour = "1"
        self._traced: TracedSearch | None = None
        self._running = False
        with widgets.parts():
            with widgets.panel("", "bf-scene").props('aria-label="Board"'):
                self._hint = ui.label().classes("bf-soft bf-hint")
                self._view = BoardCanvas(
                    self._hopeless.columns, self._hopeless.rows, label="The board", on_cell=self._touch
                )
                self._view.classes("bf-sketch")
                self._palette = ui.element("div").classes("bf-palette").props('role=group aria-label="Colours"')
                self._stepper = Stepper(self._show_step)
                self._edit_button = ui.button("Edit the board", icon="edit", on_click=self._edit).props("flat no-caps")
            with ui.element("div").classes("bf-beside"):
                with widgets.panel("Search", "bf-grow"):
                    self._build_settings()
                with widgets.panel("This node", "bf-half") as self._node_panel:
                    self._facts = widgets.Facts(_FACTS)
                    self._path = ui.label().classes("bf-soft bf-mono bf-wrap").mark("path")
                with widgets.panel("Result", "bf-half") as self._result_panel:
                    self._result = widgets.Facts(_RESULT)
                with widgets.panel("Open list", "bf-grow") as self._open_panel:
                    self._open = ui.html(sanitize=False).classes("bf-why-box")
                with widgets.panel("Board", "bf-grow"):
                    self._build_board_settings()
        self._change_game()

    def _build_settings(self) -> None:
        names = {name: f"{name}: {one.title}" for name, one in algorithms().items()}
        with ui.element("div").classes("bf-choices"):
            self._game = ui.select([*scorings(), IST], label="Game", value="hopeless", on_change=self._change_game)
            self._algorithm = ui.select(names, label="Algorithm", value="a-star").props("options-dense")
            self._heuristic = ui.select([], label="Heuristic", clearable=True)
            self._pieces = ui.input("Pieces, in order", value="ojlti").props(f"maxlength={_MOST_PIECES}")
            self._seconds = ui.number("Seconds at most", value=5, min=0.1, max=MOST_SECONDS)
            self._nodes = ui.number("Nodes at most", value=5_000, min=1, max=MOST_NODES, precision=0)
        self._run_button = ui.button("Search", icon="play_circle", on_click=self._search).props("unelevated no-caps")

    def _build_board_settings(self) -> None:
        with ui.element("div").classes("bf-choices") as self._random:
            self._size = ui.input("Columns x rows", value="6x5").props("maxlength=5")
            self._colours = ui.number("Colours", value=4, min=1, max=MOST_COLOURS, precision=0)
            self._seed = ui.number("Seed", value=1, min=0, max=2**53 - 1, precision=0)
            ui.button("Random board", icon="casino", on_click=self._draw_random).props("flat no-caps")
        ui.button("Clear", icon="layers_clear", on_click=self._clear).props("flat no-caps").classes("self-start")
        with ui.expansion("Paste a board as text", icon="content_paste").classes("w-full"):
            self._text = ui.textarea("The top row first: digits and ., or # and . for ist-tetris")
            self._text.props("autogrow input-class=bf-mono").classes("w-full")
            ui.button("Use this text", on_click=lambda: self._read(self._text.value)).props("flat no-caps")
        self._shelves = {}
        for kind in ("hopeless", "tetris"):
            with ui.element("div") as self._shelves[kind]:
                Shelf(kind, self._read, lambda: str(self._sketch))

    @property
    def _is_ist(self) -> bool:
        return bool(self._game.value == IST)

    @property
    def _sketch(self) -> HopelessSketch | TetrisSketch:
        return self._tetris if self._is_ist else self._hopeless

    def _change_game(self) -> None:
        kind = IstProblem if self._is_ist else HopelessProblem
        self._heuristic.set_options(list(kind.heuristics), value=None if self._is_ist else kind.heuristics[0])
        self._pieces.visible, self._random.visible = self._is_ist, not self._is_ist
        self._shelves["tetris"].visible, self._shelves["hopeless"].visible = self._is_ist, not self._is_ist
        self._build_palette()
        self._edit()

    def _build_palette(self) -> None:
        self._palette.clear()
        with self._palette:
            for colour in [*map(str, range(1, MOST_COLOURS + 1)), EMPTY]:
                name = "Take squares away" if colour == EMPTY else f"Paint colour {colour}"
                button = ui.button(on_click=lambda colour=colour: self._take_colour(colour))
                button.props(f'unelevated aria-label="{name}" aria-pressed={str(colour == self._colour).lower()}')
                if colour == EMPTY:
                    button.props("icon=backspace color=secondary")
                else:
                    button.style(f"background-color: {HOPELESS_COLOURS[colour]} !important").text = colour

    def _take_colour(self, colour: str) -> None:
        self._colour = colour
        self._build_palette()

    def _touch(self, cell: Cell, dragged: bool) -> None:
        if self._running:
            return
        if isinstance(self._sketch, TetrisSketch):
            self._sketch.touch(cell, dragged)
        else:
            self._sketch.paint(cell, self._colour)
        self._edit()

    def _clear(self) -> None:
        self._sketch.clear()
        self._edit()

    def _read(self, text: object) -> None:
        if self._is_ist:
            self._tetris.read(text)
        else:
            self._hopeless = HopelessSketch.read(text)
        self._edit()

    def _draw_random(self) -> None:
        columns, rows = parse_size(str(self._size.value))
        colours = choices.whole(self._colours.value, "the number of colours", 1, MOST_COLOURS)
        seed = choices.whole(self._seed.value, "a seed", 0, 2**53 - 1)
        self._hopeless = HopelessSketch.of(HopelessBoard.random(columns, rows, colours, seed))
        self._edit()

    def _edit(self) -> None:
        """The board to be searched; what was found on another one is gone."""
        self._traced = None
        self._stepper.set_steps(0)
        self._show_findings(False)
        what = "Click or drag to fill and empty cells" if self._is_ist else "Choose a colour, then click or drag"
        self._hint.text = f"{what}; then search."
        if (self._view.columns, self._view.rows) != (self._sketch.columns, self._sketch.rows):
            self._view.set_size(self._sketch.columns, self._sketch.rows)
        self._view.show(Picture(self._sketch.text_rows))

    def _problem(self) -> HopelessProblem | IstProblem:
        if not self._is_ist:
            return HopelessProblem(self._hopeless.board(), scoring(str(self._game.value)), self._heuristic.value)
        start = IstState.start(str(self._pieces.value or ""), str(self._tetris))
        if not 1 <= len(start.pieces) <= _MOST_PIECES:
            raise SettingError(f"1 to {_MOST_PIECES} pieces, such as ojlti")
        return IstProblem(start, heuristic=self._heuristic.value)

    async def _search(self) -> None:
        if self._running:
            return
        problem = self._problem()
        nodes = choices.whole(self._nodes.value, "the limit of nodes", 1, MOST_NODES)
        seconds = self._seconds.value
        if not isinstance(seconds, int | float) or not 0 < seconds <= MOST_SECONDS:
            raise SettingError(f"a search takes more than 0 and at most {MOST_SECONDS:g} seconds")
        self._edit()
        self._set_running(True)
        try:
            self._traced = await SEARCHES.do(
                TracedSearch.run, problem, str(self._algorithm.value), float(seconds), nodes
            )
        finally:
            self._set_running(False)
        self._show_result(self._traced)
        self._show_findings(True)
        self._hint.text = "Step through it; paint to begin anew."
        self._stepper.set_steps(len(self._traced))
        await self._show_step(0)

    def _show_findings(self, visible: bool) -> None:
        for part in (self._node_panel, self._open_panel, self._result_panel, self._edit_button):
            part.visible = visible
        self._palette.visible = not visible and not self._is_ist

    def _set_running(self, running: bool) -> None:
        self._running = running
        self._run_button.set_enabled(not running)
        self._run_button.text = "Searching" if running else "Search"

    async def _show_step(self, step: int) -> None:
        traced = self._traced
        if traced is None or not 0 <= step < len(traced):
            return
        moment = await asyncio.to_thread(traced.at, step)
        if traced is not self._traced:
            return
        if moment.rows is not None:
            self._view.show(Picture(moment.rows))
        node = moment.expansion
        self._facts.show(
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
        self._path.text = _way(moment)
        self._open.content = _open_table(moment)

    def _show_result(self, traced: TracedSearch) -> None:
        found = traced.solution
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


def _number(value: float) -> str:
    return f"{value:,.10g}"


def _way(moment: Moment) -> str:
    if moment.path is None:
        return "The way to this node is not in the trace."
    if not moment.path:
        return "The root."
    return "From the root: " + "  ".join(_move(move) for move in moment.path)


def _move(move: Any) -> str:
    return ",".join(str(part) for part in move) if isinstance(move, tuple) else str(move)


def _open_table(moment: Moment) -> str:
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
