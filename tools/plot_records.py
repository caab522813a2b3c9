"""Draw how the agents of docs/records.md were trained, from docs/data: `python tools/plot_records.py`."""

import json
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

DOCS = Path(__file__).parents[1] / "docs"
GREY = "#6b7585"


class Picture(NamedTuple):
    """One chart: the curves of a file of docs/data, and the best result known before."""

    data: str
    colours: dict[str, str]
    known: float
    known_as: str
    most: int
    """The end of the horizontal axis."""
    lines: tuple[float, float]
    """The ends of the vertical axis."""
    key: str = "actions"
    """The key of the horizontal axis in the file."""
    unit: float = 1e6
    labels: tuple[str, str] = ("placements learned from, millions", "lines per game, one ply")
    scale: str = "linear"
    """The label of the vertical axis."""


PICTURES = (
    Picture(
        "noro",
        {"noro-small": "#2a78d6", "noro-large": "#c2571a"},
        24.35,
        "strongest known before: 24.35",
        600,
        (14, 36),
    ),
    Picture(
        "sz",
        {"sz": "#2a78d6", "learning rate 0.004": "#c2571a"},
        295,
        "best published policy: about 295",
        280,
        (150, 460),
    ),
    Picture(
        "ten",
        {"ten": "#2a78d6"},
        4842,
        "DT-10 in such games: 4,842",
        160,
        (0, 6500),
        "iteration",
        1,
        ("iteration of CMA-ES", "lines per game, cut after 40,000 pieces"),
    ),
    Picture(
        "twenty",
        {"twenty": "#2a78d6"},
        51e6,
        "DT-20: 51 million",
        250,
        (1e3, 1e9),
        "iteration",
        1,
        ("iteration of CMA-ES", "lines per game, estimated"),
        "log",
    ),
)


def draw(picture: Picture) -> None:
    """Draw the lines per game against the placements learned from."""
    curves = json.loads((DOCS / "data" / f"{picture.data}.json").read_text())
    figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    for name, colour in picture.colours.items():
        done = [row[picture.key] / picture.unit for row in curves[name]]
        lines = [row["lines"] for row in curves[name]]
        axes.plot(done, lines, color=colour, linewidth=2, marker="o" if len(done) < 30 else None, markersize=4)
        at, align = ((6, -4), "left") if done[-1] < picture.most / 2 else ((0, 9), "right")
        axes.annotate(name, (done[-1], max(lines[-2:])), at, textcoords="offset points", color=colour, ha=align)
    axes.axhline(picture.known, color=GREY, linewidth=1, linestyle="--")
    right = (0.99 * picture.most, picture.known)
    axes.annotate(picture.known_as, right, (0, -13), textcoords="offset points", color=GREY, ha="right")
    x_label, y_label = picture.labels
    axes.set(xlabel=x_label, ylabel=y_label, xlim=(0, picture.most), yscale=picture.scale, ylim=picture.lines)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e9ef")
    figure.savefig(DOCS / "images" / "records" / f"{picture.data}.png", dpi=150)


if __name__ == "__main__":
    for one in PICTURES:
        draw(one)
