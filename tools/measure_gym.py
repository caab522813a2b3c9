"""Measure Gymnasium steps beside tetris-gymnasium's: `pip install tetris-gymnasium`, `python tools/measure_gym.py`.

Both play placements at random among those that their mask allows, with feature observations, on one core, in turns.
Speeds are steps per CPU second. The result is docs/data/gym.json; docs/performance.md describes it.
"""

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import blockfall.envs  # noqa: F401  registers the ids

DATA = Path(__file__).parents[1] / "docs" / "data" / "gym.json"
SECONDS, TURNS, ENVS = 1.0, 5, 1024
RNG = np.random.default_rng(1)


def rate(step: Callable[[], int]) -> float:
    """Steps per CPU second."""
    steps, started = 0, time.process_time()
    while time.process_time() - started < SECONDS:
        steps += step()
    return steps / (time.process_time() - started)


def ours() -> Callable[[], int]:
    """The vector environment, including random play and the mask in NumPy."""
    envs: Any = gymnasium.make_vec("blockfall/Tetris-v0", num_envs=ENVS, rules="standard")
    state = {"mask": envs.reset(seed=1)[1]["action_mask"]}

    def step() -> int:
        mask = state["mask"]
        actions = (RNG.random(mask.shape, dtype=np.float32) * mask).argmax(axis=1)
        state["mask"] = envs.step(actions)[4]["action_mask"]
        return ENVS

    return step


def core() -> Callable[[], int]:
    """The vector environment alone: the same action in all games, a column where every piece fits."""
    envs: Any = gymnasium.make_vec("blockfall/Tetris-v0", num_envs=ENVS, rules="standard")
    envs.reset(seed=1)
    actions = [np.full(ENVS, column) for column in range(7)]
    turn = {"at": 0}

    def step() -> int:
        turn["at"] = (turn["at"] + 3) % 7
        envs.step(actions[turn["at"]])
        return ENVS

    return step


def theirs_placements() -> Callable[[], int]:
    """tetris-gymnasium with its wrappers for placements and features."""
    from tetris_gymnasium.envs import Tetris
    from tetris_gymnasium.wrappers.grouped import GroupedActionsObservations
    from tetris_gymnasium.wrappers.observation import FeatureVectorObservation

    base = Tetris()
    env: Any = GroupedActionsObservations(base, observation_wrappers=[FeatureVectorObservation(base)])
    state = {"mask": env.reset(seed=1)[1]["action_mask"]}

    def step() -> int:
        mask = state["mask"]
        action = int((RNG.random(mask.shape) * mask).argmax())
        _, _, terminated, truncated, info = env.step(action)
        state["mask"] = env.reset()[1]["action_mask"] if terminated or truncated else info["action_mask"]
        return 1

    return step


def theirs_keys() -> Callable[[], int]:
    """tetris-gymnasium's own step, which is one key; several keys make a placement."""
    from tetris_gymnasium.envs import Tetris

    env: Any = Tetris()
    env.reset(seed=1)

    def step() -> int:
        _, _, terminated, truncated, _ = env.step(int(RNG.integers(env.action_space.n)))
        if terminated or truncated:
            env.reset()
        return 1

    return step


if __name__ == "__main__":
    makers = {"ours": ours, "ours, no policy": core, "theirs": theirs_placements, "theirs, keys": theirs_keys}
    steps = {name: make() for name, make in makers.items()}
    rates: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(TURNS):
        for name, step in steps.items():
            rates[name].append(rate(step))
    found = {name: statistics.median(values) for name, values in rates.items()}
    found["ratio, placements"] = statistics.median(a / b for a, b in zip(rates["ours"], rates["theirs"], strict=True))
    found["ratio, our placements by their keys"] = statistics.median(
        a / b for a, b in zip(rates["ours"], rates["theirs, keys"], strict=True)
    )
    DATA.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))
