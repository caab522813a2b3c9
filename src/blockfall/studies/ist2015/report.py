"""The report's tables 4.1.1, 4.1.2 and 4.2.1, its charts and its conclusions, ours beside the published figures."""

from collections.abc import Callable, Sequence

from blockfall.experiments.statistics import judge
from blockfall.reports import Curves, Panels, Report, Section, Series, Sheet
from blockfall.reports.model import SheetCell
from blockfall.studies.base import Row
from blockfall.studies.ist2015.measure import RUNS, Searched


def rows(found: list[Searched]) -> tuple[Row, ...]:
    """Return the nodes and points of every search. They are counts, so they agree if they are equal."""
    made = []
    for one in found:
        for key, ours in (("nodes", one.nodes_visited), ("points", one.points)):
            if ours is None:
                continue
            published = one.published.get(key)
            verdict = judge(ours, None, published, more_is_better=None)
            made.append(Row(f"{one.name}/{key}", ours, None, published, None, verdict))
    return tuple(made)


def differences(rows: tuple[Row, ...]) -> Sheet:
    """Return the counts that differ from the report's, and by how much."""
    off = tuple(
        (row.name, row.ours, row.published, row.ours - row.published, 100 * (row.ours - row.published) / row.published)
        for row in rows
        if row.published and row.ours != row.published
    )
    columns = ("what", "ours", "report", "difference", "in percent")
    return Sheet("Counts that differ from the report's", columns, off, tab="Counts that differ")


def report(found: list[Searched], proofs: list[Searched], by_a_star: list[Searched], board: str) -> Report:
    """Return the study's report."""
    sections = []
    for name in dict.fromkeys(one.table for one in found):
        own = [one for one in found if one.table == name]
        title = f"Table {name}: {own[0].title}"
        charts = () if name.startswith(_BEST) else (_charts(f"{title}: time and memory", own, name, _by_board),)
        sections.append(Section(title, (), (statistics(title, own, f"Table {name}"), *charts)))
    best = [one for one in found if one.table.startswith(_BEST)]
    by_heuristic = _charts("Table 4.2.1: time, memory and nodes of H1 to H3", best, "4.2.1", _by_heuristic, nodes=True)
    sections.append(Section("The best search by heuristic", (), (by_heuristic,)))
    sections.append(
        Section(
            "The optimum",
            ("Proved by branch and bound, with a bound on the lines that the cells can still fill.",),
            (statistics("Optimum by pieces", proofs, "Optimum by pieces"),),
        )
    )
    if by_a_star:
        title = "A* without a heuristic"
        sections.append(Section(title, (), (statistics(title, by_a_star, title),)))
    made = rows(found)
    published = [row for row in made if row.published is not None]
    off = differences(made)
    summary = (
        f"{len(published) - len(off.rows)} of {len(published)} counts of nodes and points equal the report's. "
        "The report shows its partly filled board only as a picture; ours is the one of 30,085 boards that fits."
    )
    sections.insert(0, Section(off.title, (), (off,)))
    judgements = conclusions(found, proofs)
    sections.insert(1, Section(judgements.title, (), (judgements,)))
    drawn = tuple((row,) for row in board.split())
    sections.append(Section("The partly filled board", (), (Sheet("Partly filled board", ("top row first",), drawn),)))
    return Report("ist2015: Tetris as a search problem", summary, tuple(sections))


_BEST = "4.2.1"


def statistics(title: str, found: list[Searched], tab: str) -> Sheet:
    """Return nodes, points, moves, time and memory of every search beside the report's."""
    return Sheet.of(
        title,
        found,
        ("board", lambda one: one.board),
        ("pieces", lambda one: one.pieces),
        ("nodes visited", lambda one: one.nodes_visited),
        ("report", lambda one: one.published.get("nodes")),
        ("points", lambda one: one.points),
        ("report", lambda one: one.published.get("points")),
        ("moves", lambda one: len(one.solution.moves)),
        ("time [s]", lambda one: one.seconds),
        ("report [s]", lambda one: one.published.get("seconds")),
        ("memory [bytes]", lambda one: one.solution.peak_bytes),
        ("report [bytes]", lambda one: one.published.get("bytes")),
        ("proved optimal", _ending),
        note=f"Times are medians of up to {RUNS} runs.",
        tab=tab,
    )


