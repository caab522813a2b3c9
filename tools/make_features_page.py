"""Write docs/features.md and its pictures from the rows of the catalogue: `python tools/make_features_page.py`."""

import re
from pathlib import Path

from blockfall import Feature
from blockfall.features import built_in_features, groups

DOCS = Path(__file__).parents[1] / "docs"
PICTURES = DOCS / "images" / "features"
CELL = 16
FILLS = {"#": "#c3cad6", "x": "#4a6fd0", "o": "#fbe3e1", "@": "#a25cc5"}
KINDS = (
    ("The move", {"landing-height", "points"}),
    ("Heights", {"heights-sum", "well-depths"}),
    ("Holes", {"holes", "potential-rows"}),
    ("Transitions", {"row-transitions", "column-runs"}),
    ("Wells", {"well-sums", "small-wells"}),
    ("Filled cells", {"filled-cells", "possible-positions"}),
    ("Single columns", {"column-height-1", "contour-15"}),
)


def picture(feature: Feature) -> str:
    """The example board: counted cells are blue or ringed red, the placed piece purple."""
    rows = ["." * 10, *feature.example.strip().splitlines()]
    width, height = 10 * CELL, len(rows) * CELL
    parts = [f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            place = f'x="{x * CELL + 0.5}" y="{y * CELL + 0.5}" width="{CELL - 1}" height="{CELL - 1}"'
            parts.append(f'<rect {place} fill="{FILLS.get(mark, "#ffffff")}" stroke="#e6e9ef"/>')
            if mark == "o":
                centre = f'cx="{(x + 0.5) * CELL}" cy="{(y + 0.5) * CELL}"'
                parts.append(f'<circle {centre} r="{CELL / 4}" fill="none" stroke="#d5504b" stroke-width="2"/>')
    parts.append(f'<path d="M0 {height}h{width}" stroke="#1d2430" stroke-width="2"/>')
    body = "".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 1}" width="{width}">{body}</svg>\n'


def entry(feature: Feature, name: str) -> str:
    also = f" Also {', '.join(f'`{alias}`' for alias in feature.aliases)}." if feature.aliases else ""
    used = [group.name for group in groups().values() if feature.name in group.features]
    in_groups = f" Groups: {', '.join(used)}." if used else ""
    return (
        f"| ![{feature.name}](images/features/{feature.name}.svg) | **`{name}`**<br>{feature.definition}<br>"
        f"_{escape(feature.formula)}_ = {feature.example_value:.6g} here<br>"
        f"<small>{feature.source}. Reads: {feature.looks_at}; cost: {feature.cost}.{also}{in_groups}</small> |\n"
    )


def escape(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def page() -> str:
    listed = built_in_features()
    parts = [
        "# The feature catalogue\n\n"
        "A feature is a number that describes a board or a move. An agent weighs features to value boards, for\n"
        'example `{"holes": -4, "bumpiness": -1}` in its file. This page lists all built-in features. To write your\n'
        "own, see [agents.md](agents.md#your-own-feature). `python tools/make_features_page.py` makes this page.\n\n"
        "A feature describes the board **after** the placement and after full rows are removed; with two pieces\n"
        "known, after both placements. The definition says so when a feature differs from this, and when walls and\n"
        "floor count as filled.\n\n"
        "| in the pictures | meaning |\n|---|---|\n"
        "| the board | the lowest rows of a 10x20 board |\n"
        "| blue | filled cells that are counted |\n"
        "| ringed red | empty cells that are counted |\n"
        "| purple | the piece just placed |\n\n"
        "| cost | the work of the feature |\n|---|---|\n"
        "| words | a few operations per column |\n"
        "| heights | needs the heights of the columns first |\n"
        "| rows | needs counters per row |\n"
        "| flood | needs a flood of the board |\n\n"
        "`tools/make_features_page.py` makes this page from the rows that `blockfall features --json` prints.\n"
    ]
    for title, (first, last) in ((title, sorted(names, key=number_of)) for title, names in KINDS):
        parts.append(f"\n## {title}\n\n| example | feature |\n|---|---|\n")
        for feature in listed[number_of(first) : number_of(last) + 1]:
            family = re.fullmatch(r"(.*-)\d+", feature.name) if title == "Single columns" else None
            if family is None:
                parts.append(entry(feature, feature.name))
            elif feature.name.endswith("-1"):
                count = sum(other.name.startswith(family[1]) for other in listed)
                parts.append(entry(feature, f"{family[1]}1 .. {family[1]}{count}"))
    return "".join(parts)


def number_of(name: str) -> int:
    return next(feature.number for feature in built_in_features() if feature.name == name)


def pictures() -> list[tuple[Feature, Path]]:
    """The drawn features, one of each family, and the paths of their pictures."""
    return [
        (feature, PICTURES / f"{feature.name}.svg")
        for feature in built_in_features()
        if not re.search(r"-(?!1$)\d+$", feature.name)
    ]


def write() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    (DOCS / "features.md").write_text(page())
    for feature, path in pictures():
        path.write_text(picture(feature))


if __name__ == "__main__":
    write()
