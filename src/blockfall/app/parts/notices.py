"""A notice, on any page, that a training has ended."""

import json

from nicegui import ui

from blockfall.app.parts.choices import Kept
from blockfall.app.parts.records import RECORDS
from blockfall.errors import BlockfallError
from blockfall.experiments.overview import Overview, readable
from blockfall.store import Store

_LOOK_S = 3.0
_MOST_LOOKED_AT = 20
_ASK = "return 'Notification' in window ? await Notification.requestPermission() : 'denied'"
_TELL = """
if (document.hidden && 'Notification' in window && Notification.permission === 'granted')
  new Notification('Blockfall', {{ body: {text}, icon: '/favicon.ico' }});
"""


class Notices:
    """A check every few seconds whether a training has ended since the page was opened."""

    def __init__(self) -> None:
        self._kept = Kept("notices")
        self._known: set[str] | None = None
        ui.timer(_LOOK_S, self._look)

    async def _look(self) -> None:
        try:
            ended = await RECORDS.do(_ended)
        except BlockfallError:  # a damaged store: the page itself says so
            return
        if self._known is not None and (new := [text for run, text in ended.items() if run not in self._known]):
            self._tell(" ".join(new))
        self._known = set(ended)

    def _tell(self, text: str) -> None:
        ui.notify(text, type="positive", multi_line=True, close_button="Close", group="trained")
        if self._kept.flag("outside", usual=False):
            ui.run_javascript(_TELL.format(text=json.dumps(text)))


def _ended(store: Store) -> dict[str, str]:
    """Return the newest finished runs, with a sentence on each."""
    found = readable(Overview(run) for run in store.runs.newest(_MOST_LOOKED_AT))
    return {
        one.id: f"{one.label} is trained: {one.test['mean']:,.2f} lines per test game." for one in found if one.test
    }


def outside_switch() -> None:
    """Add a switch for system notices while this tab is hidden. The browser asks for permission."""
    kept = Kept("notices")
    switch = ui.switch("Notify me outside this tab", value=kept.flag("outside", usual=False))
    told = ui.label().classes("bf-soft text-sm").props("role=status")

    async def change() -> None:
        allowed = not switch.value or await ui.run_javascript(_ASK, timeout=60) == "granted"
        kept["outside"] = bool(switch.value) and allowed
        told.text = "" if allowed else "Your browser does not allow notices from this page."
        if not allowed:
            switch.value = False

    switch.on_value_change(change)
