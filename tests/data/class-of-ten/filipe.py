"""Crashes: an error on every board, and the end of its process on some."""

import os


def solve(board, seconds):
    if len(board) > 100:
        os._exit(7)
    return [board[10**6]]
