"""The page Train: a training outlives the page, and ends with the agent that the command line finds."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from blockfall.files import locked
from tests.app.conftest import PHONE, App, Visit
from tests.app.looking import answers, overflow, press
from tests.program import output_of

# A tab that is hidden, in a browser that shows notices.
NOTIFICATION = """() => {
Object.defineProperty(document, "hidden", { get: () => true });
window.Notification = class {
  static permission = "granted";
  static requestPermission = async () => "granted";
  constructor(title, { body }) { window.told = body; }
};
}"""


def fill(page: Page, name: str, **numbers: int) -> None:
    """Fill the form, with some of the budget's numbers changed."""
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_text("The budget in numbers").click()
    budget = page.locator(".q-expansion-item").filter(has_text="The budget in numbers")
    for label, value in numbers.items():
        budget.get_by_label(label.capitalize().replace("_", " "), exact=True).fill(str(value))


def start(page: Page) -> str:
    """Start the training and return its run."""
    press(page.get_by_role("button", name="Start training"))
    page.wait_for_url(re.compile(r"/train\?run=\w+"))
    return page.url.split("run=")[1]


def state(page: Page) -> Locator:
    return page.locator(".bf-stack .q-badge").first


def by_the_command_line(app: App, name: str, folder: Path, *options: str) -> bytes:
    # fmt: off
    command = ["train", "--rules", "nes-no-rotation", "--features", "soster-1", "--set", f"name='{name}'",
               "--optimiser", "cma-es", "--max-pieces", "1000", "--validation", "50", "--test", "500", *options,
               "--no-report", "--out", str(folder)]
    # fmt: on
    output_of(*command, home=app.home)
    return (folder / "agent.json").read_bytes()


def test_reloaded_in_the_middle_it_ends_as_at_the_command_line(app: App, visit: Visit, tmp_path: Path) -> None:
    page = visit("/train")
    fill(page, "reloaded", iterations=25, training=20)
    run = start(page)
    page.reload()
    expect(page.locator(".bf-stack .text-lg")).to_have_text("reloaded")
    expect(state(page)).to_have_text("finished")
    expect(page.get_by_text(re.compile(r"\d+\.\d\d ± \d+\.\d\d lines per test game"))).to_be_visible()
    watch = page.get_by_role("link", name="Watch it play")
    expect(watch).to_have_attribute("href", f"/watch?agent=run:{run}&rules=nes-no-rotation")
    watch.click()
    expect(page.get_by_text("reloaded").first).to_be_visible()
    agent = (app.home / "runs" / run / "agent.json").read_bytes()
    assert agent == by_the_command_line(app, "reloaded", tmp_path / "other", "--iterations", "25", "--training", "20")


def test_a_preset_fills_the_form_which_survives_a_reload(visit: Visit) -> None:
    page = visit("/train")
    page.get_by_role("button", name="A swarm, as published: 10.0 lines").click()
    expect(page.get_by_role("combobox", name="Trained by")).to_have_value("Particle swarm optimisation")
    fill(page, "kept", restarts=3, iterations=4, training=2, validation=2, test=10)
    games = 3 * (4 * 30 * 2 + 2) + 10  # three swarms of 30
    expect(page.get_by_role("status").filter(has_text=re.compile(rf"^{games} games\."))).to_be_visible()
    page.reload()
    answers(page)
    expect(page.get_by_label("Name", exact=True)).to_have_value("kept")
    expect(page.get_by_label("Restarts", exact=True)).to_have_value("3")
    run = start(page)
    expect(state(page)).to_have_text("finished")
    # Three restarts over each other, with their mean.
    expect(page.get_by_role("img", name="Fitness by iteration")).to_contain_text("mean of the restarts")
    expect(page.get_by_text("The best in training was")).to_contain_text(
        "the luckiest of 360 tries on the same 2 games"
    )
    other = visit(f"/train?like={run}")
    expect(other.get_by_label("Name", exact=True)).to_have_value("kept")
    expect(other.get_by_role("combobox", name="Trained by")).to_have_value("Particle swarm optimisation")


