"""Cards that explain words, menus of agents by strength, and the tour of a first visit."""

import re
from html import escape

import pytest
from playwright.sync_api import expect

from blockfall.agents import agent, agent_names
from blockfall.app.parts import cards, menus
from blockfall.app.parts.strengths import lines_in_words, strength
from blockfall.features import built_in_features, find_feature
from blockfall.learning import METHODS
from blockfall.optimisers import OPTIMISERS
from blockfall.rulesets import rules, rules_names
from blockfall.search import algorithms, core_algorithms
from tests.app.conftest import Visit

EVERYTHING = {
    "feature": [one.name for one in built_in_features()],
    "rules": rules_names(),
    "agent": agent_names(),
    "optimiser": [*OPTIMISERS, *METHODS],
    "algorithm": list(algorithms()),
}
BESIDE_THE_MENU = """() => {
  const [card, menu] = ["#bf-card", ".q-menu"].map((one) => document.querySelector(one).getBoundingClientRect());
  return card.width && menu.width && (card.left >= menu.right || card.right <= menu.left);
}"""


@pytest.mark.parametrize("kind", EVERYTHING)
def test_everything_has_a_card(kind: str) -> None:
    for name in EVERYTHING[kind]:
        html = cards.card(kind, name)
        assert html is not None, name
        assert re.search(r"<p>\w[^<]{8,}</p>", html), name
        if kind in ("feature", "rules"):
            assert "<svg" in html


def test_nothing_else_has_a_card() -> None:
    for kind, name in (
        ("feature", "none"),
        ("rules", "../x"),
        ("agent", "/etc/passwd"),
        ("x", "y"),
        ("rules", "a" * 99),
    ):
        assert cards.card(kind, name) is None


def test_a_card_escapes_what_it_shows() -> None:
    shown = cards.term("feature", '"><script>')
    assert 'data-card="feature/&quot;&gt;&lt;script&gt;">&quot;&gt;&lt;script&gt;</span>' in shown


@pytest.mark.parametrize("name", [*OPTIMISERS, *METHODS])
def test_a_trainers_card_says_in_a_sentence_what_it_does(name: str) -> None:
    shown = cards.card("optimiser", name) or ""
    said = cards.trainer_in_words(name)
    assert escape(said) in shown
    assert len(said.split()) > 8
    assert "`" not in said
    assert "module" not in said
    assert ("<svg" in shown) is (name in OPTIMISERS)


@pytest.mark.parametrize("name", core_algorithms())
def test_an_algorithms_card_draws_its_search_and_says_what_it_promises(name: str) -> None:
    shown, one = cards.card("algorithm", name) or "", core_algorithms()[name]
    assert escape(one.textbook) in shown
    assert escape(one.promise) in shown
    assert (shown.count("<circle") > 2) is not one.undoes


def test_agents_are_sorted_by_strength_under_the_rules() -> None:
    """docs/agents.md and docs/records.md: noro-large is the strongest without rotation, dt-10 on 10x10 boards."""
    without = list(menus.agent_choices("nes-no-rotation-timed"))
    assert without[0] == "noro-large"
    assert without.index("birken-6") < without.index("ist-h1")
    small = list(menus.agent_choices("standard-10x10"))
    assert small.index("dt-10") < small.index("lee") < small.index("ist-h1")
    assert sorted(without) == sorted(small) == sorted(agent_names())
    assert strength("no-such-rules", "lee")[0] == strength("no-such-rules", "bcts")[0]


@pytest.mark.parametrize("rules_name", ["standard", "guideline", "aveiro", "nes"])
def test_agents_that_always_reach_the_limit_are_sorted_as_the_menu_says(rules_name: str) -> None:
    """Agents whose every game reached the piece limit come first, by their lines on 10x10; then the others by lines."""
    listed = [name for name in menus.agent_choices(rules_name) if agent(name).rules != rules_name]
    notes = [lines_in_words(rules_name, name) for name in listed]
    plays_on = [note.startswith("plays on after 1,000 pieces") for note in notes]
    assert plays_on == sorted(plays_on, reverse=True)
    for group in (True, False):
        said = [re.search(r"([\d,.]+) lines", note) for note, one in zip(notes, plays_on, strict=True) if one is group]
        numbers = [float(found[1].replace(",", "")) if found else -1 for found in said]
        assert len(numbers) > 3
        assert numbers == sorted(numbers, reverse=True)


