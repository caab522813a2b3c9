"""The protocol's messages, checked. Unknown types and attributes are ignored."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from blockfall.errors import BlockfallError
from blockfall.tbp.moves import Move
from blockfall.tbp.positions import COLUMNS, ROWS, BotPosition

MOST_BYTES = 1 << 20
"""The largest message in bytes. A longer one is an error."""
_MOST_MOVES = 10_000
_MOST_QUEUE = 1_000

Piece = Literal["I", "O", "T", "S", "Z", "J", "L"]
_Cell = Literal["I", "O", "T", "S", "Z", "J", "L", "G"]
_Row = Annotated[list[_Cell | None], Field(min_length=COLUMNS, max_length=COLUMNS)]
_Coordinate = Annotated[int, Field(ge=-ROWS, le=2 * ROWS)]


class BotMessageError(BlockfallError):
    """A message that breaks the protocol."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True)


M = TypeVar("M", bound=_Wire)


class _Location(_Wire):
    type: Piece
    orientation: Literal["north", "east", "south", "west"]
    x: _Coordinate
    y: _Coordinate


class _Move(_Wire):
    location: _Location
    spin: Literal["none", "mini", "full"] = "none"

    def made(self) -> Move:
        at = self.location
        return Move(at.type, at.orientation, at.x, at.y, self.spin)


class _Play(_Wire):
    move: _Move


class _Suggestion(_Wire):
    moves: Annotated[list[_Move], Field(max_length=_MOST_MOVES)]


class _NewPiece(_Wire):
    piece: Piece


class _Randomizer(_Wire):
    type: str = "unknown"
    bag_state: list[Piece] = []


class _Start(_Wire):
    hold: Piece | None = None
    queue: Annotated[list[Piece], Field(max_length=_MOST_QUEUE)]
    combo: Annotated[int, Field(ge=0)] = 0
    back_to_back: bool = False
    board: Annotated[list[_Row], Field(min_length=ROWS, max_length=ROWS)]
    randomizer: _Randomizer | None = None


def parsed(text: str | bytes) -> dict[str, Any]:
    """Return the message in a line of text. Raise BotMessageError if it is not a JSON object with a `type`."""
    if len(text) > MOST_BYTES:
        raise BotMessageError(f"a message of {len(text):,} bytes; the limit is {MOST_BYTES:,}")
    try:
        message = from_json(text)
    except ValueError as error:
        raise BotMessageError(f"not JSON: {error}") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise BotMessageError("a message is a JSON object with a type")
    return message


def written(kind: str, **attributes: object) -> str:
    """Return a message as a line of text."""
    return json.dumps({"type": kind, **attributes}) + "\n"


def read_play(message: Mapping[str, Any]) -> Move:
    """Return the move of a `play` message."""
    return _checked(_Play, message).move.made()


def read_suggestion(message: Mapping[str, Any]) -> list[Move]:
    """Return the moves of a `suggestion` message, the best first."""
    return [move.made() for move in _checked(_Suggestion, message).moves]


def read_new_piece(message: Mapping[str, Any]) -> str:
    """Return the piece of a `new_piece` message."""
    return _checked(_NewPiece, message).piece


def read_start(message: Mapping[str, Any]) -> BotPosition:
    """Return the position of a `start` message."""
    start = _checked(_Start, message)
    bagged = start.randomizer and start.randomizer.type == "seven_bag"
    return BotPosition(
        tuple(sum(1 << x for x, cell in enumerate(row) if cell) for row in start.board),
        "".join(start.queue),
        start.hold,
        start.combo,
        start.back_to_back,
        "".join(start.randomizer.bag_state) if start.randomizer and bagged else None,
    )


def write_start(position: BotPosition) -> str:
    """Return the `start` message of a position. Filled cells are sent as garbage: their pieces are not known."""
    board = [["G" if row >> x & 1 else None for x in range(COLUMNS)] for row in position.board]
    bag = position.bag
    return written(
        "start",
        hold=position.hold,
        queue=list(position.queue),
        combo=position.combo,
        back_to_back=position.back_to_back,
        board=board,
        **({} if bag is None else {"randomizer": {"type": "seven_bag", "bag_state": list(bag)}}),
    )


def _checked(model: type[M], message: Mapping[str, Any]) -> M:
    try:
        return model.model_validate(message)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise BotMessageError(f"{where} of {message.get('type')}: {fault['msg']}") from None
