"""The element that draws the tree of a search."""

from collections.abc import Callable, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments

from blockfall.app.parts.layout import DrawnNode


class SearchTree(ui.element, component="tree.js"):
    """A tree of the nodes expanded up to a step. A click on a node passes its step to `on_step`."""

    def __init__(self, on_step: Callable[[int], None]) -> None:
        super().__init__()
        self._nodes: list[list[float | int]] = []
        self._step = 0
        self.on("ready", self._show_again)
        self.on("step", lambda event: self._hear(event, on_step))

    def show(self, nodes: Sequence[DrawnNode]) -> None:
        """Draw a tree, up to its first step."""
        self._nodes = [[node.across, node.depth, -1 if node.parent is None else node.parent] for node in nodes]
        self._step = 0
        self._show_again()

    def go_to(self, step: int) -> None:
        """Draw the tree up to this step."""
        self._step = step
        self.run_method("go", step)

    def _show_again(self) -> None:
        self.run_method("show", self._nodes, self._step)

    def _hear(self, event: GenericEventArguments, on_step: Callable[[int], None]) -> None:
        step = event.args
        if isinstance(step, int) and 0 <= step < len(self._nodes):
            on_step(step)
