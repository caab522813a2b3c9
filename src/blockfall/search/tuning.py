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


def temperatures() -> tuple[float, float]:
    """Gives annealing's first and last temperature, in median changes of the total."""
    numbers = _numbers()["annealing"]
    return numbers["hot"], numbers["cold"]
