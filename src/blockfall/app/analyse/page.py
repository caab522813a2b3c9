"""The page Analyse: a Tetris position of your own, and searches node by node."""

from nicegui import ui

from blockfall.app.analyse.position_tab import PositionTab
from blockfall.app.analyse.search_tab import SearchTab
from blockfall.app.parts import widgets
from blockfall.app.parts.address import Address


def build() -> None:
    """Lay out the page."""
    address = Address()
    widgets.title("Analyse")
    with ui.tabs().props("align=left no-caps inline-label").classes("bf-tabs") as tabs:
        ui.tab("position", "Tetris position", icon="grid_on")
        ui.tab("search", "Search", icon="account_tree")
    first = "search" if address.get("show") == "search" else "position"
    panels = ui.tab_panels(tabs, value=first, animated=False).props("keep-alive").classes("bf-tab-panels")
    with panels:
        with ui.tab_panel("position"):
            position = PositionTab(address if first == "position" else None)
        with ui.tab_panel("search"):
            search = SearchTab(address if first == "search" else None)

    def turn() -> None:
        """Let the address describe the open tab only."""
        position.address = search.address = None
        if tabs.value == "search":
            address.turn_to(show="search", **search.in_address())
            search.address = address
        else:
            address.turn_to(**position.in_address())
            position.address = address

    tabs.on_value_change(turn)
