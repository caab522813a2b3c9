"""Many games at once are the same games as one at a time, move by move; no input harms them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import blockfall
from blockfall import Game, Games, Purpose, Rules, Termination, rules, rules_names
from blockfall.errors import BlockfallError, SettingError
from blockfall.games.many import MOST_GAMES
from tests.registries import restored
from tests.strategies import BASES, GENERATORS, variant

SEATS = 6
PIECES = "IOTSZJL"

RULES = [rules(name) for name in rules_names()]
VARIANTS = [
    variant(base, rules(base).file.rotation, columns, rows, generator)
    for base, columns, rows in zip(BASES, (10, 8, 10, 7, 10, 12, 10, 8), (12, 10, 14, 8, 12, 8, 12, 10), strict=True)
    for generator in GENERATORS
]


def chosen(mask: npt.NDArray[np.int8], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Choose a random possible action of each game; 0 for a game that has none."""
    return np.asarray((rng.random(mask.shape) * mask).argmax(axis=1))


def follow(game_rules: Rules, steps: int) -> int:
    """Play both ways and compare everything that can be seen. Return the number of restarted games."""
    many = Games(game_rules, SEATS, seed=11)
    ones = [Game(game_rules, seed=11, number=i) for i in range(SEATS)]
    numbers = list(range(SEATS))
    rng = np.random.default_rng(11)
    for step in range(steps):
        mask = many.mask()
        actions = chosen(mask, rng)
        placements = [many.placement(i, int(action)) for i, action in enumerate(actions)]
        after = many.afterstates()
        for i, game in enumerate(ones if step % 5 == 0 else []):
            possible = game.placements()
            assert np.flatnonzero(mask[i]).tolist() == sorted(many.action(one) for one in possible)
            mine = after.game == i
            assert after.action[mine].tolist() == [many.action(one) for one in possible]
            if possible:
                assert np.array_equal(after.cells[mine], game.afterstates()[1])
        done = many.step(actions)
        for i, game in enumerate(ones):
            if game.over or not game.placements():
                numbers[i] += SEATS
                ones[i] = Game(game_rules, seed=11, number=numbers[i])
                assert done.started[i]
                assert (done.points[i], done.lines[i]) == (0, 0)
                continue
            assert not done.started[i]
            assert not done.illegal[i]
            placement = placements[i]
            assert placement
            before = game.outcome
            game.play(placement)
            assert done.points[i] == game.outcome.score - before.score
            assert done.lines[i] == game.outcome.lines - before.lines
        for i, game in enumerate(ones):
            assert np.array_equal(many.words[i], game.board.columns)
            assert many.known[i] == game.known
            outcome = game.outcome
            assert many.outcomes["pieces"][i] == outcome.pieces
            assert many.outcomes["score"][i] == outcome.score
            assert tuple(many.outcomes["clears"][i]) == outcome.clears
            stuck = outcome.termination == Termination.RUNNING and not game.placements()
            assert done.termination[i] == (Termination.BLOCK_OUT if stuck else outcome.termination)
    assert many.numbers.tolist() == numbers
    return (sum(numbers) - sum(range(SEATS))) // SEATS


@pytest.mark.parametrize("game_rules", RULES, ids=lambda one: one.name)
def test_shipped_rules_play_the_same_games(game_rules: Rules) -> None:
    assert follow(game_rules, 120) > 0


@pytest.mark.parametrize("game_rules", VARIANTS, ids=lambda one: one.name)
def test_every_generator_deals_the_same_pieces(game_rules: Rules) -> None:
    assert follow(game_rules, 40) > 0


@pytest.mark.parametrize("name", ["standard", "nes", "guideline"])
def test_afterstates_are_what_the_placements_leave(name: str) -> None:
    game = Game(name, seed=5)
    for _ in range(30):
        placements, boards = game.afterstates()
        assert placements == game.placements()
        for placement, board in zip(placements, boards, strict=True):
            played = game.copy()
            played.play(placement)
            if played.outcome.termination not in (Termination.OVERFLOW, Termination.LOCK_OUT):
                assert np.array_equal(board, played.board.cells)
        game.play(game.choose("dellacherie"))


