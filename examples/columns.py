"""Columns (Sega 1990), a complete game in one file: columns of three jewels fall; three of a colour in a row vanish.

Play it in the app, and search it:

    blockfall app --plugin examples/columns.py
    blockfall solve --game columns --plugin examples/columns.py --algorithm best --time-limit 5
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from blockfall import (
    GameKind,
    Option,
    Position,
    Preview,
    SearchSettings,
    SettingError,
    algorithms,
    register_game,
    solve,
)

WAYS = ((1, 0), (0, 1), (1, 1), (1, -1))  # along a row, a column and the two diagonals
ORDERS = ("abc", "cab", "bca")  # a falling column is turned, never mixed
POINTS = 10


@dataclass(frozen=True)
class ColumnsPosition(Position):
    """Stacks of jewels, and the columns of three that are still to fall. A jewel is a digit."""

    stacks: tuple[str, ...]
    rows_high: int
    to_fall: tuple[str, ...]
    score: int = 0

    acyclic = True

    def actions(self) -> list[tuple[int, str]]:
        if not self.to_fall:
            return []
        room = [x for x, stack in enumerate(self.stacks) if len(stack) + 3 <= self.rows_high]
        return [(x, order) for x in room for order in ORDERS]

    def apply(self, action: tuple[int, str]) -> "ColumnsPosition":
        if action not in self.actions():
            raise SettingError(f"no action {action}; the column is full, or there is no such order")
        stacks, earned = settled(self._with_column(action))
        return ColumnsPosition(stacks, self.rows_high, self.to_fall[1:], self.score + earned)

    def text(self) -> str:
        return drawn(self.stacks, self.rows_high)

    def rows(self) -> list[str]:
        """The board with the falling column above its middle."""
        middle = len(self.stacks) // 2
        falling = [self.to_fall[0] if self.to_fall and x == middle else "" for x in range(len(self.stacks))]
        return f"{drawn(falling, 3)}\n{self.text()}".splitlines()

    def numbers(self) -> dict[str, object]:
        return {"To fall": len(self.to_fall)}

    def preview(self, action: tuple[int, str]) -> Preview:
        x, height = action[0], len(self.stacks[action[0]])
        rows = drawn(self._with_column(action), self.rows_high + 3).splitlines()
        earned = self.apply(action).score - self.score
        return Preview(frozenset((x, height + up) for up in range(3)), rows, f"{earned} points")

    def actions_at(self, cell: tuple[int, int]) -> list[tuple[int, str]]:
        return [action for action in self.actions() if action[0] == cell[0]]

    def _with_column(self, action: tuple[int, str]) -> tuple[str, ...]:
        column, order = action
        jewels = "".join(self.to_fall[0]["abc".index(letter)] for letter in order)
        return tuple(stack + jewels if x == column else stack for x, stack in enumerate(self.stacks))


def settled(stacks: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """Let runs of three or more vanish until none are left; each link of the chain earns more than the last.

    >>> settled(("1", "1", "12"))  # the row of 1s goes, the 2 falls
    (('', '', '2'), 30)
    """
    earned = chain = 0
    while gone := in_runs(stacks):
        chain += 1
        earned += POINTS * chain * len(gone)
        stacks = tuple(
            "".join(jewel for y, jewel in enumerate(stack) if (x, y) not in gone) for x, stack in enumerate(stacks)
        )
    return stacks, earned


def in_runs(stacks: tuple[str, ...]) -> set[tuple[int, int]]:
    """Return the jewels in a run of three or more of their colour."""
    jewels = {(x, y): jewel for x, stack in enumerate(stacks) for y, jewel in enumerate(stack)}
    found = set()
    for (x, y), jewel in jewels.items():
        for right, up in WAYS:
            run = [(x + step * right, y + step * up) for step in range(3)]
            if all(jewels.get(cell) == jewel for cell in run):
                found.update(run)
    return found


def drawn(stacks: Sequence[str], rows: int) -> str:
    return "\n".join("".join(stack[y : y + 1] or "." for stack in stacks) for y in reversed(range(rows)))


@register_game
class Columns(GameKind):
    name = "columns"
    title = "Columns"
    source = "Sega 1990"
    about = "Runs of three or more jewels of a colour vanish: in a row, in a column or diagonally."
    action_words = "column, order"
    turns = True
    options = (
        Option("columns", 6, "of the board", least=3, most=12),
        Option("rows", 13, "of the board", least=6, most=24),
        Option("colours", 5, "of the jewels", least=2, most=9),
        Option("pieces", 20, "how many columns of jewels fall", least=1, most=500),
    )

    def begin(self, seed: int, *, columns: int, rows: int, colours: int, pieces: int) -> ColumnsPosition:
        chance = random.Random(seed)
        to_fall = tuple("".join(str(chance.randint(1, colours)) for _ in range(3)) for _ in range(pieces))
        return ColumnsPosition(("",) * columns, rows, to_fall)


if __name__ == "__main__":
    start = Columns().start(seed=4, columns=4, rows=7, colours=3, pieces=4)
    for algorithm in algorithms(undoes=False):
        found = solve(start, algorithm, SearchSettings(node_limit=500, level=1))
        print(f"{algorithm:20} {found.points:4} points  {found.nodes_expanded:4} expanded")
