"""Figures drawn with Matplotlib, in a plain style that suits a thesis."""

import io
import math
from typing import Any

import numpy as np

from blockfall.errors import SettingError
from blockfall.reports.colours import COLOURS
from blockfall.reports.model import Bars, Boxes, Curves, Dots, Figure, Landscape, Panels

try:
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter
except ModuleNotFoundError:
    raise SettingError("pictures need Matplotlib; install it with: pip install 'blockfall[plots]'") from None

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
    """Return the picture of a figure, as the bytes of a PNG file."""
    with mpl.rc_context(rc=_STYLE):
        canvas = Canvas(figsize=_size(figure), layout="constrained")
        FigureCanvasAgg(canvas)
        if isinstance(figure, Panels):
            canvas.suptitle(figure.title)
            rows = -(-len(figure.figures) // figure.columns)
            one_legend = _have_one_legend(figure)
            for number, part in enumerate(figure.figures, 1):
                axes = canvas.add_subplot(rows, figure.columns, number)
                _draw(part, axes)
                legend = axes.get_legend()
                if one_legend and legend is not None:
                    legend.remove()
            if one_legend:
                names = axes.get_legend_handles_labels()
                canvas.legend(*names, loc="outside lower center", ncols=min(6, len(names[1])))
        else:
            _draw(figure, canvas.add_subplot())
        out = io.BytesIO()
        canvas.savefig(out, format="png", dpi=_DPI, metadata={"Software": None}, pil_kwargs={"compress_level": 4})
        return out.getvalue()


def _have_one_legend(figure: Panels) -> bool:
    """Return whether all panels have the same curves, and more than one."""
    curves = [tuple(series.label for series in part.series) for part in figure.figures if isinstance(part, Curves)]
    return len(curves) == len(figure.figures) > 1 and len(set(curves)) == 1 and len(curves[0]) > 1


def _size(figure: Figure) -> tuple[float, float]:
    if isinstance(figure, Panels):
        rows = -(-len(figure.figures) // figure.columns)
        return (min(12.0, 5.5 * figure.columns), 3.9 * rows)
    if isinstance(figure, Dots):
        return (7.2, 1.2 + 0.34 * len(figure.labels) if len(figure.labels) < 30 else 1.2 + 0.2 * len(figure.labels))
    if isinstance(figure, Bars | Boxes):
        bars = len(figure.labels) * (len(figure.series) if isinstance(figure, Bars) else 1)
        return (min(11.0, max(6.4, 0.42 * bars + 2.0)), 4.2)
    return (7.2, 4.2)


def _draw(figure: Figure, axes: Axes) -> None:
    axes.set(title=figure.title, xlabel=figure.x_label, ylabel=figure.y_label)
    if isinstance(figure, Curves):
        _curves(figure, axes)
    elif isinstance(figure, Bars):
        _bars(figure, axes)
    elif isinstance(figure, Boxes):
        _boxes(figure, axes)
    elif isinstance(figure, Dots):
        _dots(figure, axes)
    elif isinstance(figure, Landscape):
        _landscape(figure, axes)
    else:
        raise TypeError(f"no drawing for {type(figure).__name__}")


_PLAIN = FuncFormatter(lambda value, _: f"{value:,g}" if value < 1 else f"{value:,.0f}")


def _curves(figure: Curves, axes: Axes) -> None:
    groups = list(dict.fromkeys(series.group or series.label for series in figure.series))
    shown = set[str]()
    for series in figure.series:
        number = groups.index(series.group or series.label)
        label = series.label if series.dashed else groups[number]
        colour = COLOURS[number % len(COLOURS)]
        dashes = "--" if series.dashed else ("-", "--", ":")[number // len(COLOURS) % 3]
        draw = axes.step if figure.steps else axes.plot
        options: dict[str, Any] = {"where": "mid"} if figure.steps else {"marker": "o" if figure.points else None}
        legend = label if label not in shown else None
        shown.add(label)
        wide = 1.5 + (1.4 * (len(groups) - 1 - number) if figure.overlaid else 0)
        draw(series.x, series.y, color=colour, linestyle=dashes, linewidth=wide, label=legend, **options)
        if series.low is not None and series.high is not None:
            axes.fill_between(series.x, series.low, series.high, color=colour, alpha=0.15, linewidth=0)
    if figure.log_x:
        axes.set_xscale("log")
        seen = [x for series in figure.series for x in series.x if x > 0]
        if seen and max(seen) < 10 * min(seen):  # otherwise only powers of ten would be labelled
            axes.xaxis.set_major_formatter(_PLAIN)
            axes.xaxis.set_minor_formatter(_PLAIN)
    elif all(x == int(x) for series in figure.series for x in series.x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if figure.log_y:
        axes.set_yscale("log")
    else:
        if all(y >= 0 for series in figure.series for y in series.y):
            axes.set_ylim(bottom=0)
    axes.margins(x=0.02)
    if len(shown) > 1:
        axes.legend(ncols=1 + len(groups) // 8)


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
        axes.legend(title=figure.legend or None)
    if figure.log_y:
        axes.set_yscale("log")
    if figure.most is not None:
        axes.set_ylim(0, figure.most)
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


def _dots(figure: Dots, axes: Axes) -> None:
    small = len(figure.labels) >= 30
    for place, sample in enumerate(figure.samples):
        first = place == 0
        axes.plot(
            sample,
            [place] * len(sample),
            "o",
            color=COLOURS[0],
            alpha=0.65,
            markeredgewidth=0,
            markersize=4 if small else 6,
            label=figure.dot_label if first else None,
        )
        axes.plot([np.mean(sample)], [place], "|", color="#1f2937", markersize=8 if small else 13, markeredgewidth=1.8)
    axes.plot([], [], "|", color="#1f2937", markersize=10, markeredgewidth=1.8, label="mean")
    marked = [(place, mark) for place, mark in enumerate(figure.marks) if mark is not None]
    if marked:
        places, marks = zip(*marked, strict=True)
        axes.plot(marks, places, "x", color=COLOURS[1], markersize=5 if small else 7, label=figure.mark_label)
    axes.set_yticks(range(len(figure.labels)), figure.labels, fontsize=7 if small else 10)
    axes.set_ylim(len(figure.labels) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    if figure.log_x:
        axes.set_xscale("log")
        values = [value for sample in figure.samples for value in sample]
        decades = math.log10(max(values) / max(min(values), 1e-9))
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2 else (1,)))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(_PLAIN)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), handletextpad=0.3)


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
