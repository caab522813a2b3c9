"""A comparison of searches: the best points so far against nodes and seconds."""

from collections.abc import Callable, Sequence

from blockfall.reports.model import Curves, Panels, Series
from blockfall.search import Improvement, Solution


def progress_of(solutions: Sequence[Solution], title: str) -> Panels:
    """Draw the best points of each search over expanded nodes and over seconds."""
    return Panels(
        title,
        figures=(
            _curves(solutions, "nodes expanded", lambda one: one.nodes_expanded, lambda found: found.nodes_expanded, 1),
            _curves(solutions, "seconds", lambda one: one.seconds, lambda found: found.seconds, 1e-5),
        ),
    )


def _curves(
    solutions: Sequence[Solution],
    over: str,
    at: Callable[[Improvement], float],
    end: Callable[[Solution], float],
    least: float,
) -> Curves:
    """Draw a step curve for each search, from its first solution to the longest search's end, on a logarithmic axis."""
    series = []
    last = max((end(found) for found in solutions), default=least)
    for found in solutions:
        xs: list[float] = []
        ys: list[float] = []
        for one in found.improvements:
            x = max(least, at(one))
            if ys:
                xs.append(x)
                ys.append(ys[-1])
            xs.append(x)
            ys.append(one.points)
        if ys:
            xs.append(max(xs[-1], last))
            ys.append(ys[-1])
            series.append(Series(found.algorithm, xs, ys))
    return Curves(f"Best points over {over}", over, "points", series=tuple(series), log_x=True, overlaid=True)
