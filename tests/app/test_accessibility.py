"""Every page for everybody: names, contrast, sizes, titles, language, no flash of white, and nothing that jumps."""

import re
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from blockfall.app.frame import PAGES, REVIEW
from tests.app.conftest import App, Visit
from tests.app.looking import answers, comes_to

PATHS = (
    "/",
    *(page.path for page in PAGES),
    "/analyse?show=search",
    "/results?show=studies",
    "/results?show=tournaments",
    REVIEW.path,
    "/review?rules=nes&agent=ist-h1&seed=5&pieces=10",
)
LEAST_CONTRAST, MOST_SHIFT = 4.5, 0.05
MOST_LOADED = 600_000  # bytes, by somebody who comes for the first time
LOADED = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .reduce((sum, entry) => sum + entry.transferSize, 0)"""
AUDIT = (Path(__file__).parent / "audit.js").read_text(encoding="utf-8")
SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 100);
})"""


def audit(page: Page) -> dict[str, Any]:
    return dict(page.evaluate(AUDIT, LEAST_CONTRAST))


@pytest.mark.parametrize("path", PATHS)
def test_everybody_can_use_it(visit: Visit, path: str) -> None:
    page = visit(path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_timeout(1500)
    assert page.evaluate(LOADED) < MOST_LOADED
    shift = page.evaluate(SHIFT)
    nothing: dict[str, Any] = {"unnamed": [], "small": [], "faint": []}
    comes_to(lambda: audit(page), nothing)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    comes_to(lambda: audit(page), nothing)  # colours fade for a moment
    page.set_viewport_size({"width": 390, "height": 844})
    comes_to(lambda: audit(page), nothing)
    assert shift < MOST_SHIFT


def test_menus_can_be_read(visit: Visit) -> None:
    page = visit("/analyse")
    page.get_by_role("combobox", name="Agent").click()
    expect(page.get_by_role("option", name="dellacherie", exact=True)).to_be_visible()  # the one that is chosen
    comes_to(lambda: audit(page)["faint"], [])
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    comes_to(lambda: audit(page)["faint"], [])


def test_titles_differ_and_the_language_is_said(app: App) -> None:
    titles = []
    for path in ("", *(page.path.strip("/") for page in (*PAGES, REVIEW))):
        with urllib.request.urlopen(app.url + path) as answer:
            text = answer.read().decode()
        assert '<html lang="en' in text
        titles += re.findall("<title>(.*?)</title>", text)
    assert len(titles) == len(PAGES) + 2
    assert len(set(titles)) == len(titles)
    assert all("Blockfall" in title for title in titles)


def test_nothing_flashes_white_in_the_dark(app: App, browser: Browser) -> None:
    """Before any script runs the page is dark: by the system's setting, and by the visitor's own."""
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.route(re.compile(r"\.js(\?|$)|/_nicegui/.*\.js"), lambda route: route.abort())
    page.goto(app.url)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 21, 28)"
    context.close()

    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(app.url)
    for _ in range(2):
        answers(page).get_by_role("button", name="Light or dark").click()
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    page.route(re.compile(r"\.js(\?|$)"), lambda route: route.abort())
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 21, 28)"
    context.close()
