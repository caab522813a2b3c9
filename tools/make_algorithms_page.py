"""Make docs/algorithms.md: every algorithm with a drawing of its search, and what each needs on the same boards.

    python tools/make_algorithms_page.py

The drawings show one small board, so that they can be compared; bidirectional search has a small puzzle instead.
Nodes and bytes do not depend on the machine.
"""

import runpy
from pathlib import Path

from blockfall.games import HopelessBoard, scoring
from blockfall.search import (
    HopelessProblem,
    Searchable,
    SearchSettings,
    Solution,
    TracedSearch,
    core_algorithms,
    solve,
)
from blockfall.search.tree import tree_svg

DOCS = Path(__file__).parents[1] / "docs"
PAGE, PICTURES = DOCS / "algorithms.md", DOCS / "images" / "algorithms"
BOARD = "1212\n2112\n1221"
LIMITS = SearchSettings(node_limit=100_000, seed=1)
MOST_DRAWN = 40

HEAD = """# The algorithms

Every search algorithm of Blockfall by its textbook name, with what it promises and a drawing of its search. They work
on every game, and problems of your own ([search.md](search.md)). `python tools/make_algorithms_page.py` makes this
page.

`blockfall solve --tree FILE.svg` makes such drawings. A number is the order in which a node was expanded, *x3* means
that it was expanded three times, and f ranks it in A*. The solution is orange. All drawings but one show this board of
Hopeless, where the best solution earns 112 points:

"""
NEEDS = """

## What they need

Nodes expanded, and the most bytes held at once, on two boards of Hopeless with 4 colours and on an 8-puzzle that needs
31 moves, each with seed 1 and at most 100,000 nodes. *Stopped* means that the search reached this limit, and *none*
that it had no solution of its own by then.

"""


def puzzle(tiles: tuple[int, ...]) -> Searchable:
    return runpy.run_path(str(DOCS.parent / "examples" / "eight_puzzle.py"))["EightPuzzle"](tiles)  # type: ignore[no-any-return]


def hopeless(board: HopelessBoard) -> Searchable:
    return HopelessProblem(board, scoring("hopeless"))


def drawings() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    small = hopeless(HopelessBoard.from_text(BOARD))
    for name, one in core_algorithms().items():
        problem = puzzle((1, 2, 3, 7, 4, 6, 5, 0, 8)) if one.undoes else small
        traced = TracedSearch.run(problem, name, SearchSettings(node_limit=200, seed=1, level=1))
        (PICTURES / f"{name}.svg").write_text(tree_svg(traced, MOST_DRAWN), encoding="utf-8")


def needs() -> str:
    """Nodes and bytes of every algorithm on the same three problems."""
    problems = {
        "6x6": hopeless(HopelessBoard.random(6, 6, 4, seed=1)),
        "20x10": hopeless(HopelessBoard.random(20, 10, 4, seed=1)),
        "8-puzzle": puzzle((8, 6, 7, 2, 5, 4, 3, 0, 1)),
    }
    columns = ["algorithm", *(f"{title} {what}" for title in problems for what in ("points", "nodes", "bytes"))]
    rows = [f"| {' | '.join(columns)} |", "| --- " * len(columns) + "|"]
    for name, one in core_algorithms().items():
        cells = []
        for problem in problems.values():
            if one.undoes and not problem.undoes:
                cells += ["", "", ""]
            else:
                cells += _cells(solve(problem, name, LIMITS))
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cells(found: Solution) -> list[str]:
    points = "none" if found.points is None or found.fallback else f"{found.points:,}"
    proved = " (proved)" if found.optimal else ""
    stopped = "" if found.stopped_by == "finished" else ", stopped"
    return [f"{points}{proved}", f"{found.nodes_expanded:,}{stopped}", f"{found.peak_bytes:,}"]


def page() -> str:
    parts = [HEAD, "    ", BOARD.replace("\n", "\n    "), NEEDS, needs(), "\n"]
    for name, one in core_algorithms().items():
        parts.append(
            f"\n## {one.textbook[0].upper()}{one.textbook[1:]}\n\n"
            f"`{name}`: {one.title}. Result: {one.promise}. Source: {one.source}.\n\n"
            f"![The search tree of {name}](images/algorithms/{name}.svg)\n"
        )
    return "".join(parts)


if __name__ == "__main__":
    drawings()
    PAGE.write_text(page(), encoding="utf-8")
