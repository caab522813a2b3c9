"""The study's searches: every table of the report, piece by piece, and the optimum that `best` proves."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockfall.games import IstPosition
from blockfall.search import IstProblem, SearchSettings, Solution, solve
from blockfall.studies.base import Work

PUBLISHED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
PIECES: str = PUBLISHED["pieces"]
ALGORITHMS = tuple(dict.fromkeys((*(table["algorithm"] for table in PUBLISHED["tables"]), "best")))
BOARDS: dict[str, str] = {"empty": "", "filled": PUBLISHED["filled"]}


@dataclass(frozen=True)
class Searched:
    """One row of a table of the report."""

    table: str
    title: str
    board: str
    pieces: str
    solution: Solution
    published: dict[str, float]
    """nodes, points, seconds and bytes; empty where the report's search did not end."""

    @property
    def nodes_visited(self) -> int:
        """The nodes that were expanded, and the one that the report counts besides: the root."""
        return self.solution.nodes_expanded + 1

    @property
    def name(self) -> str:
        """Table, board and number of pieces."""
        return f"{self.table}/{self.board}/{len(self.pieces)}"


def searches(max_pieces: int, heuristic: str | None, settings: SearchSettings, work: Work) -> list[Searched]:
    """The searches of all tables. `heuristic` takes the place of table 4.1.2's, which then has nothing published."""
    plan = [
        (table, board, PIECES[:count])
        for table in PUBLISHED["tables"]
        for board in BOARDS
        if board in table
        for count in range(1, max_pieces + 1)
    ]
    found = []
    with work.phase("searches", len(plan)) as update:
        for number, (table, board, pieces) in enumerate(plan, 1):
            own = heuristic if heuristic and table["name"] == "4.1.2" else table.get("heuristic")
            problem = IstProblem(IstPosition.start(pieces, BOARDS[board]), heuristic=own)
            solution = solve(problem, table["algorithm"], settings, backend=work.backend)
            place = len(pieces) - 1
            theirs = table[board] if own == table.get("heuristic") else {}
            figures = {key: values[place] for key, values in theirs.items() if place < len(values)}
            title = table["title"].replace("qualidade", own or "")
            found.append(Searched(table["name"], title, board, pieces, solution, figures))
            update(number, f"{table['name']}, {board} board, {pieces}")
    return found


def proved(pieces: str, settings: SearchSettings, work: Work) -> list[Searched]:
    """The optimum for one piece, two pieces and so on, by `best`."""
    found = []
    with work.phase("proofs", len(BOARDS) * len(pieces)) as update:
        for board, text in BOARDS.items():
            for count in range(1, len(pieces) + 1):
                problem = IstProblem(IstPosition.start(pieces[:count], text))
                solution = solve(problem, "best", settings, backend=work.backend)
                found.append(Searched("best", "Blockfall's best", board, pieces[:count], solution, {}))
                update(len(found), f"{board} board, {pieces[:count]}")
    return found
