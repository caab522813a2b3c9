"""The board on a canvas: one component for all games, to look at, to point at and to paint on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nicegui import ui
from nicegui.events import GenericEventArguments

from blockfall.games.pieces import COLOURS
from blockfall.games.protocol import Cell

SETTLED = "#"
"""A filled cell whose piece nobody knows."""
COLOUR_MARKS = {
    "1": "#d5504b",
    "2": "#4a6fd0",
    "3": "#e3b62b",
    "4": "#5aa846",
    "5": "#a25cc5",
    "6": "#35b8d6",
    "7": "#e08a33",
    "8": "#8a6d5a",
    "9": "#d66fa5",
    "0": "#7c8596",
}
"""The colours of marks that are digits."""


@dataclass(frozen=True)
class Picture:
    """What a board shows."""

    rows: Sequence[str]
    """The top row first: letters of pieces, digits of colours, `#` for settled cells, `.` for empty ones."""
    falling: Iterable[Cell] = ()
    mark: str = SETTLED
    """Of the falling cells."""
    ghost: Iterable[Cell] = ()
    """Where they will land."""
    lit: Iterable[Cell] = ()
    """Cells under the pointer, or pointed out."""
    heat: Sequence[float | None] = ()
    """By column, how good it is to land there, from 0 to 1; None where nothing can."""
    cleared: Iterable[int] = ()
    """Rows that went with the last move, the floor being 0: they flash."""
    sound: str = ""
    """lock, clear or over."""

    def as_json(self) -> dict[str, object]:
        """Gives the parts that are not empty, as the canvas takes them."""
        parts = {
            "rows": list(self.rows),
            "falling": list(self.falling),
            "mark": self.mark,
            "ghost": list(self.ghost),
            "lit": list(self.lit),
            "heat": list(self.heat),
            "cleared": list(self.cleared),
            "sound": self.sound,
        }
        return {name: part for name, part in parts.items() if part}


class BoardCanvas(ui.element, component="board.js"):
    """Shows pictures of one size. `on_cell` makes it a thing to click, drag and reach with the arrow keys."""

    def __init__(
        self,
        columns: int,
        rows: int,
        *,
        label: str,
        on_cell: Callable[[Cell, bool], object] | None = None,
        on_hover: Callable[[Cell | None], None] | None = None,
        on_turn: Callable[[], None] | None = None,
        skyline: int | None = None,
    ) -> None:
        """`on_cell` hears a cell and whether the pointer was dragged there; `on_hover` the cell pointed at, or None;
        `on_turn` the key R and the right mouse button.

        Rows from `skyline` up are drawn as no part of the board: pieces appear there.
        """
        super().__init__()
        self.props.update(
            {
                "columns": columns,
                "rows": rows,
                "label": label,
                "palette": COLOURS | COLOUR_MARKS,
                "reachable": on_cell is not None,
            }
        )
        self.props.set_optional("skyline", skyline)
        self.columns, self.rows = columns, rows
        self._shown: Picture | None = None
        self.on("ready", self._show_again)
        if on_cell:
            self.on("cell", lambda event: self._hear(event, on_cell))
        if on_hover:
            self.on("hover", lambda event: on_hover(self._cell(event)))
        if on_turn:
            self.on("turn", on_turn)

    def show(self, picture: Picture) -> None:
        """Draws a picture."""
        self._shown = picture
        self.run_method("show", picture.as_json())

    def _show_again(self) -> None:
        """What was shown before there was a canvas, as on a tab that had not been opened yet."""
        if self._shown is not None:
            self.show(self._shown)

    def set_size(self, columns: int, rows: int) -> None:
        """Changes the number of cells."""
        self.columns, self.rows = columns, rows
        self.props.update({"columns": columns, "rows": rows})

    def set_habits(
        self, *, animated: bool | None = None, sounds: bool | None = None, symbols: bool | None = None
    ) -> None:
        """Switches animation, sounds, and a symbol on each colour for those who cannot tell colours apart."""
        changes = {"animated": animated, "sounds": sounds, "symbols": symbols}
        self.props.update({name: value for name, value in changes.items() if value is not None})

    def _hear(self, event: GenericEventArguments, on_cell: Callable[[Cell, bool], object]) -> object:
        cell = self._cell(event)
        return None if cell is None else on_cell(cell, bool(event.args.get("dragged")))

    def _cell(self, event: GenericEventArguments) -> Cell | None:
        """The event's cell, if it is one: browsers are not trusted."""
        said = event.args if isinstance(event.args, dict) else {}
        column, row = said.get("column"), said.get("row")
        if isinstance(column, int) and isinstance(row, int) and 0 <= column < self.columns and 0 <= row < self.rows:
            return column, row
        return None
