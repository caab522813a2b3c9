"""One HTML page that needs nothing but itself."""

import base64
from html import escape

from blockfall.reports.model import Cell, Figure, Report, Section, Table

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.55 system-ui, sans-serif; color: #1f2937; background: #f7f8fa; margin: 0; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; background: #fff; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; border-bottom: 1px solid #e4e7eb; padding-bottom: .3rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
.summary { font-size: 1.08rem; color: #4b5563; }
nav a { margin-right: 1rem; white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .75rem; text-align: left; border-bottom: 1px solid #e4e7eb; }
th { font-weight: 600; border-bottom: 2px solid #c3c9d1; }
td.number, th.number { text-align: right; }
figure { margin: 1.4rem 0; }
figure img { width: 100%; height: auto; max-width: 52rem; }
figcaption, .note { color: #4b5563; font-size: .9rem; }
a { color: #2a6fb0; }
"""


def page(report: Report, pictures: dict[str, bytes]) -> str:
    """`pictures` are PNGs by the figures' titles."""
    links = "".join(f'<a href="#s{n}">{escape(part.title)}</a>' for n, part in enumerate(report.sections))
    sections = "".join(_section(number, part, pictures) for number, part in enumerate(report.sections))
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.title)}</title><style>{_STYLE}</style></head><body><main>"
        f'<h1>{escape(report.title)}</h1><p class="summary">{escape(report.summary)}</p><nav>{links}</nav>'
        f"{sections}</main></body></html>\n"
    )


def _section(number: int, section: Section, pictures: dict[str, bytes]) -> str:
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in section.paragraphs)
    items = "".join(
        _figure(item, pictures[item.title]) if isinstance(item, Figure) else _table(item) for item in section.items
    )
    return f'<h2 id="s{number}">{escape(section.title)}</h2>{paragraphs}{items}'


def _figure(figure: Figure, picture: bytes) -> str:
    data = base64.b64encode(picture).decode()
    note = f"<figcaption>{escape(figure.note)}</figcaption>" if figure.note else ""
    return f'<figure><img alt="{escape(figure.title)}" src="data:image/png;base64,{data}">{note}</figure>'


def _table(table: Table) -> str:
    numeric = [is_numeric(table, place) for place in range(len(table.columns))]

    def cells(tag: str, values: tuple[Cell, ...]) -> str:
        return "".join(
            f"<{tag}{' class=number' if right else ''}>{escape(shown(value))}</{tag}>"
            for value, right in zip(values, numeric, strict=True)
        )

    head = cells("th", table.columns)
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return f'<h3>{escape(table.title)}</h3><div class="wide"><table><tr>{head}</tr>{body}</table></div>{note}'


def is_numeric(table: Table, place: int) -> bool:
    """Whether a column holds numbers, and so stands on the right."""
    cells = [row[place] for row in table.rows]
    return any(_is_number(cell) for cell in cells) and not any(isinstance(cell, str) for cell in cells)


def _is_number(value: Cell) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(value: Cell) -> str:
    """A cell as people read it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}" if abs(value) < 1 else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else value