def _ending(one: Searched) -> str:
    s = one.solution
    if s.stopped_by != "finished":
        return f"stopped by {s.stopped_by}{'; the moves are the greedy fallback' if s.fallback else ''}"
    return "yes" if s.optimal else ""


def optima(found: list[Searched]) -> Sheet:
    """Return the proofs in short."""
    return Sheet.of(
        "The optimum by pieces",
        found,
        ("board, pieces", lambda one: f"{one.board}, {one.pieces}"),
        ("points", lambda one: one.points),
        ("nodes visited", lambda one: one.nodes_visited),
        ("time [s]", lambda one: one.seconds),
        ("proved", lambda one: one.solution.optimal),
    )


def conclusions(found: list[Searched], proofs: list[Searched]) -> Sheet:
    """Return the report's conclusions (4.1.4 and 4.2.4), and whether its own figures and ours bear them out."""
    counts = _Counts(found, proofs)
    filled = next((one.board for one in found if one.board != "empty"), "filled")
    pp, a_star, h1, h2, h3 = "4.1.1", "4.1.2", "4.2.1, H1", "4.2.1, H2", "4.2.1, H3"
    made: list[tuple[SheetCell, ...]] = []

    def add(conclusion: str, holds: Callable[[int, bool], bool | None], shown: Callable[[int, bool], str]) -> None:
        """Add a row. `holds` and `shown` take a number of pieces and whether the figures are the report's."""
        verdicts = []
        for theirs in (True, False):
            each = {n: holds(n, theirs) for n in counts.pieces}
            known = {n: held for n, held in each.items() if held is not None}
            against = [n for n, held in known.items() if not held]
            words = "no figures" if not known else "yes" if not against else "no"
            where = f": {shown(against[0], theirs)}" if against else ""
            verdicts.append(f"{words}{where}")
        made.append((conclusion, *verdicts))

    nodes, points, best = counts.nodes, counts.points, counts.best

    def both(
        n: int, theirs: bool, one: CountByPieces, other: CountByPieces, holds: Callable[[float, float], bool]
    ) -> bool | None:
        a, b = one(n, theirs), other(n, theirs)
        return None if a is None or b is None else holds(a, b)

    def sides(n: int, theirs: bool, one: CountByPieces, other: CountByPieces) -> str:
        return f"with {n} pieces {one(n, theirs):,g} beside {other(n, theirs):,g}"

    def compared(
        conclusion: str, one: CountByPieces, other: CountByPieces, holds: Callable[[float, float], bool]
    ) -> None:
        add(conclusion, lambda n, t: both(n, t, one, other, holds), lambda n, t: sides(n, t, one, other))

    compared(
        "Depth-first visits as many nodes on the filled board as on the empty one",
        nodes(pp, filled),
        nodes(pp, "empty"),
        lambda a, b: a == b,
    )
    compared("Depth-first earns no points", points(pp, filled), points(pp, "empty"), lambda a, b: a == b == 0)
    compared(
        "A* visits fewer nodes on the filled board than on the empty one",
        nodes(a_star, filled),
        nodes(a_star, "empty"),
        _fewer,
    )
    compared(
        "A* earns more points on the filled board than on the empty one",
        points(a_star, filled),
        points(a_star, "empty"),
        lambda a, b: a > b,
    )
    compared("A* always gets the most points that there are", points(a_star, filled), best(filled), lambda a, b: a >= b)
    compared("The best search visits fewer nodes with H2 than with H1", nodes(h2, filled), nodes(h1, filled), _fewer)
    compared("It visits fewer nodes with H3 than with H2", nodes(h3, filled), nodes(h2, filled), _fewer)
    compared("With H3 it visits fewer nodes than A*", nodes(h3, filled), nodes(a_star, filled), _fewer)
    compared("With H3 it always gets the best result", points(h3, filled), best(filled), lambda a, b: a >= b)
    note = (
        "A conclusion holds if it holds for every number of pieces; with one piece, equal nodes count as fewer. The "
        "most points are, in the report's column, the most in its tables and, in ours, the proved optimum."
    )
    columns = ("conclusion", "the report's own figures", "ours")
    return Sheet("What the report concludes", columns, tuple(made), note)


