"""Numbers of the searches that were tuned; tuning.toml has their origin."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from blockfall import _core


@cache
def _numbers() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "tuning.toml").read_text())


@cache
def hopeless_tuning() -> _core.HopelessTuning:
    numbers = _numbers()["hopeless"]
    return _core.HopelessTuning(
        tabu=_core.HopelessPromise(**numbers["tabu"]),
        other=_core.HopelessPromise(**numbers["other"]),
        **numbers["playout"],
        **numbers["annealing"],
    )


def temperatures() -> tuple[float, float]:
    """Annealing's first and last, in median changes of the total."""
    numbers = _numbers()["annealing"]
    return numbers["hot"], numbers["cold"]
