"""Agents as data: each a JSON file beside this module, or a user's own.

An agent maximises the weighted sum of its features, or what its network makes of them, over the boards that its
pieces can leave; one with a table maximises what that says of the placement.

    >>> agent("dellacherie").weights["holes"]
    -4.0
"""

from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from blockfall import _core
from blockfall.agents.network import Network, NetworkTable
from blockfall.agents.table import Table, TableKeys
from blockfall.errors import FileError, SettingError, UnknownNameError
from blockfall.features import Feature, features, find_feature
from blockfall.features.custom import CustomFeature
from blockfall.validation import Model, check, parse_json, read_text, usable_weight

__all__ = ["Agent", "Network", "Table", "agent", "agent_names"]

_FOLDER = Path(__file__).parent
MOST_LINES = 128


class Guard(Model):
    """Against towers (aveiro2020): on a board at least this high and this bumpy, only the sides are considered."""

    max_height: int = Field(ge=0, le=32, description="a whole number from 0 to 32")
    bumpiness: int = Field(ge=0, le=10_000, description="a whole number from 0 to 10000")


class UnknownPiece(Model):
    """One piece more than is known: the best lines are valued by the mean over what may come."""

    best: int = Field(ge=1, le=MOST_LINES, description=f"a whole number from 1 to {MOST_LINES}")
    loss: float = Field(default=-1e6, ge=-1e30, le=1e30, description="a number, the value of a lost game")


class AgentTable(Model):
    """An agent's file."""

    name: str = Field(default="", description="a string")
    source: str = Field(default="", description="a string")
    pieces_known: int = Field(default=1, ge=1, le=8, description="a whole number from 1 to 8")
    guard: Guard | None = Field(default=None, description="an object of max_height and bumpiness")
    unknown_piece: UnknownPiece | None = Field(default=None, description="an object of best and loss")
    weights: dict[str, Annotated[float, AfterValidator(usable_weight)]] | None = Field(
        default=None, min_length=1, max_length=128, description="an object of 1 to 128 features and their weights"
    )
    network: NetworkTable | None = Field(default=None, description="an object of inputs and layers")
    table: TableKeys | None = Field(default=None, description="an object of actions")

    @model_validator(mode="after")
    def _values_boards(self) -> "AgentTable":
        kinds = {"weights": self.weights, "a network": self.network, "a table": self.table}
        had = [kind for kind, found in kinds.items() if found is not None]
        if not had:
            raise ValueError("'weights' is missing; an agent has weights, a network or a table")
        if len(had) > 1:
            raise ValueError(f"both {' and '.join(had)}; an agent has one of them")
        if self.table and (self.pieces_known != 1 or self.guard or self.unknown_piece):
            raise ValueError("a table knows 1 piece, and has no guard and no unknown_piece")
        return self


@dataclass(frozen=True)
class Agent:
    """Features and their weights, in the order in which they are summed; or no weights and a network or a table."""

    name: str
    source: str
    pieces_known: int
    weights: dict[str, float]
    guard: Guard | None = None
    unknown_piece: UnknownPiece | None = None
    network: Network | None = None
    table: Table | None = None

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.network.inputs if self.network else tuple(self.weights)

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        return tuple(find_feature(name) for name in self.feature_names)

    @cached_property
    def core(self) -> _core.Agent:
        if self.table:
            return _core.Agent.of_table(self.table.parameters)
        built_in = len(features())
        numbers, custom = [], list[CustomFeature]()
        for feature in self.features:
            if feature.custom:
                numbers.append(built_in + len(custom))
                custom.append(feature.custom)
            else:
                numbers.append(feature.number)
        return _core.Agent(
            numbers,
            self.network.parameters if self.network else list(self.weights.values()),
            self.pieces_known,
            [feature.address for feature in custom],
            (self.guard.max_height, self.guard.bumpiness) if self.guard else None,
            self.unknown_piece.best if self.unknown_piece else 0,
            self.unknown_piece.loss if self.unknown_piece else 0.0,
            self.network.hidden if self.network else (),
        )

    def raise_if_failed(self) -> None:
        """Raises a FeatureError when a user's feature gave no finite number since the last call."""
        failed = self.core.take_failed()
        if failed is not None:
            raise [feature.custom for feature in self.features if feature.custom][failed].fail()

    def knowing(self, pieces: int) -> "Agent":
        """The same agent with so many pieces known."""
        if not 1 <= pieces <= 8:
            raise SettingError(f"{pieces} pieces known; an agent knows 1 to 8")
        if self.table and pieces != 1:
            raise SettingError(f"{pieces} pieces known; {self.name} has a table, which knows 1")
        return replace(self, pieces_known=pieces)

    def looking_ahead(self, best: int) -> "Agent":
        """The same agent with its best lines valued over one unknown piece more; 0 for none."""
        if not 0 <= best <= MOST_LINES:
            raise SettingError(f"the best {best} lines; look ahead from 0 to {MOST_LINES}")
        if self.table and best:
            raise SettingError(f"{self.name} has a table, which values no boards; it cannot look ahead")
        return replace(self, unknown_piece=UnknownPiece(best=best) if best else None)

    def as_json(self) -> dict[str, object]:
        """As its file has it."""
        options = {"guard": self.guard, "unknown_piece": self.unknown_piece}
        return {
            "name": self.name,
            "source": self.source,
            "pieces_known": self.pieces_known,
            **{key: option.model_dump() for key, option in options.items() if option},
            **self.numbers_as_json(),
        }

    def numbers_as_json(self) -> dict[str, object]:
        """What it plays by."""
        if self.table:
            return {"table": self.table.as_json()}
        return {"network": self.network.as_json()} if self.network else {"weights": self.weights}


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
    key, names = ("network.inputs", table.network.inputs) if table.network else ("weights", table.weights or ())
    for name in names:
        try:
            find_feature(name)
        except UnknownNameError as error:
            raise FileError(f"{where}: {key}: {error}") from None
    return Agent(
        table.name or path.stem,
        table.source,
        table.pieces_known,
        table.weights or {},
        table.guard,
        table.unknown_piece,
        Network.from_table(table.network) if table.network else None,
        Table.from_keys(table.table) if table.table else None,
    )
