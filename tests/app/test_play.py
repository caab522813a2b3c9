"""The page Play in a browser: Hopeless by clicks, Tetris by keys and by touch."""

import re

import pytest
from playwright.sync_api import Page, expect

from blockfall.agents import agent
from blockfall.app.play.keyboard import ACTIONS
from blockfall.games import Game, HopelessBoard, HopelessPosition, HumanGame, scoring
from blockfall.rulesets import rules
from tests.app.conftest import PHONE, Visit
from tests.app.looking import answers, canvas, comes_to, fact, middle_of, overflow, rows_become, shown_cells, shown_rows

# Hopeless, seed 2: the ones are 7 squares, (2 x 6)^2 = 144 points. When they are gone, the five twos hang together,
# (2 x 4)^2 = 64. That makes 208 and an empty board.
TINY = """
2211
1111
2221
"""
ONES, TWOS = (3, 0), (0, 0)


def set_field(page: Page, name: str, value: str) -> None:
    field = page.get_by_label(name, exact=True)
    field.fill(value)
    field.press("Tab")


def start(page: Page) -> None:
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_hidden()


def open_tiny(page: Page, game: str = "Hopeless") -> None:
    page.get_by_role("button", name=game, exact=True).click()
    for name, value in (("Columns", "4"), ("Rows", "3"), ("Colours", "2"), ("Seed", "2")):
        set_field(page, name, value)
    page.get_by_role("button", name="New game").click()
    expect(fact(page, "Seed")).to_have_text("2")
    expect(fact(page, "Squares left")).to_have_text("12")
    rows_become(page, TINY.split())


def click_cell(page: Page, cell: tuple[int, int]) -> None:
    canvas(page).click(position=middle_of(page, cell))


def most_points(position: HopelessPosition) -> int:
    """Return the most points, by trying everything with the slow game."""
    return max((most_points(position.apply(action)) for action in position.actions()), default=position.score)


def test_hopeless_by_clicks_to_a_known_score(visit: Visit) -> None:
    assert HopelessBoard.random(4, 3, 2, seed=2) == HopelessBoard.from_text(TINY)
    page = visit("/play")
    open_tiny(page)
    canvas(page).hover(position=middle_of(page, ONES))
    expect(page.get_by_text("7 squares: 144 points")).to_be_visible()
    click_cell(page, ONES)
    expect(fact(page, "Points")).to_have_text("144")
    rows_become(page, ["....", "22..", "222."])
    click_cell(page, TWOS)
    expect(page.get_by_text("Cleared: 208 points")).to_be_visible()
    page.get_by_label("Your name").fill("  Ada\tL. ")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("list", name="High scores")).to_have_text(re.compile(r"1\s*Ada L\.\s*208"))

    page.get_by_role("button", name="Undo").click()
    expect(fact(page, "Points")).to_have_text("144")
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_text("Cleared: 208 points")).to_be_visible()
    expect(page.get_by_label("Your name")).to_be_hidden()  # it counted already
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    expect(fact(page, "Points")).to_have_text("0")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    rows_become(page, TINY.split())


def test_samegame_by_the_arrow_keys(visit: Visit) -> None:
    page = visit("/play")
    open_tiny(page, "SameGame")
    canvas(page).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.get_by_text("7 squares: 25 points")).to_be_visible()
    page.keyboard.press("Enter")
    expect(fact(page, "Points")).to_have_text("25")
    click_cell(page, TWOS)
    expect(page.get_by_text("Cleared: 1,034 points")).to_be_visible()  # (7 - 2)^2 + (5 - 2)^2 + 1000
    expect(page.get_by_text("a bonus of 1,000")).to_be_visible()


def test_a_solver_gives_a_hint_and_plays_to_the_end(visit: Visit) -> None:
    best = most_points(HopelessPosition(HopelessBoard.from_text(TINY), scoring("hopeless")))
    page = visit("/play")
    open_tiny(page)
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_text(f"best expects {best} points in the end, the most possible.")).to_be_visible()
    comes_to(lambda: len(shown_cells(page, "lit")) >= 2, True)
    page.get_by_role("button", name="Let it solve").click()
    expect(page.get_by_text(re.compile(f"(Cleared|Over): {best} points"))).to_be_visible()
    expect(page.get_by_text("A solver helped: no high score.")).to_be_visible()
    expect(page.get_by_label("Your name")).to_be_hidden()