def _fewer(a: float, b: float) -> bool:
    return a < b or a == b == 2  # with one piece every search expands the root and nothing else


CountByPieces = Callable[[int, bool], float | None]
"""A figure by the number of pieces; the flag asks for the report's."""


class _Counts:
    """Nodes and points by table, board and number of pieces, ours and the report's."""

    def __init__(self, found: Sequence[Searched], proofs: Sequence[Searched]) -> None:
        self._found = {(one.table, one.board, len(one.pieces)): one for one in found}
        self._proofs = {(one.board, len(one.pieces)): one for one in proofs if one.solution.optimal}
        self.pieces = sorted({len(one.pieces) for one in found})

    def nodes(self, table: str, board: str) -> CountByPieces:
        return self._figure(table, board, "nodes", lambda one: one.nodes_visited)

    def points(self, table: str, board: str) -> CountByPieces:
        return self._figure(table, board, "points", lambda one: one.points)

    def _figure(self, table: str, board: str, key: str, ours: Callable[[Searched], float | None]) -> CountByPieces:
        def figure(n: int, theirs: bool) -> float | None:
            one = self._found.get((table, board, n))
            return None if one is None else one.published.get(key) if theirs else ours(one)

        return figure

    def best(self, board: str) -> CountByPieces:
        """Return the most points: the most in the report's tables, or our proved optimum."""

        def figure(n: int, theirs: bool) -> float | None:
            if theirs:
                own = [one for one in self._found.values() if (one.board, len(one.pieces)) == (board, n)]
                return max((one.published["points"] for one in own if "points" in one.published), default=None)
            proof = self._proofs.get((board, n))
            return None if proof is None else proof.points

        return figure


def _by_board(one: Searched) -> str:
    return one.board


def _by_heuristic(one: Searched) -> str:
    return one.table.removeprefix(f"{_BEST}, ") + (", given board" if one.board == "given" else "")


def _charts(
    title: str, found: list[Searched], tab: str, label: Callable[[Searched], str], nodes: bool = False
) -> Panels:
    """Return curves by the number of pieces, one of ours and one of the report's for every label."""
    panels = []
    measures: list[tuple[str, str, str, Callable[[Searched], float]]] = [
        ("Time", "seconds", "seconds", lambda one: one.seconds),
        ("Memory", "bytes", "bytes", lambda one: one.solution.peak_bytes),
    ]
    if nodes:
        measures.append(("Nodes", "nodes visited", "nodes", lambda one: one.nodes_visited))
    for what, unit, key, value in measures:
        series = []
        for name in dict.fromkeys(map(label, found)):
            own = [one for one in found if label(one) == name]
            pieces = [len(one.pieces) for one in own]
            series.append(Series(f"ours, {name}", pieces, [value(one) for one in own], group=f"ours, {name}"))
            theirs = [one for one in own if key in one.published]
            if theirs:
                figures, counts = [one.published[key] for one in theirs], [len(one.pieces) for one in theirs]
                series.append(Series(f"report, {name}", counts, figures, group=f"ours, {name}", dashed=True))
        chart = Curves(
            f"{what} by pieces", "pieces", unit, series=tuple(series), log_y=True, points=True, tab=f"{what}, {tab}"
        )
        panels.append(chart)
    return Panels(title, figures=tuple(panels), columns=len(panels))
