"""Agents as data: each a JSON file beside this module, or a user's own.

An agent maximises the weighted sum of its features over the boards that its pieces can leave.

    >>> agent("dellacherie").weights["holes"]
    -4.0
"""

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from blockfall import _core
from blockfall.errors import FileError, SettingError, UnknownNameError
from blockfall.features import find_feature
from blockfall.validation import Model, check, parse_json, read_text

__all__ = ["Agent", "agent", "agent_names"]

_FOLDER = Path(__file__).parent
_LARGEST = 3e38  # weights are binary32 in the core


def _usable(weight: float) -> float:
    if not math.isfinite(weight) or abs(weight) > _LARGEST:
        raise ValueError(f"{weight} is not a weight; it must be a finite number")
    return weight


class AgentTable(Model):
    """An agent's file."""

    name: str = Field(default="", description="a string")
    source: str = Field(default="", description="a string")
    pieces_known: int = Field(default=1, ge=1, le=8, description="a whole number from 1 to 8")
    weights: dict[str, Annotated[float, AfterValidator(_usable)]] = Field(
        min_length=1, max_length=128, description="an object of 1 to 128 features and their weights"
    )


@dataclass(frozen=True)
class Agent:
    """A linear agent: features and their weights, in the order in which they are summed."""

    name: str
    source: str
    pieces_known: int
    weights: dict[str, float]

    @cached_property
    def core(self) -> _core.Agent:
        numbers = [find_feature(name).number for name in self.weights]
        return _core.Agent(numbers, list(self.weights.values()), self.pieces_known)

    def knowing(self, pieces: int) -> "Agent":
        """The same agent with so many pieces known."""
        if not 1 <= pieces <= 8:
            raise SettingError(f"{pieces} pieces known; an agent knows 1 to 8")
        return replace(self, pieces_known=pieces)


def agent_names() -> list[str]:
    return sorted(path.stem for path in _FOLDER.glob("*.json"))


def agent(name: str | Path | Agent) -> Agent:
    """The agent of this name, or of a JSON file."""
    if isinstance(name, Agent):
        return name
    if isinstance(name, Path) or name.endswith(".json") or "/" in name:
        return _load(Path(name), str(name))
    if name not in agent_names():
        raise UnknownNameError("agent", name, agent_names())
    return _built_in(name)


@cache
def _built_in(name: str) -> Agent:
    return _load(_FOLDER / f"{name}.json", name)


def _load(path: Path, where: str) -> Agent:
    table = check(AgentTable, parse_json(read_text(path), where), where)
    for name in table.weights:
        try:
            find_feature(name)
        except UnknownNameError as error:
            raise FileError(f"{where}: weights: {error}") from None
    return Agent(table.name or path.stem, table.source, table.pieces_known, table.weights)
