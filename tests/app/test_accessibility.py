"""Accessibility of every page: names, contrast, sizes, titles, language, no white flash, nothing that jumps."""

import re
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from blockfall.app.analyse.contest import contestants
from blockfall.app.frame import PAGES, REVIEW
from blockfall.app.puzzles.solving import puzzles
from blockfall.studies import STUDIES
from tests.app import test_train as train
from tests.app.conftest import App, Visit
from tests.app.looking import answers, canvas, comes_to, fact, middle_of, overflow, press
from tests.app.test_play import start
from tests.app.test_puzzles import place

SEARCHED = "/analyse?show=search&game=hopeless&board=31424/11233/42213/12443/33121&searched=yes"
PATHS = (
    "/",
    *(page.path for page in PAGES),
    "/analyse?show=search",
    "/results?show=studies",
    "/results?show=tournaments",
    REVIEW.path,
    "/review?rules=nes&agent=ist-h1&seed=5&pieces=25&by=bcts&piece=15",  # a blunder
    "/analyse?agent=lee&board=x........./xx.xxxx.xx/xx.xxxxxxx&piece=I&next=O",
    SEARCHED,
    *(f"/results?study={study}" for study in STUDIES),
)
LEAST_CONTRAST, MOST_SHIFT = 4.5, 0.05
MOST_LOADED = 600_000  # bytes on a first visit
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


def everybody_can_use(page: Page) -> None:
    """Check what the page shows, in light and dark, and on a phone, where it does not scroll sideways."""
    nothing: dict[str, Any] = {"unnamed": [], "small": [], "faint": []}
    comes_to(partial(audit, page), nothing)  # colours fade for a moment
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    comes_to(partial(audit, page), nothing)
    page.set_viewport_size({"width": 390, "height": 844})
    comes_to(partial(audit, page), nothing)
    comes_to(lambda: overflow(page) <= 0, True)


@pytest.mark.parametrize("path", PATHS)
def test_everybody_can_use_it(visit: Visit, path: str) -> None:
    page = visit(path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_timeout(1500)
    assert page.evaluate(LOADED) < MOST_LOADED
    shift = page.evaluate(SHIFT)
    everybody_can_use(page)
    assert shift < MOST_SHIFT


def trained(page: Page) -> None:
    train.fill(page, "seen", restarts=2, iterations=3, training=2, validation=2, test=10)
    train.start(page)
    expect(page.get_by_text("lines per test game").first).to_be_visible()


def compared(page: Page) -> None:
    page.get_by_role("button", name="Compare the algorithms").click()
    found = page.get_by_role("region", name="Algorithms compared").get_by_role("listitem")
    expect(found).to_have_count(len(contestants()))


def played(page: Page) -> None:
    start(page)
    expect(page.locator(".bf-cover")).to_be_hidden()  # it may count down
    page.keyboard.press("Space")
    expect(fact(page, "Pieces")).to_have_text("1")


def paused(page: Page) -> None:
    played(page)
    page.keyboard.press("Escape")
    expect(page.get_by_text("Paused")).to_be_visible()


def asked(page: Page) -> None:
    played(page)
    page.keyboard.press("KeyR")
    expect(page.get_by_text("Abandon this game?")).to_be_visible()


def lost(page: Page) -> None:
    start(page)
    for _ in range(16):
        page.keyboard.press("Space")
    expect(page.get_by_role("link", name="Review the game")).to_be_visible()


def cleared(page: Page) -> None:
    """Clear blocks of seven and five squares: see test_play."""
    for cell, points in (((3, 0), "144"), ((0, 0), "208")):
        canvas(page).click(position=middle_of(page, cell))
        expect(fact(page, "Points")).to_have_text(points)
    expect(page.get_by_text("Cleared: 208 points")).to_be_visible()
    expect(page.get_by_role("link", name="Review the game")).to_be_hidden()  # only Tetris is reviewed


def hinted(page: Page) -> None:
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_text("best expects 208 points")).to_be_visible()


def raced(page: Page) -> None:
    page.get_by_role("switch", name="Next seed when a game ends").click()
    page.get_by_role("button", name="Play 100 games at once").click()
    expect(page.get_by_text("Over 100 games on the same pieces")).to_be_visible()
    expect(page.get_by_text(re.compile("wins by"))).to_be_visible()


def placed(solved: bool, page: Page) -> None:
    place(page, PUZZLE, PUZZLE.best if solved else PUZZLE.obvious)
    expect(page.get_by_text("Solved!" if solved else "That is the obvious one.")).to_be_visible()


def shared(page: Page) -> None:
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    expect(page.get_by_text("Copy a link to what you see")).to_be_visible()  # the button's own words


def explained(page: Page) -> None:
    page.get_by_role("button", name="What is this?").first.click()
    expect(page.get_by_role("tooltip").locator("visible=true")).to_be_visible()


def chosen(page: Page) -> None:
    page.get_by_role("combobox", name="Agent").click()
    expect(page.get_by_role("option", name="dellacherie", exact=True)).to_be_visible()  # the one that is chosen


def unfolded(page: Page) -> None:
    for part in page.locator(".q-expansion-item").all():
        part.locator(".q-item").first.click()
    expect(page.get_by_label("Restarts", exact=True)).to_be_visible()


PUZZLE = next(one for one in puzzles().values() if one.rules == "standard")
TETRIS, HOPELESS = "/play?game=tetris&rules=guideline&seed=7", "/play?game=hopeless&seed=2&columns=4&rows=3&colours=2"
SCENES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "a training that has ended": ("/train", trained),
    "every setting of a training": ("/train", unfolded),
    "algorithms compared": (SEARCHED, compared),
    "Tetris": (TETRIS, played),
    "Tetris that waits": (TETRIS, paused),
    "a game to be abandoned": (TETRIS, asked),
    "a game that is lost": (TETRIS, lost),
    "a game against an agent": (f"{TETRIS}&mode=versus&against=lee", played),
    "a hint": (HOPELESS, hinted),
    "a board that is cleared": (HOPELESS, cleared),
    "a race that is won": ("/watch?rules=nes-no-rotation&agent=birken-6&against=ist-h1&seed=1&speed=100", raced),
    "a puzzle solved": (f"/puzzles?puzzle={PUZZLE.id}", partial(placed, True)),
    "a puzzle missed": (f"/puzzles?puzzle={PUZZLE.id}", partial(placed, False)),
    "a notice and a tooltip": ("/results?show=studies", shared),
    "a card": ("/watch?paused=yes", explained),
    "a menu": ("/analyse", chosen),
}


@pytest.mark.parametrize("scene", SCENES)
def test_everybody_can_use_every_scene(visit: Visit, scene: str) -> None:
    path, make = SCENES[scene]
    page = visit(path)
    make(page)
    everybody_can_use(page)


def test_everybody_can_use_a_training_that_runs(visit: Visit) -> None:
    page = visit("/train")
    train.fill(page, "seen running", iterations=3000)
    train.start(page)
    expect(page.get_by_role("img", name="Fitness by iteration").locator("svg")).to_be_visible()
    everybody_can_use(page)
    press(page.get_by_role("button", name="Stop", exact=True))
    expect(train.state(page)).to_have_text("stopped")


def test_titles_differ_and_the_language_is_declared(app: App) -> None:
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
    """The page is dark before any script runs, by the system's setting and by the visitor's own."""
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
