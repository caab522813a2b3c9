"""The page Review in a real browser: step through a game, see grades, retry, download and upload it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from blockfall.agents import agent
from blockfall.app.review.first_games import FIRST_GAMES, FirstGame, ended
from blockfall.app.review.reviewing import Grade, Review, agents_game
from blockfall.games import Replay
from blockfall.rulesets import rules
from tests.app.conftest import Visit
from tests.app.looking import (
    answers,
    canvas,
    comes_to,
    fact,
    middle_of,
    resting_picture,
    rows_become,
    shown_cells,
    shown_rows,
)
from tests.app.test_links import address_has, query

GAME = "/review?rules=nes&agent=ist-h1&seed=5&pieces=25&by=bcts"


def expected() -> Review:
    review = Review(agents_game(rules("nes"), agent("ist-h1"), 5, 25), agent("bcts"))
    review.judge(25)
    return review


def shows(page: Page, review: Review, at: int) -> None:
    judged = review.judged[at]
    expect(fact(page, "Piece")).to_have_text(str(at + 1))
    rows_become(page, review.steps[at].rows)
    assert sorted(shown_cells(page, "falling")) == sorted(judged.placement.cells)
    assert sorted(shown_cells(page, "ghost")) == sorted(() if judged.placement == judged.best else judged.best.cells)
    expect(page.locator(".bf-verdict")).to_have_text(re.compile(f"^{review.grades()[at].capitalize()}:"))


def test_a_game_is_stepped_through_and_graded(visit: Visit, tmp_path: Path) -> None:
    review = expected()
    page = visit(GAME + "&piece=3")
    shows(page, review, 2)
    expect(fact(page, "Accuracy")).to_have_text(f"{review.accuracy():.0f} %")
    for grade, count in review.counts().items():
        expect(fact(page, grade.capitalize())).to_have_text(str(count))
    page.get_by_role("button", name="Forward").click()
    shows(page, review, 3)
    page.get_by_role("button", name="Next mistake").click()
    bad = [at for at, grade in enumerate(review.grades()) if grade in (Grade.MISTAKE, Grade.BLUNDER) and at > 3]
    shows(page, review, bad[0])
    curve = page.locator(".bf-curve")
    box = curve.bounding_box()
    assert box
    curve.click(position={"x": box["width"] * 20 / 24, "y": 10})
    shows(page, review, 20)
    address_has(page, piece="21", by="bcts")

    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download").click()
    file = tmp_path / "game.jsonl"
    waiting.value.save_as(file)
    assert Replay.read(file).placements == review.replay.placements

    page.get_by_role("link", name="Another game").click()
    page.wait_for_url(re.compile("/review$"))
    answers(page).get_by_role("textbox", name="Or paste it here").fill("nonsense")
    page.get_by_role("button", name="Review it").first.click()
    expect(page.get_by_text(re.compile("This game cannot be shown: .*not JSON"))).to_be_visible()
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".bf-verdict")).to_have_text(re.compile(r"\w"))
    assert re.fullmatch("[0-9a-f]{12}", query(page)["game"])
    comes_to(lambda: bool(shown_rows(page)), True)


def test_a_position_is_tried_again(visit: Visit) -> None:
    review = expected()
    page = visit(GAME + "&piece=11")
    shows(page, review, 10)
    page.get_by_role("button", name="Retry from here").click()
    expect(page.get_by_text("Your turn")).to_be_visible()
    comes_to(lambda: len(shown_cells(page, "falling")), 4)  # shows the piece before anybody points
    cell = middle_of(page, (4, 5))
    canvas(page).hover(position=cell)
    comes_to(lambda: len(shown_cells(page, "lit")), 4)
    canvas(page).click(position=cell)
    expect(page.locator(".bf-verdict")).to_have_text(re.compile("^(Best|Good|Mistake|Blunder):"))
    expect(fact(page, "Piece")).to_have_text("12")
    page.get_by_role("button", name="Back to the game").click()
    shows(page, review, 10)
    page.get_by_role("button", name="Analyse").click()
    page.wait_for_url(re.compile("/analyse"))
    comes_to(lambda: query(page).get("piece"), review.judged[10].placement.piece)
    rows = [row.replace(".", " ").translate(str.maketrans("IOTSZJL", "#######")) for row in review.steps[10].rows]
    comes_to(lambda: [row.replace(".", " ") for row in shown_rows(page)], rows)


def test_no_piece_is_placed_out_of_sight(visit: Visit) -> None:
    """The third column is full to the top: a piece there would end the game out of sight."""
    page = visit("/review?rules=guideline&agent=ist-h1&seed=3&pieces=60&by=dellacherie&piece=46")
    expect(fact(page, "Piece")).to_have_text("46")
    page.get_by_role("button", name="Retry from here").click()
    expect(page.get_by_text("Your turn")).to_be_visible()
    canvas(page).hover(position=middle_of(page, (2, 5)))
    comes_to(lambda: any(y < 20 for _, y in shown_cells(page, "lit")), True)


@pytest.mark.parametrize("one", FIRST_GAMES, ids=lambda one: one.agent)
def test_a_sample_game_is_what_its_card_says(one: FirstGame) -> None:
    replay = agents_game(rules(one.rules), agent(one.agent), one.seed, 150)
    review = Review(replay, agent(one.by))
    review.judge(150)
    blunders = review.counts()[Grade.BLUNDER]
    board, how = ended(one)
    assert f"{len(replay.placements)} pieces" in how
    last, placement = list(replay.steps())[-1]
    last = last.copy()
    last.play(placement)
    assert board.count("<rect") == "".join(str(last.board).splitlines()[-20:]).count("#")
    said = {
        "Lost early": len(replay.placements) < 60,
        "Pieces cannot turn": len({placement.shape for placement in replay.placements}) == 1,
        "Many blunders, still alive": blunders > 10 and len(replay.placements) == 150,
        "Two good players disagree": blunders == 0 and review.accuracy() < 100,
    }
    assert said[one.title]


def test_a_sample_game_opens(visit: Visit) -> None:
    page = visit("/review")
    games = page.get_by_role("region", name="Sample games").get_by_role("link")
    expect(games).to_have_count(len(FIRST_GAMES))
    games.filter(has_text="Lost early").click()
    expect(page.get_by_text("ist-h1 · Guideline Tetris, seed 3")).to_be_visible()
    address_has(page, by="dellacherie", pieces="150")


def test_a_missing_game_is_reported(visit: Visit) -> None:
    expect(visit("/review?game=000000000000").get_by_text("This game cannot be shown")).to_be_visible()
    expect(visit("/review?rules=chess&agent=lee").get_by_text("there are no rules 'chess' here")).to_be_visible()
    expect(visit(GAME.replace("by=bcts", "by=nobody")).get_by_text("the agent 'nobody', which is not")).to_be_visible()


def test_watch_leads_to_review_and_analyse(visit: Visit) -> None:
    page = visit("/watch?rules=nes&agent=lee&seed=5&piece=9&paused=yes")
    expect(fact(page, "Pieces")).to_have_text("9")
    rows = resting_picture(page)["rows"]
    page.get_by_role("button", name="Analyse this position").click()
    page.wait_for_url(re.compile("/analyse"))
    filled = [re.sub("[A-Z]", "#", row) for row in rows]
    rows_become(page, filled)
    page.go_back()
    expect(fact(page, "Pieces")).to_have_text("9")
    page.get_by_role("button", name="Review this game").click()
    page.wait_for_url(re.compile("/review"))
    expect(page.get_by_text("lee · ")).to_be_visible()


def test_a_lost_game_of_tetris_is_reviewed(visit: Visit) -> None:
    page = visit("/play?game=tetris&rules=guideline&seed=11")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".bf-cover")).to_be_hidden()
    link = page.get_by_role("link", name="Review the game")
    for _ in range(60):
        page.keyboard.press("Space")
        page.wait_for_timeout(50)
        if link.is_visible():
            break
    link.click()
    expect(page.locator(".bf-verdict")).to_have_text(re.compile(r"\w"))
    expect(page.get_by_text("you · Guideline Tetris, seed 11")).to_be_visible()
    page.goto(page.url.split("?")[0])
    expect(page.get_by_role("region", name="Your last games").get_by_role("link").first).to_be_visible()
