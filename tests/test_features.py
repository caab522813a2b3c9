"""Every feature of the core against its definition, in every lane width."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall import Feature, _core, features, find_feature, rules
from blockfall.rulesets import PIECES, Rules
from blockfall.simd import simd_levels
from tests.boards import cells_from, words_from
from tests.reference.features import FEATURES, Placed, Position
from tests.reference.game import lock
from tests.reference.placements import cells_of, placements
from tests.reference.rules import Cells
from tests.strategies import boards, rule_sets


def agent_of(measured: Sequence[Feature]) -> _core.Agent:
    return _core.Agent([feature.number for feature in measured], [1.0] * len(measured), 1)


def expected(game_rules: Rules, board: Cells, letter: str, spot: tuple[int, int, int]) -> list[float]:
    cells = cells_of(game_rules, letter, spot)
    locked = lock(game_rules, board, cells)
    placed = [Placed(cells, locked.lines, locked.eroded)]
    position = Position(game_rules, locked.before, locked.after, placed)
    return [float(np.float32(FEATURES[f.name](position))) for f in features()]


@pytest.mark.parametrize("level", simd_levels())
@given(data=st.data(), game_rules=rule_sets(), letter=st.sampled_from(PIECES))
@settings(max_examples=60, deadline=None)
def test_features_equal_their_definitions(level: str, data: st.DataObject, game_rules: Rules, letter: str) -> None:
    board = data.draw(boards(game_rules.columns, game_rules.rows))
    alive = [
        spot
        for spot in placements(game_rules, board, letter)
        if not lock(game_rules, board, cells_of(game_rules, letter, spot)).loss
    ]
    if not alive:
        return
    words = words_from(board, game_rules.columns)
    spots = np.array(alive, dtype=np.int32)
    measured = agent_of(features()).measure(game_rules.core, words, PIECES.index(letter), spots, level)
    for row, spot in zip(measured.tolist(), alive, strict=True):
        assert dict(zip([f.name for f in features()], row, strict=True)) == dict(
            zip([f.name for f in features()], expected(game_rules, board, letter, spot), strict=True)
        )


def test_every_feature_is_documented_and_has_a_reference() -> None:
    for feature in features():
        assert feature.definition.endswith(".")
        assert feature.formula
        assert feature.source
        assert feature.name in FEATURES
    assert set(FEATURES) == {feature.name for feature in features()}
    names = [name for feature in features() for name in (feature.name, *feature.aliases)]
    assert len(set(names)) == len(names)


def test_aliases_resolve() -> None:
    assert find_feature("complete-lines") is find_feature("lines-cleared")
    assert find_feature("HOLES").name == "holes"


def measure(name: str, picture: str, letter: str, spot: tuple[int, int, int]) -> float:
    game_rules = rules("standard")
    words = words_from(cells_from(picture), 10)
    spots = np.array([spot], dtype=np.int32)
    player = agent_of([find_feature(name)])
    return float(player.measure(game_rules.core, words, PIECES.index(letter), spots, "scalar")[0, 0])


def test_transitions_of_an_almost_empty_board() -> None:
    """features.md: an empty 10x20 board has 40 row and 10 column transitions. A flat I on the floor breaks one row."""
    assert measure("row-transitions", "", "I", (0, 0, 0)) == 40
    assert measure("row-transitions", "", "I", (0, 3, 0)) == 42
    assert measure("column-transitions", "", "I", (0, 0, 0)) == 10


def test_eroded_cells_count_lines_times_cells() -> None:
    """Two lines go, with two cells of the O in each: 2 * 4."""
    ready = """
        ########..
        ########..
    """
    assert measure("eroded-cells", ready, "O", (0, 8, 0)) == 8
    assert measure("lines-cleared", ready, "O", (0, 8, 0)) == 2
    assert measure("landing-height", ready, "O", (0, 8, 0)) == 0.5


def test_wells_count_their_depth() -> None:
    """A well of three at the left wall: 3 + 2 + 1."""
    well = """
        .#........
        .#........
        .#........
    """
    assert measure("well-sums", well, "O", (0, 8, 0)) == 6
    assert measure("well-cells", well, "O", (0, 8, 0)) == 3


def cells_marked(example: str, marks: str) -> Cells:
    rows = example.strip().splitlines()
    return frozenset(
        (x, len(rows) - 1 - y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark in marks
    )


@pytest.mark.parametrize("feature", features(), ids=lambda feature: feature.name)
@pytest.mark.parametrize("level", simd_levels())
def test_worked_examples(feature: Feature, level: str) -> None:
    """The catalogue's example, by the definition and by the core."""
    game_rules = rules("standard")
    player = agent_of([feature])
    board, placed = cells_marked(feature.example, "#x"), cells_marked(feature.example, "@")
    words = words_from(board, 10)
    if placed:
        letter, spot = next(
            (letter, spot)
            for letter in PIECES
            for spot in placements(game_rules, board, letter)
            if cells_of(game_rules, letter, spot) == placed
        )
        locked = lock(game_rules, board, placed)
        position = Position(game_rules, locked.before, locked.after, [Placed(placed, locked.lines, locked.eroded)])
        spots = np.array([spot], dtype=np.int32)
        measured = player.measure(game_rules.core, words, PIECES.index(letter), spots, level)[0, 0]
    else:
        assert feature.looks_at == "board"
        position = Position(game_rules, board, board)
        measured = player.measure_board(game_rules.core, words, level)[0]
    assert FEATURES[feature.name](position) == pytest.approx(feature.example_value, rel=1e-12)
    assert measured == np.float32(FEATURES[feature.name](position))


@given(data=st.data(), game_rules=rule_sets(), level=st.sampled_from(simd_levels()))
@settings(max_examples=40, deadline=None)
def test_a_board_can_be_measured_as_it_stands(data: st.DataObject, game_rules: Rules, level: str) -> None:
    board = data.draw(boards(game_rules.columns, game_rules.rows))
    of_boards = [feature for feature in features() if feature.looks_at == "board"]
    measured = agent_of(of_boards).measure_board(game_rules.core, words_from(board, game_rules.columns), level)
    position = Position(game_rules, board, board)
    for feature, value in zip(of_boards, measured.tolist(), strict=True):
        assert value == np.float32(FEATURES[feature.name](position)), feature.name
