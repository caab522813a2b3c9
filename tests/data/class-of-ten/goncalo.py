"""Rubbish: prints it, writes it to every stream, and returns it."""

import os


def solve(board, seconds):
    print('{"result": [[0, 0]]}\n' * 1000, flush=True)
    for stream in range(10):
        try:
            os.write(stream, b"\x00\xffrubbish\x1b[2J\n")
        except OSError:
            pass
    return "rubbish"
