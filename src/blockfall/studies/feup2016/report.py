"""The report's figures and its three bar charts, ours beside the published figures, and its five conclusions."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from blockfall.experiments.statistics import Difference, Verdict, compare
from blockfall.games import HopelessBoard
from blockfall.reports import Bars, Report, Section, Sheet
from blockfall.reports.model import SheetCell
from blockfall.studies.base import Row, judged
from blockfall.studies.feup2016.measure import (
    ALGORITHMS,
    PLAIN_BREADTH_FIRST,
    PLAIN_BRUTE_FORCE,
    PUBLISHED,
    RUNS,
    SHORT_NODES,
    WITHOUT_TABLE,
    Margin,
    MeasuredAlgorithm,
)


def rows(found: dict[str, MeasuredAlgorithm], comparable: bool) -> tuple[Row, ...]:
    """Return the mean points of every algorithm that finished on some board."""
    made = []
    for name in (*_measured(found), *_of_users(found)):
        one, ours = found[name], found[name].description
        published = PUBLISHED["algorithms"][name]["points"] if comparable and name in ALGORITHMS else None
        # Their boards are different ones from the same distribution.
        theirs = ours.std / math.sqrt(PUBLISHED["boards"])
        row = judged(name, ours.mean, ours.sem, published, theirs)
        if len(one.own) < one.asked:  # the remaining boards are easier than theirs
            note = f"on the {len(one.own):,} of {one.asked:,} boards that it searched to the end"
            row = Row(name, row.ours, row.sem, row.published, row.published_sem, Verdict.NOT_COMPARABLE, note)
        made.append(row)
    return tuple(made)


def report(
    found: dict[str, MeasuredAlgorithm],
    boards: Sequence[HopelessBoard],
    large: list[Margin],
    size: str,
    colours: int,
    comparable: bool,
) -> Report:
    """Return the study's report."""
    names, made = _measured(found), rows(found, comparable)
    summary = f"{len(boards):,} distinct random boards of {size} with {colours} colours, every algorithm on each."
    if comparable:
        within, judged_rows = sum(bool(row.agrees) for row in made), [row for row in made if row.published is not None]
        summary += f" {within} of {len(judged_rows)} mean points agree with the report's within two standard errors."
    sections = [Section("Results", (), (results(found, comparable), *_charts(found, names, comparable)))]
    judgements = conclusions(found)
    nodes = (_nodes(found),) if {*_SHORTEST} <= found.keys() else ()
    if judgements or nodes:
        sections.append(Section("The report's conclusions", (), (*judgements, *nodes)))
    if large:
        sections.append(Section("Large boards", (_LARGE,), (margin_sheet(large), _margin_chart(large))))
    return Report("feup2016: Hopeless solved by search", summary, tuple(sections), data=by_board(found, boards))


_LARGE = (
    "The gain of `best` over MaxMin, which the report recommends, at the original size, where no exact search ends."
)


def _measured(found: dict[str, MeasuredAlgorithm]) -> list[str]:
    """Return the report's algorithms that finished on some board."""
    return [name for name in ALGORITHMS if name in found and found[name].own]


def _of_users(found: dict[str, MeasuredAlgorithm]) -> list[str]:
    """Return the users' algorithms that finished on some board."""
    shipped = {*ALGORITHMS, *WITHOUT_TABLE.values()}
    return [name for name in found if name not in shipped and found[name].own]


