"""Hopeless, by YOUR NAME."""

from hopeless import blocks, read, remove


def solve(board: str, seconds: float) -> list[tuple[int, int]]:
    """The moves of a whole game. This one always takes the first block that it sees: do better."""
    state, moves = read(board), []
    while choices := blocks(state):
        move = choices[0][0]
        moves.append(move)
        state, _ = remove(state, move)
    return moves
