"""The tuned numbers of searches; tuning.toml has their origin."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _numbers() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "tuning.toml").read_text(encoding="utf-8"))


def hopeless_numbers() -> dict[str, dict[str, Any]]:
    """Return the numbers of Hopeless's searches by what they tune."""
    return dict(_numbers()["hopeless"])


def annealing_numbers() -> dict[str, Any]:
    """Return annealing's numbers: sequences, first and last temperature, and the probability that a move waits."""
    return dict(_numbers()["annealing"])
