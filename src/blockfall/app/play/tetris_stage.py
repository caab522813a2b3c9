"""The stage of Tetris on the page Play: boards, numbers, and the cover that is shown while no piece falls."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.board import BoardCanvas
from blockfall.app.play.playing import PieceQueue, TetrisSession
from blockfall.app.play.rival import Rival
from blockfall.app.play.scoreboard import GameEnd, Scoreboard
from blockfall.rulesets import Rules

_FRAMES_PER_NUMBERS = 6  # the clock is shown ten times a second
_LOSE_FOCUS = "() => document.activeElement?.blur()"
"""Otherwise Space presses the button again. keys.js does this too, but only once the server has answered."""


class GameState(Enum):
    """The states of a visitor's game."""

    BUILDING = "building"
    READY = "ready"
    COUNTING = "counting"
    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"


@dataclass(frozen=True)
class StageActions:
    """The actions of the stage's buttons."""

    toggle: Callable[[], None]
    """Start, pause or continue."""
    abandon: Callable[[], None]
    keep_playing: Callable[[], None]
    analyse: Callable[[], None]
    again: Callable[[], None]


class TetrisStage:
    """The boards of one rule set, with the opponent's beside them in a match."""

    def __init__(
        self, panel: ui.element, game_rules: Rules, scoreboard: Scoreboard, actions: StageActions, *, against: bool
    ) -> None:
        """`panel` is emptied and filled with the stage."""
        self._panel = panel
        self._numbers_shown = 0
        self._shown_queue: tuple[str, str | None] | None = None
        play = game_rules.file.play
        self._next, self._hold = PieceQueue(game_rules, play.previews), PieceQueue(game_rules, 1)
        shown = TetrisSession(game_rules, 0).rows_shown
        panel.clear()
        versus = " bf-stage-versus" if against else ""
        ratio = f"--ratio: {game_rules.columns / shown}"
        with panel, ui.element("div").classes(f"bf-stage{versus}").style(ratio):
            with ui.element("div").classes("bf-stage-board"):
                self._view = BoardCanvas(game_rules.columns, shown, label="The board", skyline=game_rules.visible_rows)
                with ui.column().classes("bf-cover items-center justify-center") as self._cover:
                    box = ui.column().classes("bf-cover-box items-center")
            with ui.column().classes("bf-stage-hold"):
                self._hold_view = _small_board("Hold", self._hold) if play.hold else None
            with ui.element("div").classes("bf-stage-facts"):
                self._numbers = widgets.Numbers(["Time", "Lines", "Score", "Level", "Pieces", "Per second"])
                self._pause = ui.button(icon="pause", on_click=actions.toggle)
                self._pause.props('outline aria-label="Pause"').classes("bf-pause")
            with ui.column().classes("bf-stage-next"):
                self._next_view = _small_board("Next", self._next) if play.previews else None
            if against:
                with ui.column().classes("bf-stage-rival"):
                    self._rival_name = ui.label().classes("bf-fact-name")
                    label = "The agent's board"
                    self._rival_view = BoardCanvas(game_rules.columns, game_rules.visible_rows, label=label)
                    self._rival_numbers = ui.label().classes("bf-rival-numbers").props("role=status")
        with box:
            self._build_cover(scoreboard, actions)

    def _build_cover(self, scoreboard: Scoreboard, actions: StageActions) -> None:
        self._message = ui.label().classes("text-lg font-bold").props("role=status")
        self._hint = ui.label().classes("text-sm text-center")
        self.trouble = widgets.trouble()
        self._go = ui.button("Start", icon="play_arrow", on_click=actions.toggle).props("unelevated no-caps")
        self._go.on("click", js_handler=_LOSE_FOCUS)
        with ui.row().classes("justify-center gap-2") as self._question:
            ui.button("New game", icon="replay", on_click=actions.abandon).props(
                'unelevated no-caps color=negative aria-label="Yes, abandon it"'
            )
            ui.button("Continue", icon="play_arrow", on_click=actions.keep_playing).props("outline no-caps")
        self._analyse = ui.button("Analyse", icon="troubleshoot", on_click=actions.analyse)
        self._analyse.props('outline no-caps aria-label="Analyse this position"')
        self.end = GameEnd(scoreboard, actions.again, "Play again")

    def set_effects(self, *, animated: bool, sounds: bool) -> None:
        """Switch animation and sounds."""
        self._view.set_habits(animated=animated, sounds=sounds)

    def bring_into_view(self) -> None:
        """Scroll to the stage."""
        widgets.bring_into_view(self._panel)

    def begin(self) -> None:
        """Prepare for another game."""
        self._numbers_shown, self._shown_queue = 0, None
        self.end.begin()

    def enter(self, state: GameState, *, asked: bool, seed: int, pause_key: str) -> None:
        """Show what belongs to a state. `asked` asks whether to abandon the game."""
        self._cover.visible = state is not GameState.RUNNING
        paused = state is GameState.PAUSED
        self._go.visible = state in (GameState.READY, GameState.PAUSED) and not asked
        self._question.visible = paused and asked
        self._analyse.visible = paused and not asked
        self._message.visible = state is not GameState.OVER
        self._hint.visible = state in (GameState.READY, GameState.PAUSED)
        counting = state is GameState.COUNTING
        self._message.classes("bf-count" if counting else "", remove="" if counting else "bf-count")
        self._pause.set_enabled(state is GameState.RUNNING)
        self.end.hide()
        if state is GameState.READY:
            self._message.text, self._go.text = "Ready", "Start"
            self._hint.text = f"Seed {seed}. {pause_key} starts and pauses."
        elif paused and asked:
            self._message.text, self._hint.text = "Abandon this game?", "You can't get it back."
        elif paused:
            self._message.text, self._go.text = "Paused", "Continue"
            self._hint.text = f"{pause_key} or Esc continues."

    def count_down(self, number: str) -> None:
        """Show a number of the countdown."""
        self._message.text = number

    def show(self, session: TetrisSession, *, ghost: bool) -> None:
        """Show the whole game."""
        self._view.show(session.picture(ghost=ghost))
        self.show_numbers(session)
        queue = session.game.known[1:], session.game.held
        if queue != self._shown_queue:
            self._shown_queue = queue
            if self._next_view:
                self._next_view.show(self._next.picture(queue[0]))
            if self._hold_view:
                self._hold_view.show(self._hold.picture(queue[1] or ""))

    def show_numbers(self, session: TetrisSession) -> None:
        """Show time, lines and the other numbers."""
        self._numbers_shown = session.frames
        self._numbers.show(session.numbers())

    def show_time(self, session: TetrisSession) -> None:
        """Show the numbers if they were last shown a while ago."""
        if session.frames - self._numbers_shown >= _FRAMES_PER_NUMBERS:
            self.show_numbers(session)

    def show_rival(self, rival: Rival) -> None:
        """Show the opponent's game."""
        self._rival_name.text = rival.agent.name
        self._rival_view.show(rival.picture())
        lines = rival.progress.lines
        self._rival_numbers.text = f"{lines} line{'s' if lines != 1 else ''}, {rival.pieces} placed"


def _small_board(title: str, queue: PieceQueue) -> BoardCanvas:
    ui.label(title).classes("bf-fact-name")
    return BoardCanvas(queue.columns, queue.rows, label=title).classes("bf-plain-board")
