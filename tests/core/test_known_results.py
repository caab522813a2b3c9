"""Published and independently measured results: ours must agree within the error of the mean."""

import math
import tomllib
from typing import Any

import pytest

from blockfall import evaluate
from blockfall.compute import Summary
from tests import ROOT

KNOWN = tomllib.loads((ROOT / "docs" / "data" / "known.toml").read_text())["result"]


def played(rules: str, agent: str, games: int, seed: int = 1) -> Summary:
    return evaluate(rules, agent, games, seed).summary()


@pytest.mark.parametrize(
    "known",
    [row for row in KNOWN if row["rules"] == "standard-10x10" or (row["rules"], row["agent"]) == ("standard", "lee")],
    ids=lambda row: f"{row['rules']}-{row['agent']}",
)
def test_published_players(known: dict[str, Any]) -> None:
    ours = played(known["rules"], known["agent"], games=600)
    assert abs(ours.mean - known["mean"]) < 3 * math.hypot(ours.sem, known["mean"] / math.sqrt(known["games"]))


def test_birken_without_rotation() -> None:
    """A control program with the same ties clears 9.32 lines with slides, 8.60 without, about 5 with one piece."""
    slides = played("nes-no-rotation", "birken-6", 8000)
    assert 9.1 < slides.mean < 10.0
    assert abs(slides.mean - 9.32) < 4 * slides.sem
    drops = played("nes-no-rotation-drop", "birken-6", 8000)
    assert abs(drops.mean - 8.60) < 4 * drops.sem
