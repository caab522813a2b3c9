"""Tetris as a search problem, by YOUR NAME."""

from ist_tetris import Move, drop, moves, read


def solve(board: str, pieces: str, seconds: float) -> list[Move]:
    """Return a move for each piece. This one only keeps each piece low: do better."""
    state, found = read(board), []
    for piece in pieces:

        def height(move: Move) -> int:
            after, _ = drop(state, *move)
            return sum(1 for row in after if row)

        move = min(moves(piece), key=height)
        found.append(move)
        state, _ = drop(state, *move)
    return found
