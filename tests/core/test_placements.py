"""Placements and the keys that lead to them, compared with a reference that walks position by position."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall import _core, rules
from blockfall.rulesets import PIECES, Rules
from blockfall.rulesets.compile import KEY_NAMES
from tests import ROOT
from tests.boards import cells_from, cells_of_words, words_from
from tests.reference.game import lock
from tests.reference.placements import Spot, cells_of, key_paths, placements
from tests.reference.rules import Cells
from tests.strategies import boards, rule_sets

PERFT = json.loads((ROOT / "tests" / "data" / "perft.json").read_text())


def native_placements(game_rules: Rules, board: Cells, letter: str, lines: int = 0) -> list[Spot]:
    words = words_from(board, game_rules.columns)
    return [tuple(row) for row in _core.placements(game_rules.core, words, PIECES.index(letter), lines).tolist()]


@pytest.mark.parametrize(
    ("name", "counts"),
    [  # I O T S Z J L
        ("standard", [17, 9, 34, 17, 17, 34, 34]),
        ("nes", [17, 9, 34, 17, 17, 34, 34]),
        ("nes-no-rotation", [7, 9, 8, 8, 8, 8, 8]),
        ("nes-no-rotation-timed", [7, 9, 8, 8, 8, 8, 8]),
        ("guideline", [17, 9, 34, 17, 17, 34, 34]),
        ("ist", [17, 9, 34, 17, 17, 34, 34]),
    ],
)
def test_counts_on_the_empty_board(name: str, counts: list[int]) -> None:
    found = {letter: len(native_placements(rules(name), frozenset(), letter)) for letter in PIECES}
    assert found == dict(zip(PIECES, counts, strict=True))
    assert found == {letter: len(placements(rules(name), frozenset(), letter)) for letter in PIECES}


@given(data=st.data(), game_rules=rule_sets(), letter=st.sampled_from(PIECES), lines=st.integers(0, 200))
@settings(max_examples=250, deadline=None)
def test_placements_equal_the_reference(data: st.DataObject, game_rules: Rules, letter: str, lines: int) -> None:
    board = data.draw(boards(game_rules.columns, game_rules.rows))
    assert native_placements(game_rules, board, letter, lines) == placements(game_rules, board, letter, lines)


@given(
    data=st.data(),
    game_rules=rule_sets(
        ("nes", "nes-no-rotation", "nes-no-rotation-drop", "nes-no-rotation-timed", "guideline", "aveiro")
    ),
    letter=st.sampled_from(PIECES),
)
@settings(max_examples=80, deadline=None)
def test_key_sequences_are_the_shortest(data: st.DataObject, game_rules: Rules, letter: str) -> None:
    board = data.draw(boards(game_rules.columns, game_rules.rows))
    words = words_from(board, game_rules.columns)
    gravity = bool(game_rules.file.placement.keys_per_row)
    for spot, path in key_paths(game_rules, board, letter).items():
        found = [KEY_NAMES[key] for key in _core.shortest_keys(game_rules.core, words, PIECES.index(letter), *spot)]
        if gravity:  # with a limit of keys per row, falling is free
            assert sum(key != "down" for key in found) == sum(key != "down" for key in path)
        else:
            assert len(found) == len(path)
        assert set(found) <= {*game_rules.file.placement.keys, "down"}


def test_keys_lead_under_an_overhang() -> None:
    """The piece goes down to the floor beside the overhang, then under it."""
    board = cells_from("""
        ..####....
        ..........
    """)
    keys = _core.shortest_keys(rules("nes").core, words_from(board, 10), PIECES.index("I"), 0, 2, 0)
    names = [KEY_NAMES[key] for key in keys]
    assert names.count("down") == 20  # nineteen rows and the lock
    assert len(names) == 20 + names.count("left") + names.count("right")
    assert names[-1] == "down"
    assert {"left", "right"} & set(names[19:])


def test_an_unreachable_placement_has_no_keys() -> None:
    lid = cells_from("##########\n.........#\n")
    assert _core.shortest_keys(rules("nes").core, words_from(lid, 10), PIECES.index("I"), 0, 0, 0) == []


def test_a_blocked_spawn_leaves_no_placement() -> None:
    full_top = frozenset((x, y) for x in range(9) for y in range(20))
    for name in ("nes", "nes-no-rotation", "nes-no-rotation-timed"):
        assert all(native_placements(rules(name), full_top, letter) == [] for letter in PIECES)


def reference_perft(game_rules: Rules, depth: int) -> int:
    """Count the sequences of placements of this length. A board that is reached in several ways is walked once."""
    layer = {frozenset[tuple[int, int]](): 1}
    for ply in range(depth):
        following: dict[Cells, int] = {}
        leaves = 0
        for board, ways in layer.items():
            for letter in PIECES:
                spots = placements(game_rules, board, letter)
                leaves += ways * len(spots)
                if ply + 1 == depth:
                    continue
                for spot in spots:
                    locked = lock(game_rules, board, cells_of(game_rules, letter, spot))
                    if not locked.loss:
                        following[locked.after] = following.get(locked.after, 0) + ways
        if ply + 1 == depth:
            return leaves
        layer = following
    raise AssertionError


@pytest.mark.parametrize("name", sorted(PERFT))
def test_perft_equals_the_reference(name: str) -> None:
    empty = np.zeros(rules(name).columns, dtype=np.uint32)
    for depth in (1, 2):
        assert _core.perft(rules(name).core, empty, depth) == PERFT[name][depth - 1]
        assert reference_perft(rules(name), depth) == PERFT[name][depth - 1]


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(PERFT))
def test_deep_perft_equals_the_reference(name: str) -> None:
    empty = np.zeros(rules(name).columns, dtype=np.uint32)
    assert _core.perft(rules(name).core, empty, 3) == PERFT[name][2]
    assert reference_perft(rules(name), 3) == PERFT[name][2]


@given(data=st.data(), game_rules=rule_sets(), letter=st.sampled_from(PIECES))
@settings(max_examples=100, deadline=None)
def test_locking_equals_the_reference(data: st.DataObject, game_rules: Rules, letter: str) -> None:
    board = data.draw(boards(game_rules.columns, game_rules.rows, most=0.95))
    for spot in placements(game_rules, board, letter):
        after, lines, end = _core.lock(
            game_rules.core, words_from(board, game_rules.columns), PIECES.index(letter), *spot
        )
        locked = lock(game_rules, board, cells_of(game_rules, letter, spot))
        assert (end.name.lower().replace("_", "-") if end != _core.Termination.RUNNING else None) == locked.loss
        assert lines == locked.lines
        assert cells_of_words(after) == locked.after
