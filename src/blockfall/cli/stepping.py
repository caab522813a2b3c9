"""A walk through a search in the terminal, node by node, forwards and back."""

from collections.abc import Callable
from typing import Any

from blockfall.cli.output import say
from blockfall.games.protocol import action_in_words
from blockfall.search import TracedSearch
from blockfall.search.tracing import Moment

KEYS = "Enter: next   b: back   a number: go there   e: end   q: quit"
_MOST_OPEN = 10


def walk(traced: TracedSearch[Any], ask: Callable[[str], str] = input) -> None:
    """Show one expansion after the other and ask where to go. End of input leaves."""
    last = len(traced) - 1
    if last < 0:
        say("Nothing was expanded: the start is final.")
        return
    say(KEYS)
    step = 0
    while True:
        say(f"\nExpansion {step + 1:,} of {last + 1:,}")
        say("\n".join(drawn(traced.at(step, _MOST_OPEN))))
        try:
            said = ask("> ").strip().lower()
        except EOFError:
            return
        if said in ("q", "quit"):
            return
        if said in ("", "n"):
            if step == last:
                say("This was the last one.")
            step = min(last, step + 1)
        elif said == "b":
            step = max(0, step - 1)
        elif said == "e":
            step = last
        elif said.isascii() and said.isdigit():
            step = min(last, max(0, int(said) - 1))
        else:
            say(KEYS)


def drawn(moment: Moment) -> list[str]:
    """Return the lines that show a moment: the node, its state and the open list."""
    node = moment.expansion
    way = "the root" if node.parent is None else f"node {node.parent}, {action_in_words(node.action)}"
    rows = [f"node {node.node}   f {node.f:g} = g {node.g:g} + h {node.h:g}   depth {node.depth}   from {way}"]
    rows += [f"  {row}" for row in moment.rows or []]
    if moment.open is None:
        return [*rows, "open: this algorithm keeps no list of open nodes"]
    rows.append(f"open: {moment.open_count:,} nodes, the next one first")
    rows += [
        f"  node {one.node:<8} f {one.f:<10g} g {one.g:<10g} h {one.h:<10g} depth {one.depth}" for one in moment.open
    ]
    if moment.open_count > len(moment.open):
        rows.append(f"  and {moment.open_count - len(moment.open):,} more")
    return rows
