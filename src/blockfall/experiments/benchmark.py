"""The benchmark suite: a fixed list of tasks, the same for everybody, so that results can be cited.

An agent plays the tasks of Tetris, a search algorithm those of Hopeless and SameGame. The tasks are in tasks.toml.

>>> [task.name for task in tasks()][:3]
['no-rotation', 'no-rotation-timed', 'ten']
"""

import json
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from blockfall.agents import Agent, AgentLike
from blockfall.agents import agent as find_agent
from blockfall.compute import Backend, Request, summarise
from blockfall.compute import backend as find_backend
from blockfall.errors import SettingError, UnknownNameError
from blockfall.experiments.statistics import describe
from blockfall.games import HopelessBoard, scoring
from blockfall.rulesets import rules, rules_names
from blockfall.search import HopelessProblem, SearchSettings, algorithms, solve

BudgetName = Literal["quick", "full"]
BUDGETS: tuple[BudgetName, ...] = ("quick", "full")
TWO_SIDED = 1.96  # standard errors on each side of a mean of many games

_FOLDER = Path(__file__).parent
_HOPELESS_SIZE = (5, 5, 4)  # columns, rows, colours

TaskProgress = Callable[[str, int, int], None]
"""A function that is called now and then with the task, the games done and the task's number of games."""


@dataclass(frozen=True)
class Task:
    """A task: the games to play, their number, and the best published result."""

    name: str
    title: str
    rules: str
    """The rule set of Tetris; for Hopeless and SameGame, the game itself."""
    seed: int
    budgets: dict[str, dict[str, Any]]
    best_published: dict[str, Any] | None
    pieces_known: int | None = None
    """The pieces that an agent knows in the task; None keeps the agent's own number."""
    of_search: bool = False
    """Whether a search algorithm plays it."""

    @property
    def unit(self) -> str:
        """The unit of the result."""
        return "points" if self.of_search else "lines"


@dataclass(frozen=True)
class TaskResult:
    """The result of a task."""

    name: str
    rules: str
    unit: str
    seed: int
    games: int
    mean: float
    sem: float
    low: float
    """The lower end of the mean's 95 % interval."""
    high: float
    capped: int
    """The games that reached the piece limit. If there are any, the mean is a lower bound."""
    seconds: float
    decisions: int
    microseconds_per_decision: float
    best_published: dict[str, Any] | None


@dataclass(frozen=True)
class BenchmarkResult:
    """The results of an agent, or of an algorithm, in the tasks.

    >>> import blockfall
    >>> found = blockfall.benchmark("lee", tasks=["no-rotation"])
    >>> found.agent, found.tasks[0].name, found.tasks[0].games
    ('lee', 'no-rotation', 2000)
    """

    agent: str
    budget: str
    version: str
    """The version of Blockfall that played."""
    tasks: tuple[TaskResult, ...]

    def as_json(self) -> dict[str, object]:
        """Return the result as `blockfall benchmark --json` prints it."""
        return asdict(self)


@cache
def tasks() -> tuple[Task, ...]:
    """Return the tasks in order, without those whose rules this version does not ship."""
    found = tomllib.loads((_FOLDER / "tasks.toml").read_text(encoding="utf-8"))
    return tuple(
        Task(
            name,
            task["title"],
            task.get("rules") or task["game"],
            task["seed"],
            {budget: task[budget] for budget in BUDGETS},
            task.get("best_published"),
            task.get("pieces_known"),
            "game" in task,
        )
        for name, task in found.items()
        if "game" in task or task["rules"] in rules_names()
    )


def benchmark(
    agent: AgentLike,
    tasks: Sequence[str] | None = None,
    budget: BudgetName = "quick",
    backend: Backend | str | None = None,
    progress: TaskProgress | None = None,
) -> BenchmarkResult:
    """Play the tasks with an agent of Tetris or a search algorithm; by default, all tasks that it can play.

    >>> import blockfall
    >>> blockfall.benchmark("maxmin", tasks=["hopeless"]).tasks[0].unit
    'points'
    """
    if budget not in BUDGETS:
        raise UnknownNameError("budget", str(budget), list(BUDGETS))
    searches = isinstance(agent, str) and agent in algorithms()
    player = str(agent) if searches else find_agent(agent)
    chosen = _chosen(tasks, player)
    plays_on = find_backend(backend)
    found = []
    for task in chosen:
        limits = task.budgets[budget]

        def report(done: int, name: str = task.name, games: int = limits["games"]) -> None:
            if progress:
                progress(name, done, games)

        if isinstance(player, Agent):
            found.append(_played(task, limits, player, plays_on, report))
        else:
            found.append(_solved(task, limits, player, plays_on, report))
    name = player if isinstance(player, str) else player.name
    return BenchmarkResult(name, budget, version("blockfall"), tuple(found))


