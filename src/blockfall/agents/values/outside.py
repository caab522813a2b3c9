"""Values that are not data: a user's function over boards, and a bot in another program.

The core does not play them. `games/outside.py` asks them for a move, and `compute/outside.py` plays their games. They
stand in no agent's file: a file that somebody sends you must not run anything.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents.values.protocol import Entry, Parts, Play
from blockfall.errors import SettingError, shortened
from blockfall.rulesets import Rules
from blockfall.tbp.positions import COLUMNS

TIME_LIMIT_S = 5.0
"""The seconds that a bot may take for a move, where nothing else is said."""


class Outside:
    """What values outside of the core share: they have no numbers to train, no features and no file."""

    key: ClassVar[str] = "outside"
    title: ClassVar[str]
    parts: ClassVar[Parts] = Parts.NONE
    values_boards: ClassVar[bool] = False
    has_plies: ClassVar[bool] = False
    file_rule: ClassVar[str] = ""
    file_type: ClassVar[Any] = None

    @property
    def features(self) -> tuple[str, ...]:
        """Empty: it looks at boards, not at features."""
        return ()

    @property
    def pieces_known(self) -> int | None:
        """1: it is asked about the placements of one piece."""
        return 1

    @property
    def parameters(self) -> tuple[float, ...]:
        """Empty: there is nothing to train here."""
        return ()

    def with_parameters(self, parameters: Sequence[float]) -> Self:  # noqa: ARG002
        """Refuses: it has no numbers."""
        self._refuse("has no numbers to set")

    @classmethod
    def from_file(cls, found: Any, folder: Path) -> Self:  # noqa: ARG003
        """Refuses: an agent's file cannot hold it."""
        raise SettingError(f"{cls.title} does not stand in an agent's file")

    def as_json(self, stem: str = "agent") -> object:  # noqa: ARG002
        """Refuses: an agent's file cannot hold it."""
        self._refuse("cannot be written to an agent's file")

    def files(self, stem: str) -> dict[str, bytes]:  # noqa: ARG002
        """None: there is no agent's file either."""
        return {}

    def check_rules(self, rules: Rules) -> None:
        """Takes all rules."""

    def shares(self, measures: Mapping[str, float]) -> dict[str, float]:  # noqa: ARG002
        """Empty: its value has no parts."""
        return {}

    def entry(self, heights: Sequence[int], cells: Collection[tuple[int, int]]) -> Entry | None:  # noqa: ARG002
        """None: only Q-tables have entries."""
        return None

    def _for_core(self, play: Play) -> _core.Agent:  # noqa: ARG002
        self._refuse("plays outside of the core; evaluate, compare, watch and connect take it, this does not")

    def _refuse(self, what: str) -> NoReturn:
        raise SettingError(f"{self.title} {what}")


@dataclass(frozen=True)
class BoardFunction(Outside):
    """A function of yours that values many boards at once: with NumPy, PyTorch, JAX or anything else.

    It gets an array of cells, boards[board][row][column] of bool with the floor row first, and gives a number for each
    board; the agent plays the placement of the largest. `lines` says that it also takes the lines that each placement
    removes, as its second argument.

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
        """What the function says of these boards. Refuses an answer that is not a finite number for each."""
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
    """A bot of the Tetris Bot Protocol in another program; it plays whatever has 10 columns.

    >>> import blockfall
    >>> blockfall.agent("tbp:cold-clear --threads 1").value
    Program(command='cold-clear --threads 1', time_limit_s=5.0)
    """

    title: ClassVar[str] = "a bot"

    command: str
    """The program and its arguments, as a shell splits them."""
    time_limit_s: float = TIME_LIMIT_S
    """The most seconds for a move. A bot that takes longer has lost the game."""

    def __post_init__(self) -> None:
        if not isinstance(self.command, str) or not self.command.strip():
            raise SettingError("tbp: names no program; write tbp:COMMAND, such as tbp:cold-clear")
        seconds = self.time_limit_s
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
            raise SettingError(f"{shortened(seconds)} seconds for a move; it must be a positive number")

    def check_rules(self, rules: Rules) -> None:
        """Refuses boards that are not those of the protocol."""
        if rules.columns != COLUMNS:
            raise SettingError(f"a bot, which plays boards of {COLUMNS} columns; {rules.name} has {rules.columns}")
