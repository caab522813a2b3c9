"""Tetris by keys: the game as people play it, frame by frame."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from blockfall.agents import Agent, WeightedFeatures
from blockfall.envs import drawing
from blockfall.envs.settings import (
    RENDER_MODES,
    action_number,
    numbers_space,
    observation_space,
    one_hot,
    one_of,
    penalty_of,
    planes_space,
    render_mode_of,
)
from blockfall.errors import SettingError, shortened
from blockfall.games import HumanGame, Termination
from blockfall.games.many import ObservationKind, feature_names
from blockfall.games.painting import PaintedBoard
from blockfall.rulesets import PIECES, Rules
from blockfall.rulesets import rules as find_rules

ACTIONS = ("none", "left", "right", "down", "clockwise", "counter-clockwise", "drop", "hold")
"""The keys by action number."""
REWARDS = ("lines", "score", "pieces")
_KEYS = (
    0,
    HumanGame.LEFT,
    HumanGame.RIGHT,
    HumanGame.DOWN,
    HumanGame.CLOCKWISE,
    HumanGame.COUNTER_CLOCKWISE,
    HumanGame.DROP,
    HumanGame.HOLD,
)
_STATES = 4
_LOST_PIECE = (Termination.OVERFLOW, Termination.LOCK_OUT)
_SEEDS = 2**63


class TetrisKeysEnv(gymnasium.Env[Any, Any]):
    """Tetris by keys. An action is a place in `ACTIONS`: one key, or none.

    A step takes `frames_per_step` frames, at sixty frames a second. The key is down in the first of them; `down` is
    held in all of them. A key that the rules lack is impossible.

    | setting | values |
    |---|---|
    | `rules` | the name of a rule set or a TOML file |
    | `frames_per_step` | frames per step |
    | `observation` | `board`, `features` or `both` |
    | `features` | the features to observe: names and groups; the heights of the columns and five more by default |
    | `reward` | `lines` removed, `score` of the rules, or `pieces` locked (1 each) |
    | `illegal_penalty` | the cost of an impossible action, which changes nothing else and takes no time |
    | `loss_penalty` | the cost of a lost game |

    `reset(seed=7)` starts `blockfall.HumanGame(rules, seed=7)`, and each `reset()` after that another game that depends
    only on the seed.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 15}  # noqa: RUF012

    def __init__(
        self,
        rules: Rules | str | Path = "nes",
        *,
        frames_per_step: int = 4,
        observation: ObservationKind = "board",
        features: str | Sequence[str] | None = None,
        reward: str = "lines",
        illegal_penalty: float = 1.0,
        loss_penalty: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        """Prepare the game; `reset` starts it."""
        if isinstance(frames_per_step, bool) or not isinstance(frames_per_step, int) or not 2 <= frames_per_step <= 600:
            raise SettingError(
                f"frames_per_step is {shortened(frames_per_step)}; it must be a whole number from 2 to 600"
            )
        self.rules = find_rules(rules)
        self._frames = frames_per_step
        self._observation = one_of(observation, get_args(ObservationKind), "observation")
        self._reward = one_of(reward, REWARDS, "reward")
        self._illegal_penalty = penalty_of(illegal_penalty, "illegal_penalty")
        self._loss_penalty = penalty_of(loss_penalty, "loss_penalty")
        self.render_mode = render_mode_of(render_mode)
        names = feature_names(self.rules, features)
        self._measurer = Agent("features", WeightedFeatures(dict.fromkeys(names, 0.0)))
        keys, play = self.rules.file.placement.keys, self.rules.file.play
        self._mask = np.array([key in ("none", *keys) or (key == "hold" and play.hold) for key in ACTIONS], np.int8)
        self.game = HumanGame(self.rules)
        """The game as `blockfall.HumanGame`."""
        pieces = len(PIECES) * len(self._pieces())
        self.action_space = spaces.Discrete(len(ACTIONS))
        self.observation_space = observation_space(
            self._observation,
            planes_space(2 + pieces, self.rules.rows, self.rules.columns),
            numbers_space(len(names) + pieces + _STATES + 2),
        )
        self._paint_anew()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start the game of a seed, or another one."""
        super().reset(seed=seed, options=options)
        self.game = HumanGame(self.rules, int(self.np_random.integers(_SEEDS)) if seed is None else seed)
        self._paint_anew()
        self._show()
        return self._observe(), self._info(illegal=False)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Press a key. An impossible action changes nothing, costs the penalty and sets `info["illegal"]`."""
        number, game = action_number(action), self.game
        illegal = game.over or not 0 <= number < len(ACTIONS) or not self._mask[number]
        if illegal:
            reward = -self._illegal_penalty
        else:
            before = game.lines, game.score, game.pieces
            for frame in range(self._frames):
                self._press(_KEYS[number] if frame == 0 or ACTIONS[number] == "down" else 0)
            after = game.lines, game.score, game.pieces
            place = REWARDS.index(self._reward)
            reward = float(after[place] - before[place]) - self._loss_penalty * game.over
        self._show()
        return self._observe(), reward, game.over, False, self._info(illegal)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the possible actions, as sb3-contrib's MaskablePPO expects."""
        return self._mask.astype(np.bool_) & (not self.game.over)

    def render(self) -> Any:
        """Return the board as text or as an image; `human` prints it after every step."""
        if self.render_mode == "ansi":
            return drawing.text_of(self._rows(), self.game.known)
        if self.render_mode == "rgb_array":
            return drawing.picture_of(self._rows())
        return None

    def _press(self, keys: int) -> None:
        game, before = self.game, self.game.pieces
        game.step(keys)
        if self.render_mode and game.pieces > before and game.locked and game.termination not in _LOST_PIECE:
            self._painted.lock(game.locked)

    def _show(self) -> None:
        if self.render_mode == "human":
            drawing.show(self._rows(), self.game.known)

    def _rows(self) -> list[list[str]]:
        if self.game.over:
            return self._painted.rows
        return self._painted.with_cells(self.game.falling_cells, self.game.piece)

    def _paint_anew(self) -> None:
        self._painted = PaintedBoard(self.rules.columns, self.rules.rows)

    def _pieces(self) -> list[int | None]:
        """Return the falling piece, the pieces shown after it, and the held one if the rules have a hold queue."""
        known: list[int | None] = [PIECES.index(piece) for piece in self.game.known]
        known += [None] * (1 + self.rules.file.play.previews - len(known))
        if self.rules.file.play.hold:
            known.append(None if self.game.held is None else PIECES.index(self.game.held))
        return known

    def _observe(self) -> Any:
        seen: dict[str, npt.NDArray[Any]] = {}
        shown = one_hot(self._pieces(), len(PIECES))
        if self._observation in ("board", "both"):
            planes = np.zeros((2 + len(shown), self.rules.rows, self.rules.columns), np.uint8)
            planes[0] = self.game.board.cells
            for x, y in [] if self.game.over else self.game.falling_cells:
                if y < self.rules.rows:
                    planes[1, y, x] = 1
            planes[2:] = shown[:, None, None]
            seen["board"] = planes
        if self._observation in ("features", "both"):
            measured = self._measurer.core.measure_board(self.rules.core, self.game.board.columns)
            self._measurer.raise_if_failed()
            state, _, x, y = self.game.core.falling
            where = [x / self.rules.columns, y / self.rules.rows]
            seen["features"] = np.concatenate([measured, shown, one_hot([state], _STATES), where], dtype=np.float32)
        return seen if self._observation == "both" else seen[self._observation]

    def _info(self, illegal: bool) -> dict[str, Any]:
        game = self.game
        mask = self._mask * np.int8(not game.over)
        return {
            "action_mask": mask,
            "illegal": illegal,
            "lines": game.lines,
            "pieces": game.pieces,
            "score": game.score,
        }
