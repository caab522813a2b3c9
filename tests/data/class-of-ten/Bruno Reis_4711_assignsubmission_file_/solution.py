"""Fair: the greedy way, in a folder with a module of its own."""

from helper import largest


def solve(board, seconds):
    return largest(board)
