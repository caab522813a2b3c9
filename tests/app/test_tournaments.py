"""Tournaments on the page Results: the list, the table that follows the games, the files, and a replay on Watch."""

import io
import json
import random
import urllib.error
import urllib.request

import openpyxl
import pytest
from playwright.sync_api import expect

from blockfall.server.rounds import Rounds
from blockfall.server.tournament import RunningGame, Tournament
from tests.app.conftest import App, Visit
from tests.app.looking import comes_to, shown_rows
from tests.app.test_accessibility import everybody_can_use

NAME = "a class <b>of</b>"


def ended(rounds: Rounds, name: str, seed: int) -> None:
    keys = random.Random(seed)
    assert rounds.admit(name) == ""
    game = rounds.begin(name)
    while not game.over:
        game.step(keys.choice("adws"))
    rounds.end(game, left=False).result()


def test_the_table_follows_the_games(app: App, visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKFALL_HOME", str(app.home))
    page = visit("/results?show=tournaments")
    expect(page.get_by_text("No tournaments yet. Here is how to hold one.")).to_be_visible()
    page.get_by_role("region", name="Agents to beat").get_by_role("link", name="dt-10").click()
    page.wait_for_url("**/watch?rules=aveiro&agent=dt-10*")
    with Rounds(Tournament.open("spring", 4, 2, 30, 0)) as rounds:
        ended(rounds, "ann", 1)
        page = visit("/results?show=tournaments")
        expect(page.get_by_role("link", name="spring")).to_contain_text("1 player, 1 game.")
        page.get_by_role("link", name="spring").click()
        page.get_by_text("2 games of at most 30 pieces each").wait_for()
        rows = page.get_by_role("region", name="Table").locator("tbody tr")
        expect(rows).to_have_count(1)
        ended(rounds, NAME, 2)
        rounds.tournament.playing = [RunningGame(player="ann", round=2, score=7, pieces=9)]
        rounds.tournament.write_now()
        expect(rows).to_have_count(2)  # without a reload
        expect(page.get_by_text("game 2: 7 points")).to_be_visible()
        expect(rows.filter(has_text=NAME)).to_have_count(1)
        assert page.locator("tbody b").count() == 0
    for path, said in (("tournament=spring", "2 games of at most"), ("show=tournaments", "2 players")):
        looked = visit(f"/results?{path}")
        looked.get_by_text(said).wait_for()
        everybody_can_use(looked)
    page.get_by_role("link", name="Watch", exact=True).last.click()
    page.wait_for_url("**/review?tournament=spring&game=1")
    comes_to(lambda: bool(shown_rows(page)), True)
    expect(page.get_by_text("ann", exact=False).first).to_be_visible()


def test_files(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKFALL_HOME", str(app.home))
    with Rounds(Tournament.open("files", 4, 2, 30, 0)) as rounds:
        ended(rounds, "ann", 1)

    def get(path: str) -> bytes:
        with urllib.request.urlopen(app.url.rstrip("/") + path) as answer:
            return bytes(answer.read())

    assert openpyxl.load_workbook(io.BytesIO(get("/files/tournaments/files/xlsx"))).sheetnames == ["Table", "Games"]
    assert json.loads(get("/files/tournaments/files/json"))["table"][0]["name"] == "ann"
    for path in ("nope/xlsx", "..%2f..%2fx/json", "files/html"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(f"/files/tournaments/{path}")
