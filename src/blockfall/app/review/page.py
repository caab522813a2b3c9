"""The page Review: step through a game, compare each placement with an agent's choice, and retry from anywhere."""

import asyncio

from nicegui import ui
from nicegui.events import KeyEventArguments

from blockfall.agents import Agent, usual_agent
from blockfall.app.parts import menus, widgets
from blockfall.app.parts.address import Address, analyse_link
from blockfall.app.parts.board import BoardCanvas, Picture
from blockfall.app.parts.desk import EXPLANATIONS
from blockfall.app.parts.drawings import piece_svg
from blockfall.app.review.curve import Curve
from blockfall.app.review.marks import ICONS
from blockfall.app.review.opening import Opening, open_replay
from blockfall.app.review.retrying import Retry
from blockfall.app.review.reviewing import Grade, Judged, Review
from blockfall.errors import BlockfallError
from blockfall.games.protocol import Cell
from blockfall.games.replay import Replay

_AT_ONCE = 20  # placements judged before other visitors have their turn
_STEPS_PER_S = 2.5
_LONGEST_NAME = 60
_SAID = {
    Grade.BEST: "Best: {agent} values no placement higher.",
    Grade.GOOD: "Good: it loses {loss}.",
    Grade.MISTAKE: "Mistake: it loses {loss}.",
    Grade.BLUNDER: "Blunder: it loses {loss}.",
}


def build() -> None:
    """Show the game of the address, or ask for one."""
    address = Address()
    widgets.title("Review", "Go through a game and see where an agent would have played better.")
    box = ui.element("div").classes("bf-stack")
    if not Opening.asks(address):
        with box:
            Opening()
        return
    with box:
        ui.spinner(size="3rem").classes("self-center").props('aria-label="Reading the game"')

    async def fill() -> None:
        try:
            replay = await open_replay(address)
            problem = ""
        except BlockfallError as error:
            problem = f"This game cannot be shown: {error}"
        box.clear()
        with box:
            if problem:
                widgets.empty_state("search_off", problem)
                Opening()
            else:
                _ReviewPage(address, replay)

    ui.timer(0, fill, once=True)