def results(found: dict[str, MeasuredAlgorithm], comparable: bool) -> Sheet:
    """Return points, time, efficiency, nodes and memory of every algorithm."""
    described = {plain: name for name, plain in WITHOUT_TABLE.items()}

    def theirs(name: str, key: str) -> float | None:
        published = PUBLISHED["algorithms"].get(described.get(name, name), {}) if comparable and found[name].own else {}
        figure: float | None = published.get(key)
        return figure

    def own(figure: Callable[[MeasuredAlgorithm], float]) -> Callable[[str], float | None]:
        return lambda name: figure(found[name]) if found[name].own else None

    return Sheet.of(
        "Mean points, time and efficiency",
        found,
        ("algorithm", lambda name: name),
        ("boards", lambda name: len(found[name].own)),
        ("stopped", lambda name: found[name].asked - len(found[name].own) or None),
        ("points", own(lambda one: one.description.mean)),
        ("standard error", own(lambda one: one.description.sem)),
        ("report", lambda name: theirs(name, "points")),
        ("time [ms]", own(lambda one: one.time_ms)),
        ("report [ms]", lambda name: theirs(name, "time_ms")),
        ("efficiency [points/ms]", own(lambda one: one.efficiency)),
        ("report's", lambda name: theirs(name, "efficiency")),
        ("expanded", own(lambda one: one.expanded)),
        ("generated", own(lambda one: one.generated)),
        ("memory [bytes]", own(lambda one: one.peak_bytes)),
        note=f"Means over the boards that an algorithm searched to the end; the time of a search of under "
        f"{SHORT_NODES:,} nodes is the median of {RUNS} runs. The report's brute force, which visits every node of the "
        "tree, is ours without a table.",
        tab="Points, time, efficiency",
    )


def by_board(found: dict[str, MeasuredAlgorithm], boards: Sequence[HopelessBoard]) -> tuple[Sheet, ...]:
    """Return points, time and nodes of every search, by board. Points that are not the algorithm's own are missing."""
    points: list[tuple[SheetCell, ...]] = []
    times: list[tuple[SheetCell, ...]] = []
    nodes: list[tuple[SheetCell, ...]] = []
    for place, board in enumerate(boards):
        solutions = [one.solutions[place] for one in found.values()]
        own = [one.own[place].points if place in one.own else None for one in found.values()]
        points.append((place + 1, str(board).replace("\n", "/"), *own, _stopped(found, place)))
        times.append((place + 1, *(None if one is None else 1000 * one.seconds for one in solutions)))
        nodes.append((place + 1, *(None if one is None else one.nodes_expanded for one in solutions)))
    names = tuple(found)
    return (
        Sheet("Points by board", ("board", "rows, from the top", *names, "stopped"), tuple(points)),
        Sheet("Time by board [ms]", ("board", *names), tuple(times), tab="Time by board, ms"),
        Sheet("Nodes expanded by board", ("board", *names), tuple(nodes)),
    )


def _stopped(found: dict[str, MeasuredAlgorithm], place: int) -> str | None:
    """Return the searches of a board that a limit stopped."""
    stopped = []
    for name, one in found.items():
        solution = one.solutions[place]
        if solution is not None and solution.stopped_by != "finished":
            stopped.append(f"{name} by {solution.stopped_by}{', greedy fallback' if solution.fallback else ''}")
    return "; ".join(stopped) or None


def _charts(found: dict[str, MeasuredAlgorithm], names: Sequence[str], comparable: bool) -> list[Bars]:
    """Return the report's three charts. The times of brute force are those without a table, as in the report."""
    charts = []
    plain = found.get(PLAIN_BRUTE_FORCE)
    as_described = {"brute-force": plain} if plain is not None and plain.own else {}
    measures: list[tuple[str, str, str, Callable[[MeasuredAlgorithm], float]]] = [
        ("Mean points", "points", "points", lambda one: one.description.mean),
        ("Mean time", "milliseconds", "time_ms", lambda one: one.time_ms),
        ("Efficiency", "points per millisecond", "efficiency", lambda one: one.efficiency),
    ]
    for title, unit, key, value in measures:
        shown = {name: found[name] if key == "points" else as_described.get(name, found[name]) for name in names}
        figures = {name: value(one) for name, one in shown.items()}
        ranked = sorted(figures, key=figures.__getitem__, reverse=True)
        series = [("ours", tuple(figures[name] for name in ranked))]
        if comparable:
            series.append(("report", tuple(PUBLISHED["algorithms"][name][key] for name in ranked)))
        labels = tuple(shown[name].algorithm for name in ranked)
        charts.append(Bars(title, "", unit, labels=labels, series=tuple(series), log_y=key != "points"))
    return charts


_BLOCKS = 10
"""The parts of the boards that give the error of an efficiency, which is a ratio of means."""


