"""The page Analyse in a real browser: a position explained, a search stepped through, boards kept."""

import re

from playwright.sync_api import Page, expect

from blockfall.agents import agent
from blockfall.games import Board, Game, HopelessBoard, scoring
from blockfall.games.explanation import explain
from blockfall.search import HopelessProblem, SearchSettings, solve
from tests.app.conftest import PHONE, Visit
from tests.app.looking import (
    canvas,
    choose,
    comes_to,
    fact,
    middle_of,
    panel,
    press,
    rows_become,
    shown_cells,
    shown_rows,
)

BOARD = """
#.........
##.####.##
##.#######
"""


def paste(page: Page, text: str) -> None:
    page.get_by_text("Paste a board as text").locator("visible=true").click()
    page.get_by_role("textbox", name=re.compile("top row first", re.I)).locator("visible=true").fill(text)
    press(page.get_by_role("button", name="Use this text").locator("visible=true"))


def test_a_position_is_explained(visit: Visit) -> None:
    page = visit("/analyse")
    paste(page, BOARD)
    choose(page, "Piece", "I")
    board = Board.from_text(BOARD, 10, 20)
    ranked = explain(Game.at("standard", board, "I"), agent("dellacherie"))
    rows = panel(page, "Placements").locator("tbody tr.bf-rank")
    expect(rows).to_have_count(len(ranked))
    best = ranked[0]
    assert best.value is not None
    cells = [f"{best.value:,.2f}", "0.00", best.placement.column + 1, best.placement.row + 1, best.placement.shape + 1]
    expect(rows.first.locator("td")).to_have_text(["1", *map(str, cells), str(best.lines)])
    expect(panel(page, "Why")).to_contain_text(f"Worth {best.value:,.2f}")
    rows_become(page, str(board).splitlines())
    comes_to(lambda: shown_cells(page, "falling"), list(best.placement.cells))
    rows.nth(2).hover()
    comes_to(lambda: shown_cells(page, "ghost"), list(ranked[2].placement.cells))
    rows.nth(2).click()
    assert ranked[2].value is not None
    expect(panel(page, "Why")).to_contain_text(f"{ranked[2].value - best.value:+,.2f} against the best")


def test_a_board_is_painted(visit: Visit) -> None:
    page = visit("/analyse")
    page.get_by_role("button", name="Clear").locator("visible=true").click()
    rows_become(page, ["." * 10] * 20)
    canvas(page).hover(position=middle_of(page, (0, 0)))
    page.mouse.down()
    for column in (1, 2, 3):
        canvas(page).hover(position=middle_of(page, (column, 0)))
    page.mouse.up()
    rows_become(page, ["." * 10] * 19 + ["####......"])
    canvas(page).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    comes_to(lambda: "".join(shown_rows(page)).count("#"), 5)


def test_a_bad_board_gives_a_message(visit: Visit) -> None:
    page = visit("/analyse")
    paste(page, "###\n####")
    expect(page.get_by_text("row 1 of the board has 3 cells; the rules have 10 columns")).to_be_visible()
    page.get_by_role("textbox", name=re.compile("top row first", re.I)).locator("visible=true").fill("##########" * 500)
    press(page.get_by_role("button", name="Use this text").locator("visible=true"))
    expect(page.get_by_text("a board has at most 4,000")).to_be_visible()
    page.get_by_role("tab", name="Search").click()
    paste(page, "12\n.1")
    expect(page.get_by_text("a square over an empty cell")).to_be_visible()


def test_an_invalid_position_is_reported_at_its_field(visit: Visit) -> None:
    page = visit("/analyse?rules=nes")
    paste(page, ".#########\n" * 20)
    said = page.get_by_role("region", name="Board", exact=True).get_by_role("alert")
    expect(said).to_have_text("T has no placement on this board: the game is over there.")
    expect(panel(page, "Why")).to_contain_text("No placement to explain.")
    page.get_by_role("button", name="Clear").locator("visible=true").click()
    expect(said).to_be_hidden()
    page.get_by_role("tab", name="Search").click()
    page.get_by_role("button", name="Clear").locator("visible=true").click()
    for button, place in (("Search", "Search"), ("Compare the algorithms", "Algorithms compared")):
        page.get_by_role("button", name=button, exact=True).click()
        said = panel(page, place).get_by_role("alert")
        expect(said).to_have_text("The board is empty; paint some squares or draw a new board.")
    page.get_by_label("Seed").locator("visible=true").fill("")
    page.get_by_role("button", name="New board").click()
    expect(page.get_by_text("A whole number, 0 or more, please.")).to_be_visible()
    page.get_by_label("Seed").locator("visible=true").fill("1")
    page.get_by_role("button", name="New board").click()
    expect(panel(page, "Search").get_by_role("alert")).to_be_hidden()
    expect(page.locator(".q-notification")).to_have_count(0)


