"""The tour on a first visit: a few steps, each about a part of the page. It is shown only once."""

from collections.abc import Sequence

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.choices import Kept

TourStep = tuple[ui.element, str, str]
"""The part of the page, a title, and a sentence or two."""


class Tour:
    """A small panel at the bottom of the screen. The part it describes is outlined."""

    def __init__(self, steps: Sequence[TourStep]) -> None:
        self._steps, self._kept, self._at = steps, Kept("tour"), 0
        if self._kept.flag("seen", usual=False):
            return
        with ui.element("section").classes("bf-panel bf-tour").props('aria-label="Tour"') as self._box:
            self._count = ui.label().classes("bf-fact-name")
            self._title = ui.label().classes("text-lg font-bold").props("role=status")
            self._text = ui.label().classes("bf-soft")
            with ui.row().classes("gap-2 justify-end"):
                ui.button("Skip", on_click=self._end).props("flat no-caps")
                self._next = ui.button("Next", on_click=self._go_on).props("unelevated no-caps")
        self._show()

    def _show(self) -> None:
        for at, (part, _, _) in enumerate(self._steps):
            part.classes(add="bf-tour-here") if at == self._at else part.classes(remove="bf-tour-here")
        _, self._title.text, self._text.text = self._steps[self._at]
        self._count.text = f"Step {self._at + 1} of {len(self._steps)}"
        self._next.text = "Done" if self._at + 1 == len(self._steps) else "Next"

    def _go_on(self) -> None:
        self._at += 1
        if self._at == len(self._steps):
            self._end()
        else:
            self._show()
            widgets.bring_into_view(self._steps[self._at][0])

    def _end(self) -> None:
        self._kept["seen"] = True
        self._box.delete()
        for part, _, _ in self._steps:
            part.classes(remove="bf-tour-here")
