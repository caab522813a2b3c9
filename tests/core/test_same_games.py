"""The same seed gives the same game: in every instruction set, on any number of threads, and in the slow reference."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from blockfall import (
    Agent,
    Board,
    Game,
    Placement,
    Termination,
    WeightedFeatures,
    _core,
    agent,
    agent_names,
    evaluate,
    rules,
    rules_names,
)
from blockfall.agents import Guard
from blockfall.compute import LocalBackend
from blockfall.errors import SettingError
from blockfall.rulesets import Rules
from blockfall.simd import simd_levels
from tests.boards import cells_of_words
from tests.reference.game import ReferenceGame
from tests.strategies import GENERATORS, agents, rule_sets, variant


def play_both(game_rules: Rules, player: Agent, seed: int, most_pieces: int) -> None:
    native = Game(game_rules, seed, pieces_known=player.pieces_known)
    slow = ReferenceGame(game_rules, seed, pieces_known=player.pieces_known)
    for _ in range(most_pieces):
        assert native.over == bool(slow.end)
        if slow.end:
            assert native.outcome.termination.name.lower().replace("_", "-") == slow.end
            break
        choice = slow.choose(player)
        for level in simd_levels():
            assert player.core.choose(native.core, simd=level) == choice
        native.core.play(*choice)
        slow.play(choice)
        assert cells_of_words(native.core.columns) == slow.board
    outcome = native.outcome
    assert (outcome.lines, outcome.pieces, outcome.score) == (slow.lines, slow.placed, slow.score)
    assert list(outcome.clears) == slow.clears
    for level in simd_levels():
        played = evaluate(game_rules, player, 1, seed, max_pieces=most_pieces, backend=LocalBackend(1, level))
        assert played.placements.tolist() == [slow.placements]
        assert played.lines.tolist() == [slow.lines]


@given(game_rules=rule_sets(), player=agents(), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=40, deadline=None)
def test_one_piece_known(game_rules: Rules, player: Agent, seed: int) -> None:
    play_both(game_rules, player, seed, 30)


@given(game_rules=rule_sets(), player=agents(pieces_known=2), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=12, deadline=None)
def test_two_pieces_known(game_rules: Rules, player: Agent, seed: int) -> None:
    play_both(game_rules, player, seed, 5)


@given(
    game_rules=rule_sets(("nes-no-rotation", "nes-no-rotation-drop", "nes-no-rotation-timed")),
    player=agents(pieces_known=2),
    seed=st.integers(0, 2**64 - 1),
)
@settings(max_examples=12, deadline=None)
def test_two_pieces_known_to_the_end(game_rules: Rules, player: Agent, seed: int) -> None:
    play_both(game_rules, player, seed, 40)


@pytest.mark.parametrize("player", [name for name in agent_names() if "plies" not in agent(name).value.options])
def test_shipped_agents_play_as_the_reference(player: str) -> None:
    known = agent(player).pieces_known
    play_both(rules("standard" if known == 1 else "nes-no-rotation"), agent(player), 5, 25)


def test_three_pieces_known() -> None:
    play_both(rules("nes-no-rotation"), agent("birken-6").knowing(3), 11, 3)


@given(game_rules=rule_sets(), player=agents(), seed=st.integers(0, 2**64 - 1), height=st.integers(0, 12))
@settings(max_examples=25, deadline=None)
def test_the_guard_against_towers(game_rules: Rules, player: Agent, seed: int, height: int) -> None:
    play_both(game_rules, replace(player, guard=Guard(max_height=height, bumpiness=3)), seed, 25)


def test_the_guard_with_two_pieces_known() -> None:
    guarded = replace(agent("birken-6"), guard=Guard(max_height=3, bumpiness=2))
    play_both(rules("nes-no-rotation"), guarded, 4, 12)


@given(
    game_rules=rule_sets(("nes-no-rotation", "nes-no-rotation-drop", "nes-no-rotation-timed")),
    player=agents(),
    seed=st.integers(0, 2**64 - 1),
    best=st.sampled_from([1, 2, 5, 20]),
)
@settings(max_examples=12, deadline=None)
def test_an_unknown_piece(game_rules: Rules, player: Agent, seed: int, best: int) -> None:
    assume(
        game_rules.file.generator.name != "tgm3-real"
    )  # the core knows its pool, which cannot be inferred from the pieces
    play_both(game_rules, player.looking_ahead(best), seed, 12)


def test_an_unknown_piece_after_two_known() -> None:
    play_both(rules("nes-no-rotation"), agent("birken-6").looking_ahead(6), 3, 3)


@given(
    data=st.data(),
    game_rules=rule_sets(("nes-no-rotation", "nes-no-rotation-drop", "aveiro")),
    known=st.integers(1, 2),
    seed=st.integers(0, 2**64 - 1),
    best=st.sampled_from([0, 3]),
)
@settings(max_examples=40, deadline=None)
def test_a_choice_among_some_placements(
    data: st.DataObject, game_rules: Rules, known: int, seed: int, best: int
) -> None:
    player = data.draw(agents(pieces_known=known)).looking_ahead(best if known == 1 else 0)
    player = replace(player, guard=data.draw(st.sampled_from([None, Guard(max_height=2, bumpiness=2)])))
    native = Game(game_rules, seed, pieces_known=known)
    slow = ReferenceGame(game_rules, seed, pieces_known=known)
    for _ in range(4):
        if slow.end:
            break
        every = native.placements()
        among = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=5))
        choice = slow.choose(player, [(p.shape, p.column, p.row) for p in among])
        chosen = native.choose(player, among)
        assert (chosen.shape, chosen.column, chosen.row) == choice
        native.core.play(*choice)
        slow.play(choice)


def test_a_choice_among_none_is_refused() -> None:
    with pytest.raises(SettingError, match="at least one"):
        Game("nes").choose(agent("lee"), [])


def test_four_pieces_known() -> None:
    """The course server shows three pieces after the one in play."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.toml"
        path.write_text('extends = "aveiro"\n[board]\ncolumns = 5\nrows = 8\n[spawn]\ncolumn = 0\n')
        play_both(rules(path), agent("lee").knowing(4), 3, 2)


