"""Everything is a link: a page's address describes what it shows, and a new visitor who opens it sees the same."""

import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from blockfall.games import Game, HumanGame
from tests.app.conftest import App, Visit, running_app
from tests.app.looking import (
    answers,
    canvas,
    choose,
    comes_to,
    fact,
    middle_of,
    picture,
    resting_picture,
    rows_become,
    shown_cells,
    shown_rows,
)

BOARD = "x........./xx.xxxx.xx/xx.xxxxxxx"
ROWS = ["#.........", "##.####.##", "##.#######"]


def query(page: Page) -> dict[str, str]:
    return dict(page.evaluate("Object.fromEntries(new URLSearchParams(location.search))"))


def address_has(page: Page, **values: str) -> None:
    comes_to(lambda: {name: query(page).get(name) for name in values}, values)


def path_of(page: Page) -> str:
    return str(page.evaluate("location.pathname + location.search"))


WATCHED = "/watch?rules=nes&agent=bcts&seed=3&piece=12&paused=yes"


def chosen_cells(piece: int) -> list[tuple[int, int]]:
    """Return where the agent of the link above places this piece of its game, counted from 0."""
    game = Game("nes", seed=3, pieces_known=2)
    for _ in range(piece):
        game.play(game.choose("bcts"))
    return list(game.choose("bcts").cells)


def test_a_watched_position_is_a_link(visit: Visit) -> None:
    page = visit(WATCHED)
    expect(fact(page, "Pieces")).to_have_text("12")
    comes_to(lambda: shown_cells(page, "falling"), chosen_cells(12))
    page.get_by_role("button", name="Forward one piece").click()
    address_has(page, rules="nes", agent="bcts", seed="3", piece="13", paused="yes")
    comes_to(lambda: shown_cells(page, "falling"), chosen_cells(13))
    before = shown_rows(page)
    page.reload()
    rows_become(answers(page), before)
    friend = visit(path_of(page))
    rows_become(friend, before)
    expect(friend.get_by_role("combobox", name="Agent")).to_have_value(re.compile("bcts"))


def test_a_link_keeps_its_piece_while_the_page_opens(visit: Visit) -> None:
    """Reloading early or sharing the address at once does not lose the place."""
    page = visit(WATCHED)
    page.add_init_script(
        """window.written = [];
        const write = history.replaceState.bind(history);
        history.replaceState = (...said) => { window.written.push(said[2]); write(...said); };"""
    )
    page.reload()
    comes_to(lambda: shown_cells(answers(page), "falling"), chosen_cells(12))
    page.get_by_role("button", name="Forward one piece").click()
    address_has(page, piece="13")
    assert [re.findall(r"piece=(\d+)", address) for address in page.evaluate("window.written")] == [["13"]]


def test_back_leads_to_the_choice_before(visit: Visit) -> None:
    page = visit("/watch?rules=standard&agent=lee&seed=2&paused=yes")
    address_has(page, agent="lee")
    choose(page, "Agent", "el-tetris")
    address_has(page, agent="el-tetris")
    page.go_back()
    expect(page.locator(".bf-seat-name")).to_have_text("lee")
    page.go_forward()
    expect(page.locator(".bf-seat-name")).to_have_text("el-tetris")


def test_back_is_heard_before_the_page_has_reached_its_server(visit: Visit) -> None:
    page = visit("/watch?agent=lee&paused=yes")
    page.route_web_socket(re.compile("/socket"), lambda _: None)  # nobody answers
    page.reload()
    page.evaluate("window.bfAddress.write('pushState', '?agent=bcts&paused=yes')")
    with page.expect_event("load"):
        page.go_back()
    assert query(page)["agent"] == "lee"


def test_a_page_that_was_left_by_back_writes_no_address(visit: Visit) -> None:
    page = visit("/watch?agent=lee&paused=yes")
    said = page.evaluate(
        """() => {
          history.pushState(null, "", "/watch?agent=bcts");  // as Back would leave it until the page is built again
          window.bfAddress.write("replaceState", "?agent=lee&piece=3");
          return location.search;
        }"""
    )
    assert said == "?agent=bcts"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/watch?agent=nobody", "the agent 'nobody', which is not here"),
        ("/watch?agent=run:20990101-000000", "the agent of run '20990101-000000', which is not here or was deleted"),
        ("/watch?rules=chess", "the rules 'chess', which do not exist here"),
        ("/analyse?agent=nobody", "the agent 'nobody', which is not here"),
        ("/analyse?rules=chess", "the rules 'chess', which do not exist here"),
        ("/analyse?board=xx/x", "The board in this link cannot be shown: row 1"),
        ("/analyse?show=search&game=hopeless&board=12/.1", "The board in this link cannot be shown"),
        ("/play?game=chess", "the game 'chess', which is not here"),
        ("/play?game=tetris&rules=chess", "the rules 'chess', which cannot be played here"),
        ("/play?game=tetris&mode=versus&against=nobody", "the agent 'nobody', which is not here"),
    ],
)
def test_a_link_to_what_is_not_here_says_so(path: str, message: str, visit: Visit) -> None:
    expect(visit(path).get_by_text(message).locator("visible=true")).to_be_visible()