def keys_of_an_agent() -> list[str]:
    """Return the keys for twenty pieces of guideline Tetris, each dropped from the top."""
    game, keys = Game("guideline", seed=7), []
    for _ in range(20):
        ways = {placement: game.keys(placement) for placement in game.placements()}
        straight = [placement for placement, way in ways.items() if "down" not in way]
        chosen = game.choose(agent("dellacherie"), among=straight)
        keys += ways[chosen]
        game.play(chosen)
    return keys


def test_twenty_pieces_of_tetris_by_keys(visit: Visit) -> None:
    """The board is that of a game stepped here with the same keys."""
    expected = HumanGame("guideline", seed=7)
    for name in keys_of_an_agent():
        expected.step(ACTIONS[name].mask)
        expected.step()
    assert (expected.over, expected.core.pieces) == (False, 20)
    assert expected.core.lines > 3

    page = visit("/play")
    set_field(page, "Seed", "7")
    set_field(page, "Shift delay", "60")  # so that a key held long by a slow machine does not repeat
    start(page)
    pieces = 0
    for name in keys_of_an_agent():
        page.keyboard.press(ACTIONS[name].code)
        if name == "drop":
            pieces += 1
            expect(fact(page, "Pieces")).to_have_text(str(pieces))
    assert pieces == 20
    expect(fact(page, "Lines")).to_have_text(str(expected.core.lines))
    settled = str(expected.board).splitlines()[2:]  # the two highest rows are never shown
    comes_to(lambda: [re.sub(r"[^.]", "#", row) for row in shown_rows(page)], settled)


