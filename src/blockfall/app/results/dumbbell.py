"""A dumbbell chart as HTML: our figure and the published one on a line, both with their errors.

HTML rather than a picture keeps names readable on a phone, and colours follow light and dark mode.
"""

from collections.abc import Sequence
from html import escape

from blockfall.app.parts.axis import Axis
from blockfall.app.results.stories import StoryFigure


def dumbbell(figures: Sequence[StoryFigure], unit: str) -> str:
    """Return the chart of figures that have a published counterpart."""
    values = [
        end for one in figures for end in (*_span(one.ours, one.error), *_span(one.published, one.published_error))
    ]
    axis = Axis([value for value in values if value > 0] or values)
    ticks = "".join(
        f'<span class="bf-db-tick" style="left:{axis.place(tick):.2f}%">{tick:,g}</span>' for tick in axis.ticks()
    )
    scale = ", on a logarithmic scale" if axis.logarithmic else ""
    bars = "; bars are standard errors" if any(one.error or one.published_error for one in figures) else ""
    head = (
        '<div class="bf-db-legend"><span><i class="bf-db-dot bf-db-ours"></i>ours</span>'
        '<span><i class="bf-db-dot bf-db-published"></i>published</span>'
        f"<span>{escape(unit)}{scale}{bars}</span></div>"
    )
    rows, part = [], None
    for one in figures:
        if one.part != part:
            part = one.part
            rows.append(f'<div class="bf-db-part">{escape(part)}</div>')
        rows.append(_row(one, axis))
    scale_row = (
        f'<div class="bf-db-row bf-db-scale" aria-hidden="true"><div></div><div class="bf-db-track">{ticks}</div></div>'
    )
    return f'{head}<div class="bf-db" role="list">{"".join(rows)}{scale_row}</div>'


def _row(one: StoryFigure, axis: Axis) -> str:
    assert one.ours is not None
    assert one.published is not None
    ours, published = axis.place(one.ours), axis.place(one.published)
    said = f"{one.name}: ours {one.ours_shown}, published {one.published_shown}, {one.verdict or 'no verdict'}"
    marks = (
        f'<i class="bf-db-link" style="left:{min(ours, published):.2f}%;width:{abs(ours - published):.2f}%"></i>'
        + _error("published", one.published, one.published_error, axis)
        + _error("ours", one.ours, one.error, axis)
        + f'<i class="bf-db-dot bf-db-published" style="left:{published:.2f}%"></i>'
        + f'<i class="bf-db-dot bf-db-ours" style="left:{ours:.2f}%"></i>'
    )
    verdict = str(one.verdict or "")
    return (
        f'<div class="bf-db-row" role="listitem" title="{escape(said)}" aria-label="{escape(said)}">'
        f'<div class="bf-db-name">{escape(one.name)}</div><div class="bf-db-track">{marks}</div>'
        f'<div class="bf-db-verdict bf-db-{verdict.replace(" ", "-")}">{escape(verdict)}</div></div>'
    )


def _error(side: str, value: float, error: float | None, axis: Axis) -> str:
    low, high = (axis.place(end) for end in _span(value, error))
    if high <= low:
        return ""
    return f'<i class="bf-db-error bf-db-{side}" style="left:{low:.2f}%;width:{high - low:.2f}%"></i>'


def _span(value: float | None, error: float | None) -> tuple[float, float]:
    middle, half = value or 0.0, error or 0.0
    return middle - half, middle + half