def test_a_position_to_analyse_is_a_link(visit: Visit) -> None:
    page = visit(f"/analyse?rules=standard&agent=lee&board={BOARD}&piece=I&next=O")
    comes_to(lambda: shown_rows(page)[-3:], ROWS)
    expect(page.get_by_role("combobox", name="Piece", exact=True)).to_have_value("I")
    choose(page, "Piece", "S")
    address_has(page, agent="lee", board=BOARD, piece="S", next="O")
    page.reload()
    comes_to(lambda: shown_rows(answers(page))[-3:], ROWS)
    expect(page.get_by_role("combobox", name="Piece", exact=True)).to_have_value("S")


def test_a_search_is_a_link(visit: Visit) -> None:
    page = visit("/analyse")
    page.get_by_role("tab", name="Search").click()
    choose(page, "Algorithm", "greedy")
    page.get_by_role("button", name="Search", exact=True).click()
    points = fact(page.get_by_role("region", name="Result", exact=True), "Points")
    expect(points).to_have_text(re.compile(r"\d"))
    address_has(page, show="search", game="hopeless", algorithm="greedy", searched="yes")
    friend = visit(path_of(page))
    same = fact(friend.get_by_role("region", name="Result", exact=True), "Points")
    expect(same).to_have_text(points.inner_text())


def test_share_copies_the_address(visit: Visit, app: App) -> None:
    page = visit("/watch?rules=nes&agent=lee&seed=5&paused=yes")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    address_has(page, agent="lee")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == app.url.rstrip("/") + path_of(page)


def start(page: Page) -> None:
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_enabled()


def held_down(page: Page, pieces: int) -> None:
    for _ in range(pieces):
        page.keyboard.press("Space")
        page.wait_for_timeout(60)


def test_a_game_of_tetris_survives_a_reload(visit: Visit) -> None:
    page = visit("/play?game=tetris&rules=guideline&seed=11")
    start(page)
    held_down(page, 3)
    expect(fact(page, "Pieces")).to_have_text("3")
    page.keyboard.press("KeyP")
    expect(page.get_by_text("Paused", exact=True)).to_be_visible()
    before = resting_picture(page)
    page.reload()
    expect(answers(page).get_by_text("Paused", exact=True)).to_be_visible()
    expect(fact(page, "Pieces")).to_have_text("3")
    comes_to(lambda: {**picture(page), "sound": ""}, {**before, "sound": ""})
    page.get_by_role("button", name="Analyse this position").click()
    page.wait_for_url(re.compile("/analyse"))
    comes_to(lambda: query(page).get("piece"), HumanGame("guideline", 11).known[3])
    page.go_back()
    expect(answers(page).get_by_text("Paused", exact=True)).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".bf-cover")).to_be_hidden()
    held_down(page, 1)
    expect(fact(page, "Pieces")).to_have_text("4")
    other = visit(path_of(page))  # a friend starts with the same pieces
    expect(other.get_by_text("Seed 11")).to_be_visible()
    comes_to(lambda: shown_cells(other, "falling"), HumanGame("guideline", 11).falling_cells)


def test_a_game_against_an_agent_is_a_link(visit: Visit) -> None:
    page = visit("/play?game=tetris&rules=guideline&seed=11&mode=versus&against=lee")
    expect(page.get_by_role("img", name="The agent's board")).to_be_visible()
    address_has(page, mode="versus", against="lee", seed="11")


def test_a_game_by_clicks_survives_a_reload(visit: Visit) -> None:
    page = visit("/play?game=hopeless&seed=2&columns=4&rows=3&colours=2")
    rows_become(page, ["2211", "1111", "2221"])
    canvas(page).click(position=middle_of(page, (3, 0)))
    left = ["....", "22..", "222."]
    rows_become(page, left)
    page.reload()
    rows_become(answers(page), left)
    expect(fact(page, "Moves")).to_have_text("1")
    page.get_by_role("button", name="Undo").click()
    expect(fact(page, "Moves")).to_have_text("0")


@pytest.mark.long
def test_links_outlive_the_server(tmp_path: Path, browser: Browser) -> None:
    """The same visitor and another one open the same address on a new server."""

    def shown(app: App, look: Callable[[Page], None], path: str) -> None:
        page = browser.new_page()
        page.goto(app.url.rstrip("/") + path)
        look(answers(page))
        page.close()

    rows: list[str] = []

    def first(page: Page) -> None:
        expect(fact(page, "Pieces")).to_have_text("12")
        rows.extend(resting_picture(page)["rows"])

    with running_app(tmp_path) as app:
        shown(app, first, WATCHED)
        app.process.send_signal(signal.SIGTERM)
        app.process.wait(20)
    with running_app(tmp_path) as again:
        shown(again, lambda page: rows_become(page, rows), WATCHED)
