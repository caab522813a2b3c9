"""The kinds of assignments: what a submission is asked, and how its answers become points.

A kind makes hidden exercises from a task of the marking scheme and the secret seed. An exercise asks the submission by
`ask`, plays the answers by the game's own rules, and gives what they earned. Beside that stands what a weak and a
strong player of ours earn on the same board.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from blockfall.agents import Agent, agent
from blockfall.errors import SettingError, UnknownNameError, shortened
from blockfall.games import Game, HopelessBoard, IstPosition, Position
from blockfall.games.hopeless import LARGEST, MOST_COLOURS, HopelessPosition, scoring
from blockfall.games.ist_tetris import COLUMNS, PIECES
from blockfall.rulesets import rules
from blockfall.search import SearchSettings, algorithms, solve
from blockfall.teaching.sandbox import SubmissionError
from blockfall.validation import Model, whole_number

Ask = Callable[[Sequence[object]], Any]
"""A function that calls the submission's function with these arguments and returns the answer, or raises a
SubmissionError."""

_IST_BOARDS = 71  # the random stream of ist2015's boards
_MOST_MOVES = 1024


@dataclass(frozen=True)
class Exercise:
    """A hidden board or game."""

    play: Callable[[Ask, float], float]
    """The function that returns what the submission earns within a number of seconds, or raises a SubmissionError."""
    floor: float
    """The result that earns only the share for a whole game."""
    target: float
    """The result that earns all points."""

    def part(self, earned: float, valid: float) -> float:
        """Return the share of the exercise's points, from 0 to 1, for a result.

        >>> Exercise(lambda ask, seconds: 0, floor=100, target=300).part(200, valid=0.5)
        0.75
        """
        if earned >= self.target:
            return 1.0
        above = max(0.0, (earned - self.floor) / (self.target - self.floor)) if self.target > self.floor else 0.0
        return valid + (1 - valid) * above


class TaskKeys(Model):
    """The keys of every task in a marking scheme."""

    name: str = Field(min_length=1, max_length=60, description="a short text")
    points: float = Field(gt=0, le=1e6, description="a number over 0")
    valid: float = Field(ge=0, le=1, description="a number from 0 to 1")
    floor: str = Field(description="the name of an algorithm or agent")
    target: str = Field(description="the name of an algorithm or agent")

    @property
    def count(self) -> int:
        """The number of exercises."""
        raise NotImplementedError


class SearchTask(TaskKeys):
    """A task with boards to search."""

    boards: int = whole_number(1, 1000)
    target_nodes: int = Field(ge=1, le=10**9, description="a whole number from 1 to 10^9")

    @property
    def count(self) -> int:
        """The number of boards."""
        return self.boards

    def points_of(self, position: Position) -> tuple[float, float]:
        """Return what the floor and the target earn from here."""
        for name in (self.floor, self.target):
            if name not in algorithms():
                raise UnknownNameError("algorithm", name, list(algorithms()))
        settings = SearchSettings(node_limit=self.target_nodes)
        weak, strong = (solve(position, name, settings, backend="local:1") for name in (self.floor, self.target))
        return weak.points or 0.0, strong.points or 0.0


class HopelessTask(SearchTask):
    """Boards of Hopeless."""

    columns: int = whole_number(1, LARGEST)
    rows: int = whole_number(1, LARGEST)
    colours: int = whole_number(1, MOST_COLOURS)


class IstTask(SearchTask):
    """Boards and pieces of ist2015's Tetris."""

    pieces: int = whole_number(1, 50)
    rows: int = whole_number(0, 10)


class AgentTask(TaskKeys):
    """Games of Tetris."""

    games: int = whole_number(1, 1000)
    rules: str = Field(description="the name of a rule set")
    max_pieces: int = whole_number(1, 100_000)

    @property
    def count(self) -> int:
        """The number of games."""
        return self.games


class Kind(ABC):
    """A kind of assignment."""

    name: ClassVar[str]
    function: ClassVar[str]
    """The name of the submission's function."""
    unit: ClassVar[str]
    """The word for an exercise."""
    task: ClassVar[type[TaskKeys]]
    """The keys of its tasks in a marking scheme."""

    @abstractmethod
    def exercise(self, task: Any, seed: int, number: int) -> Exercise:
        """Make an exercise of a task. The seed and the number decide its board and pieces."""


