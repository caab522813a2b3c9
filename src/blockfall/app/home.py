"""The first page: an agent that plays, and a card for each other page."""

from collections.abc import Iterable

from nicegui import ui

from blockfall.agents import agent
from blockfall.app.page import Page
from blockfall.app.parts import widgets
from blockfall.app.parts.board import BoardCanvas, Picture
from blockfall.games.painting import PaintedBoard
from blockfall.games.tetris import Game

_RULES, _AGENT = "guideline", "dellacherie"
_SECONDS_PER_PIECE = 0.35


def build(pages: Iterable[Page]) -> None:
    """Fills the page, with one card per page."""
    with widgets.parts():
        with ui.column().classes("bf-grow gap-4"):
            widgets.title("Blockfall", "A laboratory for agents that play falling-block puzzles.")
            with ui.element("div").classes("bf-cards w-full"):
                for page in pages:
                    _card(page)
        with widgets.panel(f"{_AGENT} on {_RULES}", "bf-side"):
            _show_agent()


def _card(page: Page) -> None:
    with ui.link(target=page.path).classes("bf-panel bf-card"):
        with ui.row().classes("items-center gap-2 no-wrap"):
            ui.icon(page.icon, size="1.75rem", color="primary")
            ui.label(page.title).classes("text-lg font-bold")
        ui.label(page.what).classes("bf-soft")


def _show_agent() -> None:
    player = agent(_AGENT)
    game = Game(_RULES, seed=1)
    painted = PaintedBoard(game.rules.columns, game.rules.rows)
    view = BoardCanvas(game.rules.columns, game.rules.visible_rows, label=f"{_AGENT} playing {_RULES}")

    def move() -> None:
        if game.over:
            timer.deactivate()
            return
        placement = game.choose(player)
        painted.lock(placement)
        game.play(placement)
        rows = painted.rows[: game.rules.visible_rows]
        view.show(Picture(["".join(row) for row in reversed(rows)]))

    timer = ui.timer(_SECONDS_PER_PIECE, move)
