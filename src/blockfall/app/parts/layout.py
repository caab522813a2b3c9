"""The layout of a search tree, without a browser."""

from collections.abc import Sequence
from dataclasses import dataclass

MOST_DRAWN = 2_000
"""The most nodes drawn: more would be a grey block."""


@dataclass(frozen=True)
class DrawnNode:
    """An expanded node: its place across, in leaves, its depth, and the step of its parent."""

    across: float
    depth: int
    parent: int | None


def layout(parents: Sequence[int | None], most: int = MOST_DRAWN) -> list[DrawnNode]:
    """Lay out the first steps of a search as a tree: a leaf is right of earlier ones, a parent above its children.

    `parents` has the step of each node's parent; None begins a new tree beside the earlier ones.

    >>> [(node.across, node.depth) for node in layout([None, 0, 0, 1, 1])]
    [(1.25, 0), (0.5, 1), (2.0, 1), (0.0, 2), (1.0, 2)]
    """
    shown = list(parents[:most])
    children: list[list[int]] = [[] for _ in shown]
    depths: list[int] = []
    for step, parent in enumerate(shown):
        depths.append(0 if parent is None else depths[parent] + 1)
        if parent is not None:
            children[parent].append(step)
    across = [0.0] * len(shown)
    leaves = 0
    waiting = [(step, False) for step in reversed(range(len(shown))) if shown[step] is None]
    while waiting:
        step, seen = waiting.pop()
        if not children[step]:
            across[step] = float(leaves)
            leaves += 1
        elif seen:
            across[step] = (across[children[step][0]] + across[children[step][-1]]) / 2
        else:
            waiting.append((step, True))
            waiting += ((child, False) for child in reversed(children[step]))
    return [DrawnNode(across[step], depths[step], parent) for step, parent in enumerate(shown)]
