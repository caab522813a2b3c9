"""A request in parts: it is cut into rectangles of games, and their results are put together again.

Every game is identified by its seed and its number, so cutting changes no game.

>>> from blockfall.agents import agent
>>> from blockfall.rulesets import rules
>>> cutter = Cutter(Request(rules("nes-no-rotation"), agent("birken-6"), games=250, seed=1))
>>> [cutter.cut(games).games for games in (1, 100, 1000)]
[range(0, 1), range(1, 101), range(101, 250)]
>>> cutter.left
0
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from blockfall.compute.evaluation import ARRAYS, Evaluation
from blockfall.compute.request import Population, Request

_GROWTH = 16
"""The growth limit of a part, as a factor over the largest part timed so far: the first games say little."""
_MEMORY = 0.5
"""The weight of the earlier parts when a new one has been timed."""


@dataclass(frozen=True)
class GameBlock:
    """A rectangle of a request: some of its candidates, and some of the games that each plays."""

    whole: Request
    candidates: range
    games: range

    @property
    def size(self) -> int:
        """The number of games over all its candidates."""
        return len(self.candidates) * len(self.games)

    @property
    def place(self) -> tuple[slice, slice]:
        """The place of the block in an array of candidates and games."""
        return slice(self.candidates.start, self.candidates.stop), slice(self.games.start, self.games.stop)

    def request(self) -> Request:
        """Return the part as a request of its own."""
        population = self.whole.population
        return replace(
            self.whole,
            first_game=self.whole.first_game + self.games.start,
            games=len(self.games),
            population=population and Population(population.parameters[self.place[0]]),
        )


class Cutter:
    """A request that is cut into parts from its first game to its last: whole candidates, or some games of one."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._candidates = request.population.candidates if request.population else 1
        self._candidate = self._game = 0

    @property
    def left(self) -> int:
        """The number of games that are not in a part yet."""
        return (self._candidates - self._candidate) * self._request.games - self._game

    def cut(self, games: int) -> GameBlock:
        """Return the next part. It has at least one game, and at most `games`."""
        first, each = self._game, self._request.games
        if first == 0 and games >= each:
            start = self._candidate
            self._candidate = min(start + games // each, self._candidates)
            return GameBlock(self._request, range(start, self._candidate), range(each))
        last = min(first + max(games, 1), each)
        part = GameBlock(self._request, range(self._candidate, self._candidate + 1), range(first, last))
        self._game = last % each
        self._candidate += last == each
        return part


class Joined:
    """The results of a request's parts, each in its own place. The order in which they arrive does not matter."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._shape = (request.population.candidates if request.population else 1, request.games)
        self._arrays = {
            name: np.zeros((*self._shape, 4) if name == "clears" else self._shape, kind)
            for name, kind in _KINDS.items()
        }
        self._attack: npt.NDArray[np.int64] | None = np.zeros(self._shape, np.int64)
        self._filled = np.zeros(self._shape, dtype=np.bool_)

    def put(self, part: GameBlock, played: Evaluation) -> None:
        """Write the games of a part into their place. Writing the same games twice is an error."""
        place = part.place
        if self._filled[place].any():
            raise ValueError("the games of a part were put twice")
        for name, array in self._arrays.items():
            array[place] = getattr(played, name).reshape(array[place].shape)
        if self._attack is None or played.attack is None:
            self._attack = None
        else:
            self._attack[place] = played.attack.reshape(self._attack[place].shape)
        self._filled[place] = True

    def evaluation(self, seconds: float) -> Evaluation:
        """Return the whole result. A missing game is an error."""
        if not self._filled.all():
            raise ValueError(f"{int((~self._filled).sum())} games are missing")
        return self.so_far(seconds)

    def so_far(self, seconds: float) -> Evaluation:
        """Return the result so far. Games that are missing count as running, without a piece placed."""
        shape = self._request.shape
        return Evaluation(
            **{name: array.reshape(*shape, *array.shape[2:]) for name, array in self._arrays.items()},
            seconds=seconds,
            attack=None if self._attack is None else self._attack.reshape(shape),
            tries=self._request.tries,
        )


_KINDS: dict[str, type[np.generic]] = {name: np.uint8 if name == "termination" else np.int64 for name in ARRAYS}


def narrowed(played: Evaluation) -> Evaluation:
    """Return the same counts in the smallest integer types that hold them, so that fewer bytes travel.

    `Joined` widens them again.
    """
    return replace(
        played,
        **{
            name: array.astype(np.result_type(*(np.min_scalar_type(int(one)) for one in (array.min(), array.max()))))
            for name, array in ((name, getattr(played, name)) for name in _KINDS)
        },
    )


class TaskPace:
    """The right size of a part, learned from the times of the parts that came back.

    A part should last at least `least_s` seconds, so that sending it costs little, and at most `most_s`, so that little
    is lost with a worker. Within these limits each place gets at least two more parts, so that all end together.

    >>> pace = TaskPace(least_s=1.0, most_s=10.0)
    >>> pace.games(left=100_000, places=4)  # nothing is known yet
    1
    >>> pace.add(1, 0.001)
    >>> pace.games(100_000, 4), pace.is_sure  # would be 10 s, but one game says little
    (16, False)
    >>> pace.add(10_000, 10.0)
    >>> pace.games(100_000, 4), pace.games(24_000, 4), pace.games(3_000, 4)
    (10000, 3000, 1000)
    """

    def __init__(self, least_s: float, most_s: float) -> None:
        self._least_s, self._most_s = least_s, most_s
        self._games = self._seconds = 0.0
        self._largest = 0
        self.is_sure = False
        """Whether enough games had been timed for the last answer."""

    def add(self, games: int, seconds: float) -> None:
        """Learn from the time of a part."""
        self._games = self._games * _MEMORY + games
        self._seconds = self._seconds * _MEMORY + seconds
        self._largest = max(self._largest, games)

    def games(self, left: int, places: int) -> int:
        """Return the size of the next part. `left` games are not in a part yet, and `places` play at once."""
        if not self._games:
            return 1
        each = max(self._seconds / self._games, 1e-7)
        wanted_s = min(max(left * each / (2 * places), self._least_s), self._most_s)
        wanted = max(round(wanted_s / each), 1)
        allowed = _GROWTH * self._largest
        self.is_sure = wanted <= allowed
        return min(wanted, allowed)
