"""The page Results: all runs and the five studies; one run, some runs compared, or one study.

What is shown is in the address, so that it can be reloaded, gone back to and sent to others.
"""

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.results import comparison, run, runs, studies


def build() -> None:
    """Builds the view that the page's address asks for."""
    asked = ui.context.client.request.query_params
    if "run" in asked:
        run.build(asked["run"])
    elif "compare" in asked:
        comparison.build(asked["compare"].split(","))
    elif "study" in asked:
        studies.build_one(asked["study"])
    else:
        _everything(first="studies" if asked.get("show") == "studies" else "runs")


def _everything(first: str) -> None:
    widgets.title("Results", "What was trained, and the five published studies run again.")
    with ui.tabs().props("no-caps align=left inline-label").classes("bf-tabs") as tabs:
        ui.tab("runs", "Runs", icon="model_training")
        ui.tab("studies", "Studies", icon="menu_book")
    with ui.tab_panels(tabs, value=first, animated=False).classes("bf-tab-panels"):
        with ui.tab_panel("runs"):
            runs.build()
        with ui.tab_panel("studies"):
            studies.build()
