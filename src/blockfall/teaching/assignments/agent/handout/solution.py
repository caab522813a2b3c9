"""A Tetris agent, by YOUR NAME."""

from typing import Any


def choose(board: list[str], piece: str, placements: list[dict[str, Any]]) -> int:
    """Return the number of the placement with the highest value."""
    return max(range(len(placements)), key=lambda number: value(placements[number]))


def value(placement: dict[str, Any]) -> float:
    """Return a placement's value. This one only considers the height: do better."""
    if placement["loses"]:
        return -1000.0
    return -sum(1.0 for row in placement["after"] if "#" in row)
