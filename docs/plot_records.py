"""Draws how the networks over the board learned, from docs/data: `python docs/plot_records.py`."""

import json
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

DOCS = Path(__file__).parent
GREY = "#6b7585"


class Picture(NamedTuple):
    """One chart: the curves of a file of docs/data, and what was known before."""

    data: str
    colours: dict[str, str]
    known: float
    known_as: str
    most_millions: int
    most_lines: int


PICTURES = (
    Picture(
        "noro",
        {"noro-small": "#2a78d6", "noro-large": "#c2571a"},
        24.35,
        "strongest known before: 24.35",
        1350,
        38,
    ),
    Picture("sz", {"sz": "#2a78d6"}, 295, "best published policy: about 295", 280, 520),
)


def draw(picture: Picture) -> None:
    """Draws the lines per game against the placements."""
    curves = json.loads((DOCS / "data" / f"{picture.data}.json").read_text())
    figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    for name, colour in picture.colours.items():
        placed = [row["actions"] / 1e6 for row in curves[name]]
        lines = [row["lines"] for row in curves[name]]
        axes.plot(placed, lines, color=colour, linewidth=2)
        at, align = ((6, -4), "left") if placed[-1] < picture.most_millions / 2 else ((0, 7), "right")
        axes.annotate(name, (placed[-1], lines[-1]), at, textcoords="offset points", color=colour, ha=align)
    axes.axhline(picture.known, color=GREY, linewidth=1, linestyle="--")
    right = (0.99 * picture.most_millions, picture.known)
    axes.annotate(picture.known_as, right, (0, -13), textcoords="offset points", color=GREY, ha="right")
    limits = {"xlim": (0, picture.most_millions), "ylim": (0, picture.most_lines)}
    axes.set(xlabel="placements learned from, millions", ylabel="lines per game, one ply", **limits)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e9ef")
    figure.savefig(DOCS / "images" / "records" / f"{picture.data}.png", dpi=150)


if __name__ == "__main__":
    for one in PICTURES:
        draw(one)
