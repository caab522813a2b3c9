"""The first page: an introduction, three things to do now, a playing agent, and the visitor's last games and runs."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache

from nicegui import ui

from blockfall.agents import agent
from blockfall.app.page import AppPage
from blockfall.app.parts import widgets
from blockfall.app.parts.address import link
from blockfall.app.parts.board import BoardCanvas, Picture
from blockfall.app.parts.records import RECORDS, visitor
from blockfall.app.parts.run_list import RunRow, run_rows
from blockfall.app.parts.tour import Tour
from blockfall.app.play.modes import SPRINT_LINES
from blockfall.app.review.opening import show_games
from blockfall.app.watch.watching import Watched
from blockfall.games.tetris import Game
from blockfall.store import Store, StoredReplay

_RULES, _AGENT = "guideline", "dellacherie"
_SECONDS_PER_PIECE = 0.35
_MOST_PIECES = 1_000
_SHOWN = 4
_PLAYED_FIRST = 12  # pieces: an empty board is dull
_WHAT = (
    "Blockfall is a laboratory for agents that play falling-block puzzles: Tetris under many rules, and more.",
    "Watch agents and see why they choose each placement, train your own in seconds, and rerun published studies.",
    "Play the same pieces yourself, and let an agent show you where you could have done better.",
)


def build(pages: Iterable[AppPage]) -> None:
    """Fill the page, with a link to each of these pages."""
    seed = _seed_of_the_day()
    with widgets.parts():
        with ui.column().classes("bf-grow gap-4 bf-welcome"):
            with ui.column().classes("gap-1"):
                widgets.title("Welcome to Blockfall")
                for sentence in _WHAT:
                    ui.label(sentence).classes("bf-soft")
            with ui.element("div").classes("bf-cards w-full") as to_do:
                _to_do_now(seed)
            with ui.element("div").classes("bf-lasts w-full"):
                _last_things()
            with ui.element("nav").classes("bf-doors w-full").props('aria-label="All pages"') as doors:
                for page in pages:
                    _door(page)
        with widgets.panel(f"{_AGENT} plays, seed {seed}", "bf-side bf-live") as live:
            _show_agent(seed)
    Tour(
        [
            (to_do, "Three things to do now", "Play against an agent, train your own, or see an agent's reasons."),
            (live, "An agent is playing", "Click its board to watch it, and to see why it chose each placement."),
            (
                doors,
                "All pages",
                "Share, at the top, copies a link. Point at a word with dots below it for an explanation.",
            ),
        ]
    )


def _seed_of_the_day() -> int:
    """Return the seed of the day, the same for everybody, so that results can be compared."""
    return datetime.now(UTC).date().toordinal()


def _to_do_now(seed: int) -> None:
    versus = link("/play", game="tetris", rules=_RULES, seed=seed, mode="versus", against=_AGENT)
    with _card("sports_esports", "Beat the agent on this seed", versus):
        words = ui.label(f"{_AGENT} gets the same pieces. Be first to clear {SPRINT_LINES} lines.")
        words.classes("bf-soft bf-two-lines")

    async def tell() -> None:
        pieces = await asyncio.to_thread(_pieces_of_a_sprint, seed)
        words.text = f"{_AGENT} clears {SPRINT_LINES} lines with {pieces} pieces. Be faster."

    ui.timer(0, tell, once=True)
    with _card("model_training", "Train your first agent in 10 seconds", "/train"):
        ui.label("Press Start, and an optimiser finds the weights while you watch.").classes("bf-soft bf-two-lines")
    watch = link("/watch", rules=_RULES, agent=_AGENT, seed=seed, piece=30, paused=True)
    with _card("visibility", "See why it plays like that", watch):
        ui.label("Every placement has a value, and every value has its reasons.").classes("bf-soft bf-two-lines")


@cache
def _pieces_of_a_sprint(seed: int) -> int:
    """Return the number of pieces that the agent needs to clear the lines."""
    game, player = Game(_RULES, seed=seed), agent(_AGENT)
    while not game.over and game.core.lines < SPRINT_LINES and game.core.pieces < _MOST_PIECES:
        game.play(game.choose(player))
    return game.core.pieces


def _card(icon: str, title: str, target: str) -> ui.link:
    card = ui.link(target=target).classes("bf-panel bf-card bf-do")
    with card:
        ui.icon(icon, size="2rem", color="primary")
        ui.label(title).classes("text-lg font-bold")
    return card


def _door(page: AppPage) -> None:
    with ui.link(target=page.path).classes("bf-door"):
        ui.icon(page.icon, size="1.5rem")
        with ui.column().classes("gap-0"):
            ui.label(page.title).classes("font-bold")
            ui.label(page.what).classes("bf-soft text-sm")


def _last_things() -> None:
    who = visitor()

    def read(store: Store) -> tuple[list[StoredReplay], list[RunRow]]:
        return store.replays.newest(who, _SHOWN), run_rows(store)[:_SHOWN]

    async def found() -> tuple[list[StoredReplay], list[RunRow]]:
        return await RECORDS.do(read)

    widgets.filled_later(found, _show_lasts)


def _show_lasts(found: tuple[list[StoredReplay], list[RunRow]]) -> None:
    games, runs = found
    with ui.element("div").classes("bf-parts"):
        with widgets.panel("Your last games", "bf-grow"):
            show_games(games)
        with widgets.panel("Last runs", "bf-grow"):
            _show_runs(runs)


def _show_runs(runs: list[RunRow]) -> None:
    if not runs:
        ui.label("No runs yet. The agents that you train appear here.").classes("bf-soft")
        widgets.link_button("Train", "model_training", "/train").classes("self-start")
        return
    with ui.element("ul").classes("bf-list"):
        for one in runs:
            with ui.element("li"), ui.link(target=link("/results", run=one.id)).classes("bf-list-link"):
                ui.icon("model_training")
                ui.label(one.label).classes("font-medium bf-break")
                came_to = one.state if one.mean is None else f"{one.mean:,.1f} lines"
                ui.label(f"{came_to}, {one.rules_title}").classes("bf-soft text-sm")


def _show_agent(seed: int) -> None:
    game = Watched(_RULES, agent(_AGENT), seed, history=1)
    for _ in range(_PLAYED_FIRST):
        game.step()

    def watch() -> None:
        ui.navigate.to(link("/watch", rules=_RULES, agent=_AGENT, seed=seed, piece=game.number or None))

    view = BoardCanvas(
        game.rules.columns,
        game.rules.visible_rows,
        label=f"{_AGENT} playing {_RULES}. Click to watch it",
        on_cell=lambda _, dragged: None if dragged else watch(),
    )
    view.classes("bf-clickable")
    ui.button("Watch this game", icon="visibility", on_click=watch).props("outline no-caps").classes("w-full")

    def move() -> None:
        if game.step():
            view.show(Picture(game.position.visible_rows))
        else:
            timer.deactivate()

    timer = ui.timer(_SECONDS_PER_PIECE, move)
