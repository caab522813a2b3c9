"""A game as a visitor plays it by clicks: actions, undo, redo, a solver's advice. Knows nothing of browsers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from blockfall.compute import LocalBackend
from blockfall.errors import BlockfallError, SettingError
from blockfall.games import GameKind, Position
from blockfall.games.protocol import Cell, Value
from blockfall.search import SearchSettings, Solution, problem_of, solve
from blockfall.validation import Model, check

LONGEST_SEARCH_S = 5
_MEMORY_LIMIT_BYTES = 512 << 20


@dataclass(frozen=True)
class Advice:
    """What a solver would do."""

    algorithm: str
    moves: tuple[Any, ...]
    total: int
    """Points at the end, those already earned included."""
    optimal: bool

    def __str__(self) -> str:
        how = "and nobody can do better" if self.optimal else "perhaps more is possible"
        return f"{self.algorithm} expects {self.total:,} points in the end, {how}."


class _KeptKeys(Model):
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    options: dict[str, Value]
    moves: Annotated[list[Annotated[int, Field(ge=0)]], Field(max_length=10_000)]
    helped: bool


class GameSession:
    """A game, what was played in it, and what was taken back."""

    def __init__(self, kind: GameKind, seed: int, options: Mapping[str, Value]) -> None:
        self.seed, self.options = seed, dict(options)
        self._moves: list[int] = []  # places in the lists of actions
        self._positions: list[Position] = [kind.start(seed, **options)]
        self._at = 0
        self.helped = False
        """Whether a solver had a hand in it; then it is no high score."""
        self._look()

    @classmethod
    def restored(cls, kind: GameKind, kept: object) -> "GameSession | None":
        """The game that `as_kept` wrote down. None for anything else."""
        try:
            said = check(_KeptKeys, kept, "the kept game")
            session = cls(kind, said.seed, said.options)
            for move in said.moves:
                session.play(session.position.actions()[move])
        except (BlockfallError, IndexError):
            return None
        session.helped = said.helped
        return session

    def as_kept(self) -> dict[str, object]:
        """The game for the next visit. What was taken back is forgotten."""
        moves = self._moves[: self._at]
        return {"seed": self.seed, "options": self.options, "moves": moves, "helped": self.helped}

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self._positions[self._at]

    @property
    def can_undo(self) -> bool:
        """Whether something has been played."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether something has been taken back."""
        return self._at + 1 < len(self._positions)

    def numbers(self) -> dict[str, object]:
        """Gives the numbers to show, by their titles."""
        return {"Points": self.position.score, "Moves": self._at, **self.position.numbers()}

    def action_at(self, cell: Cell | None, turns: int = 0) -> Any:
        """Gives the action that a cell stands for; after so many turns, where there are several. None where none."""
        found = self.position.actions_at(cell) if cell else ()
        return found[turns % len(found)] if found else None

    def play(self, action: Any) -> int:
        """Plays an action and gives what it earned. What was taken back is forgotten."""
        before, after = self.position, self.position.apply(action)
        self._moves = [*self._moves[: self._at], list(before.actions()).index(action)]
        self._positions = [*self._positions[: self._at + 1], after]
        self._go(self._at + 1)
        return after.score - before.score

    def undo(self) -> None:
        """Takes the last action back."""
        if not self.can_undo:
            raise SettingError("nothing has been played that could be taken back")
        self._go(self._at - 1)

    def redo(self) -> None:
        """Plays again what was taken back."""
        if not self.can_redo:
            raise SettingError("nothing has been taken back that could be played again")
        self._go(self._at + 1)

    def restart(self) -> None:
        """Goes back to the first position; redo still knows the way."""
        self._go(0)

    def advise(self, algorithm: str, time_limit_s: float) -> Advice:
        """Searches from here. This is slow: do not call it in an event loop."""
        if self.over:
            raise SettingError("the game is over; undo a move or begin a new game")
        if not 0 < time_limit_s <= LONGEST_SEARCH_S:
            raise SettingError(f"a time limit of {time_limit_s} s; a search here takes up to {LONGEST_SEARCH_S} s")
        start = self.position
        settings = SearchSettings(time_limit_s=time_limit_s, memory_limit_bytes=_MEMORY_LIMIT_BYTES)
        found: Solution = solve(problem_of(start), algorithm, settings, backend=LocalBackend(threads=1))
        if found.points is None:
            raise SettingError(f"{algorithm} found no way to the end in time; give it longer, or take best or greedy")
        return Advice(algorithm, found.moves, start.score + int(found.points), found.optimal)

    def _go(self, at: int) -> None:
        self._at = at
        self._look()

    def _look(self) -> None:
        """Keeps what pages ask for often."""
        self.rows = self.position.rows()
        self.over = self.position.over
