"""Broken: it does not even load."""

def solve(board, seconds)
    return []
