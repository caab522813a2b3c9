"""Published and independently measured results: ours must agree within the error of the mean."""

import pytest

from blockfall import evaluate
from blockfall.compute.summary import Summary


def played(rules: str, agent: str, games: int, seed: int = 1) -> Summary:
    summary = Summary()
    summary.add(evaluate(rules, agent, games, seed))
    return summary


@pytest.mark.parametrize(
    ("agent", "games", "known"),
    [  # tetris-rules.md: lines per game on 10x10; published over 10,000 games, or 400 games of the field's C program
        ("bcts", 400, 3800),
        ("dt-10", 400, 5000),
        ("dt-20", 400, 4300),
        ("dellacherie", 1000, 2424),
        ("lee", 4000, 123),
    ],
)
def test_published_players_on_the_small_board(agent: str, games: int, known: float) -> None:
    ours = played("standard-10x10", agent, games)
    theirs = 0.05 * known if agent in ("dellacherie", "lee") else 0.01 * known  # their own standard error
    assert abs(ours.mean - known) < 3 * (ours.sem**2 + theirs**2) ** 0.5


def test_lee_on_the_full_board() -> None:
    """743 lines over 200 games of the field's program."""
    ours = played("standard", "lee", 600)
    assert abs(ours.mean - 743) < 3 * (ours.sem**2 + (0.07 * 743) ** 2) ** 0.5


def test_birken_without_rotation() -> None:
    """A control program with the same order of ties: 9.32 lines with slides, 8.60 without, about 5 with one piece."""
    slides = played("nes-no-rotation", "birken-6", 8000)
    assert 9.1 < slides.mean < 10.0
    assert abs(slides.mean - 9.32) < 4 * slides.sem
    drops = played("nes-no-rotation-drop", "birken-6", 8000)
    assert abs(drops.mean - 8.60) < 4 * drops.sem
