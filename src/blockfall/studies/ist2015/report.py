"""The report's tables 4.1.1, 4.1.2 and 4.2.1 and its charts of time and memory, ours beside the published figures."""

from blockfall.experiments.statistics import judge
from blockfall.reports import Curves, Panels, Report, Section, Series, Sheet
from blockfall.studies.base import Row
from blockfall.studies.ist2015.measure import Searched


def rows(found: list[Searched]) -> tuple[Row, ...]:
    """The nodes and points of every search. They are counts: they agree where they are equal."""
    made = []
    for one in found:
        for key, ours in (("nodes", one.nodes_visited), ("points", one.solution.points)):
            if ours is None:
                continue
            published = one.published.get(key)
            verdict = judge(ours, None, published, more_is_better=None)
            made.append(Row(f"{one.name}/{key}", ours, None, published, None, verdict))
    return tuple(made)


def differences(rows: tuple[Row, ...]) -> Sheet:
    """The counts that are not the report's, and by how much."""
    off = tuple(
        (row.name, row.ours, row.published, row.ours - row.published, 100 * (row.ours - row.published) / row.published)
        for row in rows
        if row.published and row.ours != row.published
    )
    return Sheet("Counts that differ from the report's", ("what", "ours", "report", "difference", "in percent"), off)


def report(found: list[Searched], proofs: list[Searched], filled: str) -> Report:
    """The study's report."""
    tables = list(dict.fromkeys(one.table for one in found))
    sections = []
    for name in tables:
        own = [one for one in found if one.table == name]
        title = f"Table {name}: {own[0].title}"
        sections.append(Section(title, (), (statistics(title, own), _charts(title, own))))
    sections.append(
        Section(
            "What is the best there is",
            ("Branch and bound with a bound on the lines that the cells can still fill: proved, not sampled.",),
            (statistics("Optimum by pieces", proofs),),
        )
    )
    made = rows(found)
    published = [row for row in made if row.published is not None]
    off = differences(made)
    summary = (
        f"{len(published) - len(off.rows)} of {len(published)} counts of nodes and points are the report's. "
        "The report shows its partly filled board only as a picture; ours is the one of 30,085 boards that fits."
    )
    sections.insert(0, Section(off.title, (), (off,)))
    drawn = tuple((row,) for row in filled.split())
    sections.append(Section("The partly filled board", (), (Sheet("Partly filled board", ("top row first",), drawn),)))
    return Report("ist2015: Tetris as a search problem", summary, tuple(sections))


def statistics(title: str, found: list[Searched]) -> Sheet:
    """Nodes, points, moves, time and memory of every search, beside the report's."""
    rows = []
    for one in found:
        s, p = one.solution, one.published
        rows.append(
            (
                one.board,
                one.pieces,
                one.nodes_visited,
                p.get("nodes"),
                s.points,
                p.get("points"),
                len(s.moves),
                s.seconds,
                p.get("seconds"),
                s.peak_bytes,
                p.get("bytes"),
                "yes" if s.optimal else "" if s.stopped_by == "finished" else f"stopped by {s.stopped_by}",
            )
        )
    columns = (
        *("board", "pieces", "nodes visited", "report", "points", "report", "moves"),
        *("time [s]", "report [s]", "memory [bytes]", "report [bytes]", "proved optimal"),
    )
    return Sheet(title, columns, tuple(rows))


def optima(found: list[Searched]) -> Sheet:
    """The proofs in short."""
    rows = tuple(
        (
            f"{one.board}, {one.pieces}",
            one.solution.points,
            one.nodes_visited,
            one.solution.seconds,
            one.solution.optimal,
        )
        for one in found
    )
    return Sheet("The optimum by pieces", ("board, pieces", "points", "nodes visited", "time [s]", "proved"), rows)


def _charts(title: str, found: list[Searched]) -> Panels:
    panels = []
    for what, unit, key in (("Time", "seconds", "seconds"), ("Memory", "bytes", "bytes")):
        series = []
        for board in dict.fromkeys(one.board for one in found):
            own = [one for one in found if one.board == board]
            ours = [one.solution.seconds if key == "seconds" else one.solution.peak_bytes for one in own]
            series.append(Series(f"ours, {board}", [len(one.pieces) for one in own], ours))
            theirs = [one for one in own if key in one.published]
            if theirs:
                figures = [one.published[key] for one in theirs]
                series.append(Series(f"report, {board}", [len(one.pieces) for one in theirs], figures))
        panels.append(Curves(f"{what} by pieces", "pieces", unit, series=tuple(series), log_y=True, points=True))
    return Panels(f"{title}: time and memory", figures=tuple(panels))
