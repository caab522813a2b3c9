"""A request to play games: rules, an agent or many candidates, and games.

>>> from blockfall.agents import agent
>>> from blockfall.rulesets import rules
>>> request = Request(rules("nes-no-rotation"), agent("birken-6"), games=250, seed=1)
>>> [(part.first_game, part.games) for part in request.slices(100)]
[(0, 100), (100, 100), (200, 50)]
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents import Agent
from blockfall.errors import SettingError, shortened, whole
from blockfall.games.streams import Purpose, check_purpose, check_seed
from blockfall.rulesets import Rules

GAMES = 1000
"""The default number of games of an evaluation or a comparison."""
MOST_GAMES = 10**10
"""The most games of a request: three hours at a million games a second."""
MOST_TRIES = _core.MAX_TRIES
"""The most tries on each row of an estimate. More games say more than more tries."""
_MOST = 2**62  # the core counts in 64 bits


@dataclass(frozen=True, eq=False)
class Population:
    """The numbers of many candidates, one row each, which replace the agent's own.

    The array is binary32, as in the core, and cannot be written to. Populations with equal numbers are equal.

    >>> Population([[-1.0, 2.0], [0.5, 3.0]]).candidates
    2
    """

    parameters: npt.NDArray[np.float32]

    def __init__(self, parameters: npt.ArrayLike) -> None:
        """Copy the numbers."""
        try:
            with np.errstate(over="ignore"):  # what is too large is refused below
                copied = np.array(parameters, dtype=np.float32, order="C")
        except (OverflowError, TypeError, ValueError):
            raise SettingError(f"a population of {shortened(parameters)}; it must be rows of numbers") from None
        if copied.ndim != 2 or not copied.size:
            raise SettingError("a population is a row of numbers for each candidate, at least one of each")
        if not np.isfinite(copied).all():
            raise SettingError("a population holds a number that is not finite")
        copied.flags.writeable = False
        object.__setattr__(self, "parameters", copied)

    @property
    def candidates(self) -> int:
        """The number of candidates."""
        return len(self.parameters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Population) and bool(np.array_equal(self.parameters, other.parameters))

    def __hash__(self) -> int:
        return hash((self.parameters.shape, (self.parameters + 0.0).tobytes()))  # -0.0 equals 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        return Population, (self.parameters,)


@dataclass(frozen=True)
class Request:
    """A request to play games to their end. Every backend plays the same games for equal requests.

    A request holds only values, so it can be hashed, compared and sent to other processes.

    >>> import blockfall
    >>> request = blockfall.Request(blockfall.rules("nes"), blockfall.agent("birken-6"), games=3, seed=1, max_pieces=50)
    >>> blockfall.LocalBackend().play(request).lines.shape
    (3,)
    """

    rules: Rules
    agent: Agent
    games: int
    """The number of games, for each candidate if there is a population."""
    seed: int
    purpose: Purpose = Purpose.TEST
    first_game: int = 0
    """The number of the first game. The games of one seed are numbered from 0."""
    max_pieces: int | None = None
    """The pieces after which every game ends. None plays every game to its end."""
    population: Population | None = None
    """Candidates that play the same games, each with its own numbers instead of the agent's."""
    hold: bool = False
    """Whether the agent uses the hold queue of the rules. Programs decide this for themselves."""
    tries: int | None = None
    """The tries on each row that estimate the length of each game instead of playing it to its end."""

    def __post_init__(self) -> None:
        for what, kind in (("rules", Rules), ("agent", Agent), ("population", Population)):
            given = getattr(self, what)
            if not isinstance(given, kind) and not (given is None and kind is Population):
                raise SettingError(f"a request's {what} is {shortened(given)}; it must be a {kind.__name__}")
        for what in ("games", "seed", "first_game", "max_pieces", "tries"):
            if (given := getattr(self, what)) is not None or what not in ("max_pieces", "tries"):
                object.__setattr__(self, what, whole(given, what))
        object.__setattr__(self, "purpose", check_purpose(self.purpose))
        if self.games < 1:
            raise SettingError(f"{self.games} games; play at least 1")
        if self.games > MOST_GAMES:
            raise SettingError(f"{self.games:,} games; play at most {MOST_GAMES:,}")
        if self.first_game < 0:
            raise SettingError(f"first game {self.first_game}; games are numbered from 0")
        if self.max_pieces is not None and self.max_pieces < 1:
            raise SettingError(f"a limit of {self.max_pieces} pieces; it must be at least 1")
        if max(self.games, self.first_game, self.max_pieces or 0) >= _MOST:
            raise SettingError(f"games, first_game and max_pieces must be less than {_MOST:,}")
        check_seed(self.seed)
        self.agent.check_rules(self.rules)
        if self.population and self.population.parameters.shape[1] != len(self.agent.value.parameters):
            given, own = self.population.parameters.shape[1], len(self.agent.value.parameters)
            raise SettingError(f"{given:,} numbers for each candidate; {self.agent.name} has {own:,}")
        if self.hold:
            self._check_hold()
        if self.tries is not None:
            self._check_tries(self.tries)

    def _check_hold(self) -> None:
        if not self.rules.file.play.hold:
            raise SettingError(f"{self.rules.name} has no hold queue; omit hold")
        outside = self.agent.value.outside
        if outside and not outside.suggests_moves:
            raise SettingError(f"{self.agent.name} has {outside.title}, which cannot hold")
        if self.population:
            raise SettingError("candidates of a population cannot hold")
        if self.pieces_shown < 2 and not outside:
            raise SettingError(f"{self.agent.name} sees no next piece, so it cannot hold; use --pieces-known 2")

    def _check_tries(self, tries: int) -> None:
        if not 1 <= tries <= MOST_TRIES:
            raise SettingError(f"{tries:,} tries; use 1 to {MOST_TRIES:,}, such as 1000")
        if self.max_pieces is not None:
            raise SettingError("both tries and a piece limit; use one of them")
        if self.agent.is_outside:
            raise SettingError(f"{self.agent.name} is played outside the core, so its games cannot be estimated")
        if self.hold or self.rules.file.attack:
            raise SettingError("games with a hold queue or attack lines cannot be estimated")
        if self.looks_at_lines or not self.rules.core.can_be_estimated:
            raise SettingError(
                f"games of {self.agent.name} on {self.rules.name} cannot be estimated; pieces must drop straight and "
                "be drawn at random, and the lines so far must not matter"
            )

    @property
    def looks_at_lines(self) -> bool:
        """True if the lines so far may affect the rest of a game."""
        by_time = not self.rules.core.drops or self.rules.file.scoring.by_level
        return by_time or any(one.name == "total-lines" for one in self.agent.features)

    @property
    def pieces_shown(self) -> int:
        """The pieces that a game with a hold queue shows: at least two, unless the agent averages over the next."""
        agent = self.agent
        return agent.pieces_known if agent.look_ahead or agent.plies > 1 else max(2, agent.pieces_known)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a result's arrays: the games, or the candidates and their games."""
        return (self.population.candidates, self.games) if self.population else (self.games,)

    def slices(self, games: int) -> Iterator["Request"]:
        """Yield the same games as several requests of at most `games` games each."""
        for first in range(0, self.games, games):
            yield replace(self, first_game=self.first_game + first, games=min(games, self.games - first))
