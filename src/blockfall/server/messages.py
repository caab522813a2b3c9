"""What passes over the wire, checked at the edge: commands to a server, and what a server says.

Fields that we do not know are ignored on both sides, so that other clients and servers of the course work.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from blockfall.errors import BlockfallError
from blockfall.server.course import Cell

MOST_NAME = 40
MOST_BYTES = 4096
"""Of a command; a longer one closes the connection with 1009."""
MOST_FRAME_BYTES = 1 << 20
MOST_CELLS = 4096


class MessageError(BlockfallError):
    """A message that is not of the protocol."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class Join(_Wire):
    name: str | None = None


class Press(_Wire):
    key: str


Command = Join | Press
_COMMANDS: dict[str, type[Join] | type[Press]] = {"join": Join, "key": Press}


def _parsed(data: str | bytes) -> dict[str, Any]:
    try:
        value = from_json(data)
    except ValueError as error:
        raise MessageError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise MessageError(f"{_short(value)} where an object is expected")
    return value


def parse_command(data: str | bytes) -> Command | None:
    """None for an object without `cmd`, which the course's server ignores."""
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
    """A name that can be shown on anyone's screen."""
    name = (join.name or "").strip()
    if not name:
        raise MessageError("join has no name; a player needs one")
    if len(name) > MOST_NAME:
        raise MessageError(f"a name of {len(name)} characters; it may have {MOST_NAME}")
    if not name.isprintable():
        raise MessageError(f"the name {_short(name)} holds characters that cannot be printed")
    return name


Cells = Annotated[list[Cell], Field(max_length=MOST_CELLS)]


class _FromServer(_Wire):
    model_config = ConfigDict(frozen=True, strict=False)


class Frame(_FromServer):
    game: Cells
    piece: Cells | None
    next_pieces: Annotated[list[Cells | None], Field(max_length=16)] = []
    game_speed: float = 10.0
    score: int = 0
    player: str | None = None


class Info(_FromServer):
    """The answer to a join, and with `highscores` the end of a game."""

    dimensions: tuple[int, int]
    grid: Cells
    game_speed: float = 10.0
    score: int = 0
    player: str | None = None
    highscores: Annotated[list[tuple[str, int]], Field(max_length=1000)] | None = None


class Refusal(_FromServer):
    """Why the server closes the connection."""

    error: str


Said = Frame | Info | Refusal


def parse_said(data: str | bytes) -> Said | None:
    """What a server said; None for what is none of the protocol's messages."""
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
