"""Buttons and a slider to go through steps: first, back, play, next, last."""

from collections.abc import Awaitable, Callable

from nicegui import ui

_STEPS_PER_S = 4


class Stepper:
    """The buttons and the slider, hidden while there are no steps. `show` gets the current step, from 0."""

    def __init__(self, show: Callable[[int], Awaitable[None]]) -> None:
        self._show = show
        self._last = -1
        with ui.element("div").classes("bf-stepper") as self._box:
            with ui.element("div").classes("bf-transport"):
                self._button("first_page", "First node", lambda: self.go(0))
                self._button("chevron_left", "Back one node", lambda: self.go(self.step - 1))
                self._play = self._button("play_arrow", "Play", self._toggle)
                self._button("chevron_right", "Forward one node", lambda: self.go(self.step + 1))
                self._button("last_page", "Last node", lambda: self.go(self._last))
            self._label = ui.label().classes("bf-fact-name").mark("step")
            self._slider = ui.slider(min=0, max=1, step=1, value=0, on_change=self._changed)
            self._slider.props('aria-label="Step"')
        self._timer = ui.timer(1 / _STEPS_PER_S, self._tick, active=False)
        self.set_steps(0)

    @property
    def step(self) -> int:
        """The current step, from 0."""
        value = self._slider.value
        return min(self._last, max(0, int(value))) if isinstance(value, int | float) else 0

    def set_steps(self, count: int) -> None:
        """Set the number of steps, and go to the first."""
        self._last = count - 1
        self._set_playing(False)
        self._box.visible = count > 0
        self._slider.props(f"max={max(1, self._last)}")
        self._slider.value = 0
        self._name()

    def _button(self, icon: str, name: str, act: Callable[[], None]) -> ui.button:
        return ui.button(icon=icon, on_click=act).props(f'flat round aria-label="{name}"')

    def play(self) -> None:
        """Play from the current step, or from the first if it is the last."""
        if not self._timer.active:
            self._toggle()

    def go(self, step: int) -> None:
        """Go to a step and stay there."""
        self._set_playing(False)
        self._slider.value = min(self._last, max(0, step))

    async def _changed(self) -> None:
        self._name()
        if self._last >= 0:
            await self._show(self.step)

    def _name(self) -> None:
        self._label.text = f"Step {self.step + 1:,} of {self._last + 1:,}"

    def _toggle(self) -> None:
        if not self._timer.active and self.step == self._last:
            self._slider.value = 0
        self._set_playing(not self._timer.active)

    def _set_playing(self, playing: bool) -> None:
        self._timer.active = playing
        icon, name = ("pause", "Pause") if playing else ("play_arrow", "Play")
        self._play.props(f'icon={icon} aria-label="{name}"')

    def _tick(self) -> None:
        if self.step >= self._last:
            self._set_playing(False)
        else:
            self._slider.value = self.step + 1
