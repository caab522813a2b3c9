"""Single columns: heights, height differences and the clipped contour."""

from functools import partial

from tests.reference.features.position import FEATURES, Position, tops


def column_height(number: int, p: Position) -> float:
    return tops(p)[number - 1] if number <= p.columns else 0


def height_step(number: int, p: Position) -> int:
    return tops(p)[number] - tops(p)[number - 1] if number < p.columns else 0


def height_difference(number: int, p: Position) -> float:
    return abs(height_step(number, p))


def contour(number: int, p: Position) -> float:
    return max(-3, min(3, height_step(number, p)))


for number in range(1, 17):
    FEATURES[f"column-height-{number}"] = partial(column_height, number)
for number in range(1, 16):
    FEATURES[f"height-difference-{number}"] = partial(height_difference, number)
    FEATURES[f"contour-{number}"] = partial(contour, number)
