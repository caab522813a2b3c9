"""A student's game and algorithms in the app, in a real browser. What they raise stands where they were asked."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.app.conftest import DESKTOP, App, running_app
from tests.app.looking import answers, canvas, fact, middle_of

PLUGIN = Path(__file__).parent.parent / "data" / "own_app.py"


def line_of(code: str) -> int:
    return next(at for at, line in enumerate(PLUGIN.read_text().splitlines(), 1) if code in line)


@pytest.fixture(scope="module")
def plugged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with running_app(tmp_path_factory.mktemp("own"), "--plugin", str(PLUGIN)) as started:
        yield started


@pytest.fixture
def page(plugged: App, browser: Browser) -> Iterator[Page]:
    """A page of the app. No error may come as a toast."""
    context = browser.new_context(viewport=DESKTOP, base_url=plugged.url)
    errors: list[str] = []
    opened = context.new_page()
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield opened
    expect(opened.locator(".q-notification")).to_have_count(0)
    context.close()
    assert errors == []


def opened(page: Page, path: str) -> Page:
    page.goto(path)
    return answers(page)


def test_what_a_game_raises_is_said_at_its_place(page: Page) -> None:
    opened(page, "/play?game=ice&length=4")
    expect(fact(page, "Points")).to_have_text("0")
    canvas(page).click(position=middle_of(page, (0, 0)))
    expect(fact(page, "Points")).to_have_text("1")
    canvas(page).click(position=middle_of(page, (3, 0)))
    said = page.get_by_role("region", name="Game").get_by_role("alert")
    expect(said).to_have_text(
        re.compile(rf"own_app.py, line {line_of('return 1 // 0')}: ZeroDivisionError: .*by zero.$")
    )
    canvas(page).click(position=middle_of(page, (1, 0)))
    expect(fact(page, "Points")).to_have_text("2")
    expect(said).to_be_hidden()
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_role("region", name="Solver").get_by_role("status")).to_contain_text("ZeroDivisionError")
    page.get_by_label("Seed").fill("13")
    page.get_by_role("button", name="New game", exact=True).click()
    said = page.get_by_role("region", name="Board", exact=True).get_by_role("alert")
    expect(said).to_have_text("Seed 13 brings bad luck; take another.")


def test_a_game_that_does_not_start_says_why_and_the_next_one_starts(page: Page) -> None:
    opened(page, "/play?game=ice&seed=13")
    said = page.get_by_role("region", name="Board", exact=True).get_by_role("alert")
    expect(said).to_have_text("Seed 13 brings bad luck; take another.")
    expect(page.get_by_role("button", name="Hint")).to_be_disabled()
    page.get_by_role("switch", name="Symbols").click()
    page.get_by_label("Seed").fill("1")
    page.get_by_role("button", name="New game", exact=True).click()
    expect(fact(page, "Seed")).to_have_text("1")
    expect(said).to_be_hidden()
