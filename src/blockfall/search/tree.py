"""The tree of a search as an SVG: the paths tried, in order, with the solution among them."""

from dataclasses import dataclass, field
from html import escape
from typing import Any

from blockfall.games.protocol import action_in_words
from blockfall.search.tracing import TracedSearch

MOST_NODES = 150
"""The most nodes of a drawn tree: the first expanded ones. The solution's come in addition."""
_DOWN, _RADIUS, _MARGIN, _HEAD = 52, 13, 24, 34
_NAMED = 60  # larger trees show neither actions nor f, and their nodes are closer
_WIDE, _CLOSE, _LETTER = 66, 34, 5.5
_COLOURS = {"tried": "#dbe7f5", "way": "#f2c078", "goal": "#7fbf8e"}
_FONT = "font-family='sans-serif' text-anchor='middle'"


@dataclass
class _Node:
    """A path from the root, or back from a goal."""

    action: Any = None
    step: int | None = None
    """The step at which it was first expanded; None if never."""
    count: int = 0
    kind: str = "tried"
    children: dict[Any, "_Node"] = field(default_factory=dict)
    x: float = 0.0
    depth: int = 0


def tree_svg(traced: TracedSearch[Any], most: int = MOST_NODES) -> str:
    """Draw the tree. A node shows the number of its expansion, and how often it was expanded if more than once."""
    roots, drawn, left_out = _forest(traced, most)
    places = [node for root in roots for node in _laid_out(root)]
    named = len(places) <= _NAMED
    longest = max(len(_beside(traced, node)) for node in places)
    across = max(_WIDE, 2 * _RADIUS + 10 + _LETTER * longest) if named else _CLOSE
    _spread(roots, across)
    width = max(380, max(node.x for node in places) + across)
    height = _HEAD + _MARGIN + _DOWN * max(node.depth for node in places) + 2 * _RADIUS + _MARGIN
    found = traced.solution
    said = f"{found.algorithm}: {found.nodes_expanded:,} nodes expanded"
    if found.points is not None:
        said += f", {found.points:,} points{', proved' if found.optimal else ''}"
    if left_out:
        said += f" (the first {drawn:,} are drawn)"
    parts = [f"<text x='{_MARGIN}' y='22' font-family='sans-serif' font-size='13' fill='#374151'>{escape(said)}</text>"]
    for node in places:
        parts += [_edge(node, child, named) for child in node.children.values()]
    parts += [_circle(traced, node, named) for node in places]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
        f"viewBox='0 0 {width:.0f} {height:.0f}'><rect width='100%' height='100%' fill='#ffffff'/>"
        f"{''.join(parts)}</svg>\n"
    )


def _forest(traced: TracedSearch[Any], most: int) -> tuple[list[_Node], int, bool]:
    """Return the trees of the trace: the start's, and one for each goal from which a search went back."""
    trace = traced.solution.trace
    root = _Node()
    back: dict[int, _Node] = {}
    at_step: list[_Node | None] = []
    count, left_out = 0, False
    for step, one in enumerate(trace):
        parent = None if one.parent is None else traced.parents[step]
        if one.parent is None:
            node = back.setdefault(one.node, _Node()) if one.backward else root
        elif parent is None or at_step[parent] is None:
            at_step.append(None)
            continue
        else:
            above = at_step[parent]
            assert above
            key = _key(one.action)
            if key not in above.children and count >= most:
                left_out = True
                at_step.append(None)
                continue
            node = above.children.setdefault(key, _Node(one.action))
        count += node.step is None
        node.step = step if node.step is None else node.step
        node.count += 1
        at_step.append(node)
    node = root
    for move in traced.solution.moves if not traced.solution.fallback else ():
        node.kind = "way"
        node = node.children.setdefault(_key(move), _Node(move))
    node.kind = "goal" if traced.solution.points is not None else node.kind
    return [root, *back.values()], count, left_out


def _key(action: Any) -> Any:
    try:
        hash(action)
    except TypeError:
        return repr(action)
    return action


def _laid_out(root: _Node) -> list[_Node]:
    """Return the nodes of a tree from the root down, and set their depths."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        found.append(node)
        for child in reversed(node.children.values()):
            child.depth = node.depth + 1
            waiting.append(child)
    return found


def _spread(roots: list[_Node], across: float) -> None:
    """Place leaves side by side, and every other node above the middle of its children."""
    at = float(_MARGIN + _RADIUS)
    for root in roots:
        order = _laid_out(root)
        for node in order:
            if not node.children:
                node.x = at
                at += across
        for node in reversed(order):
            if node.children:
                kids = list(node.children.values())
                node.x = (kids[0].x + kids[-1].x) / 2
        at += across


def _y(node: _Node) -> float:
    return _HEAD + _MARGIN + _RADIUS + node.depth * _DOWN


def _edge(node: _Node, child: _Node, named: bool) -> str:
    solved = node.kind == "way" and child.kind in ("way", "goal")
    colour, wide = ("#c98a2b", 3) if solved else ("#9aa5b1", 1.2)
    x1, y1, x2, y2 = node.x, _y(node) + _RADIUS, child.x, _y(child) - _RADIUS
    edge = f"<path d='M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}' stroke='{colour}' stroke-width='{wide}' fill='none'/>"
    if named:
        said = escape(action_in_words(child.action))
        x, y = x1 + 0.62 * (x2 - x1), y1 + 0.62 * (y2 - y1) + 3
        edge += (
            f"<text x='{x:.1f}' y='{y:.1f}' {_FONT} font-size='9' fill='#374151' stroke='#ffffff' stroke-width='3' "
            f"paint-order='stroke'>{said}</text>"
        )
    return edge


def _again(node: _Node) -> str:
    return f" x{node.count}" if node.count > 1 else ""


def _beside(traced: TracedSearch[Any], node: _Node) -> str:
    """Return the label beside a node: its f, and how often it was expanded."""
    return "" if node.step is None else f"f {traced.solution.trace[node.step].f:g}{_again(node)}"


def _circle(traced: TracedSearch[Any], node: _Node, named: bool) -> str:
    label = "" if node.step is None else str(node.step + 1)
    title = "not expanded"
    beside = ""
    if node.step is not None:
        one = traced.solution.trace[node.step]
        state = traced.state(node.step)
        drawn = "" if state is None else f"\n{traced.problem.plain().text(state)}"
        title = f"expansion {label}{_again(node)}\nf {one.f:g}, g {one.g:g}, h {one.h:g}{drawn}"
        if named:
            place = f"x='{node.x + _RADIUS + 3:.1f}' y='{_y(node) + 3:.1f}'"
            said = _beside(traced, node)
            beside = f"<text {place} font-family='sans-serif' font-size='9' fill='#6b7280'>{said}</text>"
    elif node.kind == "goal":
        label = "goal"
    return (
        f"<g><title>{escape(title)}</title><circle cx='{node.x:.1f}' cy='{_y(node):.1f}' r='{_RADIUS}' "
        f"fill='{_COLOURS[node.kind]}' stroke='#4b5563'/>"
        f"<text x='{node.x:.1f}' y='{_y(node) + 3.5:.1f}' {_FONT} font-size='{10 if len(label) < 4 else 8}' "
        f"fill='#111827'>{label}</text>{beside}</g>"
    )
