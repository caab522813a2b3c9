"""Take pictures of the app's pages for docs/images/app: `PYTHONPATH=. python tools/make_screenshots.py [NAME...]`.

It opens a real app in the tests' browser; `make test` installs Chromium.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright
from tests.app.conftest import BROWSERS, DESKTOP, PHONE, installed, running_app
from tests.program import PROGRAM

IMAGES = Path(__file__).parents[1] / "docs" / "images" / "app"
RUNS = ("pso", "cma-es")


def home(page: Page) -> None:
    page.wait_for_function(
        "document.querySelector('.bf-board')?.board?.picture.rows?.join('').match(/[A-Z]/g)?.length > 24"
    )
    page.get_by_role("button", name="Skip").click()


def review(page: Page) -> None:
    expect(page.locator(".bf-verdict")).to_have_text(re.compile(r"\w"))


def puzzle(page: Page) -> None:
    page.get_by_role("button", name="Show the solution").click()
    expect(page.get_by_role("region", name="Why")).to_be_visible()


def play_tetris(page: Page) -> None:
    page.get_by_label("Seed", exact=True).fill("11")
    page.get_by_role("button", name="New game", exact=True).click()
    for way, steps in (("Left", 4), ("Right", 4), ("Left", 1), ("Right", 2), ("Left", 3), ("Right", 4), ("Left", 4)):
        for _ in range(steps):
            page.keyboard.press(f"Arrow{way}", delay=40)
        page.keyboard.press("Space", delay=40)
    page.keyboard.press("KeyC", delay=40)
    page.wait_for_timeout(600)


def play_samegame(page: Page) -> None:
    page.get_by_role("button", name="SameGame", exact=True).click()
    for name, value in (("Columns", "15"), ("Rows", "15"), ("Colours", "5"), ("Seed", "4")):
        page.get_by_label(name, exact=True).fill(value)
    page.get_by_role("button", name="New game").click()
    page.get_by_role("button", name="Hint", exact=True).click()
    page.wait_for_function("document.querySelector('.bf-board')?.board?.picture.lit?.length > 1")
    page.wait_for_timeout(500)


def watch(page: Page) -> None:
    page.wait_for_function(
        "document.querySelector('.bf-board')?.board?.picture.rows?.join('').match(/[A-Z]/g)?.length > 24"
    )
    page.get_by_role("switch", name="Heat map").click()
    page.get_by_role("button", name="Pause").click()
    page.wait_for_function("document.querySelector('.bf-board')?.board?.picture.heat?.length > 0")


def race(page: Page) -> None:
    expect(page.get_by_role("region", name="Race")).to_contain_text(re.compile("leads by"))
    page.wait_for_timeout(6000)


def analyse(page: Page) -> None:
    expect(page.get_by_role("region", name="Placements").locator("tbody tr").first).to_be_visible()


def search(page: Page) -> None:
    page.get_by_role("tab", name="Search").click()
    page.get_by_role("button", name="Search", exact=True).click()
    for _ in range(4):
        page.get_by_role("button", name="Forward one node").click()
    page.wait_for_timeout(500)


def train(page: Page) -> None:
    page.get_by_label("Name", exact=True).fill("first agent")
    page.get_by_role("button", name="Start training").click()
    expect(page.get_by_text(re.compile("± .* lines per test game"))).to_be_visible(timeout=120_000)
    page.get_by_role("button", name="Close").click()  # the notice that it is trained
    page.wait_for_timeout(1500)


def results(page: Page) -> None:
    expect(page.get_by_role("link", name="cma-es")).to_be_visible()


def compared(page: Page) -> None:
    for name in RUNS:
        page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True)).get_by_role(
            "checkbox"
        ).click()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("img", name="Weights").locator("svg")).to_be_visible()
    page.wait_for_timeout(1000)


def study(page: Page) -> None:
    expect(page.get_by_role("table").first).to_be_visible()


# The pictures: path, preparation, screen and shade.
SCENES: dict[str, tuple[str, Callable[[Page], None], bool, str]] = {
    "home": ("/", home, False, "light"),
    "play-tetris": ("/play", play_tetris, False, "dark"),
    "play-samegame": ("/play", play_samegame, False, "light"),
    "watch": ("/watch?rules=guideline&agent=dellacherie&seed=5&speed=8", watch, False, "light"),
    "race": ("/watch?rules=standard&agent=dellacherie&against=lee&seed=1&speed=20", race, False, "dark"),
    "review": ("/review?rules=guideline&agent=ist-h1&seed=3&pieces=60&by=dellacherie", review, False, "light"),
    "puzzles": ("/puzzles?puzzle=guideline-ist-h2-9-64", puzzle, False, "dark"),
    "analyse": ("/analyse", analyse, False, "light"),
    "search": ("/analyse", search, False, "light"),
    "train": ("/train", train, False, "light"),
    "results": ("/results", results, False, "light"),
    "compared": ("/results", compared, False, "light"),
    "study": ("/results?study=feup2016", study, False, "light"),
    "phone-play": ("/play", play_tetris, True, "light"),
    "phone-watch": ("/watch?rules=guideline&agent=dellacherie&seed=5&speed=8", watch, True, "dark"),
}


def make_runs(home_folder: Path) -> None:
    sizes = "--iterations 12 --population 12 --training 20 --validation 200 --test 500 --restarts 3"
    for name in RUNS:
        command = f"train --features soster-1 --optimiser {name} {sizes} --set name='{name}'"
        subprocess.run(
            [*PROGRAM, *command.split(), "--out", str(home_folder / "made" / name)],
            env=os.environ | {"BLOCKFALL_HOME": str(home_folder)},
            check=True,
            stdout=subprocess.DEVNULL,
        )


def main(names: list[str]) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        make_runs(Path(folder))
        browser = playwright.chromium.launch(executable_path=installed(BROWSERS), args=["--no-sandbox"])
        with running_app(Path(folder)) as app:
            for name in names or SCENES:
                path, act, is_phone, shade = SCENES[name]
                page = browser.new_page(
                    viewport=PHONE if is_phone else DESKTOP, color_scheme="dark" if shade == "dark" else "light"
                )
                page.set_default_timeout(30_000)
                page.goto(app.url.rstrip("/") + path)
                act(page)
                page.mouse.move(0, 0)
                page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
                page.wait_for_timeout(800)  # tooltips and flashes fade
                page.screenshot(path=IMAGES / f"{name}.png")
                page.close()
                print(name)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