def test_observations_show_the_board_and_the_pieces() -> None:
    many = Games("nes", 5, seed=3, features="holes,bumpiness,max-height")
    rng = np.random.default_rng(3)
    for _ in range(25):
        many.step(chosen(many.mask(), rng))
    seen = many.observe("both")
    planes, numbers = seen["board"], seen["features"]
    assert (planes.dtype, numbers.dtype) == (np.uint8, np.float32)
    assert planes.shape == (5, 1 + 7 * 2, 20, 10)
    assert numbers.shape == (5, 3 + 7 * 2)
    for i in range(5):
        board = many.board(i)
        assert np.array_equal(planes[i, 0].astype(bool), board.cells)
        heights = board.heights
        holes = sum(height - int(column.sum()) for height, column in zip(heights, board.cells.T, strict=True))
        bumps = sum(abs(a - b) for a, b in pairwise(heights))
        assert numbers[i, :3].tolist() == [holes, bumps, max(heights)]
        shown = [piece == letter for letter in many.known[i] for piece in PIECES]
        assert numbers[i, 3:].tolist() == shown
        assert [bool(plane.all()) for plane in planes[i, 1:]] == shown
        assert [bool(plane.any()) for plane in planes[i, 1:]] == shown


@pytest.mark.parametrize("name", ["standard-10x10", "tetrisbot"])
def test_features_are_measured_alike_here_and_in_play(name: str) -> None:
    """All features of the catalogue, measured for a number of games that does not fill the lanes."""
    names = [one.name for one in blockfall.features.built_in_features() if one.looks_at == "board"]
    many = Games(name, 21, seed=2, features=names)
    rng = np.random.default_rng(2)
    for _ in range(9):
        many.step(chosen(many.mask(), rng))
    measurer = blockfall.Agent("all", blockfall.WeightedFeatures(dict.fromkeys(names, 0.0)))
    for i, row in enumerate(many.observe("features")):
        alone = measurer.core.measure_board(many.rules.core, many.words[i], simd="scalar")
        assert np.array_equal(row[: len(names)], alone)
    after = many.afterstates(features=True)
    assert after.features is not None
    for at in range(0, len(after.game), 37):
        game = Game.at(name, many.board(int(after.game[at])), many.known[after.game[at]])
        placement = many.placement(int(after.game[at]), int(after.action[at]))
        assert placement
        expected = [0.0] * len(names) if after.lost[at] else game.measure(measurer, placement)
        assert after.features[at].tolist() == expected


def test_a_users_feature_is_measured_and_its_failure_is_reported() -> None:
    with restored():

        @blockfall.feature("first-height")
        def first_height(board: Any) -> float:
            return float(board.heights[0])

        @blockfall.feature("no-number")
        def no_number(board: Any) -> float:
            return float(board.heights[0]) * float("nan")

        many = Games("standard", 3, seed=1, features="first-height")
        many.step([0, 0, 0])
        assert many.observe("features")[:, 0].tolist() == [board.heights[0] for board in map(many.board, range(3))]
        with pytest.raises(BlockfallError, match="no-number"):
            Games("standard", 3, seed=1, features="no-number").observe("features")


def test_an_action_that_is_not_possible_changes_nothing() -> None:
    many = Games("standard", 4, seed=1)
    same = Games("standard", 4, seed=1)
    for actions in ([-1] * 4, [many.actions] * 4, [2**62, -(2**63), 39, 10**9], [np.nan, np.inf, 0.5, -1.0]):
        done = many.step(np.array(actions))
        assert done.illegal[[0, 1]].all()
        assert not done.over.any()
    assert not done.lines.any()
    assert not done.points.any()
    many.step(many.mask().argmax(axis=1))
    same.step(same.mask().argmax(axis=1))
    assert np.array_equal(many.words, same.words)
    assert many.known == same.known


