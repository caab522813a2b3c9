"""Draws how the networks over the board learned, from docs/data/noro.json: `python docs/plot_records.py`."""

import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

DOCS = Path(__file__).parent
COLOURS = {"noro-small": "#2a78d6", "noro-large": "#c2571a"}


def main() -> None:
    """Draws the lines per game against the placements."""
    curves = json.loads((DOCS / "data" / "noro.json").read_text())
    figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    for name, colour in COLOURS.items():
        placed = [row["actions"] / 1e6 for row in curves[name]]
        lines = [row["lines"] for row in curves[name]]
        axes.plot(placed, lines, color=colour, linewidth=2)
        axes.annotate(name, (placed[-1], lines[-1]), (0, 7), textcoords="offset points", color=colour, ha="right")
    axes.axhline(24.35, color="#6b7585", linewidth=1, linestyle="--")
    axes.annotate(
        "strongest known before: 24.35", (395, 24.35), (0, -13), textcoords="offset points", color="#6b7585", ha="right"
    )
    axes.set(xlabel="placements learned from, millions", ylabel="lines per game, one ply", xlim=(0, 400), ylim=(0, 38))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e6e9ef")
    figure.savefig(DOCS / "images" / "records" / "noro.png", dpi=150)


if __name__ == "__main__":
    main()
