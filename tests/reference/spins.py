"""Spins of the T piece by the three-corner rule, found by walking one pose at a time.

The last move must be a turn, and three of the four corners around the centre must be taken. The spin is full if both
corners beside the stem are taken, or if the turn needed the fifth test of SRS; otherwise it is a mini.
"""

from functools import cache

from blockfall.rulesets import Rules
from tests.reference.placements import Position, Spot, _fits, _taken, _walk, shifted
from tests.reference.rules import Cells, kicks, normalised, piece_of

STEMS = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}
"""The direction of the stem in each state of SRS."""


def spins(rules: Rules, board: Cells) -> set[tuple[Spot, str]]:
    piece = piece_of(rules, "T")
    fits = cache(lambda position: _fits(rules, board, piece, position))
    reached, _ = _walk(rules, board, piece, 0, fits)
    found = set()
    for position, _ in reached:
        state, x, y = position
        for clockwise in (True, False):
            to = (state + (1 if clockwise else -1)) % 4
            tests = [(0, 0), *kicks(rules, "T", state, to, clockwise)]
            for number, (columns, rows) in enumerate(tests):
                landed: Position = (to, x + columns, y + rows)
                if fits(landed):
                    spin = _spin(rules, board, landed, number == 4)
                    if spin and not fits((to, landed[1], landed[2] - 1)):
                        cells = shifted(piece.states[to], landed[1], landed[2])
                        shape = piece.shapes.index(normalised(cells))
                        found.add(((shape, min(a for a, _ in cells), min(b for _, b in cells)), spin))
                    break
    return found


def _spin(rules: Rules, board: Cells, position: Position, fifth_test: bool) -> str | None:
    state, x, y = position
    centre = x + 1, y + 1  # the corners of the box of three by three
    stem = STEMS[state]
    corners = [(dx, dy) for dx in (-1, 1) for dy in (-1, 1)]
    taken = [(dx, dy) for dx, dy in corners if _taken(rules, board, (centre[0] + dx, centre[1] + dy))]
    if len(taken) < 3:
        return None
    front = [corner for corner in taken if corner[0] * stem[0] + corner[1] * stem[1] > 0]
    return "full" if len(front) == 2 or fifth_test else "mini"
