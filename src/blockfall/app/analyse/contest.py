"""A contest of algorithms on one board: the nodes that each expands and the points that it finds, in one chart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from blockfall.app.parts.axis import Axis
from blockfall.compute import LocalBackend
from blockfall.search import GameProblem, SearchSettings, algorithms, solve

CONTEST_SECONDS = 1.0
"""The time limit of each algorithm, short enough to wait for all of them."""
_MEMORY_BYTES = 512 << 20
# In percent of the chart's size on a phone: the distance within which dots share a label; a letter; a line of text.
_NEAR_ACROSS, _NEAR_UP = 6.0, 7.0
_LETTER, _LINE = 2.4, 7.0
_MOST_NAMED = 3


@dataclass(frozen=True)
class ContestEntry:
    """An algorithm's result within the limits."""

    algorithm: str
    points: float | None
    nodes: int
    seconds: float
    optimal: bool
    fallback: bool
    """True if a limit came before any solution. The points are then a greedy search's."""

    @property
    def words(self) -> str:
        """The result in a sentence."""
        if self.points is None:
            return f"{self.algorithm}: no solution within the limits, {self.nodes:,} nodes"
        told = f"{self.algorithm}: {self.points:,.10g} points, {self.nodes:,} nodes, {self.seconds:.2f} s"
        if self.optimal:
            return f"{told}, proved best"
        return f"{told}, by a greedy search because a limit came first" if self.fallback else told


def enter(problem: GameProblem, algorithm: str, node_limit: int) -> ContestEntry:
    """Search with an algorithm, within the contest's limits."""
    settings = SearchSettings(
        time_limit_s=CONTEST_SECONDS, node_limit=node_limit, memory_limit_bytes=_MEMORY_BYTES, trace=False
    )
    found = solve(problem, algorithm, settings, backend=LocalBackend(threads=1))
    return ContestEntry(algorithm, found.points, found.nodes_expanded, found.seconds, found.optimal, found.fallback)


def contestants() -> list[str]:
    """Return the algorithms of a contest: all that can search games."""
    return list(algorithms(undoes=False))


def chart(entries: Sequence[ContestEntry]) -> str:
    """Return the chart as HTML, with nodes across and points upwards. Dots in one place share a label."""
    ranked = sorted(entries, key=_rank)
    shown = [one for one in ranked if one.points is not None]
    if not shown:
        return '<p class="bf-soft">No solution so far.</p>'
    across = Axis([max(1, one.nodes) for one in shown])
    points = [one.points for one in shown if one.points is not None]
    up = Axis(points)
    dots = "".join(_dot(one, across, up, one.points == max(points)) for one in shown) + _labels(shown, across, up)
    ticks = "".join(
        f'<span class="bf-plot-tick" style="left:{across.place(tick):.2f}%">{tick:,g}</span>' for tick in across.ticks()
    )
    levels = "".join(
        f'<span class="bf-plot-level" style="bottom:{up.place(tick):.2f}%">{tick:,g}</span>' for tick in up.ticks()
    )
    rows = "".join(f"<li>{escape(one.words)}</li>" for one in ranked)
    scale = " (logarithmic)" if across.logarithmic else ""
    return (
        f'<div class="bf-contest"><div class="bf-contest-field" aria-hidden="true">{levels}{dots}</div>'
        f'<div class="bf-contest-ticks" aria-hidden="true">{ticks}</div>'
        f'<div class="bf-soft bf-note">Up: points. Across: nodes expanded{scale}.</div>'
        f'<ul class="bf-contest-list">{rows}</ul></div>'
    )


def _rank(one: ContestEntry) -> tuple[float, int]:
    """Return the sort key: points, then fewest nodes."""
    return (-one.points if one.points is not None else float("inf"), one.nodes)


def _dot(one: ContestEntry, across: Axis, up: Axis, best: bool) -> str:
    left, bottom = _place(one, across, up)
    kind = " bf-contest-best" if best else ""
    return (
        f'<span class="bf-contest-dot{kind}" title="{escape(one.words)}" '
        f'style="left:{left:.2f}%;bottom:{bottom:.2f}%"><i></i></span>'
    )


def _place(one: ContestEntry, across: Axis, up: Axis) -> tuple[float, float]:
    assert one.points is not None
    return across.place(max(1, one.nodes)), up.place(one.points)


def _labels(entries: Sequence[ContestEntry], across: Axis, up: Axis) -> str:
    """Return names beside the dots, best first. Names that would overlap others or dots appear only in the list."""
    groups: list[list[ContestEntry]] = []
    for one in entries:
        left, bottom = _place(one, across, up)
        for together in groups:
            x, y = _place(together[0], across, up)
            if abs(left - x) < _NEAR_ACROSS and abs(bottom - y) < _NEAR_UP:
                together.append(one)
                break
        else:
            groups.append([one])
    taken = [_Box(x - 1.5, x + 1.5, y) for x, y in (_place(one, across, up) for one in entries)]
    labels = []
    for together in groups:
        ways = _ways_to_name([one.algorithm for one in together], [_place(one, across, up) for one in together])
        found = next((label for label in ways if label.box.free(taken)), None)
        if found:
            taken.append(found.box)
            labels.append(found.html)
    return "".join(labels)


@dataclass(frozen=True)
class _Box:
    """The area of the chart that a line of text covers."""

    left: float
    right: float
    middle: float

    def free(self, taken: Sequence["_Box"]) -> bool:
        """Return whether it is inside the chart and overlaps none of the others."""
        inside = self.left >= 0 and self.right <= 105 and _LINE / 2 <= self.middle <= 103
        return inside and not any(
            self.left < other.right and other.left < self.right and abs(self.middle - other.middle) < _LINE
            for other in taken
        )


@dataclass(frozen=True)
class _Label:
    box: _Box
    html: str


def _ways_to_name(names: Sequence[str], places: Sequence[tuple[float, float]]) -> Iterator[_Label]:
    """Yield possible labels for nearby dots: all names or the first, beside, below or above the dots."""
    texts = [", ".join(names)] * (len(names) <= _MOST_NAMED) + [f"{names[0]} +{len(names) - 1}"] * (len(names) > 1)
    first, last = min(x for x, _ in places), max(x for x, _ in places)
    low, high = min(y for _, y in places), max(y for _, y in places)
    for text in texts:
        width = 2 + _LETTER * len(text)
        for bottom in (places[0][1], low - 1.1 * _LINE, high + 1.1 * _LINE):
            for side, at, left in (("right", last, last + 2), ("left", first, first - 2 - width)):
                yield _Label(
                    _Box(left, left + width, bottom),
                    f'<b class="bf-contest-label bf-contest-{side}" style="left:{at:.2f}%;bottom:{bottom:.2f}%">'
                    f"{escape(text)}</b>",
                )
