"""A student's game and algorithms in the app, in a real browser. Their errors appear where they were asked."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import ROOT
from tests.app.conftest import App, Visit, running_app, visits
from tests.app.looking import canvas, choose, fact, middle_of, panel

PLUGIN = ROOT / "tests" / "data" / "own_app.py"


def line_of(code: str) -> int:
    return next(at for at, line in enumerate(PLUGIN.read_text().splitlines(), 1) if code in line)


@pytest.fixture(scope="module")
def plugged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with running_app(tmp_path_factory.mktemp("own"), "--plugin", str(PLUGIN)) as started:
        yield started


@pytest.fixture
def visit(plugged: App, browser: Browser) -> Iterator[Visit]:
    """Like the usual `visit`, but no error may appear as a toast either."""
    opened: list[Page] = []
    with visits(plugged, browser) as visit:

        def open_page(path: str) -> Page:
            opened.append(visit(path))
            return opened[-1]

        yield open_page
        for page in opened:
            expect(page.locator(".q-notification")).to_have_count(0)


def test_an_error_of_a_game_appears_at_the_game(visit: Visit) -> None:
    page = visit("/play?game=ice&length=4")
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


def test_a_game_that_does_not_start_says_why_and_the_next_one_starts(visit: Visit) -> None:
    page = visit("/play?game=ice&seed=13")
    said = page.get_by_role("region", name="Board", exact=True).get_by_role("alert")
    expect(said).to_have_text("Seed 13 brings bad luck; take another.")
    expect(page.get_by_role("button", name="Hint")).to_be_disabled()
    page.get_by_role("switch", name="Symbols").click()
    page.get_by_label("Seed").fill("1")
    page.get_by_role("button", name="New game", exact=True).click()
    expect(fact(page, "Seed")).to_have_text("1")
    expect(said).to_be_hidden()


def test_a_students_algorithm_runs_beside_ours(visit: Visit) -> None:
    page = visit("/analyse?show=search")
    page.get_by_role("combobox", name="Algorithm", exact=True).locator("visible=true").click()
    entry = page.get_by_role("option", name="first-way", exact=True)
    expect(entry).to_contain_text("The first action again and again.")
    entry.hover()
    expect(page.get_by_role("tooltip").locator("visible=true")).to_contain_text("what its author promises")
    entry.click()
    page.get_by_role("button", name="Search", exact=True).click()
    expect(fact(panel(page, "Result"), "Stopped by")).to_have_text("finished")
    moves = int(fact(panel(page, "Result"), "Moves").inner_text())
    assert moves > 0
    page.get_by_role("button", name="Last node").click()
    expect(fact(panel(page, "This node"), "Depth")).to_have_text(str(moves - 1))
    expect(panel(page, "Open list")).to_contain_text("This algorithm keeps no open list.")
    page.get_by_role("button", name="Play the solution").click()
    expect(page.get_by_text(f"{moves} of {moves} moves, ")).to_be_visible()


def test_an_error_of_a_students_algorithm_appears_at_the_search(visit: Visit) -> None:
    page = visit("/analyse?show=search")
    choose(page, "Algorithm", "divides-by-zero")
    page.get_by_role("button", name="Search", exact=True).click()
    said = panel(page, "Search").get_by_role("alert")
    raised = rf"own_app.py, line {line_of('return 1 // len')}: ZeroDivisionError: .*by zero.$"
    expect(said).to_have_text(re.compile(raised))
    choose(page, "Algorithm", "first-way")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(fact(panel(page, "Result"), "Stopped by")).to_have_text("finished")
    expect(said).to_be_hidden()


def test_a_students_algorithm_that_never_ends_is_stopped(visit: Visit) -> None:
    page = visit("/analyse?show=search&seconds=1")
    choose(page, "Algorithm", "never-asks")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(fact(panel(page, "Result"), "Stopped by")).to_have_text("time")
    expect(panel(page, "Result").get_by_role("status")).to_contain_text("A limit came before any solution.")
    expect(panel(page, "Tree")).to_contain_text("No node was expanded.")
    expect(page.get_by_role("button", name="Search", exact=True)).to_be_enabled()


def test_students_algorithms_are_compared_with_ours(visit: Visit) -> None:
    page = visit("/analyse?show=search")
    page.get_by_role("button", name="Compare the algorithms").click()
    compared = panel(page, "Algorithms compared")
    expect(compared.get_by_role("listitem").filter(has_text="first-way")).to_contain_text("points")
    expect(compared.get_by_role("listitem").filter(has_text="never-asks")).to_contain_text("because a limit came first")
    expect(compared.get_by_text(re.compile("^divides-by-zero: .*own_app.py, line .*ZeroDivisionError"))).to_be_visible()


def test_a_student_asks_the_own_algorithm_for_a_hint(visit: Visit) -> None:
    page = visit("/play?game=hopeless")
    choose(page, "Algorithm", "first-way")
    page.get_by_role("button", name="Hint").click()
    expect(panel(page, "Solver").get_by_role("status")).to_contain_text("first-way expects")
