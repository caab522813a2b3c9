"""Compare our reading of data2021's transitions (4.8) with another: only between two cells of the board.

    python examples/transitions_between_cells.py 100

This plays 100 games per set. The thesis counts 17 and 29 on a board of ten columns. Between filled walls, and between
the floor and an empty sky, both counts would be even; between cells of the board they can be odd.
docs/studies/data2021.md has the figures.
"""

import sys
from dataclasses import replace

import blockfall


@blockfall.feature("row-transitions-between-cells")
def horizontal(board):
    "Changes between filled and empty along rows; the walls do not count."
    total = 0
    for x in range(board.columns - 1):
        changed = board.words[x] ^ board.words[x + 1]
        for y in range(board.rows):
            total += (changed >> y) & 1
    return total


@blockfall.feature("column-transitions-between-cells")
def vertical(board):
    "Changes between filled and empty along columns; floor and sky do not count."
    total = 0
    for x in range(board.columns):
        changed = board.words[x] ^ (board.words[x] >> 1)
        for y in range(board.rows - 1):
            total += (changed >> y) & 1
    return total


OTHERWISE = {
    "row-transitions": "row-transitions-between-cells",
    "column-transitions": "column-transitions-between-cells",
}
games = int(sys.argv[1]) if sys.argv[1:] else 2
limit = 60_000 if sys.argv[1:] else 200

for name in ("data-6", "data-7", "data-8", "data-10", "data-14"):
    ours = blockfall.agent(name)
    weights = {OTHERWISE.get(key, key): weight for key, weight in ours.weights.items()}
    other = replace(ours, value=blockfall.WeightedFeatures(weights))
    for label, player in (("our reading", ours), ("between cells", other)):
        played = blockfall.evaluate(rules="tetrisbot", agent=player, games=games, seed=3, max_pieces=limit)
        scores = played.score / 1e6
        print(f"{name}, {label}: {scores.mean():,.0f} ± {scores.std() / games**0.5:,.0f} million points")
