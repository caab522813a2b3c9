"""The buttons that choose the colour to paint a board with."""

from collections.abc import Sequence

from nicegui import ui

from blockfall.app.parts.board import COLOUR_MARKS
from blockfall.games.board import EMPTY

_DARK_MARKS = "28"  # white is easier to read on these than black


class Palette:
    """One button per mark; `colour` is the chosen mark."""

    def __init__(self) -> None:
        self.box = ui.element("div").classes("bf-palette").props('role=group aria-label="Colours"')
        self.colour = EMPTY
        self._marks: Sequence[str] = ()

    def offer(self, marks: Sequence[str]) -> None:
        """Offer these marks, and choose the first."""
        self._marks = marks
        self._take((*marks, EMPTY)[0])

    def _take(self, colour: str) -> None:
        self.colour = colour
        self.box.clear()
        with self.box:
            for mark in self._marks:
                self._build(mark)

    def _build(self, mark: str) -> None:
        name = "Remove squares" if mark == EMPTY else f"Paint colour {mark}"
        button = ui.button(on_click=lambda: self._take(mark))
        button.props(f'unelevated aria-label="{name}" aria-pressed={str(mark == self.colour).lower()}')
        if mark == EMPTY:
            button.props("icon=backspace color=secondary")
        else:
            button.style(f"background-color: {COLOUR_MARKS[mark]} !important").text = mark
            button.props(f"text-color={'white' if mark in _DARK_MARKS else 'black'}")
        if mark == self.colour:
            with button:
                ui.badge("✓", color="dark").props("floating aria-hidden=true")
