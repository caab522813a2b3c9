"""Placements on a GPU: the program, run by the CPU, returns what the core returns."""

import re

import numpy as np
import pytest

from blockfall import Games, SettingError, rules_names
from blockfall.compute.cuda import afterstates, room_for_placements
from blockfall.rulesets import PIECES, rules
from tests.compute.host_device import HostDevice

GAMES = 60
NO_PIECE = 255


def played_games(name: str, pieces: int = 30) -> Games:
    """Return games of which half are stacked low, so that rows are almost full, and half high, so that many lose."""
    games = Games(name, GAMES, seed=3)
    for _ in range(pieces):
        after = games.afterstates()
        size = after.words.astype(np.float64).sum(axis=1) * np.where(after.game % 2, -1, 1)
        order = np.lexsort((size, after.game))
        present, first = np.unique(after.game[order], return_index=True)
        actions = np.zeros(GAMES, dtype=np.int64)
        actions[present] = after.action[order][first]
        games.step(actions)
    return games


@pytest.mark.parametrize("name", rules_names())
def test_placements_are_the_cores(name: str, device: HostDevice) -> None:
    games = played_games(name)
    expected = games.afterstates()
    over = games.outcomes["termination"] != 0
    pieces = np.array(
        [255 if end else PIECES.index(known[0]) for known, end in zip(games.known, over, strict=True)], np.uint8
    )
    found = afterstates(
        name, games.words, pieces, games.outcomes["lines"], device=device, room=2 * room_for_placements(rules(name))
    )
    assert (found.count == np.bincount(expected.game, minlength=GAMES)).all()
    there = found.action >= 0
    assert (there.sum(axis=1) == found.count).all()
    assert (np.argwhere(there)[:, 0] == expected.game).all()
    for array in ("words", "lines", "action", "lost"):
        assert (getattr(found, array)[there] == getattr(expected, array)).all(), array
    assert not found.words[~there].any()
    ends = rules(name).file.game_over
    assert expected.lost.any() or not (ends.overflow or ends.lock_out) or name == "ist"  # whose script has five pieces
    assert (expected.lines > 0).any() or name == "ist"


def test_room_limits_what_is_written(device: HostDevice) -> None:
    words, pieces = np.zeros((2, 10), np.uint32), np.array([2, 255], np.uint8)  # T on an empty board, and no piece
    found = afterstates("standard", words, pieces, room=5, device=device)
    assert found.count.tolist() == [34, 0]
    assert found.action.tolist() == [[0, 1, 2, 3, 4], [-1] * 5]


@pytest.mark.parametrize(
    ("words", "pieces", "said"),
    [
        (np.zeros((2, 9), np.uint32), np.zeros(2, np.uint8), "words is an array of shape (2, 9)"),
        (np.zeros((2, 10), np.uint64), np.zeros(2, np.uint8), "it must be (2, 10) of uint32 or int32"),
        (np.zeros((2, 10), np.uint32), np.zeros(2, np.int64), "it must be (2,) of uint8"),
        (np.zeros((10, 2), np.uint32).T, np.zeros(2, np.uint8), "words is not contiguous"),
    ],
)
def test_arrays_of_another_shape_or_type_are_refused(
    words: np.ndarray, pieces: np.ndarray, said: str, device: HostDevice
) -> None:
    with pytest.raises(SettingError, match=re.escape(said)):
        afterstates("standard", words, pieces, device=device)
