"""The grades of a review: their icons and meanings."""

from nicegui import ui

from blockfall.app.review.reviewing import Grade

ICONS = {Grade.BEST: "star", Grade.GOOD: "check_circle", Grade.MISTAKE: "error_outline", Grade.BLUNDER: "cancel"}
_MEANT = {
    Grade.BEST: "the agent values no placement higher.",
    Grade.GOOD: "it loses at most a quarter of a unit.",
    Grade.MISTAKE: "it loses at most one unit.",
    Grade.BLUNDER: "it loses more than one unit, or it loses a game that could be saved.",
}


def explain_marks() -> None:
    """List the grades with their meanings."""
    with ui.element("div").classes("bf-doors"):
        for grade, what in _MEANT.items():
            with ui.row().classes("items-start gap-2 no-wrap"):
                ui.icon(ICONS[grade], size="1.5rem").classes(f"bf-{grade}").props("aria-hidden=true")
                ui.label(f"{grade.capitalize()}: {what}")
    ui.label(
        "The agent gives every placement a value. One unit is the typical gap, over the game, between its own choice "
        "and the median placement."
    ).classes("bf-soft text-sm")
