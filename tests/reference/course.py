"""The course server's frame, cell by cell, from the recorded table of pieces."""

import json
from collections import deque

from tests import ROOT
from tests.reference.rules import Cell

DATA = ROOT / "tests" / "data" / "aveiro"
SHAPES = json.loads((DATA / "aveiro_shapes.json").read_text())["shapes"]

Position = tuple[int, int, int]
"""The state, and the upper left corner of the box; x grows to the right, y downwards."""


def box(letter: str) -> list[list[Cell]]:
    return [[(x, y) for x, y in state] for state in SHAPES[letter]["box_positions_in_order_of_presses_of_w"]]


def cells(letter: str, position: Position) -> list[Cell]:
    state, left, top = position
    return [(left + x, top + y) for x, y in box(letter)[state]]


def fits(settled: set[Cell], letter: str, position: Position) -> bool:
    return all(1 <= x <= 8 and 0 <= y <= 29 and (x, y) not in settled for x, y in cells(letter, position))


def frame(settled: set[Cell], letter: str, position: Position, key: str) -> Position | None:
    """Return the piece's position a frame later, or None if it has locked."""
    state, x, y = position
    if not fits(settled, letter, (state, x, y + 1)):
        return None
    y += 1
    if key == "s":
        while fits(settled, letter, (state, x, y + 1)):
            y += 1
        return state, x, y
    moved = {"w": ((state + 1) % len(box(letter)), x, y), "a": (state, x - 1, y), "d": (state, x + 1, y)}
    after = moved.get(key, (state, x, y))
    return after if fits(settled, letter, after) else (state, x, y)


def fewest_keys(settled: set[Cell], letter: str, start: Position) -> dict[Position, int]:
    """Return every position where the piece can lock, with the fewest of w, a and d that lead there."""
    keys = {start: 0}
    queue = deque([start])
    rests: dict[Position, int] = {}
    while queue:
        position = queue.popleft()
        below = frame(settled, letter, position, "")
        if below is None:
            rests[position] = keys[position]
            continue
        for key in ("", "w", "a", "d"):
            after = frame(settled, letter, position, key)
            assert after
            price = keys[position] + (key != "")
            if after not in keys or price < keys[after]:
                keys[after] = price
                queue.append(after)
    return rests
