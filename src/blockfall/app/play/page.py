"""The page Play: which game, and then its own part."""

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.choices import Kept
from blockfall.app.play.clicking import title_of
from blockfall.app.play.hopeless import HopelessPart
from blockfall.app.play.tetris import TetrisPart
from blockfall.games import scoring, scorings

_TETRIS = "tetris"


def build() -> None:
    kept = Kept("play")
    games = {_TETRIS: "Tetris"} | {name: title_of(one) for name, one in scorings().items()}
    parts: list[TetrisPart | HopelessPart] = []

    def show(game: str) -> None:
        if parts:
            parts.pop().leave()
        place.clear()
        with place:
            parts.append(TetrisPart() if game == _TETRIS else HopelessPart(scoring(game)))

    def choose() -> None:
        if choice.value in games:
            kept["game"] = choice.value
            show(choice.value)

    with ui.row().classes("items-center gap-4 w-full"):
        widgets.title("Play")
        choice = ui.toggle(games, value=kept.one_of("game", _TETRIS, games), on_change=choose)
        choice.props('no-caps unelevated toggle-color=primary aria-label="Game"').classes("bf-games")
    place = ui.element("div")
    ui.context.client.on_disconnect(lambda: [part.pause() for part in parts])
    ui.context.client.on_delete(lambda: [part.leave() for part in parts])
    show(choice.value)