class _ReviewPage:
    def __init__(self, address: Address, replay: Replay) -> None:
        self._address, self._replay = address, replay
        self._review: Review | None = None
        self._grades: list[Grade] = []
        self._at = 0
        self._retry: Retry | None = None
        self._reviews = 0
        rules = replay.rules
        with widgets.parts():
            with widgets.panel("", "bf-scene bf-review").props('aria-label="Game"'):
                who = replay.agent[:_LONGEST_NAME] or "Somebody"
                seed = "" if replay.seed is None else f", seed {replay.seed}"
                ui.label(f"{who} · {rules.title}{seed}").classes("bf-seat-name")
                with ui.element("div").classes("bf-seat-game"):
                    self._view = BoardCanvas(
                        rules.columns,
                        rules.visible_rows,
                        label="The board",
                        on_cell=self._click,
                        on_hover=self._point,
                        on_turn=self._turn,
                    )
                    with ui.element("div").classes("bf-seat-side"):
                        self._next = widgets.pieces_place("Next", "bf-seat-next")
                        self._numbers = widgets.Numbers(["Piece", "Lines"])
                self._build_transport()
            with ui.element("div").classes("bf-beside"):
                with widgets.panel("This placement", "bf-grow"):
                    self._build_verdict()
                with widgets.panel("The game", "bf-grow"):
                    self._build_summary()
        ui.keyboard(self._hear_key, ignore=["input", "select", "textarea"])
        self._timer = ui.timer(1 / _STEPS_PER_S, self._tick, active=False)
        ui.timer(0, self._begin, once=True)

    def _build_transport(self) -> None:
        with ui.element("div").classes("bf-transport bf-tight"):
            for icon, name, act in (
                ("first_page", "First placement", lambda: self._go(0)),
                ("fast_rewind", "Previous mistake", lambda: self._seek(-1)),
                ("chevron_left", "Back", lambda: self._go(self._at - 1)),
                ("play_arrow", "Play", self._toggle),
                ("chevron_right", "Forward", lambda: self._go(self._at + 1)),
                ("fast_forward", "Next mistake", lambda: self._seek(1)),
                ("last_page", "Last placement", lambda: self._go(len(self._replay.placements))),
            ):
                button = ui.button(icon=icon, on_click=act).props(f'flat round aria-label="{name}"')
                button.tooltip(name)
                if name == "Play":
                    self._play_button = button
        self._turn_button = ui.button("Turn the piece", icon="rotate_right", on_click=self._turn)
        self._turn_button.props("outline no-caps").tooltip("R, or the right mouse button")
        self._turn_button.visible = False

    def _build_verdict(self) -> None:
        with ui.row().classes("items-center gap-2 no-wrap"):
            self._icon = ui.icon("hourglass_empty", size="1.75rem")
            self._verdict = ui.label().classes("bf-verdict").props("role=status")
        self._detail = ui.label().classes("bf-soft")
        with ui.row().classes("gap-2"):
            self._retry_button = ui.button("Retry from here", icon="replay", on_click=self._toggle_retry)
            self._retry_button.props("unelevated no-caps")
            ui.button("Analyse", icon="troubleshoot", on_click=self._analyse).props("outline no-caps")
        ui.label("On the board, the bright cells were played. The outline is the agent's choice.").classes(
            "bf-soft bf-note"
        )

    def _build_summary(self) -> None:
        with ui.element("div").classes("bf-choices"):
            self._agent = menus.agent_menu(None, lambda: self._replay.rules.name, "Reviewed by")
            self._agent.on_value_change(self._change_agent)
        self._trouble = widgets.trouble()
        self._progress = ui.linear_progress(0, show_value=False).props('rounded aria-label="Reviewed so far"')
        self._curve = Curve(self._go)
        self._counts = widgets.Numbers(["Accuracy", *(grade.capitalize() for grade in Grade)])
        ui.label("Accuracy: 100 % means always the agent's choice, 0 % always the median placement.").classes(
            "bf-soft bf-note"
        )
        with ui.row().classes("gap-2"):
            ui.button("Download", icon="download", on_click=self._download).props("outline no-caps")
            widgets.link_button("Another game", "folder_open", "/review")

    async def _begin(self) -> None:
        found = await asyncio.to_thread(menus.trained_choices)
        known = {**menus.agent_choices(self._replay.rules.name), **found}
        self._agent.set_options(known)
        asked = self._address.get("by")
        if asked and asked not in known:
            self._trouble.text = f"This link names {menus.missing_agent(asked)} Choose another agent."
            self._progress.visible = False
            return
        usual = usual_agent(self._replay.rules.name, otherwise="dellacherie")
        self._agent.value = self._address.one_of("by", usual, known)  # this starts the review

    async def _change_agent(self) -> None:
        self._reviews += 1
        this, choice = self._reviews, self._agent.value
        self._trouble.text = ""
        self._address.note(by=choice)
        self._leave_retry()
        try:
            player = await asyncio.to_thread(menus.chosen_agent, choice)
            review = await EXPLANATIONS.do(Review, self._replay, player)
            self._review, self._grades = None, []
            self._progress.visible = True
            while not review.done and this == self._reviews:
                await EXPLANATIONS.do(review.judge, _AT_ONCE)
                self._progress.value = len(review.judged) / len(review.placements)
        except BlockfallError as error:
            self._trouble.text = f"{error}. Choose another agent."
            self._progress.visible = False
            return
        if this != self._reviews:
            return
        self._progress.visible = False
        self._show_review(review, player)

    def _show_review(self, review: Review, player: Agent) -> None:
        self._review, self._player, self._grades = review, player, review.grades()
        self._curve.show([one.value for one in review.judged], self._grades)
        counts = {grade.capitalize(): count for grade, count in review.counts().items()}
        self._counts.show({"Accuracy": f"{review.accuracy():.0f} %", **counts})
        last = len(review.replay.placements)
        self._at = -1
        self._go(self._address.whole("piece", _worst(review), 1, last) - 1)

    def _go(self, at: int) -> None:
        """Show a placement by its number in the whole game, from 0."""
        review = self._review
        if review is None:
            return
        at = min(len(review.replay.placements) - 1, max(review.first, at))
        self._leave_retry()
        self._at = at
        self._address.note(piece=at + 1)
        self._curve.go_to(at - review.first)
        self._show()

    def _seek(self, step: int) -> None:
        """Go to the next or previous mistake or blunder."""
        review = self._review
        if review is None:
            return
        bad = [at + review.first for at, grade in enumerate(self._grades) if grade in (Grade.MISTAKE, Grade.BLUNDER)]
        found = [at for at in bad if (at > self._at if step > 0 else at < self._at)]
        if found:
            self._go(found[0] if step > 0 else found[-1])
        else:
            self._detail.text = f"No mistake {'after' if step > 0 else 'before'} this one."

    def _show(self) -> None:
        review = self._review
        if review is None:
            return
        here = self._at - review.first
        step, judged, grade = review.steps[here], review.judged[here], self._grades[here]
        same = judged.placement == judged.best
        self._view.show(
            Picture(
                step.rows,
                falling=judged.placement.cells,
                lit=judged.placement.cells,
                mark=judged.placement.piece,
                ghost=() if same else judged.best.cells,
            )
        )
        self._numbers.show({"Piece": self._at + 1, "Lines": step.game.core.lines})
        self._next.content = "".join(piece_svg(self._replay.rules, letter) for letter in step.game.known[1:4])
        self._say(judged, grade)

    def _say(self, judged: Judged, grade: Grade) -> None:
        loss = "the game" if judged.loss is None else f"{judged.loss:,.2f}"
        self._icon.props(f"name={ICONS[grade]}").classes(replace=f"bf-{grade}")
        self._verdict.text = _SAID[grade].format(agent=self._player.name, loss=loss)
        held = f" The agent holds and plays {judged.best.piece}." if judged.best.piece != judged.placement.piece else ""
        worth = "lost" if judged.value is None else f"{judged.value:,.2f}"
        best = "lost" if judged.best_value is None else f"{judged.best_value:,.2f}"
        self._detail.text = f"{self._player.name} values it at {worth}, and its own choice at {best}.{held}"

    def _toggle(self) -> None:
        if self._review and self._at + 1 >= len(self._replay.placements):
            self._go(self._review.first)
        self._set_playing(not self._timer.active)

    def _set_playing(self, playing: bool) -> None:
        self._timer.active = playing
        icon, name = ("pause", "Pause") if playing else ("play_arrow", "Play")
        self._play_button.props(f'icon={icon} aria-label="{name}"')

    def _tick(self) -> None:
        if self._at + 1 >= len(self._replay.placements):
            self._set_playing(False)
        else:
            self._go(self._at + 1)

    def _toggle_retry(self) -> None:
        if self._review is None:
            return
        if self._retry:
            self._leave_retry()
            self._show()
            return
        self._set_playing(False)
        game = self._review.steps[self._at - self._review.first].game.copy()
        rows = self._review.steps[self._at - self._review.first].rows
        self._retry = Retry(game, rows, self._player, self._review.unit, self._view, self._told)
        self._retry_button.text = "Back to the game"
        self._turn_button.visible = True
        self._icon.props("name=touch_app").classes(replace="")
        self._verdict.text = "Your turn: point at the board and click."
        self._detail.text = "R or the right mouse button turns the piece. On a phone, tap twice."
        self._next.content = "".join(piece_svg(self._replay.rules, letter) for letter in game.known[1:4])

    def _click(self, cell: Cell, dragged: bool) -> None:
        if self._retry:
            self._retry.click(cell, dragged)

    def _point(self, cell: Cell | None) -> None:
        if self._retry:
            self._retry.point(cell)

    def _turn(self) -> None:
        if self._retry:
            self._retry.turn()

    def _told(self, judged: Judged, grade: Grade) -> None:
        """Show the grade of the piece that the visitor placed."""
        self._say(judged, grade)
        assert self._retry is not None
        game = self._retry.game
        self._numbers.show({"Piece": self._at + 1 + self._retry.placed, "Lines": game.core.lines})
        self._next.content = "".join(piece_svg(self._replay.rules, letter) for letter in game.known[1:4])
        if game.over:
            self._detail.text += " The game ends here."

    def _leave_retry(self) -> None:
        if self._retry:
            self._retry = None
            self._retry_button.text = "Retry from here"
            self._turn_button.visible = False

    def _analyse(self) -> None:
        review = self._review
        if review is None:
            return
        game = self._retry.game if self._retry else review.steps[self._at - review.first].game
        if not game.over:
            ui.navigate.to(analyse_link(game, str(self._agent.value)))

    def _download(self) -> None:
        ui.download.content(self._replay.text(), "blockfall-game.jsonl", "application/jsonl")

    def _hear_key(self, event: KeyEventArguments) -> None:
        if not event.action.keydown or self._retry:
            return
        if event.key.arrow_right:
            self._set_playing(False)
            self._go(self._at + 1)
        elif event.key.arrow_left:
            self._set_playing(False)
            self._go(self._at - 1)


def _worst(review: Review) -> int:
    """Return the number of the placement that lost most, from 1; the first if none lost anything."""
    losses = [float("inf") if one.loss is None else one.loss for one in review.judged]
    return 1 + review.first + (losses.index(max(losses)) if any(losses) else 0)