def test_an_agents_note_says_who_when_and_how_strong() -> None:
    assert menus.agent_note("bcts", "nes-no-rotation").startswith("Thiery & Scherrer 2009 · knows 1 piece · ")
    assert menus.agent_note("birken-6", "nes-no-rotation").startswith("Birken · knows 2 pieces · ")
    assert re.fullmatch(r"\d+\.\d lines", lines_in_words("nes-no-rotation", "birken-6"))
    assert lines_in_words("standard", "bcts") == "plays on after 1,000 pieces; 3,894 lines on 10x10"
    assert lines_in_words("ist", "bcts") == ""


def test_cards_show_on_a_page(visit: Visit) -> None:
    page = visit("/watch?rules=standard&agent=lee&seed=3&piece=5&paused=yes")
    page.get_by_text("holes-before-removal", exact=True).hover()
    card = page.get_by_role("tooltip").locator("visible=true")
    expect(card).to_contain_text(find_feature("holes-before-removal").definition)
    expect(card.locator("svg")).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    page.get_by_role("button", name="What is this?").first.click()
    expect(card).to_contain_text(rules("standard").title)
    page.keyboard.press("Escape")
    page.get_by_role("combobox", name="Agent").click()
    option = page.get_by_role("option", name="bcts", exact=True)
    expect(option).to_contain_text("Thiery & Scherrer 2009")
    option.hover()
    expect(card).to_contain_text("Building Controllers for Tetris")


@pytest.mark.parametrize(
    ("path", "menu", "entry", "said"),
    [
        ("/train", "Trained by", "Genetic algorithm", "children get the mean of good candidates"),
        ("/analyse?show=search", "Algorithm", "breadth-first", "The fewest moves."),
        ("/play?game=hopeless", "Algorithm", "beam", "The most promising states of each layer."),
    ],
)
def test_an_entry_of_a_menu_shows_its_card_beside_the_menu(
    visit: Visit, path: str, menu: str, entry: str, said: str
) -> None:
    page = visit(path)
    page.get_by_role("combobox", name=menu, exact=True).locator("visible=true").click()
    page.get_by_role("option", name=entry, exact=True).hover()
    card = page.get_by_role("tooltip").locator("visible=true")
    expect(card).to_contain_text(said)
    expect(card.locator("svg")).to_be_visible()
    page.wait_for_function(BESIDE_THE_MENU)


def test_a_card_goes_with_its_entry(visit: Visit) -> None:
    """Menus scroll and take focus while they open. Both used to close a card that the mouse had opened."""
    page = visit("/analyse")
    page.get_by_role("combobox", name="Agent").click()
    option = page.get_by_role("option", name="dellacherie", exact=True)
    option.hover()
    card = page.get_by_role("tooltip").locator("visible=true")
    expect(card).to_contain_text("Dellacherie")
    page.evaluate("() => { document.dispatchEvent(new Event('scroll')); document.activeElement.blur(); }")
    page.wait_for_timeout(300)
    expect(card).to_contain_text("Dellacherie")
    page.mouse.wheel(0, 5000)
    expect(option).not_to_be_in_viewport()
    expect(card.filter(has_text="Dellacherie")).to_have_count(0)


def test_the_tour_is_shown_once(visit: Visit) -> None:
    page = visit("/")
    tour = page.get_by_role("region", name="Tour")
    for step in (1, 2, 3):
        expect(tour).to_contain_text(f"Step {step} of 3")
        expect(page.locator(".bf-tour-here")).to_have_count(1)
        tour.get_by_role("button", name="Done" if step == 3 else "Next").click()
    expect(tour).to_have_count(0)
    page.reload()
    expect(page.get_by_role("heading", name="Welcome to Blockfall")).to_be_visible()
    expect(tour).to_have_count(0)
