"""The page Play: a choice of games, and the chosen game."""

from collections.abc import Callable
from typing import Protocol

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.address import Address
from blockfall.app.parts.choices import Kept
from blockfall.app.play.any_game import AnyGamePart
from blockfall.app.play.tetris import TetrisPart
from blockfall.games import game, game_names


class GamePart(Protocol):
    """One visitor's game."""

    def pause(self) -> None:
        """Stop whatever runs by itself."""

    def leave(self) -> None:
        """End the game: the visitor went elsewhere."""


_OWN_PARTS: dict[str, Callable[[Address], GamePart]] = {"tetris": TetrisPart}
"""Games with a part of their own. All others are played by clicks."""


def build() -> None:
    """Fill the page."""
    kept, address = Kept("play"), Address()
    titles = {name: game(name).title for name in game_names()}
    parts: list[GamePart] = []

    def show(name: str) -> None:
        if parts:
            parts.pop().leave()
        place.clear()
        with place:
            parts.append(_OWN_PARTS[name](address) if name in _OWN_PARTS else AnyGamePart(game(name), address))

    def choose() -> None:
        if choice.value in titles:
            kept["game"] = choice.value
            address.turn_to(game=choice.value)
            show(choice.value)

    first = address.one_of("game", kept.one_of("game", next(iter(titles)), titles), titles)
    with ui.row().classes("items-center gap-4 w-full no-wrap"):
        widgets.title("Play")
        choice = ui.toggle(titles, value=first, on_change=choose)
        choice.props('no-caps unelevated toggle-color=primary aria-label="Game"').classes("bf-games")
    if address.get("game") not in ("", first):
        widgets.trouble(f"This link names the game {address.get('game')[:80]!r}, which is not here.")
    place = ui.element("div")
    ui.context.client.on_disconnect(lambda: parts[0].pause())
    ui.context.client.on_delete(lambda: parts[0].leave())
    show(choice.value)
