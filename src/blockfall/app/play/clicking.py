"""A game played by clicks, without a browser: actions, undo, redo and a solver's advice."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from blockfall.compute import LocalBackend
from blockfall.errors import BlockfallError, SettingError
from blockfall.games import GameKind, Position
from blockfall.games.protocol import Cell, OptionValue
from blockfall.search import SearchSettings, Solution, problem_of, solve
from blockfall.validation import Model, check

LONGEST_SEARCH_S = 5
_MEMORY_LIMIT_BYTES = 512 << 20


@dataclass(frozen=True)
class Advice:
    """The moves that a solver would play."""

    algorithm: str
    moves: tuple[Any, ...]
    total: int
    """Points at the end, including those already earned."""
    optimal: bool

    def __str__(self) -> str:
        how = "the most possible" if self.optimal else "perhaps not the most possible"
        return f"{self.algorithm} expects {self.total:,} points in the end, {how}."


class _KeptKeys(Model):
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    options: dict[str, OptionValue]
    moves: Annotated[list[Annotated[int, Field(ge=0)]], Field(max_length=10_000)]
    helped: bool


class GameSession:
    """A game with its moves and those that were undone."""

    def __init__(self, kind: GameKind, seed: int, options: Mapping[str, OptionValue]) -> None:
        self.seed, self.options = seed, dict(options)
        self._moves: list[int] = []  # indices into the lists of actions
        self._positions: list[Position] = [kind.start(seed, **options)]
        self._at = 0
        self.helped = False
        """True if a solver helped. Such a game earns no high score."""
        self._look()

    @classmethod
    def restored(cls, kind: GameKind, kept: object) -> "GameSession | None":
        """Return the game that `as_kept` wrote; None for anything else."""
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
        """Return the game for the next visit, without the moves that were undone."""
        moves = self._moves[: self._at]
        return {"seed": self.seed, "options": self.options, "moves": moves, "helped": self.helped}

    @property
    def position(self) -> Position:
        """The current position."""
        return self._positions[self._at]

    @property
    def can_undo(self) -> bool:
        """True if there is a move to undo."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """True if there is a move to redo."""
        return self._at + 1 < len(self._positions)

    def numbers(self) -> dict[str, object]:
        """Return the numbers to show, by title."""
        return {"Points": self.position.score, "Moves": self._at, **self.position.numbers()}

    def action_at(self, cell: Cell | None, turns: int = 0) -> Any:
        """Return the action of a cell; if it has several, `turns` picks one. None if it has none."""
        found = self.position.actions_at(cell) if cell else ()
        return found[turns % len(found)] if found else None

    def play(self, action: Any) -> int:
        """Play an action and return what it earned. Undone moves are forgotten."""
        before, after = self.position, self.position.apply(action)
        self._moves = [*self._moves[: self._at], list(before.actions()).index(action)]
        self._positions = [*self._positions[: self._at + 1], after]
        self._go(self._at + 1)
        return after.score - before.score

    def undo(self) -> None:
        """Undo the last action."""
        if not self.can_undo:
            raise SettingError("there is nothing to undo")
        self._go(self._at - 1)

    def redo(self) -> None:
        """Play the next undone action again."""
        if not self.can_redo:
            raise SettingError("there is nothing to redo")
        self._go(self._at + 1)

    def restart(self) -> None:
        """Go back to the first position. Redo still works."""
        self._go(0)

    def advise(self, algorithm: str, time_limit_s: float) -> Advice:
        """Search from here. This is slow: do not call it on the event loop."""
        if self.over:
            raise SettingError("the game is over; undo a move or begin a new game")
        if not 0 < time_limit_s <= LONGEST_SEARCH_S:
            raise SettingError(f"a time limit of {time_limit_s} s; a search here takes up to {LONGEST_SEARCH_S} s")
        start = self.position
        settings = SearchSettings(time_limit_s=time_limit_s, memory_limit_bytes=_MEMORY_LIMIT_BYTES)
        found: Solution = solve(problem_of(start), algorithm, settings, backend=LocalBackend(threads=1))
        if found.points is None:
            raise SettingError(f"{algorithm} reached no end in time; give it longer, or choose best or greedy")
        return Advice(algorithm, found.moves, start.score + int(found.points), found.optimal)

    def _go(self, at: int) -> None:
        self._at = at
        self._look()

    def _look(self) -> None:
        """Store what pages ask for often."""
        self.rows = self.position.rows()
        self.over = self.position.over
