"""The question before runs are deleted."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.records import RECORDS
from blockfall.app.parts.run_list import RunRow
from blockfall.experiments.overview import delete_run
from blockfall.store import Store

_MOST_NAMED = 5


def ask_to_delete(rows: list[RunRow], deleted: Callable[[], Awaitable[None]]) -> None:
    """Ask, delete the runs, then call `deleted`."""
    named = ", ".join(row.label for row in rows[:_MOST_NAMED]) + (", ..." if len(rows) > _MOST_NAMED else "")
    what = "this run" if len(rows) == 1 else f"these {len(rows)} runs"

    def delete(store: Store) -> None:
        for row in rows:
            delete_run(store, store.runs.find(row.id))

    async def go_on() -> None:
        with widgets.said_at(trouble):
            await RECORDS.do(delete)
            dialog.close()
            await deleted()

    with ui.dialog(value=True).props(f'aria-label="Delete {what}"') as dialog, ui.card():
        ui.label(f"Delete {what}, with agent and folder?").classes("text-lg font-bold")
        ui.label(named).classes("bf-soft bf-break")
        running = [row.label for row in rows if row.state == "running"]
        trouble = widgets.trouble(f"{running[0]} is being trained. Stop it first." if running else "")
        with ui.row().classes("w-full justify-end gap-2"):
            ui.button("Keep", on_click=dialog.close).props("flat no-caps")
            sure = ui.button("Delete for good", icon="delete", on_click=go_on)
            sure.props("unelevated no-caps color=negative").set_enabled(not running)
    dialog.on("hide", dialog.delete)
