"""The board on a canvas: one component for all games, to show, point at and paint."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nicegui import ui
from nicegui.events import GenericEventArguments

from blockfall.games.pieces import COLOURS
from blockfall.games.protocol import Cell

SETTLED = "#"
"""A filled cell of unknown piece."""
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
"""The colours of digit marks."""


@dataclass(frozen=True)
class Picture:
    """The contents of a board."""

    rows: Sequence[str]
    """The top row first: letters of pieces, digits of colours, `#` for settled cells, `.` for empty ones."""
    falling: Iterable[Cell] = ()
    mark: str = SETTLED
    """The mark of the falling cells."""
    ghost: Iterable[Cell] = ()
    """The cells where they will land."""
    lit: Iterable[Cell] = ()
    """Cells under the pointer, or highlighted."""
    heat: Sequence[float | None] = ()
    """The worth of landing in each column, from 0 to 1; None if impossible."""
    cleared: Iterable[int] = ()
    """Rows cleared by the last move, the floor being 0: they flash."""
    sound: str = ""
    """lock, clear or over."""

    def as_json(self) -> dict[str, object]:
        """Return the non-empty parts in the canvas's form."""
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
    """A canvas for pictures of one size. With `on_cell` it takes clicks, drags and the arrow keys."""

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
        """`on_cell` gets a cell and whether the pointer was dragged there; `on_hover` the cell pointed at, or None;
        `on_turn` reacts to the key R and the right mouse button.

        Rows from `skyline` up, where pieces appear, are drawn as outside the board.
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
        """Draw a picture."""
        self._shown = picture
        self.run_method("show", picture.as_json())

    def _show_again(self) -> None:
        """Show the last picture again once there is a canvas, as on a tab just opened."""
        if self._shown is not None:
            self.show(self._shown)

    def set_size(self, columns: int, rows: int) -> None:
        """Change the number of cells."""
        self.columns, self.rows = columns, rows
        self.props.update({"columns": columns, "rows": rows})

    def set_habits(
        self, *, animated: bool | None = None, sounds: bool | None = None, symbols: bool | None = None
    ) -> None:
        """Switch animation, sounds, and symbols for those who cannot tell colours apart."""
        changes = {"animated": animated, "sounds": sounds, "symbols": symbols}
        self.props.update({name: value for name, value in changes.items() if value is not None})

    def _hear(self, event: GenericEventArguments, on_cell: Callable[[Cell, bool], object]) -> object:
        cell = self._cell(event)
        return None if cell is None else on_cell(cell, bool(event.args.get("dragged")))

    def _cell(self, event: GenericEventArguments) -> Cell | None:
        """The event's cell, if valid: browsers are not trusted."""
        said = event.args if isinstance(event.args, dict) else {}
        column, row = said.get("column"), said.get("row")
        if isinstance(column, int) and isinstance(row, int) and 0 <= column < self.columns and 0 <= row < self.rows:
            return column, row
        return None