def test_values_that_are_not_numbers_lose_to_those_that_are() -> None:
    """Such large weights overflow to infinities and NaN; the choice is still the same everywhere."""
    huge = Agent("huge", WeightedFeatures({"holes": 3e38, "row-transitions": -3e38, "landing-height": 3e38}))
    play_both(rules("standard-10x10"), huge, 1, 30)


@pytest.mark.parametrize("name", rules_names())
def test_batches_do_not_depend_on_threads_or_instruction_set(name: str) -> None:
    plays = [
        evaluate(name, "birken-6", 40, seed=9, max_pieces=60, backend=LocalBackend(threads, level))
        for threads in (1, 2, 5)
        for level in simd_levels()
    ]
    for other in plays[1:]:
        for count in ("lines", "pieces", "placements", "score", "clears", "termination"):
            assert np.array_equal(getattr(plays[0], count), getattr(other, count))


def test_slices_are_the_same_games() -> None:
    whole = evaluate("nes-no-rotation", "birken-6", 30, seed=4)
    parts = [evaluate("nes-no-rotation", "birken-6", 10, seed=4, first_game=first) for first in (0, 10, 20)]
    assert whole.lines.tolist() == [n for part in parts for n in part.lines.tolist()]


@pytest.mark.parametrize(
    ("name", "player", "end"),
    [
        ("standard-10x10", "lee", Termination.OVERFLOW),
        ("nes-no-rotation", "birken-6", Termination.BLOCK_OUT),
        ("ist", "dellacherie", Termination.SEQUENCE_END),
        ("tetrisbot", "lee", Termination.PIECE_LIMIT),
    ],
)
def test_games_end_for_a_named_reason(name: str, player: str, end: Termination) -> None:
    limit = 30 if end == Termination.PIECE_LIMIT else None
    played = evaluate(name, player, 3, seed=1, max_pieces=limit)
    assert {Termination(value) for value in played.termination.tolist()} == {end}
    assert played.capped == (3 if end == Termination.PIECE_LIMIT else 0)


def test_the_snake_always_wins() -> None:
    """Alternating S and Z end every game (Burgiel 1997)."""
    played = evaluate(variant("standard", "srs", 10, 20, "snake"), "dellacherie", 2, seed=1, max_pieces=100_000)
    assert played.capped == 0


@pytest.mark.parametrize("name", rules_names())
def test_a_copy_plays_the_same_game_independently(name: str) -> None:
    player = agent("lee")
    game = Game(name, seed=6)
    for _ in range(9):
        if not game.over:
            game.play(game.choose(player))
    twin = game.copy()
    before = (str(game), game.known, game.outcome, game.level)
    kept = game.copy()
    for _ in range(12):
        if not game.over:
            placement = game.choose(player)
            assert twin.choose(player) == placement
            game.play(placement)
            twin.play(placement)
            assert (str(twin), twin.known, twin.outcome) == (str(game), game.known, game.outcome)
    assert (str(kept), kept.known, kept.outcome, kept.level) == before


def stands_as(game: Game, dealt: str) -> Game:
    """Return a game made from what can be seen of another."""
    return Game.at(game.rules, game.board, game.known, dealt=dealt, lines=game.outcome.lines)


