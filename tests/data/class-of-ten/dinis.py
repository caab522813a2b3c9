"""Slow: it hangs on large boards."""

from hopeless import blocks, read, remove


def solve(board, seconds):
    state, moves = read(board), []
    while len(board) > 100:
        pass
    while choices := blocks(state):
        moves.append(choices[0][0])
        state, _ = remove(state, moves[-1])
    return moves
