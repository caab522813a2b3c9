"""Boards in the store: save, load and delete."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from nicegui import ui

from blockfall.app.analyse.sketches import checked_text, clean_name, examples
from blockfall.app.parts import widgets
from blockfall.errors import SettingError
from blockfall.store import Store

T = TypeVar("T")

_EXAMPLE = "example: "


class Shelf:
    """The boards of one kind (a game's `boards`). `take` gets a loaded board's text, `give` returns the one to save."""

    def __init__(self, kind: str, take: Callable[[str], object], give: Callable[[], str]) -> None:
        self._kind, self._take, self._give = kind, take, give
        with ui.element("div").classes("bf-shelf"):
            self._menu = ui.select(self._options({}), label="Load a board", on_change=self._load)
            self._menu.props("options-dense").classes("bf-shelf-menu")
            delete = ui.button(icon="delete", on_click=self._delete)
            delete.props('flat round aria-label="Delete the chosen board"').bind_enabled_from(
                self._menu, "value", lambda name: bool(name) and not str(name).startswith(_EXAMPLE)
            )
            self._name = ui.input("Save it as").props("maxlength=40").on("keydown.enter", self._save)
            ui.button(icon="save", on_click=self._save).props('flat round aria-label="Save the board"')
        self._saved: dict[str, str] = {}
        ui.timer(0, self._refresh, once=True)

    async def _refresh(self) -> None:
        self._saved = await asyncio.to_thread(_in_store, lambda store: store.boards.of(self._kind))
        self._menu.set_options(self._options(self._saved))

    def _options(self, saved: dict[str, str]) -> list[str]:
        return [*saved, *(_EXAMPLE + name for name in examples().get(self._kind, {}))]

    def _load(self) -> None:
        chosen = self._menu.value
        if not isinstance(chosen, str):
            return
        ours = {_EXAMPLE + name: text for name, text in examples().get(self._kind, {}).items()}
        known = {**ours, **self._saved}
        if chosen in known:
            widgets.at_field(self._menu, lambda: self._take(known[chosen]))

    async def _save(self) -> None:
        if not widgets.at_field(self._name, lambda: (_own_name(self._name.value), checked_text(self._give()))):
            return
        name, text = _own_name(self._name.value), self._give()
        await asyncio.to_thread(_in_store, lambda store: store.boards.save(self._kind, name, text))
        await self._refresh()
        self._name.value = ""
        ui.notify(f"Saved as {name}.", type="positive")

    async def _delete(self) -> None:
        name = self._menu.value
        if isinstance(name, str) and name in self._saved:
            await asyncio.to_thread(_in_store, lambda store: store.boards.delete(self._kind, name))
            self._menu.value = None
            await self._refresh()


def _own_name(given: object) -> str:
    name = clean_name(given)
    if name.startswith(_EXAMPLE):
        raise SettingError("an example has that name; choose another")
    return name


def _in_store(work: Callable[[Store], T]) -> T:
    with Store() as store:
        return work(store)
