"""Agents from files: the shipped ones beside this module, and a user's own."""

from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, create_model, model_validator

from blockfall.agents.definition import MOST_KNOWN, MOST_PLIES, Agent, GuardKeys, UnknownPieceKeys
from blockfall.agents.values import KINDS
from blockfall.errors import BlockfallError, FileError, SettingError, UnknownNameError
from blockfall.validation import Model, check, parse_json, read_text

_FOLDER = Path(__file__).parent


class _Keys(Model):
    """The keys of an agent's file that do not depend on the kind of its value."""

    name: str = Field(default="", description="a string")
    source: str = Field(default="", description="a string")
    pieces_known: int = Field(default=1, ge=1, le=MOST_KNOWN, description=f"a whole number from 1 to {MOST_KNOWN}")
    rules: str = Field(default="", description="a string, the rules that it was made for")
    mean: float | None = Field(default=None, description="a number, the lines per game that were measured there")
    plies: int = Field(default=1, ge=1, le=MOST_PLIES, description=f"a whole number from 1 to {MOST_PLIES}")
    guard: GuardKeys | None = Field(default=None, description="an object of max_height and bumpiness")
    unknown_piece: UnknownPieceKeys | None = Field(default=None, description="an object of best and loss")

    @model_validator(mode="after")
    def _has_one_value(self) -> "_Keys":
        titles = [kind.title for kind in KINDS.values()]
        had = [kind.title for key, kind in KINDS.items() if getattr(self, key) is not None]
        if not had:
            known = f"{', '.join(titles[:-1])} or {titles[-1]}"
            raise ValueError(f"{next(iter(KINDS))!r} is missing; an agent has {known}")
        if len(had) > 1:
            raise ValueError(f"both {' and '.join(had)}; an agent has one of them")
        return self


_VALUE_KEYS: dict[str, Any] = {
    key: (kind.file_type | None, Field(default=None, description=kind.file_rule)) for key, kind in KINDS.items()
}
AgentFile: type[_Keys] = create_model("AgentFile", __base__=_Keys, **_VALUE_KEYS)
"""An agent's file: those keys, and one key for each kind of value."""


def agent_names() -> list[str]:
    """The names of the agents that are shipped.

    >>> import blockfall
    >>> "dellacherie" in blockfall.agent_names()
    True
    """
    return sorted(path.stem for path in _FOLDER.glob("*.json"))


def agent(name: str | Path | Agent) -> Agent:
    """The agent of this name, or of a JSON file. An agent is given back as it is.

    >>> agent("dellacherie").weights["holes"]
    -4.0
    """
    if isinstance(name, Agent):
        return name
    if not isinstance(name, str | Path):
        raise SettingError(f"an agent {name!r}; give a name or the path of a file")
    if isinstance(name, Path) or name.endswith(".json") or "/" in name:
        return _load(Path(name), str(name))
    if name not in agent_names():
        raise UnknownNameError("agent", name, agent_names())
    return _shipped(name)


@cache
def _shipped(name: str) -> Agent:
    return _load(_FOLDER / f"{name}.json", name)


def _load(path: Path, where: str) -> Agent:
    file = check(AgentFile, parse_json(read_text(path), where), where)
    [(key, found)] = [(key, getattr(file, key)) for key in KINDS if getattr(file, key) is not None]
    try:
        return Agent(
            file.name or path.stem,
            KINDS[key].from_file(found, path.parent),
            file.pieces_known,
            file.guard.made() if file.guard else None,
            file.unknown_piece.made() if file.unknown_piece else None,
            file.source,
            file.plies,
            file.rules,
            file.mean,
        )
    except BlockfallError as error:
        raise FileError(f"{where}: {error}") from None
