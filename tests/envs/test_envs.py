"""The Gymnasium environments: Gymnasium's contract, the core's games, masks, penalties and rewards."""

import subprocess
import sys
import time
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import blockfall.envs
from blockfall import Game, HumanGame, Purpose, game, rules_names
from blockfall.envs import HopelessEnv, TetrisEnv, TetrisKeysEnv, TetrisVectorEnv
from blockfall.errors import BlockfallError

IDS = ("blockfall/Tetris-v0", "blockfall/TetrisKeys-v0", "blockfall/Hopeless-v0")
TETRIS = IDS[0]
OBSERVATIONS = ("board", "features", "both")
SMALL: dict[str, dict[str, Any]] = {IDS[0]: {"rules": "standard-10x10"}, IDS[1]: {}, IDS[2]: {"columns": 5, "rows": 4}}
LEAST_STEPS_PER_SECOND = 1_000_000


def same(a: Any, b: Any) -> bool:
    """Return whether two observations are equal."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a.dtype == b.dtype and np.array_equal(a, b)


def random_action(mask: Any, rng: np.random.Generator) -> int:
    return int((rng.random(mask.shape) * mask).argmax())


def test_the_package_does_not_import_gymnasium() -> None:
    code = "import sys, blockfall; blockfall.Games; blockfall.evaluate; assert 'gymnasium' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_extra_is_named() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import blockfall.envs"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'blockfall[gym]'" in done.stderr


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("name", IDS)
def test_gymnasiums_checker_finds_nothing(name: str, observation: str, mode: str) -> None:
    env = gymnasium.make(name, observation=observation, render_mode=mode, **SMALL[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_a_seed_gives_the_same_episodes(name: str) -> None:
    played = []
    for _ in range(2):
        env = gymnasium.make(name, **SMALL[name])
        rng = np.random.default_rng(4)
        seen, info = env.reset(seed=4)
        told = [seen]
        for _ in range(60):
            seen, reward, over, cut, info = env.step(random_action(info["action_mask"], rng))
            told += [seen, np.array([reward])]
            if over or cut:
                seen, info = env.reset()
                told.append(seen)
        played.append(told)
    assert all(same(a, b) for a, b in zip(*played, strict=True))
    first, _ = env.reset(seed=4)
    other, _ = env.reset(seed=5)
    assert not same(first, other)


@pytest.mark.parametrize("name", rules_names())
def test_placements_play_the_games_of_the_core(name: str) -> None:
    env = TetrisEnv(name, observation="board", reward="score")
    rng = np.random.default_rng(2)
    planes, info = env.reset(seed=2)
    one = Game(name, seed=2, purpose=Purpose.LEARNING)
    over = False
    for _ in range(60):
        assert np.array_equal(planes[0].astype(bool), one.board.cells)
        assert np.flatnonzero(info["action_mask"]).tolist() == sorted(map(env.games.action, one.placements()))
        assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
        if over:
            break
        action = random_action(info["action_mask"], rng)
        (placement,) = (place for place in one.placements() if env.games.action(place) == action)
        before = one.outcome.score
        one.play(placement)
        planes, reward, over, cut, info = env.step(action)
        assert (reward, over, cut) == (one.outcome.score - before, one.over, False)
        assert (info["lines"], info["pieces"], info["score"]) == (
            one.outcome.lines,
            one.outcome.pieces,
            one.outcome.score,
        )


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("action", [-1, 10**30, 0.5, "left", None, [1, 2], np.array([3, 4])], ids=str)
def test_an_illegal_action_changes_nothing_and_costs_the_penalty(name: str, action: Any) -> None:
    env: Any = gymnasium.make(name, illegal_penalty=2.5, **SMALL[name]).unwrapped
    before, info = env.reset(seed=3)
    seen, reward, over, cut, after = env.step(action)
    assert same(before, seen)
    assert (reward, over, cut, after["illegal"]) == (-2.5, False, False, True)
    assert np.array_equal(after["action_mask"], info["action_mask"])
    for masked in np.flatnonzero(info["action_mask"] == 0)[:50]:
        seen, reward, _, _, after = env.step(masked)
        assert same(before, seen)
        assert (reward, after["illegal"]) == (-2.5, True)


def test_a_step_after_the_end_is_illegal_and_starts_nothing() -> None:
    env = TetrisEnv("standard-10x10", loss_penalty=10)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, reward, over, _, info = env.step(info["action_mask"].argmax())
    assert reward == -10
    assert not info["action_mask"].any()
    pieces = info["pieces"]
    for _ in range(3):
        _, reward, over, cut, info = env.step(0)
        assert (reward, over, cut, info["illegal"], info["pieces"]) == (-1, True, False, True, pieces)


@pytest.mark.parametrize("reward", ["lines", "score", "pieces"])
def test_rewards_add_up_to_what_they_are_named_after(reward: str) -> None:
    env = TetrisEnv("nes", reward=reward, max_pieces=200, observation="board")
    _, _ = env.reset(seed=6)
    lee = blockfall.agent("lee")
    total, over, cut = 0.0, False, False
    while not (over or cut):
        one = Game.at("nes", env.games.board(0), env.games.known[0], lines=int(env.games.outcomes["lines"][0]))
        _, earned, over, cut, info = env.step(env.games.action(one.choose(lee)))
        total += earned
    assert (cut, info["pieces"]) == (True, 200)
    assert info["lines"] > 20
    assert total == info[reward]


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("rules", ["standard-10x10", "nes-no-rotation", "guideline"])
def test_the_vector_environment_plays_as_single_ones_do(rules: str, observation: str) -> None:
    """Observations, rewards, ends and infos are those of Gymnasium's own vector of single environments."""
    settings: dict[str, Any] = {"rules": rules, "observation": observation, "reward": "score", "loss_penalty": 3.0}
    settings["max_episode_steps"] = 25
    native = gymnasium.make_vec(TETRIS, num_envs=4, **settings)
    plain = gymnasium.make_vec(TETRIS, num_envs=4, vectorization_mode="sync", **settings)
    assert isinstance(native.unwrapped, TetrisVectorEnv)
    assert native.single_observation_space == plain.single_observation_space
    assert native.action_space == plain.action_space
    assert native.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    rng = np.random.default_rng(9)
    (seen, info), (expected, told) = native.reset(seed=9), plain.reset(seed=9)
    ends = cuts = 0
    for _ in range(110):
        assert same(seen, expected)
        assert seen in native.observation_space
        assert np.array_equal(info["action_mask"], told["action_mask"])
        assert info["action_mask"].dtype == told["action_mask"].dtype
        assert np.array_equal(native.unwrapped.action_masks(), info["action_mask"].astype(bool))
        for key in ("illegal", "lines", "pieces", "score"):
            assert np.array_equal(info[key], told[key])
        actions = (rng.random(info["action_mask"].shape) * info["action_mask"]).argmax(axis=1)
        actions[rng.random(4) < 0.1] = native.unwrapped.games.actions - 1
        (seen, *done, info), (expected, *expected_done, told) = native.step(actions), plain.step(actions)
        for ours, theirs in zip(done, expected_done, strict=True):
            assert np.array_equal(ours, theirs)
        ends, cuts = ends + done[1].sum(), cuts + done[2].sum()
    assert ends + cuts > 4