class HopelessKind(Kind):
    """Hopeless: `solve(board, seconds)` returns moves."""

    name, function, unit, task = "hopeless", "solve", "board", HopelessTask

    def exercise(self, task: HopelessTask, seed: int, number: int) -> Exercise:
        """Make a random board, which our search algorithms play too."""
        board = HopelessBoard.random(task.columns, task.rows, task.colours, seed, number)
        start = HopelessPosition(board, scoring("hopeless"))
        return Exercise(lambda ask, seconds: _played(start, ask([start.text(), seconds])), *task.points_of(start))


class IstKind(Kind):
    """ist2015's Tetris: `solve(board, pieces, seconds)` returns moves."""

    name, function, unit, task = "ist2015", "solve", "board", IstTask

    def exercise(self, task: IstTask, seed: int, number: int) -> Exercise:
        """Make a board whose rows lack a few cells each, with random pieces."""
        chance = np.random.Generator(np.random.Philox(key=[seed, _IST_BOARDS], counter=[0, 0, 0, number]))
        rows, gap = [], ""
        for _ in range(task.rows):
            if not gap or chance.random() < 0.4:
                left, width = int(chance.integers(0, COLUMNS - 3)), int(chance.integers(1, 4))
                gap = "#" * left + "." * width + "#" * (COLUMNS - left - width)
            rows.append(gap)
        pieces = "".join(PIECES[place] for place in chance.integers(0, len(PIECES), task.pieces))
        start = IstPosition.start(pieces, "\n".join(rows))
        drawn = start.text()
        return Exercise(lambda ask, seconds: _played(start, ask([drawn, pieces, seconds])), *task.points_of(start))


class AgentKind(Kind):
    """Tetris: `choose(board, piece, placements)` returns the number of a placement."""

    name, function, unit, task = "agent", "choose", "game", AgentTask

    def exercise(self, task: AgentTask, seed: int, number: int) -> Exercise:
        """Make a game of the secret seed, which our agents play too."""
        played_by = rules(task.rules)
        if played_by.file.placement.model != "drop":
            raise SettingError(f"the rules {task.rules} place pieces by keys; an agent's task needs straight drops")
        weak, strong = (_lines_of(agent(name), task, seed, number) for name in (task.floor, task.target))
        return Exercise(lambda ask, _: _agent_game(task, seed, number, ask), weak, strong)


KINDS: dict[str, Kind] = {kind.name: kind for kind in (HopelessKind(), IstKind(), AgentKind())}
"""The kinds of assignments by name."""


def _played(start: Position, moves: Any) -> float:
    """Return the points of a whole game of these moves."""
    if not isinstance(moves, list) or len(moves) > _MOST_MOVES:
        raise SubmissionError(f"it returned {shortened(moves)}, which is not a list of moves")
    position = start
    for number, given in enumerate(moves, 1):
        move = tuple(given) if isinstance(given, list) else given
        try:
            position = position.apply(move)
        except (SettingError, TypeError, ValueError):
            raise SubmissionError(f"move {number}, {shortened(move)}, is impossible there") from None
    if not position.solved:
        raise SubmissionError(f"after its moves the game is {'lost' if position.over else 'not over'}")
    return float(position.score)


def _lines_of(player: Agent, task: AgentTask, seed: int, number: int) -> float:
    game = Game(task.rules, seed, number, max(1, player.pieces_known))
    while not game.over and game.outcome.pieces < task.max_pieces:
        game.play(game.choose(player))
    return float(game.outcome.lines)


def _agent_game(task: AgentTask, seed: int, number: int, ask: Ask) -> float:
    game = Game(task.rules, seed, number, pieces_known=1)
    while not game.over and game.outcome.pieces < task.max_pieces:
        placements, boards = game.afterstates()
        board = _rows(game.board.cells)
        filled = int(game.board.cells.sum())
        shown = []
        for placement, after in zip(placements, boards, strict=True):
            lost = int(after.sum()) == filled  # four cells more, ten fewer for each line
            lines = 0 if lost else (filled + 4 - int(after.sum())) // game.rules.columns
            where = {"orientation": placement.shape, "column": placement.column}
            shown.append({**where, "lines": lines, "loses": lost, "after": _rows(after)})
        chosen = ask([board, game.known[0], shown])
        if isinstance(chosen, bool) or not isinstance(chosen, int) or not 0 <= chosen < len(placements):
            raise SubmissionError(
                f"it returned {shortened(chosen)} for piece {game.outcome.pieces + 1}; "
                f"the placements are 0 to {len(placements) - 1}"
            )
        game.play(placements[chosen])
    return float(game.outcome.lines)


def _rows(cells: Any) -> list[str]:
    """Return rows of # and ., top row first."""
    return ["".join("#" if filled else "." for filled in row) for row in reversed(cells.tolist())]
