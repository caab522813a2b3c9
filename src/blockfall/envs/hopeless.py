"""Hopeless and SameGame: an action is a cell, whose block is removed."""

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

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
from blockfall.games import HopelessBoard, HopelessPosition, scoring, scorings

OBSERVATIONS = ("board", "features", "both")
REWARDS = ("score", "squares")
_SEEDS = 2**63


class HopelessEnv(gymnasium.Env[Any, Any]):
    """Hopeless or SameGame. An action is a cell: `row * columns + column`, the floor row first.

    | setting | values |
    |---|---|
    | `game` | `hopeless` or `samegame` |
    | `columns`, `rows`, `colours` | the size of the board; by default, the game's usual size |
    | `observation` | `board`, `features` or `both` |
    | `reward` | `score`: the points, with the bonus and the penalty at the end; or `squares` removed |
    | `illegal_penalty` | the cost of an impossible action: a cell that is empty or has no neighbour of its colour |

    The board is observed as a plane of 0 and 1 per colour. The features are three numbers per colour: its squares, its
    blocks, and the squares in its largest block.

    `reset(seed=7)` starts on the board of `blockfall.game("hopeless").start(seed=7)`, and each `reset()` after that on
    the seed's next board.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        game: str = "hopeless",
        *,
        columns: int | None = None,
        rows: int | None = None,
        colours: int | None = None,
        observation: str = "board",
        reward: str = "score",
        illegal_penalty: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        """Prepare the game; `reset` starts it."""
        self._scoring = scoring(one_of(game, list(scorings()), "game"))
        self._columns = self._scoring.columns if columns is None else columns
        self._rows = self._scoring.rows if rows is None else rows
        self._colours = self._scoring.colours if colours is None else colours
        self._observation = one_of(observation, OBSERVATIONS, "observation")
        self._reward = one_of(reward, REWARDS, "reward")
        self._illegal_penalty = penalty_of(illegal_penalty, "illegal_penalty")
        self.render_mode = render_mode_of(render_mode)
        self._seed, self._number, self._seeded = 0, 0, False
        self.position = self._start()
        """The board and the points so far."""
        self.action_space = spaces.Discrete(self._columns * self._rows)
        self.observation_space = observation_space(
            self._observation,
            planes_space(self._colours, self._rows, self._columns),
            numbers_space(3 * self._colours),
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start on the first board of a seed, or on the next board."""
        super().reset(seed=seed, options=options)
        if seed is not None or not self._seeded:
            self._seed, self._number = int(self.np_random.integers(_SEEDS)) if seed is None else seed, 0
            self._seeded = True
        else:
            self._number += 1
        self.position = self._start()
        self._show()
        return self._observe(), self._info(illegal=False)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Remove a block. An impossible action changes nothing, costs the penalty and sets `info["illegal"]`."""
        number, before = action_number(action), self.position
        cell = number % self._columns, number // self._columns
        illegal = not 0 <= number < self._columns * self._rows or len(before.block(cell)) < 2
        if illegal:
            reward = -self._illegal_penalty
        else:
            after = self.position = before.apply(cell)
            earned = after.score - before.score if self._reward == "score" else before.squares - after.squares
            reward = float(earned)
        self._show()
        return self._observe(), reward, self.position.over, False, self._info(illegal)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return a mask of the possible actions, as sb3-contrib's MaskablePPO expects."""
        return self._mask().astype(np.bool_)

    def render(self) -> Any:
        """Return the board as text or as an image; `human` prints it after every step."""
        if self.render_mode == "ansi":
            return drawing.text_of(self._drawn(), str(self.position.score))
        if self.render_mode == "rgb_array":
            return drawing.picture_of(self._drawn())
        return None

    def _start(self) -> HopelessPosition:
        board = HopelessBoard.random(self._columns, self._rows, self._colours, self._seed, self._number)
        return HopelessPosition(board, self._scoring)

    def _show(self) -> None:
        if self.render_mode == "human":
            drawing.show(self._drawn(), str(self.position.score))

    def _drawn(self) -> list[list[str]]:
        return [list(row) for row in reversed(self.position.text().splitlines())]

    def _mask(self) -> npt.NDArray[np.int8]:
        mask = np.zeros(self._columns * self._rows, np.int8)
        for action in self.position.actions():
            for x, y in self.position.block(action):
                mask[y * self._columns + x] = 1
        return mask

    def _observe(self) -> Any:
        seen: dict[str, npt.NDArray[Any]] = {}
        cells = self.position.board.cells.T
        if self._observation in ("board", "both"):
            seen["board"] = np.array([cells == colour for colour in range(1, self._colours + 1)], np.uint8)
        if self._observation in ("features", "both"):
            numbers = np.zeros((self._colours, 3), np.float32)
            numbers[:, 0] = np.bincount(cells.ravel(), minlength=self._colours + 1)[1:]
            for x, y in self.position.actions():
                block = numbers[cells[y, x] - 1]
                block[1] += 1
                block[2] = max(block[2], len(self.position.block((x, y))))
            seen["features"] = numbers.ravel()
        return seen if self._observation == "both" else seen[self._observation]

    def _info(self, illegal: bool) -> dict[str, Any]:
        return {
            "action_mask": self._mask(),
            "illegal": illegal,
            "score": self.position.score,
            "squares": self.position.squares,
        }
