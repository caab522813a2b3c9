"""The study's searches: every table of the report, piece by piece, the optimum that `best` proves, and exact A*."""

import statistics
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockfall.errors import SettingError
from blockfall.games import IstPosition
from blockfall.search import IstProblem, SearchSettings, Solution, find_algorithm
from blockfall.studies.base import Work

PUBLISHED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
PIECES: str = PUBLISHED["pieces"]
FILLED: str = PUBLISHED["filled"]
ALGORITHMS = tuple(dict.fromkeys((*(table["algorithm"] for table in PUBLISHED["tables"]), "a-star", "best")))
OWN = "4.2.1, own"
"""The table of the best search with the user's weights."""
YOURS = "own"
"""The table of the algorithm that the user chose."""

RUNS = 5
"""The most runs of a search, whose time is their median."""
_ENOUGH_SECONDS = 2.0  # a search that took this long is not run again


@dataclass(frozen=True)
class Searched:
    """One row of a table of the report."""

    table: str
    title: str
    board: str
    pieces: str
    solution: Solution
    seconds: float
    """The median of several runs."""
    published: dict[str, float]
    """The report's nodes, points, seconds and bytes; empty if its search did not end."""

    @property
    def nodes_visited(self) -> int:
        """The expanded nodes and, as in the report, the root."""
        return self.solution.nodes_expanded + 1

    @property
    def points(self) -> float | None:
        """The points of the algorithm's own solution; None if it was stopped first."""
        return None if self.solution.fallback else self.solution.points

    @property
    def name(self) -> str:
        """Table, board and number of pieces."""
        return f"{self.table}/{self.board}/{len(self.pieces)}"


@dataclass(frozen=True)
class SearchPlan:
    """The searches to run: boards, pieces and tables with their heuristics."""

    board: str
    """The text of the partly filled board."""
    pieces: str
    tables: tuple[dict[str, Any], ...]

    @classmethod
    def of(
        cls, board: str, pieces: str, heuristic: str | None, weights: str | None, algorithm: str | None = None
    ) -> "SearchPlan":
        """Return the report's tables with these changes; a changed table has no published figures."""
        start = IstPosition.start(pieces, board)
        tables = []
        for table in PUBLISHED["tables"]:
            if heuristic and table["name"] == "4.1.2" and heuristic != table["heuristic"]:
                title = table["title"].replace(table["heuristic"], Path(heuristic).stem)
                tables.append(table | {"heuristic": heuristic, "title": title, "empty": {}, "filled": {}})
            else:
                tables.append(table)
        if weights:
            own = {"name": OWN, "title": f"Procura best, weights {weights}", "algorithm": "ist-best", "filled": {}}
            tables.append(own | {"heuristic": _numbers(weights)})
        if algorithm:
            title = find_algorithm(algorithm).name
            tables.append(
                {"name": YOURS, "title": f"Procura {title}", "algorithm": algorithm, "empty": {}, "filled": {}}
            )
        for table in tables:
            IstProblem(start, heuristic=table.get("heuristic"))  # refuses a bad heuristic before any search
        return cls(board, start.pieces, tuple(tables))

    @property
    def boards(self) -> dict[str, str]:
        """The texts of the boards by name."""
        return {"empty": "", "filled" if self.board == FILLED else "given": self.board}

    def published(self, table: dict[str, Any], board: str, pieces: str) -> dict[str, float]:
        """Return the report's figures of a search; none for boards and pieces that are not in the report."""
        if board == "given" or not PIECES.startswith(pieces):
            return {}
        place = len(pieces) - 1
        return {key: values[place] for key, values in table[board].items() if place < len(values)}


def _numbers(weights: str) -> tuple[float, ...]:
    try:
        return tuple(float(weight) for weight in weights.split(","))
    except ValueError:
        raise SettingError(f"weights {weights!r}; they must be five numbers, such as 30,5,10,25,-0.6") from None


def searches(plan: SearchPlan, settings: SearchSettings, work: Work) -> list[Searched]:
    """Run the searches of all tables."""
    todo = [
        (table, board, plan.pieces[:count])
        for table in plan.tables
        for board in plan.boards
        if board in table or board == "given"
        for count in range(1, len(plan.pieces) + 1)
    ]
    found = []
    with work.phase("searches", len(todo)) as update:
        for number, (table, board, pieces) in enumerate(todo, 1):
            problem = IstProblem(IstPosition.start(pieces, plan.boards[board]), heuristic=table.get("heuristic"))
            solution, seconds = _timed(problem, table["algorithm"], settings, work)
            theirs = plan.published(table, board, pieces)
            found.append(Searched(table["name"], table["title"], board, pieces, solution, seconds, theirs))
            update(number, f"{table['name']}, {board} board, {pieces}")
    return found


def proved(plan: SearchPlan, pieces: str, settings: SearchSettings, work: Work) -> list[Searched]:
    """Prove the optimum for one piece, two pieces and so on by `best`, on both boards."""
    boards = list(plan.boards)
    return _by("best", "proofs", "Blockfall's best", boards, plan, pieces, settings, work)


def exact(plan: SearchPlan, pieces: str, settings: SearchSettings, work: Work) -> list[Searched]:
    """Find the same by A* without a heuristic, on the empty board: it visits every state above the last layer."""
    return _by("a-star", "A*", "A* with h = 0", ["empty"], plan, pieces, settings, work)


def _by(
    algorithm: str,
    phase: str,
    title: str,
    boards: list[str],
    plan: SearchPlan,
    pieces: str,
    settings: SearchSettings,
    work: Work,
) -> list[Searched]:
    found = []
    with work.phase(phase, len(boards) * len(pieces)) as update:
        for board in boards:
            for count in range(1, len(pieces) + 1):
                problem = IstProblem(IstPosition.start(pieces[:count], plan.boards[board]))
                solution, seconds = _timed(problem, algorithm, settings, work)
                found.append(Searched(algorithm, title, board, pieces[:count], solution, seconds, {}))
                update(len(found), f"{board} board, {pieces[:count]}")
    return found


def _timed(problem: IstProblem, algorithm: str, settings: SearchSettings, work: Work) -> tuple[Solution, float]:
    """Return the solution, which is always the same, and the median time of several runs."""
    seconds: list[float] = []
    while len(seconds) < RUNS and sum(seconds) < _ENOUGH_SECONDS:
        solution = work.solved(problem, algorithm, settings)
        seconds.append(solution.seconds)
    return solution, statistics.median(seconds)
