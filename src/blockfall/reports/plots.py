"""Figures drawn with matplotlib, quiet enough for a thesis."""

import io
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from blockfall.reports.colours import COLOURS
from blockfall.reports.model import Bars, Boxes, Figure, Landscape, Lines, Panels

POSITIVE, NEGATIVE = COLOURS[0], COLOURS[1]
_DPI = 160
_STYLE: Any = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e7eb",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "axes.formatter.limits": (-4, 6),
}


def png(figure: Figure) -> bytes:
    with mpl.rc_context(rc=_STYLE):
        canvas = Canvas(figsize=_size(figure), layout="constrained")
        FigureCanvasAgg(canvas)
        if isinstance(figure, Panels):
            canvas.suptitle(figure.title)
            rows = -(-len(figure.figures) // figure.columns)
            for number, part in enumerate(figure.figures, 1):
                _draw(part, canvas.add_subplot(rows, figure.columns, number))
        else:
            _draw(figure, canvas.add_subplot())
        out = io.BytesIO()
        canvas.savefig(out, format="png", dpi=_DPI, metadata={"Software": None}, pil_kwargs={"compress_level": 4})
        return out.getvalue()


def _size(figure: Figure) -> tuple[float, float]:
    if isinstance(figure, Panels):
        rows = -(-len(figure.figures) // figure.columns)
        return (min(12.0, 5.5 * figure.columns), 3.9 * rows)
    if isinstance(figure, Bars | Boxes):
        bars = len(figure.labels) * (len(figure.series) if isinstance(figure, Bars) else 1)
        return (min(11.0, max(6.4, 0.42 * bars + 2.0)), 4.2)
    return (7.2, 4.2)


def _draw(figure: Figure, axes: Axes) -> None:
    axes.set(title=figure.title, xlabel=figure.x_label, ylabel=figure.y_label)
    if isinstance(figure, Lines):
        _lines(figure, axes)
    elif isinstance(figure, Bars):
        _bars(figure, axes)
    elif isinstance(figure, Boxes):
        _boxes(figure, axes)
    elif isinstance(figure, Landscape):
        _landscape(figure, axes)
    else:
        raise TypeError(f"no drawing for {type(figure).__name__}")


def _lines(figure: Lines, axes: Axes) -> None:
    for number, series in enumerate(figure.series):
        colour = COLOURS[number % len(COLOURS)]
        dashes = ("-", "--", ":")[number // len(COLOURS) % 3]
        draw = axes.step if figure.steps else axes.plot
        options: dict[str, Any] = {"where": "mid"} if figure.steps else {"marker": "o" if figure.points else None}
        draw(series.x, series.y, color=colour, linestyle=dashes, linewidth=1.5, label=series.label, **options)
        if series.low is not None and series.high is not None:
            axes.fill_between(series.x, series.low, series.high, color=colour, alpha=0.15, linewidth=0)
    if figure.log_x:
        axes.set_xscale("log")
    elif all(x == int(x) for series in figure.series for x in series.x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if figure.log_y:
        axes.set_yscale("log")
    else:
        if all(y >= 0 for series in figure.series for y in series.y):
            axes.set_ylim(bottom=0)
    axes.margins(x=0.02)
    if len(figure.series) > 1:
        axes.legend(ncols=1 + len(figure.series) // 8)


def _bars(figure: Bars, axes: Axes) -> None:
    places = np.arange(len(figure.labels))
    width = 0.8 / max(1, len(figure.series))
    axes.grid(axis="x", visible=False)
    for number, (name, values) in enumerate(figure.series):
        heights = np.abs(values) if figure.absolute else np.asarray(values)
        colour: object = COLOURS[number % len(COLOURS)]
        if figure.absolute:
            colour = [POSITIVE if value >= 0 else NEGATIVE for value in values]
        offset = (number - (len(figure.series) - 1) / 2) * width
        errors = figure.errors[number] if figure.errors else None
        axes.bar(places + offset, heights, width * 0.94, color=colour, label=name, yerr=errors, capsize=2)
    if figure.absolute:
        for colour, name in ((POSITIVE, "positive"), (NEGATIVE, "negative")):
            axes.bar([0], [0], color=colour, label=name)
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(handles[-2:], labels[-2:], title="sign of the weight")
    elif len(figure.series) > 1:
        axes.legend()
    if figure.log_y:
        axes.set_yscale("log")
    _name_places(axes, figure.labels, places)


def _boxes(figure: Boxes, axes: Axes) -> None:
    places = np.arange(len(figure.labels))
    drawn = axes.boxplot(
        [np.asarray(sample) for sample in figure.samples],
        positions=places,
        widths=0.55,
        whis=(5, 95),
        showfliers=False,
        showmeans=True,
        patch_artist=True,
        manage_ticks=False,
        medianprops={"color": "#1f2937", "linewidth": 1.4},
        meanprops={"marker": "o", "markerfacecolor": "#1f2937", "markeredgecolor": "white", "markersize": 5},
    )
    for number, box in enumerate(drawn["boxes"]):
        box.set(facecolor=COLOURS[number % len(COLOURS)], alpha=0.55, linewidth=0.8)
    axes.grid(axis="x", visible=False)
    _name_places(axes, figure.labels, places)


def _name_places(axes: Axes, labels: tuple[str, ...], places: np.ndarray[Any, Any]) -> None:
    crowded = sum(len(label) + 2 for label in labels) > 75
    axes.set_xticks(places, labels, rotation=35 if crowded else 0, ha="right" if crowded else "center")
    axes.set_xlim(-0.6, len(labels) - 0.4)


def _landscape(figure: Landscape, axes: Axes) -> None:
    assert figure.x is not None
    assert figure.y is not None
    assert figure.z is not None
    levels = np.geomspace(1 + figure.z.min(), 1 + figure.z.max(), 18)
    axes.contourf(figure.x, figure.y, 1 + figure.z, levels=levels, norm="log", cmap="Blues_r")
    if figure.points is not None:
        axes.plot(*figure.points.T, "o", color=COLOURS[1], markeredgecolor="white", markersize=6)
    axes.set_aspect("equal")
    axes.grid(visible=False)
