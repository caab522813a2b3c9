"""The report's figures and its three bar charts, ours beside the published figures, and its five conclusions."""

import math

import numpy as np

from blockfall.experiments.statistics import compare
from blockfall.reports import Bars, Report, Section, Sheet
from blockfall.studies.base import Row, judged
from blockfall.studies.feup2016.measure import ALGORITHMS, PLAIN_BREADTH_FIRST, PUBLISHED, Margin, Measured


def rows(found: dict[str, Measured], comparable: bool) -> tuple[Row, ...]:
    """The mean points of every algorithm."""
    made = []
    for name in ALGORITHMS:
        ours = found[name].description
        published = PUBLISHED["algorithms"][name]["points"] if comparable else None
        # Their boards are others, drawn alike.
        theirs = ours.std / math.sqrt(PUBLISHED["boards"])
        made.append(judged(name, ours.mean, ours.sem, published, theirs))
    return tuple(made)


def report(found: dict[str, Measured], large: list[Margin], size: str, colours: int, comparable: bool) -> Report:
    """The study's report."""
    count = len(found["greedy"].points)
    summary = f"{count:,} distinct random boards of {size} with {colours} colours, every algorithm on each."
    if comparable:
        within = sum(bool(row.agrees) for row in rows(found, comparable))
        summary += f" {within} of {len(ALGORITHMS)} mean points agree with the report's within two standard errors."
    sections = [
        Section("Results", (), (results(found, comparable), *_charts(found, comparable))),
        Section("The report's conclusions", (), (conclusions(found), _nodes(found))),
    ]
    if large:
        sections.append(Section("Large boards", (_LARGE,), (margin_sheet(large), _margin_chart(large))))
    return Report("feup2016: Hopeless solved by search", summary, tuple(sections))


_LARGE = "The original size, where no exact search ends: what `best` adds to MaxMin, the report's recommendation."


def results(found: dict[str, Measured], comparable: bool) -> Sheet:
    """Points, time, efficiency, nodes and memory of every algorithm."""
    rows = []
    for name in ALGORITHMS:
        one, theirs = found[name], PUBLISHED["algorithms"][name] if comparable else {}
        rows.append(
            (
                name,
                one.description.mean,
                one.description.sem,
                theirs.get("points"),
                one.time_ms,
                theirs.get("time_ms"),
                one.efficiency,
                theirs.get("efficiency"),
                float(np.mean(one.expanded)),
                float(np.mean(one.generated)),
                float(np.mean(one.peak_bytes)),
            )
        )
    columns = (
        "algorithm",
        "points",
        "standard error",
        "report",
        "time [ms]",
        "report [ms]",
        "efficiency [points/ms]",
        "report's",
        "expanded",
        "generated",
        "memory [bytes]",
    )
    return Sheet("Mean points, time and efficiency", columns, tuple(rows))


def _charts(found: dict[str, Measured], comparable: bool) -> list[Bars]:
    charts = []
    for title, unit, ours, key in (
        ("Mean points", "points", {n: found[n].description.mean for n in ALGORITHMS}, "points"),
        ("Mean time", "milliseconds", {n: found[n].time_ms for n in ALGORITHMS}, "time_ms"),
        ("Efficiency", "points per millisecond", {n: found[n].efficiency for n in ALGORITHMS}, "efficiency"),
    ):
        ranked = tuple(sorted(ALGORITHMS, key=lambda name: -ours[name]))
        series = [("ours", tuple(ours[name] for name in ranked))]
        if comparable:
            series.append(("report", tuple(PUBLISHED["algorithms"][name][key] for name in ranked)))
        charts.append(Bars(title, "", unit, labels=ranked, series=tuple(series), log_y=key != "points"))
    return charts


