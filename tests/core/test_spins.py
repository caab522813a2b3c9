"""T-spins, the hold queue and attack lines: the Guideline's rules as players know them."""

import numpy as np
import pytest

import blockfall
from blockfall import Board, Game, _core
from blockfall.errors import SettingError
from blockfall.games.attack import SPINS, Attack
from blockfall.rulesets import Rules
from tests.boards import cells_of_words
from tests.reference.spins import spins

GUIDELINE = blockfall.rules("guideline")


def game_at(picture: str, known: str) -> Game:
    return Game.at(GUIDELINE, Board.from_text(picture, 10, 24), known)


def played(game: Game, cells: set[tuple[int, int]]) -> Game:
    (placement,) = (one for one in game.placements() if set(one.cells) == cells)
    game.play(placement)
    return game


def test_spins_equal_the_reference() -> None:
    """The boards are random stacks with many slots and overhangs."""
    rng = np.random.default_rng(11)
    seen = {"mini": 0, "full": 0}
    for number in range(150):
        height = int(rng.integers(1, 12))
        cells = rng.random((10, height)) < rng.uniform(0.3, 0.9)
        cells[rng.integers(0, 10, height), np.arange(height)] = False
        words = np.array([sum(1 << y for y in range(height) if column[y]) for column in cells], np.uint32)
        if number % 2:  # an open column, so that the piece comes down
            words[int(rng.integers(10))] = 0
        native = {((s, x, y), SPINS[spin]) for s, x, y, spin in _core.spins(GUIDELINE.core, words).tolist()}
        assert native == spins(GUIDELINE, cells_of_words(words))
        for _, spin in native:
            seen[spin] += 1
    assert min(seen.values()) >= 10, "both kinds must occur"


DOUBLE = """
###.......
##...#####
###.######
"""


def test_a_t_spin_double_sends_four_lines() -> None:
    """The T turns under the overhang into its slot: three corners, both in front."""
    game = played(game_at(DOUBLE, "TI"), {(2, 1), (3, 1), (4, 1), (3, 0)})
    assert (game.outcome.lines, game.outcome.attack) == (2, 4)
    assert game.attack == Attack(4, 1, True)


def test_the_same_cells_without_a_turn_are_no_spin() -> None:
    """No overhang: the T falls straight into the slot, and only two corners are taken."""
    open_slot = DOUBLE.replace("###.......\n", "#.........\n")
    game = played(game_at(open_slot, "TI"), {(2, 1), (3, 1), (4, 1), (3, 0)})
    assert (game.outcome.lines, game.outcome.attack) == (2, 1)


def test_a_placement_knows_how_it_was_reached() -> None:
    game = game_at(DOUBLE, "T")
    found = {frozenset(one.cells): one.spin for one in game.placements()}
    assert found[frozenset({(2, 1), (3, 1), (4, 1), (3, 0)})] == "full"
    assert found[frozenset({(2, 1), (3, 1), (3, 2), (3, 0)})] == "full", "it points left, where both corners are taken"
    assert found[frozenset({(4, 1), (3, 1), (3, 2), (3, 0)})] == "mini", "it points right, where one corner is free"
    assert list(found.values()).count("full") == 2
    assert {spin for cells, spin in found.items() if min(y for _, y in cells) > 2} == {"none"}
    nes = Game.at("nes", Board.from_text(DOUBLE, 10, 20), "T")
    assert {one.spin for one in nes.placements()} == {"none"}


def test_a_spin_that_cannot_be_is_refused() -> None:
    game = game_at(DOUBLE, "T")
    flat = next(one for one in game.placements() if one.spin == "none")
    with pytest.raises(SettingError, match="is not reached by a full spin"):
        game.play(blockfall.Placement(flat.piece, flat.shape, flat.column, flat.row, flat.cells, "full"))


