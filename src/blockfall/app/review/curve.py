"""A game's curve of values, to click. It is drawn without the chart library, which is large to load."""

from collections.abc import Callable, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments


class Curve(ui.element, component="curve.js"):
    """A curve with one value per placement. Mistakes and blunders are dots."""

    def __init__(self, on_choose: Callable[[int], object]) -> None:
        """`on_choose` gets the number of a placement, from 0."""
        super().__init__()
        self.props.update({"values": [], "grades": [], "at": 0, "label": "The value of every position"})
        self._choose = on_choose
        self.on("choose", self._hear)

    def show(self, values: Sequence[float | None], grades: Sequence[str]) -> None:
        """Show these values."""
        self.props.update({"values": list(values), "grades": list(grades)})

    def go_to(self, at: int) -> None:
        """Mark a placement."""
        self.props["at"] = at

    def _hear(self, event: GenericEventArguments) -> object:
        said = event.args  # from a browser: check it
        return self._choose(said) if isinstance(said, int) and 0 <= said < len(self.props["values"]) else None
