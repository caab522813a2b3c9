"""Agents that play by a table: the core compared with a plain reading of the table, files, and the command line."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall import Agent, BlockfallError, Game, Placement, agent, evaluate, rules
from blockfall.agents.values.table import CONTOURS, ENTRIES, SHAPES, Table
from blockfall.compute import LocalBackend, Purpose, evaluate_population
from blockfall.games.explanation import explain
from blockfall.simd import simd_levels
from tests.program import output_of

RULES = ("tetrisbot", "standard", "nes", "nes-no-rotation", "ist")


def random_table(seed: int) -> Agent:
    """Return small whole numbers, so that ties are common."""
    numbers = np.random.default_rng(seed).integers(-3, 4, ENTRIES).astype(float)
    return Agent("table", Table(tuple(numbers.tolist())))


def worth(game: Game, table: Table, placement: Placement) -> float | None:
    """Return the largest value among the groups of four columns that hold the piece; None if the piece loses."""
    after = Game.at(game.rules, game.board, game.known[0])
    after.play(placement)
    if after.over and after.outcome.termination.name in ("OVERFLOW", "LOCK_OUT"):
        return None
    xs, ys = sorted({x for x, _ in placement.cells}), sorted({y for _, y in placement.cells}, reverse=True)
    drawing = tuple("".join("#" if (x, y) in placement.cells else "." for x in xs) for y in ys)
    found = []
    for first in range(len(game.board.columns) - 3):
        if first <= xs[0] and xs[-1] <= first + 3:
            tops = game.board.heights[first : first + 4]
            a, b, c = (int(np.clip(after - before, -3, 3)) for before, after in pairwise(tops))
            found.append(table.at((a, b, c), drawing, xs[0] - first))
    return max(found)


@given(st.sampled_from(RULES), st.integers(0, 2**32), st.integers(0, 2**32))
@settings(max_examples=12, deadline=None)
def test_the_core_plays_what_the_table_says(name: str, seed: int, table_seed: int) -> None:
    player = random_table(table_seed)
    assert isinstance(player.value, Table)
    game = Game(name, seed, pieces_known=1)
    while not game.over:
        values = [(worth(game, player.value, placement), placement) for placement in game.placements()]
        known = [(value, placement) for value, placement in values if value is not None]
        wanted = max(known, key=lambda one: one[0])[1] if known else values[0][1]
        assert game.choose(player) == wanted
        game.play(wanted)
    played = evaluate(name, player, games=1, seed=seed)
    assert (played.lines[0], played.pieces[0]) == (game.outcome.lines, game.outcome.pieces)
    assert played.placements[0] >= played.pieces[0]


def test_every_instruction_set_and_a_population_play_the_same_games() -> None:
    players = [random_table(1), random_table(2)]
    rows = np.array([player.value.parameters for player in players])
    alone = [evaluate("tetrisbot", player, 20, seed=3, backend=LocalBackend(simd="scalar")) for player in players]
    for level in simd_levels():
        together = evaluate_population(
            "tetrisbot", players[0], rows, 20, seed=3, backend=LocalBackend(simd=level), purpose=Purpose.TEST
        )
        for counts in ("lines", "pieces", "placements", "score"):
            assert np.array_equal(getattr(together, counts), [getattr(one, counts) for one in alone])


def test_the_nineteen_shapes_are_those_of_the_rules() -> None:
    """Every shape of a rule set has a place in the table, so every placement has a value."""
    for name in RULES:
        for piece in "IOTSZJL":
            game = Game.at(name, Game(name).board, piece)
            for one in explain(game, random_table(1)):
                assert one.value is not None
                assert one.entry


def test_an_explanation_agrees_with_play() -> None:
    player = random_table(4)
    assert isinstance(player.value, Table)
    game = Game("tetrisbot", seed=5, pieces_known=1)
    for _ in range(12):
        found = explain(game, player)
        assert found[0].placement == game.choose(player)
        for one in found:
            assert one.value == worth(game, player.value, one.placement)
            assert not one.measures
        game.play(found[0].placement)


def test_a_file_keeps_every_number(tmp_path: Path) -> None:
    numbers = np.random.default_rng(7).normal(0, 1, ENTRIES).astype(np.float32)
    player = Agent("kept", Table(tuple(numbers.tolist())), source="a test")
    (tmp_path / "kept.json").write_text(json.dumps(player.as_json()))
    found = agent(tmp_path / "kept.json")
    assert found.feature_names == ()
    shaped = [np.array(t.parameters).reshape(len(CONTOURS), len(SHAPES), 4) for t in (player.value, found.value)]
    for number, shape in enumerate(SHAPES):
        fits = 4 - len(shape[0]) + 1
        assert np.array_equal(shaped[0][:, number, :fits], shaped[1][:, number, :fits])
    assert np.array_equal(
        evaluate("tetrisbot", player, 30, seed=1).lines, evaluate("tetrisbot", found, 30, seed=1).lines
    )


ACTION = {"shape": ["##", "##"], "offset": 2, "values": [0] * len(CONTOURS)}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"table": {"actions": [ACTION | {"offset": 3}]}}, "offset is 3; a shape 2 wide has 0 to 2"),
        ({"table": {"actions": [ACTION | {"shape": ["##", "#."]}]}}, "must be one of the seven pieces"),
        ({"table": {"actions": [ACTION | {"values": [0.0]}]}}, "it must be a list of 343 numbers"),
        ({"table": {"actions": [ACTION, ACTION]}}, "an action occurs twice"),
        ({"pieces_known": 2}, "2 pieces known; wrong has a table, which knows 1"),
        ({"guard": {"max_height": 9, "bumpiness": 3}}, "has a table; such an agent cannot have a guard"),
        ({"weights": {"holes": -1}}, "both weights and a table"),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(tmp_path: Path, change: dict[str, object], complaint: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps({"table": {"actions": [ACTION]}} | change))
    with pytest.raises(BlockfallError) as raised:
        agent(path)
    assert complaint in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_table_refuses_what_it_cannot_do() -> None:
    with pytest.raises(BlockfallError, match="has a table, which knows 1"):
        random_table(1).knowing(2)
    with pytest.raises(BlockfallError, match="has a table; such an agent cannot look ahead"):
        random_table(1).looking_ahead(3)


def test_the_command_line_takes_a_table(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps(random_table(1).as_json()))

    def printed(*words: str) -> str:
        return output_of(*words, "--rules", "tetrisbot", "--agent", path)

    counted = json.loads(printed("evaluate", "--games", "5", "--seed", "1", "--json"))
    moves = json.loads(printed("watch", "--seed", "1", "--json"))
    first = evaluate(rules("tetrisbot"), agent(path), games=5, seed=1)
    assert counted["mean"] == first.lines.mean()
    assert len(moves) == first.pieces[0]
    assert "their steps" in printed("explain", "--piece", "T")
    assert json.loads(printed("explain", "--piece", "T", "--json"))[0]["entry"]["contour"] == [0, 0, 0]
