"""The page Results: runs, studies and tournaments; one of them, or several runs compared.

The address says what is shown, so that it can be reloaded, returned to and shared.
"""

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.address import Address
from blockfall.app.results import comparison, run, runs, studies, tournaments


def build() -> None:
    """Build the view that the page's address asks for."""
    address = Address()
    if run_id := address.get("run"):
        run.build(run_id)
    elif compared := address.get("compare"):
        comparison.build(compared.split(","))
    elif study := address.get("study"):
        studies.build_one(study)
    elif tournament := address.get("tournament"):
        tournaments.build_one(tournament)
    else:
        _everything(address)


def _everything(address: Address) -> None:
    widgets.title("Results", "Trainings, the five published studies run again, and tournaments.")
    with ui.tabs().props("no-caps align=left inline-label").classes("bf-tabs") as tabs:
        ui.tab("runs", "Runs", icon="model_training")
        ui.tab("studies", "Studies", icon="menu_book")
        ui.tab("tournaments", "Tournaments", icon="emoji_events")
    first = address.one_of("show", "runs", ("studies", "tournaments"))
    with ui.tab_panels(tabs, value=first, animated=False).classes("bf-tab-panels"):
        with ui.tab_panel("runs"):
            runs.build(address)
        with ui.tab_panel("studies"):
            studies.build()
        with ui.tab_panel("tournaments"):
            tournaments.build()
    tabs.on_value_change(lambda: address.turn_to(show=None if tabs.value == "runs" else tabs.value))
