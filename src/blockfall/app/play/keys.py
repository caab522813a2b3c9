"""The keyboard and the touch pad of a game, as an element of a page."""

from collections.abc import Callable, Iterable

from nicegui import ui
from nicegui.events import GenericEventArguments

from blockfall.app.play.keyboard import ALL_KEYS, KeyAction, KeyMap


class Keys(ui.element, component="keys.js"):
    """The keys, held ones reported as a mask while `listen` is on, commands always."""

    def __init__(
        self,
        *,
        on_held: Callable[[int], None],
        on_command: Callable[[str], None],
        on_captured: Callable[[object], None],
    ) -> None:
        """`on_command` gets pause, restart, or hidden when the page is no longer visible."""
        super().__init__()
        self._commands = {"hidden"}
        self.on("held", lambda event: self._hear_held(event, on_held))
        self.on("command", lambda event: self._hear_command(event, on_command))
        self.on("captured", lambda event: on_captured(_said(event, "code")))

    def use(self, keys: KeyMap, actions: Iterable[KeyAction]) -> None:
        """Use these keys for these actions, with a touch button for each key that is held."""
        having = list(actions)
        names, masks = {action.name for action in having}, {action.mask for action in having}
        commands = {code: name for code, name in keys.commands().items() if name in names}
        self._commands = {*commands.values(), "hidden"}
        pad = [
            {"name": action.name, "title": action.title, "mask": action.mask, "icon": action.icon}
            for action in having
            if action.mask
        ]
        codes = {code: mask for code, mask in keys.masks().items() if mask in masks}
        self.props.update({"codes": codes, "commands": commands, "pad": pad})

    def listen(self, active: bool) -> None:
        """Take the game's keys, or leave them to the page."""
        self.props["active"] = active

    def capture(self) -> None:
        """Pass the code of the next key to `on_captured`; None for Escape."""
        self.run_method("capture")

    def _hear_held(self, event: GenericEventArguments, on_held: Callable[[int], None]) -> None:
        mask = _said(event, "mask")
        if isinstance(mask, int) and not isinstance(mask, bool) and mask & ALL_KEYS == mask:
            on_held(mask)

    def _hear_command(self, event: GenericEventArguments, on_command: Callable[[str], None]) -> None:
        name = _said(event, "name")
        if isinstance(name, str) and name in self._commands:
            on_command(name)


def _said(event: GenericEventArguments, name: str) -> object:
    return event.args.get(name) if isinstance(event.args, dict) else None
