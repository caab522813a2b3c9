"""A game and algorithms that a student might bring into the app, with the faults that students make."""

# mypy: ignore-errors

from dataclasses import dataclass

import blockfall


@dataclass(frozen=True)
class Ice(blockfall.Position):
    "A row of ice: a step takes a cell. The last cell of a row breaks the program."

    cells: str
    score: int = 0
    acyclic = True

    def actions(self):
        return [x for x, cell in enumerate(self.cells) if cell == "1"]

    def apply(self, action):
        if action == len(self.cells) - 1 and len(self.cells) > 3:
            return 1 // 0
        return Ice(self.cells[:action] + "." + self.cells[action + 1 :], self.score + 1)

    def preview(self, action):
        return blockfall.Preview(frozenset({(action, 0)}), self.rows(), "1 point")

    def text(self):
        return self.cells


@blockfall.register_game
class IceKind(blockfall.GameKind):
    name, title, about = "ice", "Ice", "Step on every cell."
    options = (blockfall.Option("length", 3, "cells of the row", least=1, most=9),)

    def begin(self, seed, *, length):
        if seed == 13:
            raise blockfall.SettingError("seed 13 brings bad luck; take another")
        return Ice("1" * length)


@blockfall.register_algorithm
def first_way(problem):
    "The first action again and again."
    state, moves = problem.start(), []
    while not problem.is_goal(state):
        moves.append(problem.actions(state)[0])
        state = problem.result(state, moves[-1])
    return moves


@blockfall.register_algorithm
def divides_by_zero(problem):
    "A slip of the pen."
    return 1 // len(problem.start().text()[:0])


@blockfall.register_algorithm
def never_asks(problem):  # noqa: ARG001
    "Thinks for ever."
    while True:
        pass
