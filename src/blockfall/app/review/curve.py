"""The evaluation curve of a game, to click. It is drawn without the chart library, which is large to load."""

from collections.abc import Callable, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments


class Curve(ui.element, component="curve.js"):
    """Shows a value per placement; mistakes and blunders are dots."""

    def __init__(self, on_choose: Callable[[int], object]) -> None:
        """`on_choose` hears the number of a placement, from 0."""
        super().__init__()
        self.props.update({"values": [], "grades": [], "at": 0, "label": "The value of every position"})
        self._choose = on_choose
        self.on("choose", self._hear)

    def show(self, values: Sequence[float | None], grades: Sequence[str]) -> None:
        """Shows other values."""
        self.props.update({"values": list(values), "grades": list(grades)})

    def go_to(self, at: int) -> None:
        """Marks a placement."""
        self.props["at"] = at

    def _hear(self, event: GenericEventArguments) -> object:
        """Browsers are not trusted."""
        said = event.args
        return self._choose(said) if isinstance(said, int) and 0 <= said < len(self.props["values"]) else None