def test_a_preset_is_a_link(visit: Visit) -> None:
    page = visit("/train?preset=swarm")
    expect(page.get_by_role("combobox", name="Trained by")).to_have_value("Particle swarm optimisation")


def test_a_notice_on_any_page_when_a_training_ends(app: App, visit: Visit, tmp_path: Path) -> None:
    page = visit("/train")
    page.evaluate(NOTIFICATION)
    page.get_by_role("switch", name="Notify me outside this tab").click()
    page.wait_for_timeout(3500)  # it has looked once
    sizes = ("--iterations", "2", "--training", "2")
    by_the_command_line(app, "told", tmp_path / "told", *sizes)
    expect(page.get_by_text("told is trained:")).to_be_visible()
    page.wait_for_function("window.told?.startsWith('told is trained')")


def test_stop_and_resume(visit: Visit) -> None:
    page = visit("/train")
    fill(page, "stopped", iterations=3000)
    start(page)
    done = page.locator(".bf-facts .bf-fact").nth(1)
    expect(done).to_have_text(re.compile(r"^[1-9]\d* of 3000"))
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(state(page)).to_have_text("stopped")
    kept = int((done.text_content() or "").split()[0])
    page.get_by_role("button", name="Resume").click()
    expect(state(page)).to_have_text("running")
    page.wait_for_function(
        "kept => parseInt(document.querySelectorAll('.bf-facts .bf-fact')[1].textContent) > kept", arg=kept
    )
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(state(page)).to_have_text("stopped")


def test_impossible_settings_are_reported(visit: Visit) -> None:
    page = visit("/train")
    fill(page, "too much", iterations=20, restarts=0)
    expect(page.get_by_text("It must be a whole number from 1 to 100.")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Please correct: Restarts")).to_be_visible()
    expect(page.get_by_role("button", name="Start training")).to_be_disabled()
    page.get_by_label("Restarts", exact=True).fill("1")
    expect(page.get_by_role("status").filter(has_text=re.compile(r"^[\d,]+ games\."))).to_be_visible()
    expect(page.get_by_role("button", name="Start training")).to_be_enabled()


def test_errors_of_a_training_appear_at_the_training(app: App, visit: Visit) -> None:
    page = visit("/train?like=nobody")
    form = page.get_by_role("region", name="New training")
    expect(form.get_by_role("alert").filter(has_text="Unknown run 'nobody'")).to_be_visible()
    for number in range(2):  # as many as may run at once
        (app.home / "runs" / f"busy-{number}").mkdir(parents=True)
    with locked(app.home / "runs" / "busy-0"), locked(app.home / "runs" / "busy-1"):
        expect(page.get_by_role("button", name="Start training")).to_be_enabled()
        page.get_by_role("button", name="Start training").click()
        expect(form.get_by_role("alert").filter(has_text="2 trainings or studies are running")).to_be_visible()
    expect(page.locator(".q-notification")).to_have_count(0)


def test_a_network_learns_through_the_same_form(visit: Visit) -> None:
    page = visit("/train")
    page.get_by_role("combobox", name="Trained by").click()
    page.get_by_role("option", name="Q-learning of a network (n-step)").click()
    expect(page.get_by_label("Hidden layers")).to_have_value("32, 32, 32")
    expect(page.get_by_text("Settings of n-step")).to_be_visible()
    fill(page, "network", stages=2, training=2, validation=4, test=10, max_pieces=100)
    page.get_by_text("Settings of n-step").click()
    page.get_by_label("Actions", exact=True).fill("2000")
    page.get_by_label("Warm up", exact=True).fill("500")
    start(page)
    expect(state(page)).to_have_text("finished")


def test_a_phone_shows_the_training_first(visit: Visit) -> None:
    page = visit("/train", PHONE)
    fill(page, "phone", iterations=2, training=2, validation=2, test=10)
    start(page)
    expect(state(page)).to_have_text("finished")
    boxes = [page.get_by_role("region", name=name).bounding_box() for name in ("Trainings", "New training")]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["y"] < boxes[1]["y"]
    assert overflow(page) <= 0
