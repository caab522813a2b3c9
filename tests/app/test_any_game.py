"""Games without their own page, in a browser: ist2015's Tetris, and a plugin's game."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from blockfall.games import game
from blockfall.plugins import load_plugin
from tests.app.conftest import App, Visit, running_app, visits
from tests.app.looking import answers, canvas, choose, comes_to, fact, middle_of, rows_become, shown_cells, shown_rows
from tests.game_playthroughs import COLUMNS_FILE

SMALL = {"columns": 4, "rows": 8, "colours": 2, "pieces": 6}


@pytest.fixture(scope="module")
def plugged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with running_app(tmp_path_factory.mktemp("plugged"), "--plugin", str(COLUMNS_FILE)) as started:
        yield started


@pytest.fixture
def page(plugged: App, browser: Browser) -> Iterator[Page]:
    with visits(plugged, browser) as visit:
        yield visit("/play")


def seed_of_a_run() -> int:
    """Return the first game whose first column has three jewels of one colour and whose second does not."""
    load_plugin(COLUMNS_FILE)
    for seed in range(1000):
        start = game("columns").start(seed, **SMALL)
        jewels = [{row[2] for row in position.rows()[:3]} for position in (start, start.apply((0, "abc")))]
        if [len(colours) for colours in jewels] == [1, 2]:
            return seed
    raise AssertionError("no such game")


def begin(page: Page, title: str, seed: int, **options: int) -> None:
    page.get_by_role("button", name=title, exact=True).click()
    for name, value in {**options, "seed": seed}.items():
        field = page.get_by_label(name.capitalize(), exact=True)
        field.fill(str(value))
        field.press("Tab")
    page.get_by_role("button", name="New game", exact=True).click()
    expect(fact(page, "Seed")).to_have_text(str(seed))


def test_a_plugins_game_is_played_by_mouse_and_by_keys(page: Page) -> None:
    seed = seed_of_a_run()
    first = game("columns").start(seed, **SMALL)
    begin(page, "Columns", seed, **SMALL)
    rows_become(page, first.rows())

    canvas(page).hover(position=middle_of(page, (1, 5)))
    expect(page.get_by_text("30 points", exact=True)).to_be_visible()
    comes_to(lambda: shown_cells(page, "lit"), [(1, 0), (1, 1), (1, 2)])
    canvas(page).click(position=middle_of(page, (1, 5)))
    second = first.apply((1, "abc"))
    expect(fact(page, "Points")).to_have_text("30")
    rows_become(page, second.rows())

    canvas(page).focus()
    page.keyboard.press("ArrowRight")  # from the column of the mouse
    page.keyboard.press("r")
    drawn = second.preview((2, "cab"))
    rows_become(page, list(drawn.rows))
    page.keyboard.press("Enter")
    third = second.apply((2, "cab"))
    expect(fact(page, "Moves")).to_have_text("2")
    rows_become(page, third.rows())
    assert third.rows() != second.rows()

    page.get_by_role("button", name="Undo").click()
    rows_become(page, second.rows())
    page.get_by_role("button", name="Redo").click()
    rows_become(page, third.rows())
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_text("best expects")).to_be_visible()
    comes_to(lambda: len(shown_cells(page, "lit")), 3)
    page.get_by_role("button", name="Let it solve").click()
    expect(page.get_by_text("A solver helped: no high score.")).to_be_visible()
    expect(fact(page, "To fall")).to_have_text("0")


def test_a_plugins_game_is_searched_node_by_node(page: Page, plugged: App) -> None:
    page.goto(plugged.url.rstrip("/") + "/analyse")
    answers(page)
    page.get_by_role("tab", name="Search").click()
    choose(page, "Game", "Columns")
    expect(page.get_by_text("The board is the start of a game")).to_be_visible()
    expect(page.get_by_text("Paste a board as text").locator("visible=true")).to_have_count(0)
    page.get_by_label("Pieces", exact=True).fill("3")
    choose(page, "Algorithm", "greedy")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(fact(page.get_by_role("region", name="Result"), "Moves")).to_have_text("3")


def test_ist_tetris_is_played_by_clicks(visit: Visit) -> None:
    page = visit("/play")
    page.get_by_role("button", name="ist2015's Tetris", exact=True).click()
    field = page.get_by_label("Pieces, in order", exact=True)
    field.fill("io")
    page.get_by_role("button", name="New game", exact=True).click()
    expect(fact(page, "Pieces")).to_have_text("io")
    canvas(page).click(button="right", position=middle_of(page, (0, 0)))  # turns the bar; plays nothing
    comes_to(lambda: shown_rows(page)[-1:], ["IIII......"])
    canvas(page).click(position=middle_of(page, (0, 0)))
    expect(fact(page, "Pieces")).to_have_text("o")
    comes_to(lambda: shown_rows(page)[-1:], ["####......"])
    canvas(page).click(position=middle_of(page, (9, 3)))
    expect(page.get_by_text("All pieces placed: 0 points")).to_be_visible()
