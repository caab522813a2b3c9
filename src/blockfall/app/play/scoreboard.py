"""The high scores beside a game, and the end of a game: its result, and a name for the ranking."""

import asyncio
from collections.abc import Callable

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.choices import Kept
from blockfall.app.play import high_scores
from blockfall.app.play.high_scores import MOST_NAME, Ranking, clean_name, place_of
from blockfall.app.play.modes import clock


class Scoreboard:
    """The best scores of a game under its rules."""

    def __init__(self) -> None:
        self._key = ""
        self._ranking: Ranking = []
        self._times = False
        with widgets.panel("High scores", "w-full"):
            self._what = ui.label().classes("bf-soft text-sm")
            self._rows = ui.element("ol").classes("bf-ranking").props('aria-label="High scores"')

    async def show(self, key: str, what: str, *, times: bool = False) -> None:
        """Show the ranking of a key, described by `what`. `times` are negated frames, so that more is better."""
        self._key, self._times = key, times
        self._what.text = what
        ranking = await asyncio.to_thread(high_scores.load, key)
        if self._key == key and not self._rows.is_deleted:  # another game may have been chosen meanwhile
            self._fill(ranking)

    def place_of(self, score: int) -> int | None:
        """Return the place that a score would take; None if it would not be shown."""
        return place_of(score, self._ranking, times=self._times)

    async def add(self, name: str, score: int) -> None:
        """Add a score and show the new ranking."""
        place = self.place_of(score)
        ranking = await asyncio.to_thread(high_scores.add, self._key, name, score)
        self._fill(ranking, place)

    def _fill(self, ranking: Ranking, own: int | None = None) -> None:
        self._ranking = ranking
        self._rows.clear()
        with self._rows:
            if not ranking:
                ui.label("No scores yet. Yours could be the first.").classes("bf-soft")
            for place, (name, score) in enumerate(ranking, 1):
                with ui.element("li").classes("bf-own" if place == own else ""):
                    ui.label(f"{place}").classes("bf-soft")
                    ui.label(name).classes("bf-ranked-name")
                    shown = clock(-score) if self._times else f"{score:,}"
                    ui.label(shown).classes("bf-ranked-score")


class GameEnd:
    """The message that a game is over, with ways to continue."""

    def __init__(self, board: Scoreboard, again: Callable[[], object], again_title: str) -> None:
        self._board = board
        self._kept = Kept("play")
        self._score = 0
        self.box = ui.column().classes("bf-end items-center gap-2")
        with self.box:
            self._title = ui.label().classes("text-lg font-bold").props("role=status")
            self._detail = ui.label().classes("text-sm")
            with ui.column().classes("items-center gap-2") as self._entry:
                self._place = ui.label().classes("text-sm font-medium")
                with ui.row().classes("items-center justify-center gap-2"):
                    name = ui.input("Your name").props(f"maxlength={MOST_NAME}").classes("bf-name")
                    name.value = self._kept.get("name") or ""
                    name.on("keydown.enter", self._save)
                    ui.button("Save", on_click=self._save).props("unelevated dense no-caps").classes("px-3")
            ui.button(again_title, icon="replay", on_click=again).props("unelevated no-caps")
            self._review = widgets.link_button("Review the game", "rate_review", "/review")
        self._name = name
        self.begin()

    def show(self, title: str, detail: str, score: int, *, counts: bool = True) -> None:
        """Show how the game ended. `counts` says whether the score may enter the high scores.

        A game enters them once, and again only if it continues and earns more.
        """
        self._score = score
        again = self._saved is not None and score <= self._saved
        place = self._board.place_of(score) if counts and not again else None
        self._title.text, self._detail.text = title, detail
        self._place.text = f"Place {place} among the high scores!"
        self._entry.visible = place is not None
        self.box.visible = True

    def offer_review(self, address: str) -> None:
        """Link to the review of this game."""
        self._review.props(f'href="{address}"')
        self._review.visible = True

    def begin(self) -> None:
        """Prepare for another game."""
        self._saved: int | None = None
        self._review.visible = False
        self.hide()

    def hide(self) -> None:
        """Hide the message."""
        self.box.visible = self._entry.visible = False

    async def _save(self) -> None:
        if not self._entry.visible:  # saved already
            return
        if not widgets.at_field(self._name, lambda: clean_name(self._name.value)):
            return
        name = clean_name(self._name.value)
        self._entry.visible = False
        self._saved = self._score
        self._kept["name"] = name
        await self._board.add(name, self._score)
