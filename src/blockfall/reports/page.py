"""A report as one self-contained HTML page."""

import base64
import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from statistics import median

from blockfall.reports.model import Figure, Report, Section, Sheet, SheetCell

_SHORT = 26  # the most letters of a cell that is not wrapped
_ERROR = re.compile(r".*\berror|standard deviation|spread (of|estimated)\b(?! games).*")
_BOUND = re.compile(r"95 % from|to|at least|at most")
_PUBLISHED = re.compile(r"thesis|report|published")
_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.55 system-ui, sans-serif; color: #1f2937; background: #f7f8fa; margin: 0; }
main { max-width: 76rem; box-sizing: border-box; margin: 0 auto; padding: 2rem 1.25rem 4rem; background: #fff; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; border-bottom: 1px solid #e4e7eb; padding-bottom: .3rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
.summary { font-size: 1.08rem; color: #4b5563; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .75rem; text-align: left; border-bottom: 1px solid #e4e7eb; }
th { font-weight: 600; border-bottom: 2px solid #c3c9d1; }
td.number, th.number { text-align: right; }
td.number, td.short { white-space: nowrap; }
td.board { font: 1rem/1 monospace; padding-block: 0; border: 0; }
figure { margin: 1.4rem 0; }
figure img { width: 100%; height: auto; max-width: 52rem; }
figcaption, .note { color: #4b5563; font-size: .9rem; }
a { color: #2a6fb0; }
"""


def page(report: Report, pictures: dict[str, bytes]) -> str:
    """Return the page of a report. `pictures` are PNGs by figure title; a figure without one is only named."""
    links = "".join(f'<a href="#s{n}">{escape(part.title)}</a>' for n, part in enumerate(report.sections))
    sections = "".join(_section(number, part, pictures) for number, part in enumerate(report.sections))
    made_by = f'<p class="note">{escape(str(report.provenance))}</p>' if report.provenance else ""
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.title)}</title><style>{_STYLE}</style></head><body><main>"
        f'<h1>{escape(report.title)}</h1><p class="summary">{escape(report.summary)}</p>{made_by}<nav>{links}</nav>'
        f"{sections}</main></body></html>\n"
    )


def _section(number: int, section: Section, pictures: dict[str, bytes]) -> str:
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in section.paragraphs)
    items = "".join(
        _figure(item, pictures.get(item.title)) if isinstance(item, Figure) else _sheet(item, section.title)
        for item in section.items
    )
    return f'<h2 id="s{number}">{escape(section.title)}</h2>{paragraphs}{items}'


def _figure(figure: Figure, picture: bytes | None) -> str:
    if picture is None:
        return f'<p class="note">{escape(figure.title)}: not drawn; its numbers are in the workbook.</p>'
    data = base64.b64encode(picture).decode()
    note = f"<figcaption>{escape(figure.note)}</figcaption>" if figure.note else ""
    return f'<figure><img alt="{escape(figure.title)}" src="data:image/png;base64,{data}">{note}</figure>'


def _sheet(whole: Sheet, heading: str) -> str:
    """Return a sheet without its empty columns, and without its title if the heading above it is the same."""
    sheet = whole.without_empty_columns()
    columns = [tuple(row[place] for row in sheet.rows) for place in range(len(sheet.columns))]
    kinds = [column_kind(column) for column in columns]
    texts = sheet_texts(sheet.columns, columns)

    def cells(tag: str, values: Iterable[str]) -> str:
        return "".join(
            f"<{tag}{f' class={kind}' if kind else ''}>{escape(value)}</{tag}>"
            for value, kind in zip(values, kinds, strict=True)
        )

    head = cells("th", sheet.columns)
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in zip(*texts, strict=True))
    title = f"<h3>{escape(sheet.title)}</h3>" if sheet.title != heading else ""
    note = f'<p class="note">{escape(sheet.note)}</p>' if sheet.note else ""
    return f'{title}<div class="wide"><table><tr>{head}</tr>{body}</table></div>{note}'


def column_kind(column: tuple[SheetCell, ...]) -> str:
    """Return the CSS class of a column's cells: number, board, short, or empty for long texts."""
    if any(_is_number(value) for value in column) and all(not isinstance(value, str) for value in column):
        return "number"
    if all(isinstance(value, str) and set(value) <= {"#", "."} for value in column):
        return "board"
    return "short" if all(len(shown(value)) <= _SHORT for value in column) else ""


def sheet_texts(headings: Sequence[str], columns: Sequence[tuple[SheetCell, ...]]) -> list[list[str]]:
    """Return a sheet's columns as text. Errors and bounds have the decimals of their figure.

    >>> sheet_texts(("mean", "standard error"), ((10.318, 9.27), (0.1982, 0.027)))
    [['10.32', '9.27'], ['0.20', '0.03']]
    >>> sheet_texts(("mean", "standard error", "thesis"), ((341.13, 484.59), (50.5, 10.97), (335.05, 551.55)))
    [['341', '485'], ['50', '11'], ['335', '552']]
    """
    texts: list[list[str]] = []
    digits, has_error = None, False  # of the last column with figures
    for place, (heading, column) in enumerate(zip(headings, columns, strict=True)):
        follows = any(kind.fullmatch(heading) for kind in (_ERROR, _BOUND, *([_PUBLISHED] if has_error else [])))
        if digits is not None and follows:
            column = tuple(float(value) if type(value) is int else value for value in column)
        elif sizes := _sizes(column):
            has_error = place + 1 < len(columns) and bool(_ERROR.fullmatch(headings[place + 1]))
            digits = _decimals_with_error(sizes, _sizes(columns[place + 1])) if has_error else _decimals(sizes)
        texts.append(column_texts(column, digits))
    return texts


def column_texts(column: tuple[SheetCell, ...], digits: int | None = None) -> list[str]:
    """Return a column's cells as text, with the same number of decimals in all fractions.

    >>> column_texts((0.0047, 13.09, None))
    ['0.0047', '13.0900', '']
    >>> column_texts((3758.6, 19.21))
    ['3,759', '19']
    """
    if digits is None:
        digits = _decimals(_sizes(column))
    least = 10.0**-digits
    return [
        shown(value)
        if not isinstance(value, float)
        else f"<{least:.{digits}f}"
        if 0 < value < least / 2
        else f"{value:,.{digits}f}"
        for value in column
    ]


def _sizes(column: tuple[SheetCell, ...]) -> list[float]:
    """Return the sizes of a column's numbers; none if all of them are whole numbers by their type."""
    numbers = [abs(value) for value in column if isinstance(value, int | float) and not isinstance(value, bool)]
    return numbers if any(isinstance(value, float) for value in column) else []


def _decimals_with_error(sizes: list[float], errors: list[float]) -> int:
    """Return the decimals of figures with errors: a typical error has at most two significant digits."""
    own = _decimals(sizes)
    if max(sizes) >= 1000 or not any(errors):
        return own
    return max(0, min(1 - math.floor(math.log10(median(filter(None, errors)))), own or 1))


def _decimals(sizes: list[float]) -> int:
    """Return the decimals that keep two significant digits of the least value but are not noise beside the largest."""
    least, most = min(filter(None, sizes), default=1.0), max(sizes, default=0.0)
    if least >= 100 or all(float(size).is_integer() for size in sizes):
        return 0
    if most >= 1000:
        return 0 if least >= 10 else 1
    if most >= 100:
        return 1
    return 2 if least >= 0.1 else 3 if least >= 0.01 else 4


def _is_number(value: SheetCell) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(value: SheetCell) -> str:
    """Return a cell as text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}" if abs(value) < 1 else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else value
