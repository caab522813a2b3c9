"""A rule set read from its tables: boxes, kicks, spawn."""

from dataclasses import dataclass
from functools import cache, cached_property

from blockfall.rulesets import PIECES, Rules

Cell = tuple[int, int]
Cells = frozenset[Cell]
Kick = tuple[int, int]


@dataclass(frozen=True)
class Piece:
    letter: str
    states: tuple[Cells, ...]
    """The cells in the box, whose lower left corner is (0, 0)."""
    box_columns: int
    spawn: Cell
    """The place where the box's lower left corner appears."""

    @cached_property
    def shapes(self) -> list[Cells]:
        """Return the distinct shapes, in the order in which the states first show them."""
        found: list[Cells] = []
        for state in self.states:
            if normalised(state) not in found:
                found.append(normalised(state))
        return found


def normalised(cells: Cells) -> Cells:
    left, low = min(x for x, _ in cells), min(y for _, y in cells)
    return frozenset((x - left, y - low) for x, y in cells)


@cache
def piece_of(rules: Rules, letter: str) -> Piece:
    drawing = [line.split() for line in rules.rotation.states[letter].strip().splitlines()]
    height = len(drawing)
    states = []
    for number in range(len(drawing[0])):
        rows = [row[number] for row in drawing]
        states.append(
            frozenset((x, height - 1 - y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "#")
        )
    spawn = rules.file.spawn
    return Piece(letter, tuple(states), len(drawing[0][0]), (spawn.column, rules.visible_rows - spawn.row - height))


def pieces_of(rules: Rules) -> list[Piece]:
    return [piece_of(rules, letter) for letter in PIECES]


def kicks(rules: Rules, letter: str, start: int, end: int, clockwise: bool) -> list[Kick]:
    for table in rules.rotation.kicks:
        if letter in table.pieces:
            by_direction = table.clockwise if clockwise else table.counter_clockwise
            return list(table.turns.get(f"{start}>{end}", by_direction))
    return []


def height_limit(rules: Rules) -> int:
    return rules.file.game_over.height_limit or rules.rows