def test_the_guidelines_table_of_attacks() -> None:
    """Singles to tetrises, spins, back-to-back, combos and perfect clears, one after the other."""
    table = GUIDELINE.file.attack
    assert table
    sent = [(1, "none", 0), (2, "none", 1), (3, "none", 2), (4, "none", 4)]
    sent += [(1, "mini", 0), (2, "mini", 1), (1, "full", 2), (2, "full", 4), (3, "full", 6)]
    for lines, spin, attack in sent:
        assert Attack().after(table, lines, spin, False).lines == attack  # type: ignore[arg-type]
        assert Attack().after(table, lines, spin, True).lines == attack + 10  # type: ignore[arg-type]
    tetris = Attack().after(table, 4, "none", False).after(table, 0, "none", False)
    assert tetris == Attack(4, 0, True)
    assert tetris.after(table, 4, "none", False) == Attack(9, 1, True)
    assert tetris.after(table, 1, "none", False).after(table, 0, "none", False) == Attack(4, 0, False)
    combo, steps = Attack(), []
    for _ in range(13):
        before, combo = combo, combo.after(table, 1, "none", False)
        steps.append(combo.lines - before.lines)
    assert steps == [0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5]


def test_a_perfect_clear_is_seen_on_the_board() -> None:
    game = played(game_at("######....", "IO"), {(6, 0), (7, 0), (8, 0), (9, 0)})
    assert not game.board.columns.any()
    assert game.outcome.attack == 10


def test_the_hold_queue() -> None:
    game = Game(GUIDELINE, seed=4, pieces_known=3)
    first, second, third = list(game.known)
    own, both = game.placements(), game.placements(hold=True)
    assert both[: len(own)] == own
    assert {one.piece for one in both[len(own) :]} == {second}
    assert (game.held, game.reserve) == (None, second)
    copy = game.copy()
    game.play(both[-1])
    assert (game.held, game.reserve, game.known[0]) == (first, first, third)
    assert game.outcome.pieces == 1
    assert copy.held is None, "a copy has its own hold queue"
    last = next(one for one in game.placements(hold=True) if one.piece == first)
    game.play(last)
    assert (game.held, game.outcome.pieces) == (third, 2)


def test_rules_without_a_hold_queue_have_none() -> None:
    game = Game("nes", seed=4)
    assert (game.reserve, game.placements(hold=True)) == (None, game.placements())
    other = next(piece for piece in "IOTSZJL" if piece != game.known[0])
    with pytest.raises(SettingError, match="the piece to place is"):
        game.play(Game.at("nes", Board.empty(10, 20), other).placements()[0])


def test_your_own_rules_may_send_other_lines(tmp_path: object) -> None:
    assert isinstance(GUIDELINE, Rules)
    path = tmp_path / "mine.toml"  # type: ignore[operator]
    path.write_text('extends = "guideline"\n[attack]\nspin = [3, 6, 9]\n')
    game = Game.at(blockfall.rules(path), Board.from_text(DOUBLE, 10, 24), "TI")
    assert played(game, {(2, 1), (3, 1), (4, 1), (3, 0)}).outcome.attack == 6
    path.write_text('extends = "guideline"\n[attack]\nspin = [3, 6]\n')
    with pytest.raises(blockfall.BlockfallError, match="line 3"):
        blockfall.rules(path)


def test_an_agent_holds_if_that_is_better() -> None:
    """Nine columns are full: the I that comes next finishes four lines."""
    game = game_at("#########.\n" * 4, "SI")
    best = blockfall.explain(game, "dellacherie", hold=True)[0].placement
    assert (best.piece, {x for x, _ in best.cells}) == ("I", {9})
    assert blockfall.explain(game, "dellacherie")[0].placement.piece == "S"
    game.play(best)
    assert (game.held, game.outcome.lines) == ("S", 4)
    nes = Game("nes", seed=1)
    assert blockfall.explain(nes, "lee", hold=True) == blockfall.explain(nes, "lee")


def test_whole_games_with_the_hold_queue_are_better() -> None:
    lines = {True: 0, False: 0}
    for hold in lines:
        for number in range(3):
            game = Game(GUIDELINE, seed=8, number=number)
            while not game.over and game.outcome.pieces < 40:
                game.play(blockfall.explain(game, "lee", hold=hold)[0].placement)
            lines[hold] += game.outcome.lines - sum(game.board.heights)
    assert lines[True] > lines[False]
