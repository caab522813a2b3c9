"""Several algorithms on one board: how many nodes each expands, and how many points it finds, in one chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from blockfall.app.parts.axis import Axis
from blockfall.compute import LocalBackend
from blockfall.search import GameProblem, SearchSettings, algorithms, solve

CONTEST_SECONDS = 1.0
"""For each algorithm, so that all of them together end within a breath or two."""
_MEMORY_BYTES = 512 << 20
_NEAR_ACROSS, _NEAR_UP = 25.0, 7.0  # percent of the chart: dots that share a label
_MOST_NAMED = 3


@dataclass(frozen=True)
class Entry:
    """What an algorithm found within the limits."""

    algorithm: str
    points: float | None
    nodes: int
    seconds: float
    optimal: bool
    fallback: bool
    """Whether a limit came first: the points are then the greedy way's."""

    @property
    def words(self) -> str:
        """The result in a sentence."""
        if self.points is None:
            return f"{self.algorithm}: no solution within the limits, {self.nodes:,} nodes"
        told = f"{self.algorithm}: {self.points:,.10g} points, {self.nodes:,} nodes, {self.seconds:.2f} s"
        if self.optimal:
            return f"{told}, proved best"
        return f"{told}; a limit came first, so these are the greedy way's points" if self.fallback else told


def enter(problem: GameProblem, algorithm: str, node_limit: int) -> Entry:
    """Lets an algorithm search, within the contest's limits."""
    settings = SearchSettings(
        time_limit_s=CONTEST_SECONDS, node_limit=node_limit, memory_limit_bytes=_MEMORY_BYTES, trace=False
    )
    found = solve(problem, algorithm, settings, backend=LocalBackend(threads=1))
    return Entry(algorithm, found.points, found.nodes_expanded, found.seconds, found.optimal, found.fallback)


def contestants() -> list[str]:
    """The algorithms of a contest: all that search games."""
    return list(algorithms(undoes=False))


def chart(entries: Sequence[Entry], *, fewer_is_better: bool = False) -> str:
    """The chart as HTML: nodes from left to right, points from the bottom up. Names of equal places stand together."""
    shown = [one for one in entries if one.points is not None]
    if not shown:
        return '<p class="bf-soft">No algorithm has found a solution yet.</p>'
    across = Axis([max(1, one.nodes) for one in shown])
    points = [one.points for one in shown if one.points is not None]
    up = Axis(points)
    best = min(points) if fewer_is_better else max(points)
    dots = "".join(_dot(one, across, up, one.points == best) for one in shown) + _labels(shown, across, up)
    ticks = "".join(
        f'<span class="bf-plot-tick" style="left:{across.place(tick):.2f}%">{tick:,g}</span>' for tick in across.ticks()
    )
    levels = "".join(
        f'<span class="bf-plot-level" style="bottom:{up.place(tick):.2f}%">{tick:,g}</span>' for tick in up.ticks()
    )
    rows = "".join(f"<li>{escape(one.words)}</li>" for one in sorted(entries, key=_rank))
    scale = " (logarithmic)" if across.logarithmic else ""
    return (
        f'<div class="bf-contest"><div class="bf-contest-field" aria-hidden="true">{levels}{dots}</div>'
        f'<div class="bf-contest-ticks" aria-hidden="true">{ticks}</div>'
        f'<div class="bf-soft bf-note">Points from the bottom up; nodes expanded from left to right{scale}.</div>'
        f'<ul class="bf-contest-list">{rows}</ul></div>'
    )


def _rank(one: Entry) -> tuple[float, int]:
    return (-one.points if one.points is not None else float("inf"), one.nodes)


def _dot(one: Entry, across: Axis, up: Axis, best: bool) -> str:
    left, bottom = _place(one, across, up)
    kind = " bf-contest-best" if best else ""
    return (
        f'<span class="bf-contest-dot{kind}" title="{escape(one.words)}" '
        f'style="left:{left:.2f}%;bottom:{bottom:.2f}%"><i></i></span>'
    )


def _place(one: Entry, across: Axis, up: Axis) -> tuple[float, float]:
    assert one.points is not None
    return across.place(max(1, one.nodes)), up.place(one.points)


def _labels(entries: Sequence[Entry], across: Axis, up: Axis) -> str:
    """One label for the dots that are near each other, so that no name lies on another."""
    groups: list[list[Entry]] = []
    for one in sorted(entries, key=lambda one: one.nodes):
        left, bottom = _place(one, across, up)
        for together in groups:
            places = [_place(other, across, up) for other in together]
            if any(abs(left - x) < _NEAR_ACROSS and abs(bottom - y) < _NEAR_UP for x, y in places):
                together.append(one)
                break
        else:
            groups.append([one])
    labels = []
    for together in groups:
        places = [_place(one, across, up) for one in together]
        on_the_right = places[0][0] > 60
        left = min(place[0] for place in places) if on_the_right else max(place[0] for place in places)
        names = ", ".join(one.algorithm for one in together[:_MOST_NAMED])
        more = len(together) - _MOST_NAMED
        text = escape(f"{names} and {more} more" if more > 0 else names)
        side = "left" if on_the_right else "right"
        place = f"left:{left:.2f}%;bottom:{places[0][1]:.2f}%"
        labels.append(f'<b class="bf-contest-label bf-contest-{side}" style="{place}">{text}</b>')
    return "".join(labels)
