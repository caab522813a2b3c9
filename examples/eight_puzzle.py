"""The 8-puzzle, solved by Blockfall's search algorithms. A problem of your own is one class.

    python examples/eight_puzzle.py

Tiles 1 to 8 slide into the gap (0) until they stand in order.
"""

from blockfall import Problem, SearchSettings, solve

State = tuple[int, ...]  # the tiles, row by row

GOAL: State = (1, 2, 3, 4, 5, 6, 7, 8, 0)
MOVES = {"up": -3, "down": 3, "left": -1, "right": 1}  # how the gap moves


OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}


class EightPuzzle(Problem):
    """The puzzle: five methods describe it to the search, and three more draw it and undo its moves."""

    admissible = True  # a tile needs at least as many steps as its distance
    unit_cost = True

    def __init__(self, tiles: State = (8, 1, 3, 4, 0, 2, 7, 6, 5)) -> None:
        self.tiles = tiles

    def start(self) -> State:
        return self.tiles

    def actions(self, state: State) -> list[str]:
        row, column = divmod(state.index(0), 3)
        allowed = {"up": row > 0, "down": row < 2, "left": column > 0, "right": column < 2}
        return [name for name, possible in allowed.items() if possible]

    def result(self, state: State, action: str) -> State:
        gap = state.index(0)
        other = gap + MOVES[action]
        tiles = list(state)
        tiles[gap], tiles[other] = tiles[other], tiles[gap]
        return tuple(tiles)

    def is_goal(self, state: State) -> bool:
        return state == GOAL

    def heuristic(self, state: State) -> float:
        """Minus the sum of the tiles' distances to their places, because every step costs 1."""
        distance = 0
        for place, tile in enumerate(state):
            if tile:
                row, column = divmod(place, 3)
                goal_row, goal_column = divmod(tile - 1, 3)
                distance += abs(row - goal_row) + abs(column - goal_column)
        return -distance

    def text(self, state: State) -> str:
        rows = [state[i : i + 3] for i in (0, 3, 6)]
        return "\n".join(" ".join(str(tile or ".") for tile in row) for row in rows)

    def goals(self) -> list[State]:
        return [GOAL]

    def before(self, state: State) -> list[tuple[State, str]]:
        """Return the states before this one; every move is undone by the opposite one."""
        return [(self.result(state, move), OPPOSITE[move]) for move in self.actions(state)]


if __name__ == "__main__":
    puzzle = EightPuzzle()
    for algorithm in ("breadth-first", "bidirectional", "a-star", "beam", "best"):
        found = solve(puzzle, algorithm, SearchSettings(width=50))
        print(f"{algorithm:14} {len(found.moves):3} moves  {found.nodes_expanded:6,} expanded  {found.seconds:.3f} s")
