"""Helpers to look at a page. A page follows its server, so results may appear a moment later."""

import asyncio
import re
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from playwright.sync_api import Locator, Page, Position, expect

PATIENCE_S = 180  # others may use the machine
_OPEN_BOARD = "[...document.querySelectorAll('.bf-board')].find((b) => b.offsetParent)"

expect.set_options(timeout=1000 * PATIENCE_S)

T = TypeVar("T")


def awaited(work: Coroutine[Any, Any, T]) -> T:
    """Run work in its own thread: once a browser has started, Playwright's loop runs in the tests' thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def comes_to(look: Callable[[], object], wanted: object) -> None:
    """Look again and again until the wanted value appears."""
    end = time.monotonic() + PATIENCE_S
    while (seen := look()) != wanted and time.monotonic() < end:
        time.sleep(0.02)
    assert seen == wanted, seen


def answers(page: Page) -> Page:
    """Wait for the page's handshake with its server. Earlier actions may arrive in another order."""
    page.wait_for_function("window.did_handshake")
    return page


def press(button: Locator) -> None:
    """Press by keyboard: while something above it unfolds, a button moves away under the mouse."""
    button.press("Enter")


def picture(page: Page) -> dict[str, Any]:
    """Return the picture of the first visible board, without empty parts."""
    return dict(page.evaluate(f"{_OPEN_BOARD}?.board?.picture ?? {{}}"))


def resting_picture(page: Page) -> dict[str, Any]:
    """Return the picture once it stays the same. Texts beside a board may arrive before its picture."""
    seen, since = picture(page), time.monotonic()
    while time.monotonic() < since + 0.5:
        time.sleep(0.02)
        if (now := picture(page)) != seen:
            seen, since = now, time.monotonic()
    return seen


def shown_rows(page: Page) -> list[str]:
    """Return the rows, top first; none before the board has a picture."""
    return list(picture(page).get("rows", []))


def rows_become(page: Page, rows: list[str]) -> None:
    comes_to(lambda: shown_rows(page), rows)


def shown_cells(page: Page, kind: str) -> list[tuple[int, int]]:
    """Return the cells of the falling piece, its ghost, or the lit ones."""
    return [(column, row) for column, row in picture(page).get(kind, [])]


def canvas(page: Page) -> Locator:
    return page.locator(".bf-board canvas").locator("visible=true").first


def middle_of(page: Page, cell: tuple[int, int]) -> Position:
    """Return the middle of a cell, counted from the bottom left, once the canvas has its size."""
    page.wait_for_function(
        f"(({{columns, rows}}, canvas) => canvas.width * rows === canvas.height * columns)"
        f"({_OPEN_BOARD}.board, {_OPEN_BOARD}.querySelector('canvas'))"
    )
    columns, rows = page.evaluate(f"(({{columns, rows}}) => [columns, rows])({_OPEN_BOARD}.board)")
    box = canvas(page).bounding_box()
    assert box
    column, row = cell
    return {"x": box["width"] * (column + 0.5) / columns, "y": box["height"] * (1 - (row + 0.5) / rows)}


def fact(where: Page | Locator, name: str) -> Locator:
    """Return the value beside a name."""
    return where.locator(".bf-facts > *").filter(has_text=re.compile(f"^{name}")).locator(".bf-fact").first


def panel(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def choose(page: Page, menu: str, entry: str) -> None:
    page.get_by_role("combobox", name=menu, exact=True).locator("visible=true").click()
    page.get_by_role("option", name=entry, exact=True).click()


def overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than the screen."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
