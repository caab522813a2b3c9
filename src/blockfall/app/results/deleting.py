"""A question before runs are deleted."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from blockfall.app.parts.records import RECORDS
from blockfall.app.parts.run_list import RunRow
from blockfall.errors import LockedError
from blockfall.experiments.overview import delete_run
from blockfall.store import Store

_MOST_NAMED = 5


def ask_to_delete(rows: list[RunRow], deleted: Callable[[], Awaitable[None]]) -> None:
    """`deleted` is called once they are gone."""
    running = [row.label for row in rows if row.state == "running"]
    if running:
        raise LockedError(f"{running[0]} is being trained; stop it first")
    named = ", ".join(row.label for row in rows[:_MOST_NAMED]) + (", ..." if len(rows) > _MOST_NAMED else "")
    what = "this run" if len(rows) == 1 else f"these {len(rows)} runs"

    def delete(store: Store) -> None:
        for row in rows:
            delete_run(store, store.runs.find(row.id))

    async def go_on() -> None:
        dialog.close()
        await RECORDS.do(delete)
        await deleted()

    with ui.dialog(value=True) as dialog, ui.card():
        ui.label(f"Delete {what}, with the agent and the folder?").classes("text-lg font-bold")
        ui.label(named).classes("bf-soft bf-break")
        with ui.row().classes("w-full justify-end gap-2"):
            ui.button("Keep", on_click=dialog.close).props("flat no-caps")
            ui.button("Delete for good", icon="delete", on_click=go_on).props("unelevated no-caps color=negative")
    dialog.on("hide", dialog.delete)