def test_the_vector_environment_takes_any_numbers_as_actions() -> None:
    env = TetrisVectorEnv(3, "standard", illegal_penalty=2)
    env.reset(seed=1)
    for actions in ([-1, 10**15, 39], [np.nan, 0.5, np.inf], np.array([2**64 - 1, 2**63, 1000], np.uint64)):
        _, rewards, over, cut, info = env.step(actions)
        assert rewards.tolist() == [-2, -2, -2]
        assert info["illegal"].all()
        assert not (over | cut).any()
    with pytest.raises(BlockfallError, match="shape"):
        env.step([0, 0])


def test_resets_without_a_seed_start_other_games() -> None:
    for env in (TetrisEnv(observation="board"), TetrisVectorEnv(8, observation="board")):
        pieces = [env.reset()[0].tobytes() for _ in range(12)]
        assert len(set(pieces)) > 6


def test_keys_play_the_game_of_people() -> None:
    env = TetrisKeysEnv("guideline", observation="board", reward="pieces", frames_per_step=3)
    planes, info = env.reset(seed=5)
    person = HumanGame("guideline", seed=5)
    assert info["action_mask"].all()
    rng = np.random.default_rng(5)
    keys = (0, 1, 2, 4, 8, 16, 32, 64)
    total, over = 0.0, False
    while not over:
        action = int(rng.integers(8))
        for frame in range(3):
            person.step(keys[action] if frame == 0 or action == 3 else 0)
        planes, reward, over, _, info = env.step(action)
        total += reward
        assert np.array_equal(planes[0].astype(bool), person.board.cells)
        falling = {(int(x), int(y)) for y, x in np.argwhere(planes[1])}
        assert over or falling == {cell for cell in person.falling_cells if cell[1] < 24}
    assert person.over
    assert total == info["pieces"] == person.pieces > 5


