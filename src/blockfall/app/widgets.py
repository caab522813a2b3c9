"""Small parts that pages are made of."""

from collections.abc import Iterable, Mapping

from nicegui import ui


def title(text: str, what: str = "") -> None:
    with ui.column().classes("gap-0"):
        ui.label(text).classes("bf-title").props("role=heading aria-level=1")
        if what:
            ui.label(what).classes("bf-soft")


def panel(name: str = "", classes: str = "bf-grow") -> ui.element:
    """A box for one thing; fill it in a `with`."""
    box = ui.element("section").classes(f"bf-panel {classes}")
    if name:
        box.props(f'aria-label="{name}"')
        with box:
            ui.label(name).classes("bf-panel-title").props("role=heading aria-level=2")
    return box


def parts() -> ui.element:
    """Panels side by side where there is room."""
    return ui.element("div").classes("bf-parts")


class Facts:
    """Numbers with their names."""

    def __init__(self, names: Iterable[str]) -> None:
        self._labels: dict[str, ui.label] = {}
        with ui.element("div").classes("bf-facts"):
            for name in names:
                with ui.column().classes("gap-0"):
                    ui.label(name).classes("bf-fact-name")
                    self._labels[name] = ui.label("-").classes("bf-fact").mark(f"fact-{name}")

    def show(self, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            self._labels[name].text = f"{value:,}" if isinstance(value, int) else str(value)


def empty_state(icon: str, text: str) -> ui.element:
    """Says what to do where there is nothing yet; a `with` adds buttons."""
    box = ui.element("div").classes("bf-empty-state")
    with box:
        ui.icon(icon, size="3rem")
        ui.label(text)
    return box