def test_pause_stops_everything(visit: Visit) -> None:
    page = visit("/play")
    start(page)
    page.keyboard.press("Space")
    expect(fact(page, "Pieces")).to_have_text("1")
    page.keyboard.press("Escape")
    expect(page.get_by_text("Paused")).to_be_visible()
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Paused")).to_be_hidden()
    page.keyboard.press("Space")
    expect(fact(page, "Pieces")).to_have_text("2")
    page.evaluate(
        "Object.defineProperty(document, 'hidden', { value: true });"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    expect(page.get_by_text("Paused")).to_be_visible()


def test_a_key_is_changed_and_kept(visit: Visit) -> None:
    page = visit("/play")
    page.get_by_role("button", name="Hold: C").click()
    expect(page.get_by_role("button", name="Hold: press a key")).to_be_visible()
    page.wait_for_function("document.querySelector('.bf-pad').keyboard.capturing")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Hold: Space")).to_be_visible()
    expect(page.get_by_role("button", name="Hard drop: C")).to_be_visible()  # the other way round
    keys = page.get_by_role("region", name="Keys")
    expect(keys.get_by_role("status")).to_have_text("Hard drop had this key and is now on C.")
    page.get_by_role("button", name="Hold: Space").click()
    page.wait_for_function("document.querySelector('.bf-pad').keyboard.capturing")
    page.keyboard.press("F7")
    expect(keys.get_by_role("alert")).to_contain_text("This key cannot be used; take a letter")
    expect(page.locator(".q-notification")).to_have_count(0)
    page.reload()
    answers(page)
    expect(page.get_by_role("button", name="Hold: Space")).to_be_visible()
    start(page)
    page.keyboard.press("c")
    expect(fact(page, "Pieces")).to_have_text("1")


def test_a_wrong_setting_is_reported_and_corrected(visit: Visit) -> None:
    page = visit("/play")
    page.get_by_label("Shift delay").fill("")
    page.get_by_role("combobox", name="Rules").click()
    page.get_by_role("option", name=rules("nes-no-rotation-timed").title, exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("A whole number from 0 to 60, please.")  # below its field
    expect(page.get_by_text("Shifts and turns per row: 9, later 1.")).to_be_visible()
    page.get_by_label("Shift delay").fill("7")
    page.get_by_label("Shift delay").press("Tab")
    start(page)
    expect(fact(page, "Pieces")).to_have_text("0")
    comes_to(lambda: len(shown_cells(page, "falling")), 4)


def test_a_space_right_after_start_does_not_press_it_again(visit: Visit) -> None:
    button = visit("/play").get_by_role("button", name="Start", exact=True)
    expect(button).to_be_visible()
    at_once = "button => { button.focus(); button.click(); return document.activeElement === button; }"
    assert not button.evaluate(at_once), "until the server answers, Space would pause the game"


def test_a_game_to_its_end_and_another(visit: Visit) -> None:
    page = visit("/play")
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_hidden()
    for _ in range(16):
        page.keyboard.press("Space")
    expect(page.get_by_text("Game over")).to_be_visible()
    page.get_by_label("Your name").fill("Grace")
    page.get_by_label("Your name").press("Enter")
    expect(page.get_by_role("list", name="High scores")).to_contain_text("Grace")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play again").click()
    expect(page.get_by_text("Game over")).to_be_hidden()
    expect(fact(page, "Pieces")).to_have_text("0")
    page.keyboard.press("Space")
    expect(fact(page, "Pieces")).to_have_text("1")


def test_on_a_phone_the_board_comes_first_and_buttons_play(visit: Visit) -> None:
    page = visit("/play", PHONE)
    start(page)
    drop = page.get_by_role("button", name="Hard drop", exact=True)
    board, button = canvas(page).bounding_box(), drop.bounding_box()
    assert board
    assert button
    assert board["y"] + board["height"] <= button["y"]
    assert button["y"] + button["height"] <= PHONE["height"]  # no scrolling to play
    assert min(button["width"], button["height"]) >= 40
    drop.click()
    expect(fact(page, "Pieces")).to_have_text("1")
    comes_to(lambda: overflow(page) <= 0, True)
    page.get_by_role("button", name="SameGame").click()
    expect(fact(page, "Squares left")).to_be_visible()
    comes_to(lambda: overflow(page) <= 0, True)


# Each number is shown for a moment, which a test that looks from time to time may miss.
COUNTS = """() => {
  window.counts = [];
  const look = () => {
    const shown = document.querySelector(".bf-count")?.textContent;
    if (shown?.match(/^\\d$/) && shown !== window.counts.at(-1)) window.counts.push(shown);
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def test_a_sprint_counts_down_and_shows_the_time(visit: Visit) -> None:
    page = visit("/play")
    page.get_by_role("button", name="Sprint", exact=True).click()
    expect(page.get_by_text("Clear 40 lines as fast as you can.")).to_be_visible()
    page.evaluate(COUNTS)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".bf-cover")).to_be_hidden()
    assert page.evaluate("window.counts") == ["3", "2", "1"]
    page.keyboard.press("Space")
    expect(fact(page, "Pieces")).to_have_text("1")
    expect(fact(page, "Time")).to_have_text(re.compile(r"0:0[1-9]\.\d\d"))


def test_a_game_is_not_abandoned_unasked(visit: Visit) -> None:
    page = visit("/play")
    start(page)
    page.keyboard.press("Space")
    expect(fact(page, "Pieces")).to_have_text("1")
    page.keyboard.press("KeyR")
    expect(page.get_by_text("Abandon this game?")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".bf-cover")).to_be_hidden()
    page.keyboard.press("Space")
    expect(fact(page, "Pieces")).to_have_text("2")
    page.get_by_role("combobox", name="Rules").click()  # the menu pauses the game
    expect(page.get_by_text("Paused")).to_be_visible()
    page.get_by_role("option", name="NES Tetris (NTSC)", exact=True).click()
    expect(page.get_by_text("Abandon this game?")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("combobox", name="Rules")).to_have_value("Guideline Tetris")
    hears = "!document.querySelector('.q-menu') && document.activeElement === document.body"
    comes_to(lambda: page.evaluate(hears), True)
    page.keyboard.press("KeyR")
    page.keyboard.press("KeyR")
    expect(fact(page, "Pieces")).to_have_text("0")


def test_the_question_is_seen_on_a_phone(visit: Visit) -> None:
    page = visit("/play", PHONE)
    start(page)
    page.keyboard.press("Space")
    expect(fact(page, "Pieces")).to_have_text("1")
    page.get_by_role("button", name="New game", exact=True).last.click()  # far below the board
    expect(page.get_by_text("Abandon this game?")).to_be_in_viewport()


RESTS = "new Promise((tell) => { const before = scrollY; setTimeout(() => tell(scrollY === before), 600); })"


def test_a_key_that_the_rules_do_not_have_does_not_scroll(visit: Visit) -> None:
    page = visit("/play?game=tetris&rules=nes", {"width": 1000, "height": 500})
    start(page)
    comes_to(lambda: page.evaluate(RESTS), True)  # the board is scrolled to
    before = page.evaluate("scrollY")
    page.keyboard.press("Space")  # a hard drop under other rules
    page.wait_for_timeout(600)
    assert page.evaluate("scrollY") == before


def test_against_an_agent_on_the_same_pieces(visit: Visit) -> None:
    """The agent's board is that of the same agent on the same seed."""
    page = visit("/play")
    page.get_by_role("button", name="Versus", exact=True).click()
    page.get_by_role("combobox", name="Its pace").click()
    page.get_by_role("option", name="with you").click()
    set_field(page, "Seed", "7")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".bf-cover")).to_be_hidden()
    for pieces in range(1, 4):
        page.keyboard.press("Space")
        expect(page.get_by_text(f"{pieces} placed")).to_be_visible()
    game = Game("guideline", seed=7, pieces_known=2)
    for _ in range(3):
        game.play(game.choose(agent("dellacherie")))
    rows = "document.querySelector('.bf-stage-rival .bf-board').board.picture.rows"
    settled = str(game.board).splitlines()[-20:]
    comes_to(lambda: [re.sub(r"[^.]", "#", row) for row in page.evaluate(rows)], settled)
    page.keyboard.press("KeyP")
    expect(page.get_by_text("Paused")).to_be_visible()
    page.reload()
    expect(answers(page).get_by_text("3 placed")).to_be_visible()  # before the game continues


