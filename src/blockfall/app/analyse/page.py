"""The page Analyse: a Tetris position of yours, and searches node by node."""

from nicegui import ui

from blockfall.app.analyse.position_tab import PositionTab
from blockfall.app.analyse.search_tab import SearchTab
from blockfall.app.parts import widgets


def build() -> None:
    """Lays the page out."""
    widgets.title("Analyse")
    with ui.tabs().props("align=left no-caps inline-label").classes("bf-tabs") as tabs:
        position = ui.tab("Tetris position", icon="grid_on")
        search = ui.tab("Search", icon="account_tree")
    with ui.tab_panels(tabs, value=position, animated=False).props("keep-alive").classes("bf-tab-panels"):
        with ui.tab_panel(position):
            PositionTab()
        with ui.tab_panel(search):
            SearchTab()
