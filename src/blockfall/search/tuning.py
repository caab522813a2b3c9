"""Numbers of the searches that were tuned; tuning.toml has their origin."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _numbers() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "tuning.toml").read_text(encoding="utf-8"))


def hopeless_numbers() -> dict[str, dict[str, Any]]:
    """Gives the numbers of Hopeless's searches by what they tune."""
    return dict(_numbers()["hopeless"])


def annealing_numbers() -> dict[str, Any]:
    """Gives annealing's numbers: its sequences, the first and the last temperature, and which moves wait."""
    return dict(_numbers()["annealing"])