def conclusions(found: dict[str, MeasuredAlgorithm]) -> tuple[Sheet, ...]:
    """Return the report's conclusions that the measured algorithms can decide, and whether they hold here.

    Times and efficiencies are means, as in the report's table. A place in a ranking is settled if the difference from
    every other algorithm is shown (95 %).
    """
    rows: list[tuple[SheetCell, ...]] = []
    own = {name: one for name, one in found.items() if one.own}
    if {"breadth-first", "iterative-deepening"} <= own.keys():
        wide = own["breadth-first"].on_boards_of(own["iterative-deepening"])
        deep = own["iterative-deepening"].on_boards_of(own["breadth-first"])
        same = sum(a == b for a, b in zip(wide.points, deep.points, strict=True))
        rows.append(
            (
                "1. breadth-first and iterative deepening give the same result on every board",
                "yes" if same == len(wide.points) else "no",
                f"{same:,} of {len(wide.points):,} boards",
            )
        )
        plain = own.get(PLAIN_BREADTH_FIRST)
        if plain:
            deep = own["iterative-deepening"].on_boards_of(plain)
            more = _more(deep.generated, plain.on_boards_of(deep).generated)
            rows.append(
                (
                    "1. iterative deepening makes 11 % more nodes",
                    "yes" if abs(more - PUBLISHED["more_nodes"]) < 0.05 else "no",
                    f"{more:+.0%} nodes made, beside breadth-first without a table",
                )
            )
    if set(ALGORITHMS) <= own.keys() and PLAIN_BRUTE_FORCE in own:
        rows += _rankings(own)
    if {"a-star", "a-star-goal-h"} <= own.keys():
        zero, keeps = own["a-star"].on_boards_of(own["a-star-goal-h"]), own["a-star-goal-h"].on_boards_of(own["a-star"])
        points, time = _points(zero, keeps), _time(zero, keeps)
        both = points is time is Difference.FIRST_BETTER
        rows.append(
            (
                "5. goal 0 costs more time than goal h and earns more points",
                _verdict(both, Difference.NOT_SHOWN not in (points, time)),
                f"{zero.description.mean - keeps.description.mean:+.2f} points, "
                f"{_more(zero.expanded, keeps.expanded):+.0%} nodes, {_more(zero.time_ms, keeps.time_ms):+.0%} time",
            )
        )
    note = "Times and efficiencies are means. Inconclusive: the data do not show (95 %) which of two comes first."
    return (
        (Sheet("What the report concludes", ("conclusion", "holds here", "measured"), tuple(rows), note),)
        if rows
        else ()
    )


def _rankings(own: dict[str, MeasuredAlgorithm]) -> list[tuple[SheetCell, ...]]:
    """Return conclusions 2 to 4, which rank the eight algorithms; brute force is without a table, as in the report."""
    eight = {name: own[PLAIN_BRUTE_FORCE] if name == "brute-force" else own[name] for name in ALGORITHMS}
    by_time = sorted(eight, key=lambda name: eight[name].time_ms)
    by_points = sorted(eight, key=lambda name: -eight[name].description.mean)
    by_efficiency = sorted(eight, key=lambda name: -eight[name].efficiency)

    def settled(name: str, differs: Callable[[MeasuredAlgorithm, MeasuredAlgorithm], Difference]) -> bool:
        others = (one for other, one in eight.items() if other != name)
        return all(differs(eight[name], one) is not Difference.NOT_SHOWN for one in others)

    fastest = by_time[0] == "depth-first"
    last = by_time[-1] == by_efficiency[-1] == "brute-force"
    places = tuple(1 + ranked.index("maxmin") for ranked in (by_efficiency, by_points, by_time))
    return [
        (
            "2. depth-first is the fastest",
            _verdict(fastest, settled("depth-first", _time)),
            "the fastest: " + ", ".join(f"{name} {eight[name].time_ms:.4f} ms" for name in by_time[:3]),
        ),
        (
            "3. brute force is the slowest and the least efficient",
            _verdict(last, settled("brute-force", _time) and settled("brute-force", _efficiency)),
            f"the slowest: {by_time[-1]}, {eight[by_time[-1]].time_ms:.2f} ms, then {by_time[-2]}, "
            f"{eight[by_time[-2]].time_ms:.2f} ms; the least efficient: {by_efficiency[-1]}",
        ),
        (
            "4. MaxMin is the most efficient, fourth in points and third in time",
            _verdict(places == (1, 4, 3), settled("maxmin", _efficiency) and settled("maxmin", _time)),
            f"place {places[0]} in efficiency, {places[1]} in points, {places[2]} in time",
        ),
    ]


