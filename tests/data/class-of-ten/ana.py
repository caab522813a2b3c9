"""Good: a beam over whole boards, with a margin of time."""

import time

from hopeless import blocks, read, remove


def solve(board, seconds):
    until = time.monotonic() + seconds / 3
    for width in (1, 4, 16, 64, 256):
        layer, best = [(0, read(board), ())], (-1, ())
        while layer and time.monotonic() < until:
            after = {}
            for points, state, moves in layer:
                choices = blocks(state)
                if not choices:
                    best = max(best, (points, moves))
                for block in choices:
                    state_after, earned = remove(state, block[0])
                    if after.get(state_after, (-1,))[0] < points + earned:
                        after[state_after] = (points + earned, (*moves, block[0]))
            ranked = sorted(((worth(state) + p, p, state, m) for state, (p, m) in after.items()), reverse=True)
            layer = [(p, state, m) for _, p, state, m in ranked[:width]]
        if not layer:
            found = max(best, locals().get("found", (-1, ())))
        if time.monotonic() >= until:
            break
    return found[1]


def worth(state):
    squares = "".join(state)
    return sum((2 * (squares.count(colour) - 1)) ** 2 for colour in set(squares))
