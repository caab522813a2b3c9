"""Many games of Tetris that are stepped together, on NumPy arrays: one call of the core steps them all.

>>> games = Games("standard-10x10", 3, seed=1)
>>> done = games.step(games.mask().argmax(axis=1))
>>> done.illegal.any(), games.outcomes["pieces"].tolist()
(np.False_, [1, 1, 1])
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents import Agent, WeightedFeatures
from blockfall.errors import SettingError, shortened, whole
from blockfall.features import feature_list
from blockfall.games.board import Board, cells_of
from blockfall.games.drawing import svg
from blockfall.games.streams import Purpose, check_purpose, check_seed
from blockfall.games.tetris import Placement, Termination
from blockfall.rulesets import PIECES, Rules
from blockfall.rulesets import rules as find_rules

ObservationKind = Literal["board", "features", "both"]
OBSERVATIONS: tuple[ObservationKind, ...] = ("board", "features", "both")
MOST_GAMES = _core.MAX_GAMES

_FIXED_FEATURES = ("holes", "rows-with-holes", "row-transitions", "column-transitions", "well-sums")
_MOST_COUNT = 2**63 - 1
_NO_END = 2**64 - 1
_DRAWN = 6


@dataclass(frozen=True)
class Steps:
    """The results of one step: arrays with an entry per game.

    >>> import blockfall
    >>> games = blockfall.Games("standard", 2, seed=1)
    >>> games.step([-1, 0]).illegal.tolist()
    [True, False]
    """

    points: npt.NDArray[np.int64]
    """The points that the step earned."""
    lines: npt.NDArray[np.int32]
    """The lines that the step cleared."""
    termination: npt.NDArray[np.uint8]
    """The state of each game, as a number of `Termination`."""
    illegal: npt.NDArray[np.bool_]
    """Whether the action was impossible, and so changed nothing."""
    started: npt.NDArray[np.bool_]
    """Whether the step started the next game, because the previous one was over."""

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """True for each game that is over: lost, or cut by the piece limit."""
        return np.asarray(self.termination != int(Termination.RUNNING))

    @property
    def truncated(self) -> npt.NDArray[np.bool_]:
        """True for each game that was cut by the piece limit."""
        return np.asarray(self.termination == int(Termination.PIECE_LIMIT))


@dataclass(frozen=True)
class Afterstates:
    """Every placement of every game, and the board that it leaves: arrays with an entry per placement.

    >>> import blockfall
    >>> after = blockfall.Games("standard", 2, seed=1).afterstates()
    >>> after.cells.shape == (len(after.action), 20, 10)
    True
    """

    game: npt.NDArray[np.int32]
    """The game that the placement belongs to."""
    action: npt.NDArray[np.int32]
    """The action that plays the placement."""
    words: npt.NDArray[np.uint32]
    """The board after the placement, without full rows: a word per column, bit 0 the floor row."""
    lines: npt.NDArray[np.int32]
    """The lines that the placement clears."""
    lost: npt.NDArray[np.bool_]
    """Whether the placement loses the game. The board is then the one before it."""
    rows: int
    """The rows of the board, including hidden ones."""
    features: npt.NDArray[np.float32] | None = None
    """The features of the boards, if requested; zeros for placements that lose."""

    @property
    def cells(self) -> npt.NDArray[np.bool_]:
        """True for each filled cell: cells[placement][row][column], floor row first."""
        return cells_of(self.words, self.rows)


class Games:
    """Many games of Tetris that are stepped together, one action each.

    An action is a number that names a shape and the column of its left edge: `shape * columns + column`. If
    pieces are moved by keys, a piece can come to rest at several rows, and an action also names its lowest cell's row:
    `(shape * columns + column) * rows + row`.

    Seat i first plays game i of the seed, as `Game(rules, seed, number=i)` does. A game that is over stays as it is
    until the next step, which ignores the seat's action and starts the seat's next game: i + n, i + 2n and so on. With
    a sequence of n seeds, seat i plays games 0, 1, 2 and so on of its own seed.

    >>> import blockfall
    >>> games = blockfall.Games("standard", 1000, seed=7)
    >>> rng = np.random.default_rng(7)
    >>> for _ in range(20):
    ...     mask = games.mask()
    ...     done = games.step((rng.random(mask.shape) * mask).argmax(axis=1))
    >>> games.observe().shape
    (1000, 15, 20, 10)
    """

    def __init__(
        self,
        rules: Rules | str | Path,
        n: int,
        seed: int | Sequence[int] = 0,
        *,
        pieces_known: int = 2,
        purpose: Purpose = Purpose.TEST,
        max_pieces: int | None = None,
        features: str | Sequence[str] | None = None,
        numbers: range | None = None,
    ) -> None:
        """Start n games. `features` are what `observe` measures: names and groups, as a list or separated by commas.

        If `max_pieces` is given, a game is cut after this many pieces. If `numbers` are given, such as range(50, 100),
        only these games of the one seed are played, and a seat without a next game stays as it is.
        """
        self.rules = find_rules(rules)
        self.n = _whole(n, 1, MOST_GAMES, "n")
        self.pieces_known = _whole(pieces_known, 1, _core.MAX_KNOWN, "pieces_known")
        limit = 0 if max_pieces is None else _whole(max_pieces, 1, _MOST_COUNT, "max_pieces")
        if isinstance(seed, int | np.integer):
            seeds, stride = [check_seed(int(seed))] * self.n, self.n
            first = range(self.n) if numbers is None else _consecutive(numbers, self.n)
        else:
            if isinstance(seed, str) or not isinstance(seed, Iterable) or not np.ndim(cast(Any, seed)):
                raise SettingError(f"seed is {shortened(seed)}; it must be a whole number, or one for each game")
            seeds, first, stride = [check_seed(whole(one, "a seed")) for one in seed], range(1), 1
            if numbers is not None:
                raise SettingError("both numbers and a seed for each game; give numbers with one seed")
            if len(seeds) != self.n:
                raise SettingError(f"{len(seeds)} seeds for {self.n} games; give one seed, or a seed for each game")
        self.features = feature_names(self.rules, features)
        """The features that `observe` measures."""
        self._measurer = Agent("features", WeightedFeatures(dict.fromkeys(self.features, 0.0)))
        self._core = _core.Games(
            self.rules.core,
            np.array(seeds, np.uint64),
            np.resize(np.array(first, np.uint64), self.n),
            stride,
            _NO_END if numbers is None else numbers.stop,
            self.pieces_known,
            _core.Purpose(check_purpose(purpose)),
            limit,
        )
        self.actions: int = self._core.actions
        """The number of actions. An action is a number from 0 to `actions` - 1."""

    def observe(self, kind: ObservationKind = "board") -> Any:
        """Return the observations of every game.

        | kind | result |
        |---|---|
        | `board` | planes: (n, 1 + 7 * pieces_known, rows, columns) of 0 and 1 |
        | `features` | numbers: (n, features + 7 * pieces_known) |
        | `both` | a dictionary with the two |

        The first plane is the board, floor row first. Seven planes for each known piece follow, one per kind of piece
        (I O T S Z J L): the plane of the piece is all ones. In `features`, seven numbers stand for these planes.

        >>> import blockfall
        >>> blockfall.Games("standard", 5, features="holes,bumpiness").observe("features").shape
        (5, 16)
        """
        if kind == "board":
            return self._core.planes()
        if kind == "features":
            measured = self._core.features(self._measurer.core)
            self._measurer.raise_if_failed()
            return measured
        if kind == "both":
            return {"board": self.observe("board"), "features": self.observe("features")}
        raise SettingError(f"observation {shortened(kind)}; it must be one of {', '.join(OBSERVATIONS)}")

    def mask(self) -> npt.NDArray[np.int8]:
        """Return which actions are possible: 1 or 0, with a row per game. A game that is over has none."""
        return self._core.mask()

    def step(self, actions: npt.ArrayLike) -> Steps:
        """Play an action in every game. An impossible action changes nothing.

        In a seat whose game is over, the step ignores the action and starts the next game.
        """
        return Steps(**self._core.step(whole_actions(actions, self.n)))

    def cut(self, which: npt.ArrayLike) -> None:
        """End the games with a true entry, as a piece limit would. The next step starts the next games."""
        flags = np.ascontiguousarray(which, dtype=np.bool_)
        if flags.shape != (self.n,):
            raise SettingError(
                f"flags of the shape {flags.shape}; give one for each of the {self.n} games: ({self.n},)"
            )
        self._core.cut(flags)

    def afterstates(self, features: bool = False) -> Afterstates:
        """Return every placement of every game, in the order that breaks ties, and the board that each leaves.

        With `features`, the features of these boards are measured as well.
        """
        found = self._core.afterstates(self._measurer.core if features else None)
        self._measurer.raise_if_failed()
        return Afterstates(rows=self.rules.rows, **found)

    def placement(self, game: int, action: int) -> Placement | None:
        """Return the placement that an action stands for in a game; None if it is impossible.

        >>> import blockfall
        >>> blockfall.Games("standard", 1, seed=1).placement(0, 3).column
        3
        """
        index = _whole(game, 0, self.n - 1, "game")
        if not 0 <= whole(action, "an action") < self.actions:
            return None
        spot = self._core.placement(index, int(action))
        if spot is None:
            return None
        piece = int(self._core.known[index, 0])
        return Placement(PIECES[piece], *spot, tuple(self.rules.core.cells(piece, *spot)))

    def action(self, placement: Placement) -> int:
        """Return the action that plays a placement."""
        slot = placement.shape * self.rules.columns + placement.column
        return slot if self.rules.file.placement.model == "drop" else slot * self.rules.rows + placement.row

    def board(self, game: int) -> Board:
        """Return the board of a game."""
        return Board(self.words[_whole(game, 0, self.n - 1, "game")], self.rules.rows)

    @property
    def words(self) -> npt.NDArray[np.uint32]:
        """The boards: a row per game, a word per column, bit 0 the floor row."""
        return self._core.words

    @property
    def cells(self) -> npt.NDArray[np.bool_]:
        """True for each filled cell: cells[game][row][column], floor row first."""
        return cells_of(self.words, self.rules.rows)

    @property
    def known(self) -> list[str]:
        """The known pieces of each game: the piece to place and those shown after it."""
        return ["".join(PIECES[piece] for piece in row if piece < len(PIECES)) for row in self._core.known.tolist()]

    @property
    def numbers(self) -> npt.NDArray[np.uint64]:
        """The number of each seat's current game."""
        return self._core.numbers

    @property
    def outcomes(self) -> dict[str, npt.NDArray[Any]]:
        """The results of the current games: arrays `lines`, `pieces`, `score`, `clears` and `termination`."""
        found = self._core.outcomes
        return {name: found[name] for name in ("lines", "pieces", "score", "clears", "termination")}

    def _repr_html_(self) -> str:
        """Return the first games side by side, for a notebook."""
        drawn = range(min(self.n, _DRAWN))
        boards = [self.board(game).text().splitlines()[-self.rules.visible_rows :] for game in drawn]
        more = f"<span>and {self.n - _DRAWN:,} more</span>" if self.n > _DRAWN else ""
        return f'<div style="display: flex; flex-wrap: wrap; gap: 8px">{"".join(map(svg, boards))}{more}</div>'


