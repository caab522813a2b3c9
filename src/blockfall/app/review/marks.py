"""The marks of a review: the icon of each grade, and what it means."""

from nicegui import ui

from blockfall.app.review.reviewing import Grade

ICONS = {Grade.BEST: "star", Grade.GOOD: "check_circle", Grade.MISTAKE: "error_outline", Grade.BLUNDER: "cancel"}
_MEANT = {
    Grade.BEST: "no placement is worth more to the agent.",
    Grade.GOOD: "it gives away at most a quarter of a unit.",
    Grade.MISTAKE: "it gives away at most a unit.",
    Grade.BLUNDER: "it gives away more than a unit, or a game that could be saved.",
}


def explain_marks() -> None:
    """A list of the marks with their meaning."""
    with ui.element("div").classes("bf-doors"):
        for grade, what in _MEANT.items():
            with ui.row().classes("items-start gap-2 no-wrap"):
                ui.icon(ICONS[grade], size="1.5rem").classes(f"bf-{grade}").props("aria-hidden=true")
                ui.label(f"{grade.capitalize()}: {what}")
    ui.label(
        "The agent gives every placement a value. A unit is how far the middle one of all placements lies below its "
        "own choice, as the median over the game."
    ).classes("bf-soft text-sm")
