"""The messages between client and server, and their checks.

Both sides ignore unknown fields, so that other clients and servers of the course work too.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from blockfall.errors import BlockfallError
from blockfall.games.protocol import Cell

MOST_NAME = 40
"""The most characters of a player's name."""
MOST_BYTES = 4096
"""The most bytes of a command. A longer one closes the connection with code 1009."""
MOST_FRAME_BYTES = 1 << 20
"""The most bytes of a server's message."""
MOST_CELLS = 4096
"""The most cells in one list of a server's message."""


class MessageError(BlockfallError):
    """A message that breaks the protocol."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class Join(_Wire):
    """The command that a client sends first. A player gives its name."""

    name: str | None = None


class Press(_Wire):
    """The command by which a player presses a key."""

    key: str


Command = Join | Press
_COMMANDS: dict[str, type[Join] | type[Press]] = {"join": Join, "key": Press}


def _parsed(data: str | bytes) -> dict[str, Any]:
    try:
        value = from_json(data)
    except ValueError as error:
        raise MessageError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise MessageError(f"{_short(value)} is not a JSON object")
    return value


def parse_command(data: str | bytes) -> Command | None:
    """Return the command in a client's message, or None without a `cmd`: the course's server ignores such messages."""
    value = _parsed(data)
    if "cmd" not in value:
        return None
    kind = value["cmd"]
    model = _COMMANDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise MessageError(f"cmd is {_short(kind)}; it must be one of {', '.join(_COMMANDS)}")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        fault = error.errors()[0]
        field = ".".join(str(part) for part in fault["loc"])
        if fault["type"] == "missing":
            raise MessageError(f"{kind} has no {field}; it must be a string") from None
        raise MessageError(f"{field} of {kind} is {_short(fault['input'])}; it must be a string") from None


def player_name(join: Join) -> str:
    """Return the name of a player who joins. Raise MessageError if it cannot be shown on a screen."""
    name = (join.name or "").strip()
    if not name:
        raise MessageError("join has no name; a player needs one")
    if len(name) > MOST_NAME:
        raise MessageError(f"the name has {len(name)} characters; it may have {MOST_NAME}")
    if not name.isprintable():
        raise MessageError(f"the name {_short(name)} has unprintable characters")
    return name


_Cells = Annotated[list[Cell], Field(max_length=MOST_CELLS)]


class _FromServer(_Wire):
    model_config = ConfigDict(frozen=True, strict=False)


class Frame(_FromServer):
    """The state of the game: the settled cells, the falling piece (None just after a lock) and the next pieces."""

    game: _Cells
    piece: _Cells | None
    next_pieces: Annotated[list[_Cells | None], Field(max_length=16)] = []
    game_speed: float = 10.0
    score: int = 0
    player: str | None = None


class Info(_FromServer):
    """The answer to a join or, with `highscores`, the end of a game."""

    dimensions: tuple[int, int]
    grid: _Cells
    game_speed: float = 10.0
    score: int = 0
    player: str | None = None
    highscores: Annotated[list[tuple[str, int]], Field(max_length=1000)] | None = None


class Refusal(_FromServer):
    """The reason why the server closes the connection."""

    error: str


Said = Frame | Info | Refusal


def parse_said(data: str | bytes) -> Said | None:
    """Return a server's message, or None if its kind is unknown."""
    value = _parsed(data)
    for field, model in (("game", Frame), ("error", Refusal), ("dimensions", Info)):
        if field in value:
            try:
                return model.model_validate(value)
            except ValidationError as error:
                fault = error.errors()[0]
                where = ".".join(str(part) for part in fault["loc"])
                raise MessageError(f"the server's {where} is {_short(fault['input'])}: {fault['msg']}") from None
    return None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