def test_a_star_is_stepped_through(visit: Visit) -> None:
    text = str(HopelessBoard.random(5, 5, colours=4, seed=1))
    found = solve(
        HopelessProblem(HopelessBoard.from_text(text), scoring("hopeless")), "a-star", SearchSettings(trace=True)
    )
    page = visit("/analyse")
    page.get_by_role("tab", name="Search").click()
    paste(page, text)
    rows_become(page, text.splitlines())
    page.get_by_role("button", name="Search", exact=True).click()
    result = panel(page, "Result")
    expect(fact(result, "Points")).to_have_text(f"{found.points:,}")
    expect(fact(result, "Expanded")).to_have_text(f"{found.nodes_expanded:,}")
    expect(fact(result, "Optimal")).to_have_text("yes")
    rows_become(page, text.splitlines())
    steps = 5
    assert len(found.trace) > steps + 1
    for one in found.trace[: steps + 1]:
        _expect_node(page, one.node, one.f, one.g, one.h)
        expect(panel(page, "Open list").locator("tbody tr").first).to_contain_text("next")
        page.get_by_role("button", name="Forward one node").click()
    for one in reversed(found.trace[: steps + 1]):
        page.get_by_role("button", name="Back one node").click()
        _expect_node(page, one.node, one.f, one.g, one.h)
    rows_become(page, text.splitlines())
    page.get_by_role("button", name="Last node").click()
    _expect_node(page, found.trace[-1].node, found.trace[-1].f, found.trace[-1].g, found.trace[-1].h)
    # The tree has grown to its last node; a click on another goes there, and its way is drawn as small boards.
    comes_to(lambda: page.evaluate(f"{TREE}.step"), len(found.trace) - 1)
    deep = next(step for step, one in enumerate(found.trace) if one.depth == 2)
    x, y = page.evaluate(f"{TREE}.place({TREE}.nodes[{deep}])")
    page.locator(".bf-tree canvas").click(position={"x": x, "y": y})
    one = found.trace[deep]
    _expect_node(page, one.node, one.f, one.g, one.h)
    expect(panel(page, "This node").get_by_role("img", name=re.compile(r"^Move \d: "))).to_have_count(2)
    page.get_by_role("button", name="Play the solution").click()
    moves = len(found.moves)
    expect(page.get_by_text(f"{moves} of {moves} moves, {found.points:,.10g} points.")).to_be_visible()
    page.get_by_role("button", name="Compare the algorithms").click()
    compared = panel(page, "Algorithms compared").get_by_role("listitem")
    best = f"brute-force: {found.points:,.10g} points"
    expect(compared.filter(has_text="brute-force")).to_contain_text(best)
    expect(compared.first).to_contain_text(f"{found.points:,.10g} points")


TREE = "document.querySelector('.bf-tree').tree"


def _expect_node(page: Page, node: int, f: float, g: float, h: float) -> None:
    here = panel(page, "This node")
    expect(fact(here, "Node")).to_have_text(f"{node:,}")
    for name, value in (("f", f), ("g", g), ("h", h)):
        expect(fact(here, name)).to_have_text(f"{value:,.10g}")


def test_ist_tetris_is_searched(visit: Visit) -> None:
    page = visit("/analyse")
    page.get_by_role("tab", name="Search").click()
    choose(page, "Game", "ist2015's Tetris")
    page.get_by_role("textbox", name="Pieces, in order").fill("xyz")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_text("no piece 'x'")).to_be_visible()
    page.get_by_role("textbox", name="Pieces, in order").fill("ojl")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(fact(panel(page, "Result"), "Moves")).to_have_text("3")


def test_boards_are_saved_and_loaded(visit: Visit) -> None:
    page = visit("/analyse")
    paste(page, BOARD)
    page.get_by_role("textbox", name="Save it as").locator("visible=true").fill(" ../my  board ")
    page.get_by_role("button", name="Save the board").locator("visible=true").click()
    expect(page.get_by_text("Saved as ../my board.")).to_be_visible()
    other = visit("/analyse", PHONE)
    expect(panel(other, "Placements").locator("tbody tr").first).to_be_visible()
    choose(other, "Load a board", "../my board")
    comes_to(lambda: shown_rows(other)[-3:], BOARD.split())
    other.get_by_role("button", name="Delete the chosen board").locator("visible=true").click()
    other.get_by_role("combobox", name="Load a board").locator("visible=true").click()
    expect(other.get_by_role("option", name="example: Stairs")).to_be_visible()
    expect(other.get_by_role("option", name="../my board")).to_have_count(0)
