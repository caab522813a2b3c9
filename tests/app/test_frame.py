"""Every page appears on phones and desktops, in light and dark, without errors and without the internet."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from blockfall.app.frame import PAGES, REVIEW
from tests.app.conftest import DESKTOP, PHONE, App, Visit, running_app
from tests.app.looking import answers, canvas, comes_to, overflow

PATHS = ["/", *(page.path for page in (*PAGES, REVIEW))]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_page_has_a_heading_and_fits_its_screen(visit: Visit, path: str, viewport: dict[str, int]) -> None:
    page = visit(path, viewport)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert overflow(page) <= 0


@pytest.mark.parametrize("path", PATHS)
def test_pages_load_nothing_from_other_hosts(visit: Visit, path: str) -> None:
    page = visit("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page.url.rstrip("/") + path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_function("document.fonts.ready.then(() => window.did_handshake)")
    assert asked
    assert [url for url in asked if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:"))] == []


def test_an_unknown_address_links_to_the_pages(app: App, browser: Browser) -> None:
    page = browser.new_page()
    answer = page.goto(f"{app.url}plya")
    assert answer
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("No such page")
    page.get_by_role("link", name="Play").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Play")
    page.close()


def test_agents_play_and_explain_without_the_store(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "store.sqlite3").write_text("this is not a store" * 100)
    with running_app(tmp_path) as damaged:
        page = browser.new_page()
        page.goto(f"{damaged.url}watch")
        expect(page.get_by_text("is damaged")).to_be_visible()
        expect(page.get_by_role("img", name="dellacherie playing standard")).to_be_visible()
        page.goto(f"{damaged.url}analyse")
        expect(page.get_by_text("is damaged").first).to_be_visible()
        expect(page.get_by_role("region", name="Placements").locator("tbody tr").first).to_be_visible()
        page.close()


def test_no_screen_is_half_empty_on_a_first_visit(browser: Browser, tmp_path: Path) -> None:
    """On a desktop, the panels of every page reach far down even before anything was trained or played."""
    lowest = "Math.max(...[...document.querySelectorAll('.bf-panel')].map((b) => b.getBoundingClientRect().bottom))"
    with running_app(tmp_path) as fresh:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        for path in (*PATHS, "/analyse?show=search", "/results?show=studies", "/results?show=tournaments"):
            page.goto(fresh.url.rstrip("/") + path)
            answers(page)
            page.wait_for_function(f"document.querySelector('.bf-panel') && {lowest} > 0.6 * innerHeight")
        page.close()


def test_keyboard_reaches_every_page(visit: Visit) -> None:
    page = visit("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    reached = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.getAttribute('href')"))
    assert {entry.path for entry in PAGES} <= reached


def test_light_and_dark_are_kept(visit: Visit, app: App) -> None:
    page = visit("/")
    page.get_by_role("button", name="Light or dark").click()
    page.get_by_role("button", name="Light or dark").click()
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    page.reload()
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    comes_to(lambda: any((app.home / "app" / "visitors").iterdir()), True)  # and not where the app was started
    assert not Path(".nicegui").exists()


def test_home_welcomes_and_leads_on(visit: Visit) -> None:
    page = visit("/")
    expect(page.get_by_role("heading", name="Welcome to Blockfall")).to_be_visible()
    seed = str(datetime.now(UTC).date().toordinal())
    beat = page.get_by_role("link", name="Beat the agent on this seed")
    expect(beat).to_contain_text(re.compile(r"clears 40 lines with 1\d\d pieces"))  # 100 pieces are the fewest
    assert f"seed={seed}" in (beat.get_attribute("href") or "")
    expect(page.get_by_text("No games yet. The Tetris games that you finish appear here.")).to_be_visible()
    expect(page.get_by_role("link", name="Train your first agent")).to_be_visible()
    canvas(page).click()
    page.wait_for_url(re.compile(f"/watch.*agent=dellacherie&seed={seed}&piece="))
    page.go_back()
    page.get_by_role("link", name="See why it plays like that").click()
    page.wait_for_url(re.compile("/watch.*paused=yes"))
