"""Tetris on the page Play: the stage, the settings, the keys, and the loop that steps the game."""

import asyncio
import time
from enum import Enum

from nicegui import background_tasks, ui

from blockfall.app.parts import choices, widgets
from blockfall.app.parts.address import Address
from blockfall.app.parts.board import BoardCanvas
from blockfall.app.parts.choices import Kept
from blockfall.app.play.high_scores import key_of
from blockfall.app.play.keyboard import actions_of, sign_of
from blockfall.app.play.keys import Keys
from blockfall.app.play.keys_panel import KeysPanel
from blockfall.app.play.playing import HeldKeys, PieceQueue, TetrisSession, most_start_level, playable_rules
from blockfall.app.play.scoreboard import GameEnd, Scoreboard
from blockfall.app.play.ticking import FrameClock, Seats
from blockfall.app.review.opening import keep_replay
from blockfall.app.review.reviewing import persons_game
from blockfall.games import game
from blockfall.rulesets import Rules, rules

_USUAL_RULES = "guideline"
_MOST_SHIFT_FRAMES = 60
_SEATS = Seats(60)
_KEEP_S = 5.0


class _State(Enum):
    BUILDING = "building"
    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"


class TetrisPart:
    """One visitor's game."""

    def __init__(self, address: Address) -> None:
        self._kept, self._address = Kept("play-tetris"), address
        self._client = ui.context.client
        self._held = HeldKeys()
        self._runs = 0
        self._state = _State.BUILDING
        self._gone = False
        self._game_kept = 0.0
        names = {one.name: one.title for one in playable_rules()}
        self._waiting = self._in_progress()
        asked = address.one_of("rules", self._kept.one_of("rules", _USUAL_RULES, names), names)
        self._rules: Rules = rules(self._waiting.rules.name if self._waiting else asked)
        self._first_seed: int | None = None if address.get("seed") == "" else address.whole("seed", 0, 0, 2**64 - 1)
        if address.get("rules") not in ("", self._rules.name):
            widgets.trouble(f"This link names the rules {address.get('rules')[:80]!r}, which cannot be played here.")
        with ui.element("div").classes("bf-parts"):
            self._build_settings(names)
            self._stage = widgets.panel("", "bf-grow bf-stage-panel").props('aria-label="Game"')
            with ui.column().classes("bf-side bf-column"):
                self._keys_panel = KeysPanel(
                    self._kept, on_change=self._use_keys, on_capture=lambda: self._keys.capture()
                )
                self._scoreboard = Scoreboard()
        self._change_rules()

    def leave(self) -> None:
        """The visitor went elsewhere."""
        self._gone = True

    def _in_progress(self) -> TetrisSession | None:
        """The visitor's unfinished game, unless the address asks for another."""
        found = TetrisSession.restored(self._kept.get("game"))
        if found is None or found.over:
            return None
        this = {"": True, found.rules.name: True}.get(self._address.get("rules"), False)
        return found if this and self._address.get("seed") in ("", str(found.seed)) else None

    def _keep_game(self) -> None:
        """Keeps the game for a reload, and while it runs every few seconds."""
        self._kept["game"] = None if self._session.over else self._session.as_kept()
        self._game_kept = time.monotonic()

    def pause(self) -> None:
        """If it runs."""
        if self._state is _State.RUNNING:
            self._enter(_State.PAUSED)

    def _build_settings(self, names: dict[str, str]) -> None:
        kept = self._kept
        with widgets.panel("Game", "bf-side"):
            self._choice = ui.select(names, value=self._rules.name, label="Rules", on_change=self._choose_rules)
            self._choice.classes("w-full")
            self._about = ui.label().classes("bf-soft text-sm")
            with ui.row().classes("bf-fields"):
                usual = kept.whole("level", 0, 0, most_start_level(self._rules))
                level = self._address.whole("level", usual, 0, most_start_level(self._rules))
                self._level = ui.number("Start level", value=level, min=0, precision=0, on_change=self._choose_again)
                self._seed = ui.input("Seed", placeholder="by chance", on_change=self._choose_again)
            with ui.row().classes("bf-fields"):
                self._delay = self._shift_field(
                    "Shift delay", "delay", 10, "DAS: frames that a key is held before it repeats"
                )
                self._repeat = self._shift_field(
                    "Shift repeat", "repeat", 2, "ARR: frames between repeats; 0 is at once"
                )
            for field in (self._level, self._seed):
                field.props("stack-label")
            with ui.row().classes("gap-x-4 gap-y-0"):
                self._ghost = self._switch("Ghost", "ghost", usual=True)
                self._animated = self._switch("Animation", "animated", usual=True)
                self._sounds = self._switch("Sound", "sounds", usual=False)
            ui.button("New game", icon="replay", on_click=self._again).props("unelevated no-caps").classes("w-full")

    def _shift_field(self, title: str, name: str, usual: int, what: str) -> ui.number:
        field = ui.number(
            title, value=self._kept.whole(name, usual, 0, _MOST_SHIFT_FRAMES), min=0, max=_MOST_SHIFT_FRAMES
        )
        field.props("suffix=frames").tooltip(what).on_value_change(self._choose_again)
        return field

    def _switch(self, title: str, name: str, *, usual: bool) -> ui.switch:
        switch = ui.switch(title, value=self._kept.flag(name, usual))

        def change() -> None:
            self._kept[name] = bool(switch.value)
            self._habits()

        switch.on_value_change(change)
        return switch

    def _choose_rules(self) -> None:
        if self._choice.value in self._choice.options:
            self._rules = rules(self._choice.value)
            self._kept["rules"] = self._rules.name
            self._change_rules()

    def _change_rules(self) -> None:
        self._state = _State.BUILDING
        play, most = self._rules.file.play, most_start_level(self._rules)
        lock = f"{play.lock_delay} frames" if play.lock_delay else "none"
        again = f", restarted up to {play.lock_resets} times" if play.lock_delay and play.lock_resets else ""
        hold = "yes" if play.hold else "no"
        self._about.text = f"Lock delay: {lock}{again}. Hold: {hold}. Next: {play.previews}.{_key_limit(self._rules)}"
        self._level.max = most
        self._level.value = min(int(self._level.value or 0), most)
        self._level.set_enabled(most > 0)
        self._build_stage()
        self._use_keys()
        ranking = self._scoreboard.show(key_of(game("tetris"), {"rules": self._rules.name}), self._rules.title)
        background_tasks.create(ranking, context=self._client)
        self._new_game()

    def _build_stage(self) -> None:
        """Its boards have the rules' sizes."""
        play = self._rules.file.play
        self._next, self._hold = PieceQueue(self._rules, play.previews), PieceQueue(self._rules, 1)
        shown = TetrisSession(self._rules, 0).rows_shown
        self._stage.clear()
        with self._stage, ui.element("div").classes("bf-stage").style(f"--ratio: {self._rules.columns / shown}"):
            with ui.element("div").classes("bf-stage-board"):
                self._view = BoardCanvas(
                    self._rules.columns, shown, label="The board", skyline=self._rules.visible_rows
                )
                self._cover = ui.column().classes("bf-cover items-center justify-center")
            with ui.column().classes("bf-stage-hold"):
                self._hold_view = self._small_board("Hold", self._hold) if play.hold else None
            with ui.element("div").classes("bf-stage-facts"):
                self._numbers = widgets.Numbers(["Score", "Lines", "Level", "Pieces"])
                self._pause_button = ui.button(icon="pause", on_click=self._toggle)
                self._pause_button.props('outline aria-label="Pause"').classes("bf-pause")
            with ui.column().classes("bf-stage-next"):
                self._next_view = self._small_board("Next", self._next) if play.previews else None
        with self._stage:
            self._keys = Keys(on_held=self._held.hold, on_command=self._command, on_captured=self._captured)
        with self._cover:
            self._message = ui.label().classes("text-lg font-bold").props("role=status")
            self._hint = ui.label().classes("text-sm text-center")
            self._go = ui.button("Start", icon="play_arrow", on_click=self._toggle).props("unelevated no-caps")
            self._end = GameEnd(self._scoreboard, self._again, "Play again")
        self._habits()

    def _small_board(self, title: str, queue: PieceQueue) -> BoardCanvas:
        ui.label(title).classes("bf-fact-name")
        return BoardCanvas(queue.columns, queue.rows, label=title).classes("bf-plain-board")

    def _habits(self) -> None:
        self._view.set_habits(animated=self._animated.value, sounds=self._sounds.value)
        if self._state is not _State.BUILDING:
            self._show()

    def _use_keys(self) -> None:
        self._keys_panel.show(actions_of(self._rules))
        self._keys.use(self._keys_panel.keys, actions_of(self._rules))

    def _captured(self, code: object) -> None:
        self._keys_panel.captured(code)

    def _choose_again(self) -> None:
        """A setting of games to come: one that runs goes on as it began."""
        being_typed = any(field.value is None for field in (self._level, self._delay, self._repeat))
        if self._state in (_State.READY, _State.OVER) and not being_typed:
            self._new_game()

    def _again(self) -> None:
        self._new_game()
        self._toggle()
        widgets.bring_into_view(self._stage)

    def _new_game(self) -> None:
        level = choices.whole(self._level.value, "start level", 0, most_start_level(self._rules))
        delay = choices.whole(self._delay.value, "shift delay", 0, _MOST_SHIFT_FRAMES)
        repeat = choices.whole(self._repeat.value, "shift repeat", 0, _MOST_SHIFT_FRAMES)
        seed, self._first_seed = choices.seed(self._seed.value or self._first_seed), None
        for name, value in (("level", level), ("delay", delay), ("repeat", repeat)):
            self._kept[name] = value
        waiting, self._waiting = self._waiting, None
        self._session = waiting or TetrisSession(self._rules.starting_at(level), seed, delay, repeat)
        self._address.note(game="tetris", rules=self._rules.name, seed=self._session.seed, level=level or None)
        self._shown_queue: tuple[str, str | None] | None = None
        self._end.begin()
        self._enter(_State.PAUSED if waiting else _State.READY)
        self._show()

    def _enter(self, state: _State) -> None:
        """Another state, and what the page says of it."""
        self._state = state
        self._held.release_all()
        self._keys.listen(state is _State.RUNNING)
        self._cover.visible = state is not _State.RUNNING
        self._go.visible = state in (_State.READY, _State.PAUSED)
        self._message.visible = self._hint.visible = self._go.visible
        self._pause_button.set_enabled(state is _State.RUNNING)
        self._end.hide()
        key = sign_of(self._keys_panel.keys["pause"])
        if state is _State.READY:
            self._message.text, self._go.text = "Ready", "Start"
            self._hint.text = f"Seed {self._session.seed}. {key} starts and pauses."
        elif state is _State.PAUSED:
            self._message.text, self._go.text = "Paused", "Go on"
            self._hint.text = f"{key} or Esc goes on."
            self._keep_game()
        elif state is _State.OVER:
            core = self._session.game.core
            detail = f"{core.score:,} points, {core.lines:,} lines. {self._session.ending}"
            self._end.show("Game over", detail, core.score)
            self._keep_game()
            background_tasks.create(self._keep_replay(self._session), context=self._client)

    async def _keep_replay(self, session: TetrisSession) -> None:
        """Saves a finished game, so that it can be reviewed."""
        with self._stage:
            replay = await asyncio.to_thread(persons_game, self._rules, session.seed, session.placements, "you")
            address = await keep_replay(replay)
        if session is self._session:
            self._end.offer_review(address)

    def _command(self, name: str) -> None:
        if name == "restart":
            self._again()
        elif name == "hidden":
            self.pause()
        else:
            self._toggle()

    def _toggle(self) -> None:
        if self._state is _State.BUILDING:  # there was no game: a setting was wrong
            self._new_game()
        if self._state is _State.RUNNING:
            self.pause()
        elif self._state is not _State.OVER:
            _SEATS.take()
            self._enter(_State.RUNNING)
            self._runs += 1
            background_tasks.create(self._run(self._runs), context=self._client)

    async def _run(self, run: int) -> None:
        """Steps the game until this run of it ends: by a pause, its end, another game, or the visitor leaving."""
        clock = FrameClock(time.monotonic())
        try:
            while self._state is _State.RUNNING and run == self._runs and not self._gone:
                await asyncio.sleep(clock.wait_s(time.monotonic()))
                self._play_frames(clock.due(time.monotonic()), run)
        finally:
            _SEATS.give_back()

    def _play_frames(self, frames: int, run: int) -> None:
        if self._state is not _State.RUNNING or run != self._runs or self._gone:
            return
        changes = [self._session.step(self._held.next_frame()) for _ in range(frames)]
        if any(changes):
            self._show()
        if self._session.over:
            self._enter(_State.OVER)
        elif time.monotonic() - self._game_kept > _KEEP_S:
            self._keep_game()

    def _show(self) -> None:
        session = self._session
        self._view.show(session.picture(ghost=self._ghost.value))
        self._numbers.show(session.numbers())
        queue = session.game.known[1:], session.game.held
        if queue != self._shown_queue:
            self._shown_queue = queue
            if self._next_view:
                self._next_view.show(self._next.picture(queue[0]))
            if self._hold_view:
                self._hold_view.show(self._hold.picture(queue[1] or ""))


def _key_limit(game_rules: Rules) -> str:
    """The rules' limit of shifts and turns, in words."""
    limits = game_rules.file.placement.keys_per_row
    if not limits:
        return ""
    later = "" if limits[0] == limits[-1] else f", {limits[-1]} at last"
    return f" Shifts and turns per row: {limits[0]}{later}."
