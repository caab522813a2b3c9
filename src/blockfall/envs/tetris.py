"""Tetris by placements: an environment for one game, and one for many games that the core steps together."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from blockfall.envs import drawing
from blockfall.envs.settings import (
    RENDER_MODES,
    action_number,
    numbers_space,
    observation_space,
    one_of,
    penalty_of,
    planes_space,
    render_mode_of,
)
from blockfall.errors import SettingError
from blockfall.games import Games, Steps, Termination
from blockfall.games.many import ObservationKind, whole_actions
from blockfall.games.painting import PaintedBoard
from blockfall.games.streams import Purpose
from blockfall.rulesets import PIECES, Rules

REWARDS = ("lines", "score", "pieces")
_LOST_PIECE = (Termination.OVERFLOW, Termination.LOCK_OUT)
_SHOWN = ("lines", "pieces", "score")
_SEEDS = 2**63


@dataclass(frozen=True)
class _Task:
    """The games, observations and rewards of an environment."""

    rules: Rules | str | Path
    observation: ObservationKind
    features: str | Sequence[str] | None
    reward: str
    illegal_penalty: float
    loss_penalty: float
    pieces_known: int
    max_pieces: int | None

    def __post_init__(self) -> None:
        one_of(self.observation, get_args(ObservationKind), "observation")
        one_of(self.reward, REWARDS, "reward")
        penalty_of(self.illegal_penalty, "illegal_penalty")
        penalty_of(self.loss_penalty, "loss_penalty")

    def games(self, seeds: Sequence[int]) -> Games:
        """Return the games of these seeds, from the stream for learning, not for tests."""
        return Games(
            self.rules,
            len(seeds),
            seeds,
            pieces_known=self.pieces_known,
            purpose=Purpose.LEARNING,
            max_pieces=self.max_pieces,
            features=self.features,
        )

    def space(self, games: Games) -> spaces.Space[Any]:
        """Return the space of one game's observations."""
        known, rules = len(PIECES) * games.pieces_known, games.rules
        return observation_space(
            self.observation,
            planes_space(1 + known, rules.rows, rules.columns),
            numbers_space(len(games.features) + known),
        )

    def rewards(self, done: Steps) -> npt.NDArray[np.float64]:
        """Return each game's reward for a step."""
        played = ~(done.illegal | done.started)
        kinds: dict[str, npt.NDArray[Any]] = {"lines": done.lines, "score": done.points, "pieces": played}
        earned = kinds[self.reward].astype(np.float64)
        lost = done.over & ~done.truncated & played
        return np.asarray(earned - self.illegal_penalty * done.illegal - self.loss_penalty * lost)


class TetrisEnv(gymnasium.Env[Any, Any]):
    """Tetris by placements. An action is a number of `blockfall.Games`: a shape, a column and, if needed, a row.

    | setting | values |
    |---|---|
    | `rules` | the name of a rule set or a TOML file |
    | `observation` | `features`, `board` or `both` |
    | `features` | the features to observe: names and groups; the heights of the columns and five more by default |
    | `reward` | `lines` removed, `score` of the rules, or `pieces` placed (1 each) |
    | `illegal_penalty` | the cost of an impossible action, which changes nothing else |
    | `loss_penalty` | the cost of a lost game |
    | `pieces_known` | the number of pieces observed: the one to place and those shown after it |
    | `max_pieces` | the number of pieces after which the game is truncated |

    `reset(seed=7)` starts the game of `blockfall.Game(rules, seed=7, purpose=blockfall.Purpose.LEARNING)`, and each
    `reset()` after that the seed's next game. `evaluate` never tests with these games.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 10}  # noqa: RUF012

    def __init__(
        self,
        rules: Rules | str | Path = "standard",
        *,
        observation: ObservationKind = "features",
        features: str | Sequence[str] | None = None,
        reward: str = "lines",
        illegal_penalty: float = 1.0,
        loss_penalty: float = 0.0,
        pieces_known: int = 2,
        max_pieces: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Prepare the game; `reset` starts it."""
        self._task = _Task(
            rules, observation, features, reward, illegal_penalty, loss_penalty, pieces_known, max_pieces
        )
        self.render_mode = render_mode_of(render_mode)
        self.games = self._task.games([0])
        """The game as `blockfall.Games` of one seat."""
        self._seeded = False
        self.action_space = spaces.Discrete(self.games.actions)
        self.observation_space = self._task.space(self.games)
        self._paint_anew()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the first game of a seed, or the next game."""
        super().reset(seed=seed, options=options)
        if seed is not None or not self._seeded:
            self.games = self._task.games([int(self.np_random.integers(_SEEDS)) if seed is None else seed])
            self._seeded = True
        else:
            self.games.cut([True])
            self.games.step([0])
        self._paint_anew()
        self._show()
        return self._observe(), self._info(illegal=False)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Place the piece. An impossible action changes nothing, costs the penalty and sets `info["illegal"]`."""
        number = action_number(action)
        placement = self.games.placement(0, number)
        if placement is None:  # also if the game is over: only `reset` starts the next one
            reward, illegal = -self._task.illegal_penalty, True
        else:
            done = self.games.step([number])
            reward, illegal = float(self._task.rewards(done)[0]), False
            if self.render_mode and done.termination[0] not in _LOST_PIECE:
                self._painted.lock(placement)
        self._show()
        end = self.games.outcomes["termination"][0]
        truncated = bool(end == Termination.PIECE_LIMIT)
        terminated = bool(end != Termination.RUNNING) and not truncated
        return self._observe(), reward, terminated, truncated, self._info(illegal)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the possible actions, as sb3-contrib's MaskablePPO expects."""
        return np.asarray(self.games.mask()[0], np.bool_)

    def render(self) -> Any:
        """Return the board as text or as an image; `human` prints it after every step."""
        if self.render_mode == "ansi":
            return drawing.text_of(self._painted.rows, self.games.known[0])
        if self.render_mode == "rgb_array":
            return drawing.picture_of(self._painted.rows)
        return None

    def _show(self) -> None:
        if self.render_mode == "human":
            drawing.show(self._painted.rows, self.games.known[0])

    def _paint_anew(self) -> None:
        self._painted = PaintedBoard(self.games.rules.columns, self.games.rules.rows)

    def _observe(self) -> Any:
        seen = self.games.observe(self._task.observation)
        return {name: part[0] for name, part in seen.items()} if isinstance(seen, dict) else seen[0]

    def _info(self, illegal: bool) -> dict[str, Any]:
        outcomes = self.games.outcomes
        return {
            "action_mask": self.games.mask()[0],
            "illegal": illegal,
            **{name: int(outcomes[name][0]) for name in _SHOWN},
        }


class TetrisVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games of `TetrisEnv` that the core steps together, made by `gymnasium.make_vec`.

    It takes the settings of `TetrisEnv` and plays the same games as separate ones with the seeds s, s + 1, s + 2 and so
    on. A game that is over restarts in the next step, whose action is ignored and whose reward is 0.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": RENDER_MODES,
        "render_fps": 10,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str | Path = "standard",
        *,
        observation: ObservationKind = "features",
        features: str | Sequence[str] | None = None,
        reward: str = "lines",
        illegal_penalty: float = 1.0,
        loss_penalty: float = 0.0,
        pieces_known: int = 2,
        max_pieces: int | None = None,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Prepare the games; `reset` starts them. A game is truncated after `max_episode_steps` steps."""
        if max_episode_steps is not None and max_episode_steps < 1:
            raise SettingError(f"max_episode_steps is {max_episode_steps}; it must be 1 or more")
        self._task = _Task(
            rules, observation, features, reward, illegal_penalty, loss_penalty, pieces_known, max_pieces
        )
        self.render_mode = render_mode_of(render_mode)
        self.num_envs = num_envs
        self._most_steps = max_episode_steps
        self._seeded = False
        self._start([0] * num_envs)
        self.single_action_space = spaces.Discrete(self.games.actions)
        self.single_observation_space = self._task.space(self.games)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._all = np.ones(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the first games of the seeds seed, seed + 1 and so on, or of a list of seeds; or the next games."""
        del options
        if isinstance(seed, int | np.integer):
            self._np_random, self._np_random_seed = seeding.np_random(int(seed))
            self._start([int(seed) + i for i in range(self.num_envs)])
        elif seed is not None:
            self._start([int(one) for one in seed])
        elif not self._seeded:
            self._start(self.np_random.integers(_SEEDS, size=self.num_envs).tolist())
        else:
            self.games.cut(self._all)
            self.games.step(np.zeros(self.num_envs, np.int64))
        self._seeded = True
        self._steps[:] = 0
        return self.games.observe(self._task.observation), self._info(np.zeros(self.num_envs, np.bool_))

    def step(
        self, actions: Any
    ) -> tuple[Any, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Place a piece in every game. An impossible action changes nothing, and its `info["illegal"]` is true."""
        chosen = whole_actions(actions, self.num_envs)
        if self._most_steps is not None:
            self.games.cut(self._steps >= self._most_steps)  # games that the limit ended in the last step
        done = self.games.step(chosen)
        over, truncated = done.over, done.truncated
        terminated = over & ~truncated
        if self._most_steps is not None:
            self._steps += 1
            self._steps[done.started] = 0
            truncated = truncated | (self._steps >= self._most_steps)
        observed = self.games.observe(self._task.observation)
        return observed, self._task.rewards(done), terminated, truncated, self._info(done.illegal)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the possible actions, with a row per game."""
        return self.games.mask().astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """Return each game's board as text or as an image."""
        if self.render_mode is None:
            return None
        boards = [drawing.rows_of(cells) for cells in self.games.cells]
        if self.render_mode == "rgb_array":
            return tuple(drawing.picture_of(rows) for rows in boards)
        texts = tuple(map(drawing.text_of, boards, self.games.known))
        if self.render_mode == "ansi":
            return texts
        print(*texts, sep="\n")
        return None

    def _start(self, seeds: Sequence[int]) -> None:
        self.games = self._task.games(seeds)
        """The games, one per seat."""
        if self.games.n != self.num_envs:
            raise SettingError(f"{self.games.n} seeds for {self.num_envs} games; give one seed, or one for each game")
        self._steps: npt.NDArray[np.int64] = np.zeros(self.num_envs, np.int64)

    def _info(self, illegal: npt.NDArray[np.bool_]) -> dict[str, Any]:
        outcomes = self.games.outcomes
        info = {"action_mask": self.games.mask(), "illegal": illegal, **{name: outcomes[name] for name in _SHOWN}}
        return info | {f"_{name}": self._all for name in info}
