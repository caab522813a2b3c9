"""Small parts used by all pages."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import Any, TypeVar

from nicegui import ui
from nicegui.elements.mixins.validation_element import ValidationElement

from blockfall.errors import BlockfallError
from blockfall.plugins import in_one_line
from blockfall.reports.model import Sheet
from blockfall.reports.page import column_kind, sheet_texts

T = TypeVar("T")

STATE_COLOURS = {"running": "primary", "stopped": "grey-7", "finished": "positive"}


def title(text: str, what: str = "") -> None:
    """Add the heading of a page, and a sentence below it."""
    with ui.column().classes("gap-0"):
        ui.label(text).classes("bf-title").props("role=heading aria-level=1")
        if what:
            ui.label(what).classes("bf-soft")


def panel(name: str = "", classes: str = "bf-grow") -> ui.element:
    """Add a box with a heading. Fill it inside a `with` block."""
    box = ui.element("section").classes(f"bf-panel {classes}")
    if name:
        box.props(f'aria-label="{name}"')
        with box:
            ui.label(name).classes("bf-panel-title").props("role=heading aria-level=2")
    return box


def parts() -> ui.element:
    """Add a place for panels, side by side if the screen is wide enough."""
    return ui.element("div").classes("bf-parts")


class Numbers:
    """Values with their names."""

    def __init__(self, names: Iterable[str]) -> None:
        self._labels: dict[str, ui.label] = {}
        with ui.element("div").classes("bf-facts"):
            for name in names:
                with ui.column().classes("gap-0"):
                    ui.label(name).classes("bf-fact-name")
                    self._labels[name] = ui.label("-").classes("bf-fact").mark(f"fact-{name}")

    def show(self, values: Mapping[str, object]) -> None:
        """Show new values; other names keep theirs."""
        for name, value in values.items():
            self._labels[name].text = f"{value:,}" if isinstance(value, int) else str(value)


def pieces_place(name: str, classes: str = "") -> ui.html:
    """Add a heading with a place for drawings of pieces."""
    with ui.column().classes(f"gap-0 {classes}"):
        ui.label(name).classes("bf-fact-name")
        return ui.html(sanitize=False).classes("bf-next")


def short(number: int) -> str:
    """Return a number in a form that fits its place, however large.

    >>> short(9_999_999), short(12_345_678), short(3_000_000_000)
    ('9,999,999', '12.35 M', '3,000.00 M')
    """
    return f"{number:,}" if abs(number) < 10**7 else f"{number / 10**6:,.2f} M"


def empty_state(icon: str, text: str) -> ui.element:
    """Add a message for an empty place. A `with` block adds buttons to it."""
    box = ui.element("div").classes("bf-empty-state")
    with box:
        ui.icon(icon, size="3rem")
        ui.label(text)
    return box


def command(text: str) -> None:
    """Show a command for a terminal. Lines break only between words, not at the hyphens of options."""
    words = " ".join(f"<span>{escape(word)}</span>" for word in text.split())
    ui.html(words, sanitize=False).classes("bf-command bf-mono")


def trouble(text: str = "") -> ui.label:
    """Add a place for an error message, hidden while empty."""
    return ui.label(text).classes("bf-trouble").props("role=alert")


def sentence(error: Exception) -> str:
    """Return an error's message as a sentence.

    >>> sentence(ValueError("a board has rows"))
    'A board has rows.'
    """
    said = str(error)
    return f"{said[:1].upper()}{said[1:]}."


def at_field(field: ValidationElement[Any], act: Callable[[], object]) -> bool:
    """Do something with a field's value, and show any error below the field."""
    try:
        act()
    except BlockfallError as error:
        field.error = sentence(error)
        return False
    field.error = None
    return True


@contextmanager
def said_at(place: ui.label) -> Iterator[None]:
    """Clear the last error, and show one raised inside the `with` block here instead of raising it."""
    place.text = ""
    try:
        with in_one_line():
            yield
    except BlockfallError as error:
        place.text = sentence(error)


_LONGEST_TABLE = 20  # rows; a longer table has pages


def data_sheet(sheet: Sheet) -> ui.table:
    """Show a sheet of a report without its empty columns."""
    found = [(name, tuple(row[place] for row in sheet.rows)) for place, name in enumerate(sheet.columns)]
    kept = [(name, cells) for name, cells in found if any(cell is not None for cell in cells)]
    columns = [
        {
            "name": str(place),
            "label": name,
            "field": str(place),
            "align": "right" if column_kind(column) == "number" else "left",
            "classes": f"bf-col-{column_kind(column) or 'long'}",
        }
        for place, (name, column) in enumerate(kept)
    ]
    texts = zip(*sheet_texts([name for name, _ in kept], [column for _, column in kept]), strict=True)
    rows = [{"key": number, **{str(p): text for p, text in enumerate(row)}} for number, row in enumerate(texts)]
    pages = {"rowsPerPage": _LONGEST_TABLE if len(rows) > _LONGEST_TABLE else 0}
    drawn = ui.table(columns=columns, rows=rows, row_key="key", pagination=pages).classes("bf-table")
    drawn.props("flat dense wrap-cells" + ("" if len(rows) > _LONGEST_TABLE else " hide-bottom"))
    if sheet.note:
        ui.label(sheet.note).classes("bf-soft text-sm")
    return drawn


def filled_later(read: Callable[[], Awaitable[T]], draw: Callable[[T], object]) -> None:
    """Show a spinner until `read` is done, then call `draw` with its result."""
    box = ui.element("div").classes("bf-stack")
    with box:
        ui.spinner(size="3rem").classes("self-center").props('aria-label="Reading"')

    async def fill() -> None:
        try:
            found = await read()
        except BlockfallError as error:
            box.clear()
            with box:
                empty_state("search_off", str(error))
            return
        box.clear()
        with box:
            draw(found)

    ui.timer(0, fill, once=True)


def back(target: str, text: str) -> None:
    """Add a link back to another page."""
    with ui.link(target=target).classes("bf-link bf-back"):
        ui.icon("arrow_back")
        ui.label(text)


def link_button(text: str, icon: str, target: str) -> ui.element:
    """Add a link that looks like a button."""
    link = ui.link(target=target).classes("bf-link-button")
    with link:
        ui.icon(icon)
        ui.label(text)
    return link


def bring_into_view(element: ui.element) -> None:
    """Scroll the element into view. On a phone, the board is far above its buttons."""
    ui.run_javascript(f'getHtmlElement({element.id}).scrollIntoView({{ behavior: "smooth", block: "nearest" }})')


def redraw(chart: ui.echart, options: dict[str, Any]) -> None:
    """Show a chart with new options."""
    chart.options.clear()
    chart.options.update(options)
    chart.update()