def play_beside(game_rules: Rules, player: Agent, seed: int, pieces: int) -> int:
    """Play a game; at each step, one made from its board and its pieces has the same law and makes the same choice."""
    game = Game(game_rules, seed, pieces_known=player.pieces_known)
    came, steps = "", 0
    while not game.over and steps < pieces:
        twin = stands_as(game, came)
        assert (str(twin), twin.known, twin.level) == (str(game), game.known, game.level)
        assert twin.law == game.law
        assert twin.placements() == game.placements()
        placement = game.choose(player)
        assert twin.choose(player) == placement
        came += game.known[0]
        game.play(placement)
        steps += 1
    return steps


@pytest.mark.parametrize("name", rules_names())
def test_a_game_made_from_what_is_seen_plays_the_same(name: str) -> None:
    player = agent("birken-6").knowing(1).looking_ahead(3)
    for seed in range(3):
        assert play_beside(rules(name), player, seed, 25)


# The pool of tgm3-real cannot be inferred from the pieces, because refused rolls change it too.
@pytest.mark.parametrize("generator", [name for name in GENERATORS if name != "tgm3-real"])
def test_a_game_made_from_what_is_seen_has_the_same_law(generator: str) -> None:
    game_rules = variant("nes-no-rotation-drop", "nintendo", 10, 20, generator)
    for known in (1, 2):
        assert play_beside(game_rules, agent("birken-6").knowing(known).looking_ahead(3), 6, 40)


def test_first_moves_of_drawn_positions_follow_the_bag() -> None:
    """The first moves of 160 games: an empty bag must not take its law from seed 0."""
    player = agent("birken-6").knowing(2).looking_ahead(5)
    for seed in range(160):
        game = Game("tetrisbot-7-bag", seed)
        twin = stands_as(game, "")
        assert twin.law == game.law
        assert twin.choose(player) == game.choose(player)


def test_a_game_cannot_start_at_an_impossible_position() -> None:
    board = Board.empty(10, 20)
    for known, dealt, lines, part in (
        ("", "", 0, "0 pieces known"),
        ("IOTSZJLIO", "", 0, "9 pieces known"),
        ("IX", "", 0, "no piece 'X'"),
        ("I", "?", 0, "no piece '?'"),
        ("I", "", -1, "-1 lines"),
    ):
        with pytest.raises(SettingError, match=re.escape(part)):
            Game.at("nes", board, known, dealt=dealt, lines=lines)
    with pytest.raises(SettingError, match="10x20; standard-10x10 has boards of 10x10"):
        Game.at("standard-10x10", board, "I")


ROOF = """
.######...
..........
..........
"""


def moved(placement: Placement, columns: int = 0, rows: int = 0) -> Placement:
    cells = tuple((x + columns, y + rows) for x, y in placement.cells)
    return replace(placement, column=placement.column + columns, row=placement.row + rows, cells=cells)


def test_impossible_placements_are_refused() -> None:
    game = Game("nes", seed=1)
    first = game.placements()[0]
    game.play(first)
    resting = game.placements()[0]
    before = (str(game), game.known, game.outcome)
    impossible = [
        first,  # of the piece before
        moved(resting, rows=15),  # floats
        moved(resting, columns=20),  # outside
        moved(resting, rows=-1),  # in the floor
        replace(resting, shape=3 if resting.piece in "IOSZ" else 4),  # no such shape
        replace(resting, cells=moved(resting, columns=1).cells),  # cells that disagree
        replace(resting, piece="Q"),
    ]
    for bad in impossible:
        with pytest.raises(SettingError):
            game.play(bad)
        with pytest.raises(SettingError):
            game.choose(agent("lee"), [resting, bad])
    assert (str(game), game.known, game.outcome) == before
    game.play(resting)


def test_places_that_no_key_reaches_are_refused() -> None:
    """An O fits under the roof. Keys can slide it in from the right; a straight drop cannot get there."""
    board = Board.from_text(ROOF, 10, 20)
    covered = Placement("O", 0, 2, 0, ((2, 1), (3, 1), (2, 0), (3, 0)))
    dropped = Game.at("nes-no-rotation-drop", board, "OT")
    with pytest.raises(SettingError, match="O cannot come to rest as shape 0 at column 2, row 0"):
        dropped.play(covered)
    with pytest.raises(ValueError, match="cannot come to rest"):
        dropped.core.play(0, 2, 0)
    slid = Game.at("nes-no-rotation", board, "OT")
    slid.play(covered)
    assert slid.outcome.pieces == 1


def test_terminations_are_the_cores() -> None:
    assert {end.name: end.value for end in Termination} == {end.name: end.value for end in _core.Termination}