def _verdict(holds: bool, is_settled: bool) -> str:
    return "inconclusive" if not is_settled else "yes" if holds else "no"


def _points(one: MeasuredAlgorithm, other: MeasuredAlgorithm) -> Difference:
    return _compared(one, other, lambda part: part.points)


def _time(one: MeasuredAlgorithm, other: MeasuredAlgorithm) -> Difference:
    return _compared(one, other, lambda part: [found.seconds for found in part.own.values()])


def _efficiency(one: MeasuredAlgorithm, other: MeasuredAlgorithm) -> Difference:
    def blocks(part: MeasuredAlgorithm) -> list[float]:
        pieces = np.array_split(
            np.array([(found.points, 1000 * found.seconds) for found in part.own.values()]), _BLOCKS
        )
        return [float(np.mean(piece[:, 0]) / np.mean(piece[:, 1])) for piece in pieces if len(piece)]

    return _compared(one, other, blocks)


def _compared(
    one: MeasuredAlgorithm, other: MeasuredAlgorithm, values: Callable[[MeasuredAlgorithm], Sequence[float]]
) -> Difference:
    """Return which has more, on the boards that both searched to the end; not shown if there are too few."""
    first, second = values(one.on_boards_of(other)), values(other.on_boards_of(one))
    return compare(first, second).verdict if len(first) > 1 else Difference.NOT_SHOWN


def _more(one: float, other: float) -> float:
    """Return the difference as a share of `other`; 0 if `other` is 0."""
    return one / other - 1 if other else 0.0


_SHORTEST = ("breadth-first", PLAIN_BREADTH_FIRST, "iterative-deepening")


def _nodes(found: dict[str, MeasuredAlgorithm]) -> Sheet:
    """Return the searches for the fewest moves, on the boards that were also searched without a table."""
    algorithms = [found[name].on_boards_of(found[PLAIN_BREADTH_FIRST]) for name in _SHORTEST]
    return Sheet.of(
        "Nodes of the shortest solution",
        [one for one in algorithms if one.own],
        ("algorithm", lambda one: one.algorithm),
        ("boards", lambda one: len(one.own)),
        ("expanded", lambda one: one.expanded),
        ("generated", lambda one: one.generated),
        ("time [ms]", lambda one: one.time_ms),
    )


def margin_sheet(large: list[Margin]) -> Sheet:
    """Return the gain of `best` over MaxMin on large boards."""
    return Sheet.of(
        "best beside MaxMin",
        [(one, compare(one.best, one.maxmin), float(np.mean(one.maxmin))) for one in large],
        ("boards of", lambda row: f"20x10, {row[0].colours} colours"),
        ("boards", lambda row: len(row[0].best)),
        ("MaxMin", lambda row: row[2]),
        ("best", lambda row: float(np.mean(row[0].best))),
        ("margin", lambda row: row[1].difference),
        ("95 % of it, ±", lambda row: (row[1].high - row[1].low) / 2),
        ("margin in percent", lambda row: f"{row[1].difference / row[2]:+.0%}"),
        note=f"best: {large[0].time_limit_s:g} s a board.",
    )


def _margin_chart(large: list[Margin]) -> Bars:
    labels = tuple(f"{one.colours} colours" for one in large)
    series = (
        ("MaxMin", tuple(float(np.mean(one.maxmin)) for one in large)),
        ("best", tuple(float(np.mean(one.best)) for one in large)),
    )
    return Bars("Mean points on 20x10 boards", "", "points", labels=labels, series=series)
