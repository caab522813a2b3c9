"""Puzzles: the data file, ratings, and the page in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from blockfall.agents import agent
from blockfall.app.parts.placing import Placing
from blockfall.app.puzzles.solving import (
    FIRST_RATING,
    STEP,
    Puzzle,
    neighbours,
    next_puzzle,
    puzzle,
    puzzles,
    rating_after,
    rating_of,
)
from blockfall.errors import BlockfallError
from blockfall.games.explanation import explain
from blockfall.store import Attempt
from tests.app.conftest import Visit
from tests.app.looking import canvas, comes_to, fact, middle_of, shown_cells
from tests.app.test_links import address_has


def test_there_are_puzzles_of_every_strength() -> None:
    found = list(puzzles().values())
    assert len(found) >= 60
    assert {one.rules for one in found} >= {"standard", "nes", "guideline"}
    assert min(one.rating for one in found) < 1100 < 1900 < max(one.rating for one in found)


@pytest.mark.parametrize("one", list(puzzles().values())[::6], ids=lambda one: str(one.id))
def test_the_solution_is_what_both_judges_play_and_far_ahead(one: Puzzle) -> None:
    """tools/make_puzzles.py promises a lead of half a unit over the second best, and of one unit over the obvious."""
    game = one.game()
    judges = [agent(name).knowing(2) for name in ("bcts", "dt-20")]
    assert all(frozenset(game.choose(judge).cells) == one.best for judge in judges)
    assert frozenset(game.choose("lee").cells) == one.obvious
    values = [each.value for each in explain(game, judges[0])]
    assert values[0] is not None
    assert values[1] is not None
    alive = sorted(value for value in values if value is not None)
    middle = (alive[(len(alive) - 1) // 2] + alive[len(alive) // 2]) / 2
    assert values[0] - values[1] >= 0.5 * (values[0] - middle) > 0


def test_ratings_are_elo_ratings() -> None:
    """400 points mean odds of ten to one."""
    assert rating_after(1600, 1200, solved=True) == pytest.approx(1600 + STEP / 11)
    assert rating_after(1200, 1600, solved=True) == pytest.approx(1200 + STEP * 10 / 11)
    assert rating_after(1200, 1600, solved=False) == pytest.approx(1200 - STEP / 11)


def test_the_next_puzzle_is_a_new_one_near_the_rating() -> None:
    first = next_puzzle([])
    assert abs(first.rating - FIRST_RATING) == min(abs(one.rating - FIRST_RATING) for one in puzzles().values())
    strong = [Attempt(first.id, True, 1950.0)]
    assert rating_of(strong) == 1950
    assert next_puzzle(strong).rating >= 1860
    all_tried = [Attempt(name, True, 1500.0) for name in puzzles()]
    assert next_puzzle(all_tried).id == all_tried[0].puzzle
    with pytest.raises(BlockfallError, match="puzzle"):
        puzzle("none")


def place(page: Page, one: Puzzle, cells: frozenset[tuple[int, int]]) -> None:
    """Turn the piece to fit these cells, point at them, and click once they light up."""
    expect(page.get_by_text("Where does the piece go?")).to_be_visible()
    x, y = (round(sum(part) / 4) for part in zip(*cells, strict=True))
    placing = Placing(one.game().placements())
    for _ in range(4):
        for column in (x, x - 1, x + 1):
            found = placing.at((column, y))
            if found and frozenset(found.cells) == cells:
                spot = middle_of(page, (column, y))
                canvas(page).hover(position=spot)
                comes_to(lambda: frozenset(shown_cells(page, "lit")), cells)
                canvas(page).click(position=spot)
                return
        placing.turn()
        page.get_by_role("button", name="Turn the piece").click()
    raise AssertionError(f"{sorted(cells)} cannot be pointed at")


def test_a_puzzle_is_solved_and_the_rating_is_kept(visit: Visit) -> None:
    one = next(each for each in puzzles().values() if each.rules == "standard")
    page = visit(f"/puzzles?puzzle={one.id}")
    expect(fact(page, "Rating")).to_have_text("1200")
    place(page, one, one.best)
    expect(page.get_by_text("Solved!")).to_be_visible()
    rating = f"{rating_after(1200, one.rating, solved=True):.0f}"
    expect(fact(page, "Rating")).to_have_text(rating)
    expect(page.get_by_role("region", name="Why")).to_contain_text("against the obvious one")
    page.get_by_role("button", name="Next puzzle").click()
    expect(page.get_by_text("Where does the piece go?")).to_be_visible()
    following = next_puzzle([Attempt(one.id, True, float(rating))], but=one.id)
    address_has(page, puzzle=following.id)
    page.get_by_role("button", name="Show the solution").click()
    comes_to(lambda: frozenset(shown_cells(page, "ghost")), following.best)
    page.reload()
    expect(fact(page, "Tried")).to_have_text("2")
    expect(fact(page, "Solved")).to_have_text("1")


def test_puzzles_of_a_similar_rating_are_offered(visit: Visit) -> None:
    one, *_ = puzzles().values()
    near = neighbours(one, 8)
    assert max(abs(other.rating - one.rating) for other in near) <= min(
        abs(other.rating - one.rating) for other in puzzles().values() if other is not one and other not in near
    )
    page = visit(f"/puzzles?puzzle={one.id}")
    page.get_by_role("button", name="Show the solution").click()
    expect(fact(page, "Tried")).to_have_text("1")
    others = page.get_by_role("navigation", name="Other puzzles").get_by_role("link")
    expect(others).to_have_text([str(other.rating) for other in near])
    others.first.click()
    address_has(page, puzzle=near[0].id)
    expect(others.filter(has_text=f"{one.rating}, missed")).to_have_count(1)


def test_an_unknown_puzzle_says_so(visit: Visit) -> None:
    expect(visit("/puzzles?puzzle=none").get_by_text("the puzzle 'none', which is not here")).to_be_visible()
