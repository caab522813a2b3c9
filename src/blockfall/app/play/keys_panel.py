"""The panel with the keys of a game, where a visitor changes them."""

from collections.abc import Callable, Iterable

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.choices import Kept
from blockfall.app.play.keyboard import ACTIONS, KeyAction, KeyMap, sign_of

_HOW = "Click a key, then press another."


class KeysPanel:
    """The keys of a game. Each can be changed."""

    def __init__(self, kept: Kept, on_change: Callable[[], None], on_capture: Callable[[], None]) -> None:
        """`on_capture` asks for the next key; its code must come to `captured`."""
        self._kept, self._on_change, self._on_capture = kept, on_change, on_capture
        self.keys = KeyMap(kept.get("keys"))
        self._waiting: str | None = None
        self._actions: list[KeyAction] = []
        with widgets.panel("Keys", "w-full bf-keys-panel"):
            self._rows = ui.element("div").classes("bf-keys")
            self._trouble = widgets.trouble()
            with ui.row().classes("items-center justify-between w-full no-wrap"):
                self._told = ui.label(_HOW).classes("bf-soft text-sm").props("role=status")
                ui.button("Reset", on_click=self._reset).props('flat dense no-caps aria-label="Reset the keys"')

    def show(self, actions: Iterable[KeyAction]) -> None:
        """Show the keys of these actions."""
        self._actions = list(actions)
        self._rows.clear()
        with self._rows:
            for action in self._actions:
                ui.label(action.title)
                self._key(action)

    def captured(self, code: object) -> None:
        """Assign the pressed key to the waiting action; None leaves it unchanged."""
        action, self._waiting = self._waiting, None
        if action is None:
            return
        self._told.text = _HOW
        with widgets.said_at(self._trouble):
            other = None if code is None else self.keys.assign(action, code)
            if other is not None:
                self._told.text = f"{other.title} had this key and is now on {sign_of(self.keys[other.name])}."
            self._kept["keys"] = self.keys.as_kept()
        self._on_change()

    def _key(self, action: KeyAction) -> None:
        waits = action.name == self._waiting
        sign = "press a key" if waits else sign_of(self.keys[action.name])
        button = ui.button(sign, on_click=lambda: self._ask(action.name)).props("outline no-caps dense")
        button.props(f'aria-label="{action.title}: {sign}"').classes("bf-key" + (" bf-waits" if waits else ""))

    def _ask(self, action: str) -> None:
        self._waiting = action
        self.show(self._actions)
        self._on_capture()

    def _reset(self) -> None:
        self._waiting = None
        self._trouble.text, self._told.text = "", _HOW
        self.keys = KeyMap({name: action.code for name, action in ACTIONS.items()})
        self._kept["keys"] = self.keys.as_kept()
        self._on_change()