GAMEPAD = """(pressed) => {
  const buttons = Array.from({ length: 16 }, (_, at) => ({ pressed: at === pressed }));
  navigator.getGamepads = () => [{ connected: true, axes: [0, 0], buttons }];
  return new Promise((read) => requestAnimationFrame(() => requestAnimationFrame(read)));
}"""
SWIPE = """([across, down]) => {
  const board = document.querySelector(".bf-stage-board canvas"), box = board.getBoundingClientRect();
  const finger = { bubbles: true, pointerId: 5, pointerType: "touch" };
  const at = (x, y) => ({ ...finger, clientX: box.x + 90 + x, clientY: box.y + 90 + y });
  board.dispatchEvent(new PointerEvent("pointerdown", at(0, 0)));
  board.dispatchEvent(new PointerEvent("pointermove", at(across, 0)));
  board.dispatchEvent(new PointerEvent("pointerup", at(across, down)));
}"""


def test_a_gamepad_and_a_finger_play_on_a_phone_on_its_side(visit: Visit) -> None:
    page = visit("/play", {"width": 844, "height": 390})
    start(page)
    page.evaluate(GAMEPAD, 12)  # up: the hard drop
    expect(fact(page, "Pieces")).to_have_text("1")
    page.evaluate(GAMEPAD, -1)
    page.evaluate(SWIPE, [0, 80])  # a flick down
    expect(fact(page, "Pieces")).to_have_text("2", timeout=10_000)  # without the flick it would fall for 20 s
    side = page.evaluate("document.querySelector('.bf-stage-board canvas').clientWidth / 10")

    def place() -> tuple[str, int]:
        return fact(page, "Pieces").inner_text(), min(
            (column for column, _ in shown_cells(page, "falling")), default=-1
        )

    for _ in range(5):  # on a slow machine, a piece may land before the swipe arrives
        pieces, left = place()
        page.evaluate(SWIPE, [-2.2 * side, 0])
        comes_to(lambda: place() == (pieces, left - 2) or place()[0] != pieces, True)  # noqa: B023
        if place() == (pieces, left - 2):
            break
    else:
        pytest.fail("no swipe moved a piece")
    for element in (
        canvas(page),
        *(page.get_by_role("button", name=name, exact=True) for name in ("Hard drop", "Left")),
    ):
        box = element.bounding_box()
        assert box
        assert 0 <= box["y"] <= box["y"] + box["height"] <= 391, box
    assert overflow(page) <= 0
