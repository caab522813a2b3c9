"""The page Results: all runs and the five studies; one run, some runs compared, or one study.

What is shown is in the address, so that it can be reloaded, gone back to and sent to others.
"""

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.address import Address
from blockfall.app.results import comparison, run, runs, studies


def build() -> None:
    """Builds the view that the page's address asks for."""
    address = Address()
    if run_id := address.get("run"):
        run.build(run_id)
    elif compared := address.get("compare"):
        comparison.build(compared.split(","))
    elif study := address.get("study"):
        studies.build_one(study)
    else:
        _everything(address)


def _everything(address: Address) -> None:
    widgets.title("Results", "What was trained, and the five published studies run again.")
    with ui.tabs().props("no-caps align=left inline-label").classes("bf-tabs") as tabs:
        ui.tab("runs", "Runs", icon="model_training")
        ui.tab("studies", "Studies", icon="menu_book")
    first = "studies" if address.get("show") == "studies" else "runs"
    with ui.tab_panels(tabs, value=first, animated=False).classes("bf-tab-panels"):
        with ui.tab_panel("runs"):
            runs.build(address)
        with ui.tab_panel("studies"):
            studies.build()
    tabs.on_value_change(lambda: address.turn_to(show="studies" if tabs.value == "studies" else None))
