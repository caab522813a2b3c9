"""Measure the speed of searches for docs/search.md: `python tools/measure_search.py`.

It counts CPU time, so other work on the machine matters little.
"""

import json
import time
from pathlib import Path
from typing import Any

from blockfall.games import HopelessBoard, IstPosition, scoring
from blockfall.search import HopelessProblem, IstProblem, SearchSettings, solve

DOCS = Path(__file__).parents[1] / "docs"
DATA = DOCS / "data" / "search.json"
BOARDS = DOCS.parent / "tests" / "data" / "samegame_boards.json"


def speed() -> list[dict[str, Any]]:
    board = HopelessBoard.from_text("\n".join(json.loads(BOARDS.read_text())["boards"][0]))
    game = HopelessProblem(board, scoring("samegame"))
    rows = []

    def row(what: str, count: float, started: float) -> None:
        rows.append({"what": what, "per_cpu_second": count / (time.process_time() - started)})

    started = time.process_time()
    found = solve(game, "iterative-deepening", SearchSettings(node_limit=500_000))
    row("child boards, 15x15 (iterative deepening)", found.nodes_generated, started)

    traced = solve(game, "nrpa", SearchSettings(node_limit=200_000, trace=True)).trace
    steps = len(traced) / sum(node.depth == 0 for node in traced)
    started = time.process_time()
    found = solve(game, "nrpa", SearchSettings(node_limit=10_000_000))
    row("playouts, 15x15 (nrpa)", found.nodes_expanded / steps, started)

    started = time.process_time()
    found = solve(IstProblem(IstPosition.start("ojlti")), "a-star")
    row("nodes, ist2015's five pieces (a-star)", found.nodes_generated, started)
    return rows


if __name__ == "__main__":
    DATA.write_text(json.dumps({"speed": speed()}, indent=1) + "\n")
