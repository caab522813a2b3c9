"""Explanations: the first is what the agent plays, and the shares add up to the value."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall import Agent, Board, Game, agent
from blockfall.games.explanation import explain
from blockfall.rulesets import PIECES, Rules
from tests.boards import words_from
from tests.program import output_of, refusal, run_program
from tests.reference.game import sequences, value_of
from tests.strategies import agents, boards, rule_sets


@given(data=st.data(), game_rules=rule_sets(), known=st.integers(1, 2))
@settings(max_examples=25, deadline=None)
def test_explanations_agree_with_play_and_with_the_reference(
    data: st.DataObject, game_rules: Rules, known: int
) -> None:
    player = data.draw(agents(pieces_known=known))
    cells = data.draw(boards(game_rules.columns, game_rules.rows, most=0.4))
    pieces = "".join(data.draw(st.lists(st.sampled_from(PIECES), min_size=known, max_size=known)))
    board = Board(words_from(cells, game_rules.columns), game_rules.rows)
    game = Game.at(game_rules, board, pieces)
    ranked = explain(game, player)
    if game.over:
        assert ranked == []
        return
    best = ranked[0]
    if best.value is not None:
        assert game.choose(player) == best.placement
    by_first: dict[tuple[int, int, int], np.float32] = {}
    for sequence in sequences(game_rules, cells, list(pieces), 0, []):
        if sequence.position:
            value = value_of(player, sequence.position)
            by_first[sequence.first] = max(by_first.get(sequence.first, value), value)
    for one in ranked:
        spot = (one.placement.shape, one.placement.column, one.placement.row)
        assert (one.value is None) == (spot not in by_first)
        if one.value is not None:
            assert np.float32(one.value) == by_first[spot]
            assert sum(one.shares.values()) == pytest.approx(one.value, rel=1e-5, abs=1e-4)


def test_a_position_by_hand() -> None:
    """Dellacherie's player places the T into a gap of its shape."""
    board = Board.from_text("###...####\n####.#####", 10, 20)
    best, *rest = explain(Game.at("standard", board, "T"), agent("dellacherie"))
    assert set(best.placement.cells) == {(3, 1), (4, 1), (5, 1), (4, 0)}
    assert best.lines == 2
    assert best.measures["eroded-cells"] == 8
    assert len(rest) == 33
    assert best.after == Board.empty(10, 20)


def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("###...####\n####.#####\n")
    done = run_program("explain", "--board", "board.txt", "--piece", "t", "--json", cwd=tmp_path)
    rows = json.loads(done.stdout)
    assert len(rows) == 34
    assert rows[0]["lines"] == 2
    assert {"name", "value", "weight", "share"} == set(rows[0]["features"][0])
    shown = output_of("explain", "--rules", "nes", "--agent", "birken-6", "--piece", "J", "--next", "I", cwd=tmp_path)
    assert "row-transitions-occupied" in shown
    assert "before" in shown


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--board", "none.txt"], "No such file"),
        (["--board", "ragged.txt"], "row 2 of the board has 3 cells"),
        (["--board", "marks.txt"], "holds 'x'"),
        (["--board", "high.txt"], "21 rows"),
        (["--piece", "Q"], "one of I O T S Z J L"),
        (["--piece", "TT"], "one of I O T S Z J L"),
        (["--next", "?"], "one of I O T S Z J L"),
        (["--best", "0"], "at least 1"),
    ],
)
def test_bad_input(tmp_path: Path, arguments: list[str], part: str) -> None:
    (tmp_path / "ragged.txt").write_text("##########\n###\n")
    (tmp_path / "marks.txt").write_text("#########x\n")
    (tmp_path / "high.txt").write_text("#.........\n" * 21)
    assert part in refusal("explain", *arguments, cwd=tmp_path)


def test_an_agent_with_look_ahead_says_which_game_it_needs() -> None:
    player: Agent = agent("birken-6").knowing(1).looking_ahead(3)
    with pytest.raises(Exception, match="start it with pieces_known=1"):
        Game("nes", pieces_known=2).choose(player)
    assert Game("nes", pieces_known=1).choose(player)


TOWERS = "\n".join("#.#.#.#.#." for _ in range(15))


def test_the_explanation_of_a_guarded_agent_begins_with_what_it_plays() -> None:
    """Lee's agent would not play at the wall here; aveiro2020's guard makes it, and that placement comes first."""
    game = Game.at("standard", Board.from_text(TOWERS, 10, 20), "I")
    (free, *_), (guarded, *others) = explain(game, agent("lee")), explain(game, agent("aveiro"))
    assert free.placement.column > 0
    assert max(x for x, _ in free.placement.cells) < 9
    assert guarded.placement == game.choose(agent("aveiro"))
    assert {0, 9} & {x for x, _ in guarded.placement.cells}
    assert others[0].placement == free.placement


def test_the_explanation_of_look_ahead_begins_with_what_it_plays() -> None:
    player = agent("birken-6").looking_ahead(20)
    differs = 0
    for known in ("TJ", "SZ", "IO", "LS"):
        game = Game.at("nes-no-rotation", Board.from_text("##..###.##\n#.########", 10, 20), known)
        ranked = explain(game, player)
        assert ranked[0].placement == game.choose(player)
        differs += ranked[0].placement != game.choose(agent("birken-6"))
    assert differs
