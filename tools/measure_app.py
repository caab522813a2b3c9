"""Measure the app in a real Chromium for docs/performance.md: `PYTHONPATH=. python tools/measure_app.py`.

It measures what a visitor feels. A busy machine makes every time longer, so the table says how busy it was.
"""

import asyncio
import os
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from tests.app.conftest import BROWSERS, DESKTOP, installed, running_app
from tests.app.watchers import count_pictures

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- app -->\n", "<!-- end of app -->"
PATHS = (
    *("/", "/play", "/watch", "/review", "/puzzles", "/analyse", "/analyse?show=search"),
    *("/train", "/results", "/results?show=studies"),
)
LOADED = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .reduce((sum, entry) => sum + entry.transferSize, 0)"""
# Milliseconds from a key's event to the screen's frame that shows the piece in a new place.
KEY_MS = """(code) => new Promise((done) => {
  const board = document.querySelector(".bf-stage-board .bf-board").board;
  const place = () => Math.min(...(board.picture.falling ?? []).map(([x]) => x));
  const before = place(), began = performance.now();
  const say = (name) => document.body.dispatchEvent(new KeyboardEvent(name, { code, bubbles: true }));
  const look = () => {
    if (place() !== before) { say("keyup"); requestAnimationFrame(() => done(performance.now() - began)); }
    else if (performance.now() - began > 3000) { say("keyup"); done(null); }
    else requestAnimationFrame(look);
  };
  say("keydown");
  look();
})"""
FRAMES = "document.querySelector('.bf-board').board.frames"


def opened(browser: Browser, url: str) -> Page:
    """A page for a visitor who comes for the first time."""
    page = browser.new_context(viewport=DESKTOP).new_page()
    page.set_default_timeout(60_000)
    page.goto(url)
    return page


def first_loads(browser: Browser, url: str) -> dict[str, int]:
    """The bytes that each page sends to a first visitor."""
    found = {}
    for path in PATHS:
        page = opened(browser, f"{url}{path}")
        page.wait_for_function("window.did_handshake")
        page.wait_for_timeout(2500)
        found[path] = page.evaluate(LOADED)
        page.context.close()
    return found


def live_board_s(browser: Browser, url: str) -> float:
    """Seconds from the click on a link to Watch until the first piece lies on its board."""
    page = opened(browser, f"{url}/watch?speed=full")
    moved = "document.querySelector('.bf-board')?.board?.frames > 1"
    page.wait_for_function(moved)
    page.goto(f"{url}/train")
    page.wait_for_function("window.did_handshake")
    began = time.monotonic()
    page.goto(f"{url}/watch?speed=full", wait_until="commit")
    page.wait_for_function(moved)
    took = time.monotonic() - began
    page.context.close()
    return took


def key_to_paint_ms(browser: Browser, url: str) -> float:
    """The median time of several keys in a game of Tetris."""
    page = opened(browser, f"{url}/play")
    page.wait_for_function("window.did_handshake")
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator(".bf-cover").wait_for(state="hidden")
    times = [page.evaluate(KEY_MS, code) for code in ("ArrowLeft", "ArrowRight") * 10]
    page.context.close()
    return float(statistics.median(one for one in times if one is not None))


def pictures_per_second(browser: Browser, url: str) -> float:
    """Pictures per second of a game at full speed in one browser: the best of three intervals."""
    page = opened(browser, f"{url}/watch?rules=standard&agent=dellacherie&speed=full")
    page.wait_for_function("document.querySelector('.bf-board')?.board?.frames > 30")
    rates: list[float] = []
    for _ in range(3):
        frames, began = page.evaluate(FRAMES), time.monotonic()
        page.wait_for_timeout(3000)
        rates.append((page.evaluate(FRAMES) - frames) / (time.monotonic() - began))
    page.context.close()
    return max(rates)


def main() -> None:
    """Measure everything and write the table."""
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder, running_app(Path(folder)) as app:
        url = app.url.rstrip("/")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=installed(BROWSERS), args=["--no-sandbox"])
            loads = first_loads(browser, url)
            board, key = live_board_s(browser, url), key_to_paint_ms(browser, url)
            pictures = pictures_per_second(browser, url)
            browser.close()
        came = asyncio.run(count_pictures(f"{url}/watch?speed=full", watchers=20, warm_up_s=8, seconds=10))
    slowest = min(len(times) / 10 for times in came)
    largest = max(loads, key=lambda path: loads[path])
    rows = [
        ("the largest first load", f"{loads[largest] / 1000:.0f} kB ({largest})"),
        ("from a link to Watch until its board plays", f"{board:.2f} s"),
        ("from a key until the screen shows it, median", f"{key:.0f} ms"),
        ("pictures per second of a game at full speed", f"{pictures:.0f}"),
        ("the same for the slowest of 20 watchers", f"{slowest:.0f}"),
    ]
    body = "".join(f"| {what} | {measured} |\n" for what, measured in rows)
    cores = os.cpu_count()
    note = f"Measured {time.strftime('%Y-%m-%d')} on {cores} cores with a load of {busy:.1f} from other programs."
    table = f"| what | measured |\n|---|---|\n{body}\n{note}\n"
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{table}{END}{rest.split(END)[1]}", encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main()
