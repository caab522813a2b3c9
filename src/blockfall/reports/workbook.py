"""An XLSX workbook: a worksheet for each sheet of a report, and for each figure's data with a native chart."""

import io
import re
from typing import Any

import xlsxwriter
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from blockfall.reports.colours import COLOURS
from blockfall.reports.model import Bars, Boxes, Curves, Dots, Figure, Panels, Report, Sheet

_LONGEST_NAME = 31  # the format's limit


def workbook_bytes(report: Report) -> bytes:
    """Return the workbook of a report, as the bytes of its file."""
    out = io.BytesIO()
    # Text stays text, even if it looks like a formula or a link.
    book = xlsxwriter.Workbook(out, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    names: set[str] = set()
    for section in report.sections:
        for item in section.items:
            for part in item.figures if isinstance(item, Panels) else (item,):
                _add(book, part, names)
    for sheet in report.data:
        _add(book, sheet, names)
    if not names:
        book.add_worksheet("Empty").write_string(0, 0, report.summary)
    book.close()
    return out.getvalue()


def _add(book: Workbook, item: Sheet | Figure, names: set[str]) -> None:
    sheet = item.sheet() if isinstance(item, Figure) else item.without_empty_columns()
    worksheet = book.add_worksheet(_sheet_name(item.tab or item.title, names))
    first = _write(book, worksheet, sheet)
    if isinstance(item, Figure):
        _chart(book, worksheet, item, sheet, first)


def _sheet_name(title: str, taken: set[str]) -> str:
    """Return a unique name that the format allows. A long title is cut after a whole word."""
    plain = " ".join(re.sub(r"[\[\]:*?/\\]", " ", title).split()).strip("'") or "Sheet"
    name, number = _cut(plain, _LONGEST_NAME), 2
    while name.lower() in taken:
        ending = f" {number}"
        name, number = _cut(plain, _LONGEST_NAME - len(ending)) + ending, number + 1
    taken.add(name.lower())
    return name


def _cut(text: str, longest: int) -> str:
    """Return as many of the first words of the text as fit."""
    if len(text) <= longest:
        return text
    words = text[: longest + 1].rpartition(" ")[0]
    return words.rstrip(" ,;-='") or text[:longest].rstrip("'")


def _write(book: Workbook, worksheet: Worksheet, sheet: Sheet) -> int:
    """Write the sheet, and return the row of its head."""
    worksheet.write_string(0, 0, sheet.title, book.add_format({"bold": True, "font_size": 13}))
    if sheet.note:
        worksheet.write_string(1, 0, sheet.note, book.add_format({"italic": True, "font_color": "#4b5563"}))
    first = 3
    head = book.add_format({"bold": True, "bottom": 1})
    for column, name in enumerate(sheet.columns):
        worksheet.write_string(first, column, name, head)
        cells = [row[column] for row in sheet.rows]
        worksheet.set_column(column, column, min(40, 2 + max([len(name), *(len(str(c)) for c in cells if c), 6])))
    for number, row in enumerate(sheet.rows, first + 1):
        for column, value in enumerate(row):
            if isinstance(value, str):
                worksheet.write_string(number, column, value)
            elif value is not None:
                worksheet.write(number, column, value)
    worksheet.freeze_panes(first + 1, 1)
    return first


def _chart(book: Workbook, worksheet: Worksheet, figure: Figure, sheet: Sheet, first: int) -> None:
    last = first + len(sheet.rows)
    chart: Any
    if isinstance(figure, Curves):
        chart = book.add_chart({"type": "scatter", "subtype": "straight"})
    elif isinstance(figure, Bars | Boxes):
        chart = book.add_chart({"type": "column"})
    elif isinstance(figure, Dots):
        chart = book.add_chart({"type": "line"})
    else:
        chart = book.add_chart({"type": "scatter"})
    columns = range(2, 5) if isinstance(figure, Boxes) else range(1, len(sheet.columns))  # the quartiles of boxes
    for number, column in enumerate(columns):
        colour = COLOURS[number % len(COLOURS)]
        chart.add_series(
            {
                "name": [worksheet.get_name(), first, column],
                "categories": [worksheet.get_name(), first + 1, 0, last, 0],
                "values": [worksheet.get_name(), first + 1, column, last, column],
                "line": {"color": colour, "width": 1.5} if isinstance(figure, Curves) else {"none": True},
                "fill": {"color": colour},
                **({"marker": {"type": "circle", "fill": {"color": colour}}} if isinstance(figure, Dots) else {}),
            }
        )
    chart.set_title({"name": figure.title, "name_font": {"size": 12}, "overlay": False})
    axes = [(figure.x_label, getattr(figure, "log_x", False)), (figure.y_label, getattr(figure, "log_y", False))]
    if isinstance(figure, Dots):  # the native chart has its samples on the x axis
        axes.reverse()
    for set_axis, (name, log) in zip((chart.set_x_axis, chart.set_y_axis), axes, strict=True):
        set_axis({"name": name, "log_base": 10 if log else None})
    if len(columns) < 2:
        chart.set_legend({"none": True})
    chart.set_size({"width": 760, "height": 420})
    worksheet.insert_chart(first, len(sheet.columns) + 1, chart)
