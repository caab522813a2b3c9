"""The panels about a search: its tree, the current node, the result and the open list."""

from collections.abc import Callable
from html import escape

from nicegui import ui

from blockfall.app.analyse.small_boards import way
from blockfall.app.analyse.tree import SearchTree
from blockfall.app.parts import widgets
from blockfall.app.parts.layout import layout
from blockfall.search import GameProblem, Solution, TracedSearch
from blockfall.search.tracing import Moment

_NODE = ("f", "g", "h", "Depth", "Node", "Points", "Open")
_RESULT = ("Points", "Moves", "Expanded", "Generated", "Seconds", "Bytes", "Optimal", "Stopped by")


class FindingsPanels:
    """The panels of one search. A click on a node passes its step to `on_step`."""

    def __init__(self, on_step: Callable[[int], None], on_play: Callable[[], None]) -> None:
        with widgets.panel("Tree", "bf-grow") as self._tree_panel:
            self._tree = SearchTree(on_step)
            self._tree_note = ui.label().classes("bf-soft bf-note")
        with widgets.panel("This node", "bf-half") as self._node_panel:
            self._node = widgets.Numbers(_NODE)
            self._path = ui.html(sanitize=False).classes("bf-way-box").mark("path")
        with widgets.panel("Result", "bf-half") as self._result_panel:
            self._result = widgets.Numbers(_RESULT)
            self._result_note = ui.label().classes("bf-soft bf-note").props("role=status")
            self._play = ui.button("Play the solution", icon="play_arrow", on_click=on_play).props("outline no-caps")
        with widgets.panel("Open list", "bf-grow") as self._open_panel:
            self._open = ui.html(sanitize=False).classes("bf-why-box")

    def set_visible(self, visible: bool) -> None:
        """Show or hide all panels."""
        for panel in (self._tree_panel, self._node_panel, self._open_panel, self._result_panel):
            panel.visible = visible

    def clear(self) -> None:
        """Empty the panels, which keep their places."""
        self._result.show(dict.fromkeys(_RESULT, "-"))
        self._node.show(dict.fromkeys(_NODE, "-"))

    def show(self, traced: TracedSearch[GameProblem]) -> None:
        """Show the result and the tree of a search."""
        self.set_visible(True)
        self._show_result(traced.solution)
        expanded = len(traced) > 0
        self._node_panel.visible = self._open_panel.visible = expanded
        drawn = layout(traced.parents)
        self._tree.show(drawn)
        note = "Click a node to go there. The path from the root is bright." if expanded else "No node was expanded."
        if len(traced) > len(drawn):
            note += f" The tree shows the first {len(drawn):,} nodes."
        self._tree_note.text = note

    def _show_result(self, found: Solution) -> None:
        self._play.set_enabled(bool(found.moves))
        self._result.show(
            {
                "Points": "none" if found.points is None else number(found.points),
                "Moves": len(found.moves),
                "Expanded": found.nodes_expanded,
                "Generated": found.nodes_generated,
                "Seconds": f"{found.seconds:.3f}",
                "Bytes": found.peak_bytes,
                "Optimal": "yes" if found.optimal else "not proved",
                "Stopped by": found.stopped_by,
            }
        )
        note = "A limit came before any solution. This one is a greedy search's." if found.fallback else ""
        self._result_note.text = note

    def go_to(self, step: int, moment: Moment, traced: TracedSearch[GameProblem]) -> None:
        """Show a step of the search."""
        node = moment.expansion
        self._node.show(
            {
                "f": number(node.f),
                "g": number(node.g),
                "h": number(node.h),
                "Depth": node.depth,
                "Node": node.node,
                "Points": "-" if moment.points is None else number(moment.points),
                "Open": "-" if moment.open is None else moment.open_count,
            }
        )
        self._tree.go_to(step)
        self._path.content = _path(traced, moment)
        self._open.content = _open_list(moment)


def number(value: float) -> str:
    """Write a number of points or of a heuristic."""
    return f"{value:,.10g}"


def _path(traced: TracedSearch[GameProblem], moment: Moment) -> str:
    if moment.path is None:
        return '<p class="bf-soft">The trace does not contain the path to this node.</p>'
    if not moment.path:
        return '<p class="bf-soft">The root.</p>'
    return way(traced.problem.position, moment.path)


def _open_list(moment: Moment) -> str:
    if moment.open is None:
        return '<p class="bf-soft">This algorithm keeps no open list.</p>'
    if not moment.open:
        return '<p class="bf-soft">The open list is empty.</p>'
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("node", "f", "g", "h", "depth", ""))
    rows = "".join(
        f'<tr><th scope="row">{one.node}</th><td>{number(one.f)}</td><td>{number(one.g)}</td>'
        f"<td>{number(one.h)}</td><td>{one.depth}</td><td>{'next' if one.next else ''}</td></tr>"
        for one in moment.open
    )
    more = moment.open_count - len(moment.open)
    rest = f'<p class="bf-soft">and {more:,} more</p>' if more else ""
    return f'<table class="bf-why bf-open"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{rest}'
