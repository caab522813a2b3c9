"""Every placement of pieces on boards, and the board that each leaves, for learning that stays on the GPU.

The arrays are CuPy's. CuPy and PyTorch exchange arrays without a copy (DLPack):

    found = afterstates("standard", words, pieces)  # words and pieces are tensors on the GPU
    boards = torch.from_dlpack(found.words.view("int32"))
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from blockfall.compute.cuda.device import Device, find_device
from blockfall.errors import SettingError
from blockfall.rulesets import Rules
from blockfall.rulesets import rules as find_rules


@dataclass(frozen=True)
class DeviceAfterstates:
    """The result of `afterstates`: arrays on the GPU. The first axis is the pair, the second its placements."""

    words: Any
    """The board after each placement, without its full rows: a word per column, bit 0 is the floor row. uint32."""
    lines: Any
    """The lines that each placement removes. int8."""
    action: Any
    """The number of each placement, as in `Games`; -1 where there is no placement. int32."""
    lost: Any
    """1 where the placement loses the game; the board is then the one before it. uint8."""
    count: Any
    """The number of placements of each pair. Under rules of keys it can exceed the room. int32."""


def room_for_placements(rules: Rules) -> int:
    """Return the number of placements that `afterstates` has room for in each pair.

    If pieces drop straight down, it is the most that a piece has. Under rules of keys, where a piece can also come to
    rest under others, it is twice that.
    """
    return max(rules.core.slots) * (1 if rules.core.drops else 2)


@cache
def _image(rules: Rules, device: Device) -> Any:
    return device.copy(np.frombuffer(rules.core.image(), dtype=np.uint8))


def _check(what: str, array: Any, shape: tuple[int, ...], *kinds: str) -> None:
    """Raise a SettingError for an array that a kernel would misread."""
    if array.shape != shape or array.dtype.name not in kinds:
        raise SettingError(
            f"{what} is an array of shape {array.shape} of {array.dtype}; it must be {shape} of {' or '.join(kinds)}"
        )
    if not array.flags.c_contiguous:
        raise SettingError(f"{what} is not contiguous; copy it first")


def afterstates(
    rules: Rules | str | Path,
    words: Any,
    pieces: Any,
    lines: Any = None,
    *,
    room: int | None = None,
    device: Device | None = None,
) -> DeviceAfterstates:
    """Return every placement of pieces[i] on the board words[i], for all i at once, in the order that breaks ties.

    `words` are boards of 32-bit words, one per column. `pieces` are uint8, in the order of `PIECES`, or 255 for none.
    `lines` (int64) is the number of lines that each game has removed so far, which matters under rules that limit keys
    by level. All are contiguous arrays on the GPU. At most `room` placements of each pair are written.
    """
    game_rules = find_rules(rules)
    device = device or find_device()
    words, pieces = device.borrow(words), device.borrow(pieces)
    lines = None if lines is None else device.borrow(lines)
    columns, pairs = game_rules.columns, len(pieces)
    _check("words", words, (pairs, columns), "uint32", "int32")
    _check("pieces", pieces, (pairs,), "uint8")
    if lines is not None:
        _check("lines", lines, (pairs,), "int64")
    room = room_for_placements(game_rules) if room is None else room
    if room < 1:
        raise SettingError(f"room for {room} placements; it must be at least 1")
    drops = game_rules.core.drops
    image = _image(game_rules, device)
    macros = {"RULES_BYTES": image.nbytes, "COLUMNS": columns, "DROPS": drops, "ROOM": room}
    found = DeviceAfterstates(
        device.empty((pairs, room, columns), np.uint32),
        device.empty((pairs, room), np.int8),
        device.empty((pairs, room), np.int32),
        device.empty((pairs, room), np.uint8),
        device.empty((pairs,), np.int32),
    )
    if pairs:
        device.program("afterstates.cu", macros).run(
            "find_afterstates",
            pairs * room if drops else pairs,
            *(image, words, pieces, lines, np.int64(pairs)),
            *(found.words, found.lines, found.action, found.lost, found.count),
        )
    return found
