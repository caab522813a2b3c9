"""What a test sees on a page. A page follows its server, so whatever is looked for may come a moment later."""

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
    """In a thread of its own: once a browser has started, Playwright's loop runs in the tests'."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def comes_to(look: Callable[[], object], wanted: object) -> None:
    """Looks again and again, until it is what is wanted."""
    end = time.monotonic() + PATIENCE_S
    while (seen := look()) != wanted and time.monotonic() < end:
        time.sleep(0.02)
    assert seen == wanted, seen


def answers(page: Page) -> Page:
    """Waits until the page has shaken hands with its server. What is done before may arrive in another order."""
    page.wait_for_function("window.did_handshake")
    return page


def press(button: Locator) -> None:
    """By the keyboard: where something above it is unfolding, a button moves away under the mouse."""
    button.press("Enter")


def picture(page: Page) -> dict[str, Any]:
    """What the first visible board was told to show, without the parts that are empty."""
    return dict(page.evaluate(f"{_OPEN_BOARD}?.board?.picture ?? {{}}"))


def resting_picture(page: Page) -> dict[str, Any]:
    """The picture, once it stays as it is. Texts beside a board may come before its picture does."""
    seen, since = picture(page), time.monotonic()
    while time.monotonic() < since + 0.5:
        time.sleep(0.02)
        if (now := picture(page)) != seen:
            seen, since = now, time.monotonic()
    return seen


def shown_rows(page: Page) -> list[str]:
    """The top row first; none before the board has a picture."""
    return list(picture(page).get("rows", []))


def rows_become(page: Page, rows: list[str]) -> None:
    comes_to(lambda: shown_rows(page), rows)


def shown_cells(page: Page, kind: str) -> list[tuple[int, int]]:
    """The cells of the falling piece, its ghost, or those lit."""
    return [(column, row) for column, row in picture(page).get(kind, [])]


def canvas(page: Page) -> Locator:
    return page.locator(".bf-board canvas").locator("visible=true").first


def middle_of(page: Page, cell: tuple[int, int]) -> Position:
    """Of a cell, counted from the left and from the bottom, once the canvas has the size of the board."""
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
    """The value beside a name."""
    return where.locator(".bf-facts > *").filter(has_text=re.compile(f"^{name}")).locator(".bf-fact").first


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the screen."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