def feature_names(rules: Rules, features: str | Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the features of these names and groups, by default the heights of the columns and five more."""
    if features is None:
        return (*(f"column-height-{column}" for column in range(1, rules.columns + 1)), *_FIXED_FEATURES)
    if isinstance(features, str):
        return feature_list(features)
    if not isinstance(features, Sequence) or not all(isinstance(name, str) for name in features):
        raise SettingError(f"features are {shortened(features)}; give names, as a list or separated by commas")
    return feature_list(",".join(features))


def whole_actions(actions: npt.ArrayLike, n: int) -> npt.NDArray[np.int64]:
    """Return the actions as integers. A number that is not whole becomes -1, which is not an action."""
    given = np.asarray(actions)
    if given.shape != (n,):
        raise SettingError(f"actions of the shape {given.shape}; give one action for each of the {n} games: ({n},)")
    if given.dtype.kind in "iub":
        return np.ascontiguousarray(given, dtype=np.int64)
    if given.dtype.kind != "f":
        raise SettingError(f"actions of the type {given.dtype}; an action is a whole number")
    whole = np.isfinite(given) & (np.floor(given) == given) & (np.abs(given) < 2.0**31)
    return np.where(whole, given, -1).astype(np.int64)


def _consecutive(numbers: range, n: int) -> range:
    """Return the numbers of the first n games."""
    if not isinstance(numbers, range) or numbers.step != 1 or not 0 <= numbers.start <= _MOST_COUNT - len(numbers):
        raise SettingError(f"numbers are {shortened(numbers)}; they must be a range of games, such as range(0, 100)")
    if len(numbers) < n:
        raise SettingError(f"{len(numbers)} numbers for {n} games; give at least one for each")
    return numbers[:n]


def _whole(number: Any, least: int, most: int, name: str) -> int:
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | np.integer) or not least <= number <= most:
        raise SettingError(f"{name} is {shortened(number)}; it must be a whole number from {least} to {most}")
    return int(number)
