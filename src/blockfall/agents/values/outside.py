"""Values that are not data: a user's function over boards, and a bot in another program.

`games/outside.py` asks them for a move, and `compute/outside.py` plays their games.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from blockfall.agents.values.base import Outside
from blockfall.errors import SettingError, shortened
from blockfall.rulesets import Rules
from blockfall.tbp.positions import COLUMNS

if TYPE_CHECKING:
    from blockfall.tbp.conversation import Conversation

TIME_LIMIT_S = 5.0
"""The most seconds that a bot may take for a move, by default."""


@dataclass(frozen=True)
class BoardFunction(Outside):
    """A function of your own that values many boards at once, with NumPy, PyTorch, JAX or anything else.

    It gets an array of cells, boards[board][row][column] of bool with the floor row first, and gives a number for each
    board; the agent plays the placement of the largest. With `lines`, its second argument is the number of lines that
    each placement removes.

    >>> import blockfall
    >>> def flat(boards):
    ...     return -boards.any(axis=2).sum(axis=1)
    >>> mine = blockfall.Agent("flat", blockfall.BoardFunction(flat))
    >>> blockfall.evaluate(rules="standard-10x10", agent=mine, games=20, seed=1).lines.shape
    (20,)
    """

    title: ClassVar[str] = "a board function"

    function: Callable[..., Any]
    lines: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise SettingError(f"a board function is {shortened(self.function)}; it must be callable")

    def values(self, boards: npt.NDArray[np.bool_], lines: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        """Return the function's values of these boards. Refuse an answer that is not a finite number for each."""
        given = self.function(boards, lines) if self.lines else self.function(boards)
        if hasattr(given, "detach"):  # PyTorch keeps the gradient's graph, and may be on a GPU
            given = given.detach().cpu()
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            self._refuse(f"gave a {type(given).__name__}; it must give a number for each board")
        if values.shape == (len(boards), 1):
            values = values[:, 0]
        if values.shape != (len(boards),):
            self._refuse(f"gave an array of the shape {values.shape}; it must give a number for each board")
        if not np.isfinite(values).all():
            place = int(np.argmin(np.isfinite(values)))
            self._refuse(f"gave {values[place]} for a board; it must be a finite number")
        return values


@dataclass(frozen=True)
class Program(Outside):
    """A bot of the Tetris Bot Protocol in another program. It plays boards of 10 columns.

    >>> import blockfall
    >>> blockfall.agent("tbp:cold-clear --threads 1").value
    Program(command='cold-clear --threads 1', time_limit_s=5.0)
    """

    title: ClassVar[str] = "a bot"
    suggests_moves: ClassVar[bool] = True

    command: str
    """The program and its arguments, as a shell splits them."""
    time_limit_s: float = TIME_LIMIT_S
    """The most seconds for a move. A bot that takes longer loses the game."""

    def __post_init__(self) -> None:
        if not isinstance(self.command, str) or not self.command.strip():
            raise SettingError("tbp: names no program; write tbp:COMMAND, such as tbp:cold-clear")
        seconds = self.time_limit_s
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
            raise SettingError(f"{shortened(seconds)} seconds for a move; it must be a positive number")

    def check_rules(self, rules: Rules) -> None:
        """Refuse boards that are not those of the protocol."""
        if rules.columns != COLUMNS:
            raise SettingError(f"a bot, which plays boards of {COLUMNS} columns; {rules.name} has {rules.columns}")

    def converse(self, randomizer: str) -> "Conversation":
        """Start the program."""
        from blockfall.tbp.conversation import Conversation  # its messages take time to load, and few need them

        return Conversation(self.command, self.time_limit_s, randomizer)

    def with_time_limit(self, seconds: float) -> "Program":
        """Return the same program with another time limit for each move."""
        return replace(self, time_limit_s=seconds)
