"""Always the largest block."""

from hopeless import blocks, read, remove


def largest(board):
    state, moves = read(board), []
    while choices := blocks(state):
        moves.append(max(choices, key=len)[0])
        state, _ = remove(state, moves[-1])
    return moves