def conclusions(found: dict[str, Measured]) -> Sheet:
    """The report's conclusions, and whether they hold here."""
    by_time = sorted(ALGORITHMS, key=lambda name: found[name].median_ms)
    by_points = sorted(ALGORITHMS, key=lambda name: -found[name].description.mean)
    by_efficiency = sorted(ALGORITHMS, key=lambda name: -found[name].description.mean / found[name].median_ms)
    wide, deep = found["breadth-first"], found["iterative-deepening"]
    zero, keeps = found["a-star"], found["a-star-goal-h"]
    same = sum(a == b for a, b in zip(wide.points, deep.points, strict=True))
    more_nodes = _more(sum(deep.generated), sum(found[PLAIN_BREADTH_FIRST].generated))
    rows = (
        (
            "1. breadth-first and iterative deepening give the same result on every board",
            same == len(wide.points),
            f"{same:,} of {len(wide.points):,} boards",
        ),
        (
            "1. iterative deepening makes 11 % more nodes",
            abs(more_nodes - PUBLISHED["more_nodes"]) < 0.05,
            f"{more_nodes:+.0%} nodes made, beside breadth-first without a table",
        ),
        ("2. depth-first is the fastest", by_time[0] == "depth-first", f"the fastest: {', '.join(by_time[:3])}"),
        (
            "3. brute force is the slowest and the least efficient",
            by_time[-1] == by_efficiency[-1] == "brute-force",
            f"the slowest: {by_time[-1]}; the least efficient: {by_efficiency[-1]}",
        ),
        (
            "4. MaxMin is the most efficient, fourth in points and third in time",
            (by_efficiency[0], by_points[3], by_time[2]) == ("maxmin",) * 3,
            f"place {by_efficiency.index('maxmin') + 1} in efficiency, {by_points.index('maxmin') + 1} in points, "
            f"{by_time.index('maxmin') + 1} in time",
        ),
        (
            "5. goal 0 costs more time than goal h and earns more points",
            zero.description.mean > keeps.description.mean and zero.median_ms > keeps.median_ms,
            f"{zero.description.mean - keeps.description.mean:+.2f} points, "
            f"{_more(sum(zero.expanded), sum(keeps.expanded)):+.0%} nodes, "
            f"{_more(zero.median_ms, keeps.median_ms):+.0%} time",
        ),
    )
    return Sheet("What the report concludes", ("conclusion", "holds here", "measured"), rows, "Times are medians here.")


def _more(one: float, other: float) -> float:
    """How much more one is than the other, as a part of the other; 0 where the other is 0."""
    return one / other - 1 if other else 0.0


def _nodes(found: dict[str, Measured]) -> Sheet:
    rows = []
    for name in ("breadth-first", PLAIN_BREADTH_FIRST, "iterative-deepening"):
        one = found[name]
        rows.append((name, float(np.mean(one.expanded)), float(np.mean(one.generated)), one.time_ms))
    return Sheet("Nodes of the shortest solution", ("algorithm", "expanded", "generated", "time [ms]"), tuple(rows))


def margin_sheet(large: list[Margin]) -> Sheet:
    """What `best` earns more than MaxMin on large boards."""
    rows = []
    for one in large:
        found = compare(one.best, one.maxmin)
        mean = float(np.mean(one.maxmin))
        rows.append(
            (
                f"20x10, {one.colours} colours",
                len(one.best),
                mean,
                float(np.mean(one.best)),
                found.difference,
                (found.high - found.low) / 2,
                f"{found.difference / mean:+.0%}",
            )
        )
    columns = ("boards of", "boards", "MaxMin", "best", "margin", "95 % of it, +-", "margin in percent")
    return Sheet("best beside MaxMin", columns, tuple(rows), f"best: {large[0].time_limit_s:g} s a board.")


def _margin_chart(large: list[Margin]) -> Bars:
    labels = tuple(f"{one.colours} colours" for one in large)
    series = (
        ("MaxMin", tuple(float(np.mean(one.maxmin)) for one in large)),
        ("best", tuple(float(np.mean(one.best)) for one in large)),
    )
    return Bars("Mean points on 20x10 boards", "", "points", labels=labels, series=series)