def test_keys_that_the_rules_do_not_have_are_masked() -> None:
    _, info = TetrisKeysEnv("nes-no-rotation").reset(seed=1)
    assert info["action_mask"].tolist() == [1, 1, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("name", ["hopeless", "samegame"])
def test_hopeless_plays_the_game_of_the_registry(name: str) -> None:
    env = HopelessEnv(name, columns=6, rows=5, colours=3, observation="both")
    seen, info = env.reset(seed=3)
    position = game(name).start(3, columns=6, rows=5, colours=3)
    rng = np.random.default_rng(3)
    total, over = 0.0, False
    while not over:
        drawn = [[int(mark) if mark != "." else 0 for mark in row] for row in reversed(position.text().split())]
        assert np.array_equal(sum((c + 1) * plane for c, plane in enumerate(seen["board"])), drawn)
        squares, blocks, largest = seen["features"].reshape(3, 3).T
        assert squares.sum() == info["squares"] == np.count_nonzero(drawn)
        assert blocks.sum() == len(position.actions())
        assert largest.max() == max(len(position.block(one)) for one in position.actions())  # type: ignore[attr-defined]
        action = random_action(info["action_mask"], rng)
        position = position.apply((action % 6, action // 6))
        seen, reward, over, _, info = env.step(action)
        total += reward
    assert position.over
    assert total == position.score == info["score"]


def test_pictures_show_the_board(capsys: pytest.CaptureFixture[str]) -> None:
    env = TetrisEnv("standard", render_mode="ansi")
    env.reset(seed=1)
    env.step(0)
    rows = env.render().splitlines()
    assert len(rows) == 21
    filled = [[mark != "." for mark in row] for row in rows[:20]]
    assert np.array_equal(np.flipud(filled), env.games.board(0).cells)
    assert rows[20] == env.games.known[0]
    image = TetrisEnv("standard", render_mode="rgb_array")
    image.reset(seed=1)
    empty = image.render()
    image.step(0)
    assert image.render().shape == (20 * 16, 10 * 16, 3)
    changed = (image.render() != empty).any(axis=2)[8::16, 8::16]
    assert np.array_equal(np.flipud(changed), image.games.board(0).cells)
    human = TetrisEnv("standard", render_mode="human")
    human.reset(seed=1)
    human.step(0)
    assert rows[19] in capsys.readouterr().out
    many = TetrisVectorEnv(2, "standard", render_mode="rgb_array")
    many.reset(seed=1)
    frames = many.render()
    assert frames is not None
    assert [frame.shape for frame in frames] == [(320, 160, 3)] * 2


WRONG: list[tuple[str, dict[str, Any], str]] = [
    (IDS[0], {"rules": "nonsense"}, "nonsense"),
    (IDS[0], {"observation": "pixels"}, "observation is 'pixels'"),
    (IDS[0], {"reward": "money"}, "reward is 'money'"),
    (IDS[0], {"illegal_penalty": -1}, "illegal_penalty is -1"),
    (IDS[0], {"loss_penalty": float("nan")}, "loss_penalty is nan"),
    (IDS[0], {"pieces_known": 0}, "pieces_known is 0"),
    (IDS[0], {"features": "nonsense"}, "nonsense"),
    (IDS[1], {"frames_per_step": 1}, "frames_per_step is 1"),
    (IDS[1], {"reward": "money"}, "reward is 'money'"),
    (IDS[2], {"game": "tetris"}, "game is 'tetris'"),
    (IDS[2], {"columns": 10**6}, "at most"),
    (IDS[2], {"colours": 0}, "0 colours"),
]


@pytest.mark.parametrize(("name", "settings", "message"), WRONG, ids=lambda one: str(one)[:40])
def test_wrong_settings_are_refused(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BlockfallError, match=message):
        gymnasium.make(name, **settings)


@pytest.mark.alone
def test_a_million_steps_in_a_second_of_one_core() -> None:
    env = gymnasium.make_vec(TETRIS, num_envs=1024, rules="standard-10x10")
    _, info = env.reset(seed=0)
    best = 0.0
    for _ in range(5):
        begin, steps = time.process_time(), 0
        while time.process_time() - begin < 0.3:
            info = env.step(info["action_mask"].argmax(axis=1))[4]
            steps += 1024
        best = max(best, steps / (time.process_time() - begin))
    assert best > LEAST_STEPS_PER_SECOND
