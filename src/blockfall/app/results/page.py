"""The page Results: all runs, the five studies and the tournaments; one of them, or some runs compared.

What is shown is in the address, so that it can be reloaded, gone back to and sent to others.
"""

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.results import comparison, run, runs, studies, tournaments


def build() -> None:
    """Builds the view that the page's address asks for."""
    asked = ui.context.client.request.query_params
    if "run" in asked:
        run.build(asked["run"])
    elif "compare" in asked:
        comparison.build(asked["compare"].split(","))
    elif "study" in asked:
        studies.build_one(asked["study"])
    elif "tournament" in asked:
        tournaments.build_one(asked["tournament"])
    else:
        shown = asked.get("show")
        _everything(first=shown if shown in ("studies", "tournaments") else "runs")


def _everything(first: str) -> None:
    widgets.title("Results", "What was trained, the five published studies run again, and tournaments.")
    with ui.tabs().props("no-caps align=left inline-label").classes("bf-tabs") as tabs:
        ui.tab("runs", "Runs", icon="model_training")
        ui.tab("studies", "Studies", icon="menu_book")
        ui.tab("tournaments", "Tournaments", icon="emoji_events")
    with ui.tab_panels(tabs, value=first, animated=False).classes("bf-tab-panels"):
        with ui.tab_panel("runs"):
            runs.build()
        with ui.tab_panel("studies"):
            studies.build()
        with ui.tab_panel("tournaments"):
            tournaments.build()
