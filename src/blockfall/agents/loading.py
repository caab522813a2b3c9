"""Agents from files: shipped ones beside this module, and users' own."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, create_model, model_validator

from blockfall.agents.definition import MOST_KNOWN, MOST_PLIES, Agent, GuardKeys, UnknownPieceKeys
from blockfall.agents.values import KINDS, BoardFunction, Program, Value
from blockfall.errors import BlockfallError, FileError, SettingError, UnknownNameError, shortened
from blockfall.plugins import Registry, load_kept_plugins
from blockfall.validation import Model, check, parse_json, read_text, whole_number

TBP = "tbp:"
"""The prefix of a command that starts a bot in another program."""
_USUAL = dict.fromkeys(("nes-no-rotation", "nes-no-rotation-drop", "nes-no-rotation-timed"), "noro-small")
_FOLDER = Path(__file__).parent
_registered: Registry[Agent] = Registry()

AgentLike = Agent | str | Path | Callable[..., Any]
"""Anything that names an agent: the agent, its name or file, `tbp:COMMAND`, or a function of an array of boards."""
AnyPlayer = TypeVar("AnyPlayer", bound=Agent | Callable[..., Any])


class AgentFile(Model):
    """The keys of an agent's file. Each kind of value adds its own."""

    name: str = Field(default="", description="a string")
    source: str = Field(default="", description="a string")
    pieces_known: int = whole_number(1, MOST_KNOWN, 1)
    rules: str = Field(default="", description="a string, the rules that it was made for")
    mean: float | None = Field(default=None, description="a number, the lines per game that were measured there")
    plies: int = whole_number(1, MOST_PLIES, 1)
    guard: GuardKeys | None = Field(default=None, description="an object of max_height and bumpiness")
    unknown_piece: UnknownPieceKeys | None = Field(default=None, description="an object of best and loss")

    @model_validator(mode="after")
    def _has_one_value(self) -> "AgentFile":
        titles = [kind.title for kind in KINDS.values()]
        had = [kind.title for key, kind in KINDS.items() if getattr(self, key) is not None]
        if not had:
            known = f"{', '.join(titles[:-1])} or {titles[-1]}"
            raise ValueError(f"{next(iter(KINDS))!r} is missing; an agent has {known}")
        if len(had) > 1:
            raise ValueError(f"both {' and '.join(had)}; an agent has one of them")
        return self


def _file(keys: Any, where: str) -> AgentFile:
    """Return the keys of an agent's file, checked."""
    return check(_model_of(tuple(KINDS.values())), keys, where)


@cache
def _model_of(kinds: tuple[type[Value], ...]) -> type[AgentFile]:
    keys: dict[str, Any] = {kind.key: (kind.file_type, None) for kind in kinds}
    return create_model("AgentFile", __base__=AgentFile, **keys)


def agent_names() -> list[str]:
    """Return the names of the shipped agents.

    >>> import blockfall
    >>> "dellacherie" in blockfall.agent_names()
    True
    """
    return sorted(path.stem for path in _FOLDER.glob("*.json"))


def registered_agents() -> list[str]:
    """Return the names of the agents that users registered."""
    return list(_registered.known())


def register_agent(player: AnyPlayer) -> AnyPlayer:
    """Add an agent, or a function that values boards, which can then be named wherever a shipped agent can.

    In a file for `--plugin`, use this to decorate the function. Registering the same name again replaces the agent.

    >>> import blockfall
    >>> @blockfall.register_agent
    ... def flat(boards):
    ...     return -boards.any(axis=2).sum(axis=1)
    >>> blockfall.Game("standard", seed=1).choose("flat").row
    0
    """
    made = agent(player)
    if made.name in agent_names():
        raise SettingError(f"the name {shortened(made.name)} belongs to an agent of Blockfall; choose another name")
    if not made.name or set(made.name) & set(":/") or made.name.endswith(".json"):
        raise SettingError(f"an agent named {shortened(made.name)}; a name must not contain : or /, or end with .json")
    _registered.put(made.name, made)
    return player


def agent(name: AgentLike) -> Agent:
    """Return the agent with this name, or in this JSON file. An agent is returned unchanged.

    `tbp:COMMAND` is a bot in another program. A function that values an array of boards is also an agent.

    >>> agent("dellacherie").weights["holes"]
    -4.0
    """
    if isinstance(name, Agent):
        return name
    if callable(name):
        return Agent(str(getattr(name, "__name__", None) or type(name).__name__), BoardFunction(name))
    if not isinstance(name, str | Path):
        raise SettingError(f"an agent {shortened(name)}; give a name or the path of a file")
    if isinstance(name, str) and name.startswith(TBP):
        return Agent(name, Program(name.removeprefix(TBP)))
    if isinstance(name, Path) or name.endswith(".json") or "/" in name:
        return _load(Path(name), str(name))
    if name in agent_names():
        return _shipped(name)
    if name in _registered.known():
        return _registered[name]
    raise UnknownNameError("agent", name, [*agent_names(), *_registered])


def usual_agent(rules: str, otherwise: str) -> str:
    """Return the name of the usual agent for these rules, or `otherwise` if none was made for them.

    >>> usual_agent("nes-no-rotation", otherwise="dellacherie"), usual_agent("nes", otherwise="dellacherie")
    ('noro-small', 'dellacherie')
    """
    return _USUAL.get(rules, otherwise)


@cache
def _shipped(name: str) -> Agent:
    return _load(_FOLDER / f"{name}.json", name)


def value_from(keys: dict[str, Any], folder: Path, where: str) -> Value:
    """Return the value from its keys in an agent's file. `folder` is the file's."""
    file = _file(keys, where)
    try:
        return _value(file, folder)
    except BlockfallError as error:
        raise FileError(f"{where}: {error}") from None


def _value(file: AgentFile, folder: Path) -> Value:
    [(key, found)] = [(key, getattr(file, key)) for key in KINDS if getattr(file, key) is not None]
    return KINDS[key].from_file(found, folder)


def _value_with_plugins(file: AgentFile, folder: Path) -> Value:
    """Return the value. If a feature of it is unknown, run the plugins of the run in this folder first."""
    try:
        return _value(file, folder)
    except BlockfallError as error:
        unknown = isinstance(error, UnknownNameError) or isinstance(error.__context__, UnknownNameError)
        if not unknown or not load_kept_plugins(folder):
            raise
    return _value(file, folder)


def _load(path: Path, where: str) -> Agent:
    file = _file(parse_json(read_text(path), where), where)
    try:
        return Agent(
            file.name or path.stem,
            _value_with_plugins(file, path.parent),
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