def _chosen(names: Sequence[str] | None, player: Agent | str) -> list[Task]:
    known = {task.name: task for task in tasks()}
    searches = isinstance(player, str)
    if names is None:
        return [task for task in known.values() if task.of_search == searches and _can_play(task, player)]
    found = []
    for name in names:
        if name not in known:
            raise UnknownNameError("task", name, list(known))
        if known[name].of_search != searches:
            wanted = "a search algorithm" if known[name].of_search else "an agent of Tetris"
            called = player if isinstance(player, str) else player.name
            raise SettingError(f"the task {name} is for {wanted}, which {called} is not")
        found.append(known[name])
    if not found:
        raise SettingError("no task given; name at least one")
    return found


def _played(
    task: Task, limits: dict[str, Any], player: Agent, backend: Backend, report: Callable[[int], None]
) -> TaskResult:
    found = summarise(_request(task, limits, player), backend, lambda done, _: report(done))
    half = TWO_SIDED * found.sem
    return _result(task, found.games, found.mean, found.sem, (half, half), found.capped, found.seconds, found.pieces)


def _request(task: Task, limits: dict[str, Any], player: Agent) -> Request:
    if task.pieces_known is not None and player.pieces_known != task.pieces_known:
        player = player.knowing(task.pieces_known)
    return Request(rules(task.rules), player, limits["games"], task.seed, max_pieces=limits.get("max_pieces"))


def _can_play(task: Task, player: Agent | str) -> bool:
    """Return whether the agent can play the task's rules with its known pieces; a board network may not."""
    if isinstance(player, str):
        return True
    try:
        _request(task, task.budgets["quick"], player)
    except SettingError:
        return False
    return True


def _solved(
    task: Task, limits: dict[str, Any], algorithm: str, backend: Backend, report: Callable[[int], None]
) -> TaskResult:
    """Search every board within the time limit; without a limit, to the end."""
    points, decisions = [], 0
    started = time.perf_counter()
    for number in range(limits["games"]):
        problem = HopelessProblem(_board(task, number), scoring(task.rules))
        settings = SearchSettings(time_limit_s=limits.get("time_limit_s"), seed=task.seed)
        solution = solve(problem, algorithm, settings, backend=backend)
        if solution.points is None:
            raise SettingError(f"{algorithm} found nothing on board {number + 1} of the task {task.name}")
        points.append(float(solution.points))
        decisions += len(solution.moves)
        report(number + 1)
    found = describe(points)
    interval = found.mean - found.low, found.high - found.mean
    return _result(task, found.n, found.mean, found.sem, interval, 0, time.perf_counter() - started, decisions)


def _result(
    task: Task,
    games: int,
    mean: float,
    sem: float,
    interval: tuple[float, float],
    capped: int,
    seconds: float,
    decisions: int,
) -> TaskResult:
    return TaskResult(
        task.name,
        task.rules,
        task.unit,
        task.seed,
        games,
        mean,
        sem,
        mean - interval[0],
        mean + interval[1],
        capped,
        seconds,
        decisions,
        1e6 * seconds / max(decisions, 1),
        task.best_published,
    )


def _board(task: Task, number: int) -> HopelessBoard:
    if task.rules == "hopeless":
        return HopelessBoard.random(*_HOPELESS_SIZE, task.seed, number)
    return HopelessBoard.from_text("\n".join(_samegame_boards()[number]))


@cache
def _samegame_boards() -> list[list[str]]:
    text = (_FOLDER / "samegame_boards.json").read_text(encoding="utf-8")
    boards: list[list[str]] = json.loads(text)["boards"]
    return boards