def test_a_limit_of_pieces_cuts_games_and_the_next_step_starts_the_next_one() -> None:
    many = Games("nes-no-rotation", 3, seed=8, max_pieces=2)
    for step in range(9):
        done = many.step(many.mask().argmax(axis=1))
        assert done.truncated.all() == (step % 3 == 1)
        assert done.started.all() == (step % 3 == 2)
    assert many.numbers.tolist() == [9, 10, 11]


def test_games_can_be_cut_from_outside() -> None:
    many = Games("standard", 3, seed=1)
    many.cut(np.array([False, True, False]))
    assert many.mask().any(axis=1).tolist() == [True, False, True]
    done = many.step([0, 0, 0])
    assert done.started.tolist() == [False, True, False]
    assert many.numbers.tolist() == [0, 4, 2]
    with pytest.raises(SettingError, match="shape"):
        many.cut(np.array([True]))


def test_a_seed_for_each_seat() -> None:
    many = Games("nes-no-rotation", 3, seed=[5, 9, 5], max_pieces=1)
    assert many.known == [Game("nes-no-rotation", seed=seed).known for seed in (5, 9, 5)]
    for _ in range(2):
        many.step(many.mask().argmax(axis=1))
    assert many.known == [Game("nes-no-rotation", seed=seed, number=1).known for seed in (5, 9, 5)]


def test_purposes_do_not_share_games() -> None:
    known = [Games("standard", 20, 1, purpose=purpose).known for purpose in Purpose]
    assert all(a != b for i, a in enumerate(known) for b in known[:i])


def test_a_game_that_is_over_has_no_actions_and_no_afterstates() -> None:
    many = Games("standard-10x10", 2, seed=1)
    while not (over := many.step(many.mask().argmax(axis=1)).over).any():
        pass
    assert not many.mask()[over].any()
    assert not np.isin(many.afterstates().game, np.flatnonzero(over)).any()


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"n": 0}, "n is 0"),
    ({"n": -1}, "n is -1"),
    ({"n": MOST_GAMES + 1}, "n is"),
    ({"n": 10**30}, "n is"),
    ({"n": True}, "n is True"),
    ({"n": 1.5}, "n is 1.5"),
    ({"n": "3"}, "n is '3'"),
    ({"n": 2, "seed": -1}, "seed -1"),
    ({"n": 2, "seed": 2**64}, "seed"),
    ({"n": 2, "seed": [1]}, "1 seeds for 2 games"),
    ({"n": 2, "pieces_known": 0}, "pieces_known is 0"),
    ({"n": 2, "pieces_known": 9}, "pieces_known is 9"),
    ({"n": 2, "max_pieces": 0}, "max_pieces is 0"),
    ({"n": 2, "features": "nonsense"}, "nonsense"),
    ({"n": 2, "features": []}, "feature"),
]


@pytest.mark.parametrize(("settings", "message"), WRONG, ids=lambda one: str(one)[:40])
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BlockfallError, match=message):
        Games("standard", **settings)


@pytest.mark.parametrize("actions", [0, [0], [0, 0, 0], [[0, 0]], ["a", "b"], [None, 1], []], ids=str)
def test_wrong_actions_are_refused(actions: Sequence[Any]) -> None:
    with pytest.raises(SettingError, match="actions of the"):
        Games("standard", 2).step(actions)


def test_an_unknown_observation_or_game_is_refused() -> None:
    many = Games("standard", 2)
    with pytest.raises(SettingError, match="observation 'pixels'"):
        many.observe("pixels")  # type: ignore[arg-type]
    for index in (-1, 2, 10**30):
        with pytest.raises(SettingError, match="game is"):
            many.board(index)
        with pytest.raises(SettingError, match="game is"):
            many.placement(index, 0)
    assert many.placement(0, 10**30) is None
