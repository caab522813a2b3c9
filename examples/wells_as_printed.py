"""Compare data2021's formula 6 exactly as printed with our reading of it, for the sets that use wells.

    python examples/wells_as_printed.py 100

This plays 100 games per set. docs/studies/data2021.md has the figures.
"""

import sys
from dataclasses import replace

import blockfall


@blockfall.feature("wells-as-printed")
def wells(board):
    "Sum of the mean height of the two neighbours minus twice the column's; at the walls, right minus left height."
    total = 1.0 * max(board.heights[1] - board.heights[0], 0) + max(board.heights[9] - board.heights[8], 0)
    for i in range(1, 9):
        total += max((board.heights[i + 1] + board.heights[i - 1]) / 2 - 2 * board.heights[i], 0.0)
    return total


@blockfall.feature("deepest-well-as-printed")
def deepest(board):
    "The largest of these depths."
    most = 1.0 * max(board.heights[1] - board.heights[0], board.heights[9] - board.heights[8], 0)
    for i in range(1, 9):
        most = max(most, (board.heights[i + 1] + board.heights[i - 1]) / 2 - 2 * board.heights[i])
    return most


AS_PRINTED = {"well-depths": "wells-as-printed", "deepest-well": "deepest-well-as-printed"}
games = int(sys.argv[1]) if sys.argv[1:] else 2
limit = 60_000 if sys.argv[1:] else 300

for name in ("data-8", "data-10", "data-14"):
    ours = blockfall.agent(name)
    weights = {AS_PRINTED.get(key, key): weight for key, weight in ours.weights.items()}
    printed = replace(ours, value=blockfall.WeightedFeatures(weights))
    for label, player in (("our reading", ours), ("as printed", printed)):
        played = blockfall.evaluate(rules="tetrisbot", agent=player, games=games, seed=3, max_pieces=limit)
        scores = played.score / 1e6
        print(f"{name}, {label}: {scores.mean():,.0f} ± {scores.std() / games**0.5:,.0f} million points")
