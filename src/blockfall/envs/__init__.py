"""Gymnasium environments. Importing this package registers their ids.

| id | what an action is |
|---|---|
| `blockfall/Tetris-v0` | a placement of the piece |
| `blockfall/TetrisKeys-v0` | a key for some frames |
| `blockfall/Hopeless-v0` | a cell of a block to remove |

>>> import gymnasium
>>> import blockfall.envs
>>> env = gymnasium.make("blockfall/Tetris-v0", rules="standard-10x10")
>>> observation, info = env.reset(seed=7)
>>> observation, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
>>> info["pieces"], info["illegal"]
(1, False)
"""

try:
    import gymnasium
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "the environments are an extra; install it with: pip install 'blockfall[gym]'"
    ) from missing

from blockfall.envs.hopeless import HopelessEnv
from blockfall.envs.keys import TetrisKeysEnv
from blockfall.envs.tetris import TetrisEnv, TetrisVectorEnv

__all__ = ["HopelessEnv", "TetrisEnv", "TetrisKeysEnv", "TetrisVectorEnv"]

_ENTRY_POINTS = {
    "blockfall/Tetris-v0": ("blockfall.envs:TetrisEnv", "blockfall.envs:TetrisVectorEnv"),
    "blockfall/TetrisKeys-v0": ("blockfall.envs:TetrisKeysEnv", None),
    "blockfall/Hopeless-v0": ("blockfall.envs:HopelessEnv", None),
}

for _id, (_one, _many) in _ENTRY_POINTS.items():
    if _id not in gymnasium.registry:
        gymnasium.register(id=_id, entry_point=_one, vector_entry_point=_many)
