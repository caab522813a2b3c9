"""Tetris on the page Play: the stage, the settings, the keys, and the loop that steps the game."""

import asyncio
import time
from collections.abc import Callable
from enum import Enum

from nicegui import background_tasks, ui

from blockfall.agents import usual_agent
from blockfall.app.parts import choices, menus, widgets
from blockfall.app.parts.address import Address, analyse_link
from blockfall.app.parts.board import BoardCanvas
from blockfall.app.parts.choices import Kept
from blockfall.app.play import modes
from blockfall.app.play.high_scores import key_of
from blockfall.app.play.keyboard import actions_of, sign_of
from blockfall.app.play.keys import Keys
from blockfall.app.play.keys_panel import KeysPanel
from blockfall.app.play.modes import MODES, Mode, ModeEnding
from blockfall.app.play.playing import (
    HeldKeys,
    PieceQueue,
    TetrisSession,
    most_start_level,
    playable_rules,
)
from blockfall.app.play.rival import PACES, Rival
from blockfall.app.play.scoreboard import GameEnd, Scoreboard
from blockfall.app.play.ticking import FrameClock, GamesAtOnce
from blockfall.app.review.opening import keep_replay
from blockfall.app.review.reviewing import persons_game
from blockfall.errors import BlockfallError
from blockfall.games import game
from blockfall.rulesets import Rules, rules

_USUAL_RULES = "guideline"
_MOST_SHIFT_FRAMES = 60
_GAMES_AT_ONCE = GamesAtOnce(60)
_COUNTDOWN = ("3", "2", "1")
_COUNT_S = 0.6
_FRAMES_PER_NUMBERS = 6  # the clock is shown ten times a second
_USUAL_RIVAL = "dellacherie"
_KEEP_S = 5.0
_LOSE_FOCUS = "() => document.activeElement?.blur()"
"""Or Space presses the button again. keys.js does it, too, but only once the server has answered."""


class _State(Enum):
    BUILDING = "building"
    READY = "ready"
    COUNTING = "counting"
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
        self._wanted: Callable[[], None] | None = None
        """What waits for the visitor's word that the game may be thrown away."""
        self._asking = False
        self._rival: Rival | None = None
        self._numbers_shown = 0
        self._game_kept = 0.0
        names = {one.name: one.title for one in playable_rules()}
        self._waiting = self._in_progress()
        asked = address.one_of("rules", self._kept.one_of("rules", _USUAL_RULES, names), names)
        self._rules: Rules = rules(self._waiting.rules.name if self._waiting else asked)
        self._first_seed: int | None = None if address.get("seed") == "" else address.whole("seed", 0, 0, 2**64 - 1)
        if address.get("rules") not in ("", self._rules.name):
            widgets.trouble(f"This link names the rules {address.get('rules')[:80]!r}, which cannot be played here.")
        if address.get("against") not in ("", *menus.agent_choices()):
            widgets.trouble(f"This link names {menus.missing_agent(address.get('against'))} This is another one.")
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
        self._kept["game"] = None if self._state is _State.OVER else self._session.as_kept()
        self._game_kept = time.monotonic()

    def pause(self) -> None:
        """If it runs."""
        if self._state in (_State.RUNNING, _State.COUNTING):
            self._enter(_State.PAUSED)

    def _build_settings(self, names: dict[str, str]) -> None:
        kept = self._kept
        with widgets.panel("Game", "bf-side"):
            titles = {mode.name: mode.title for mode in MODES.values()}
            usual_mode = kept.one_of("mode", "endless", titles)
            self._mode_choice = ui.toggle(titles, value=self._address.one_of("mode", usual_mode, titles))
            self._mode_choice.props('no-caps unelevated dense spread aria-label="Mode"').classes("w-full bf-modes")
            self._mode_choice.on_value_change(lambda: self._unless_playing(self._choose_mode))
            self._mode_what = ui.label().classes("bf-soft text-sm")
            self._build_rival_settings()
            self._choice = menus.Menu("rules", names, value=self._rules.name, label="Rules")
            self._choice.on_value_change(lambda: self._unless_playing(self._choose_rules))
            self._choice.classes("w-full")
            self._about = ui.label().classes("bf-soft text-sm")
            with ui.row().classes("bf-fields"):
                usual = kept.whole("level", 0, 0, most_start_level(self._rules))
                level = self._address.whole("level", usual, 0, most_start_level(self._rules))
                self._level = ui.number("Start level", value=level, min=0, precision=0, on_change=self._choose_again)
                self._level.validation = lambda said: choices.whole_problem(0, most_start_level(self._rules))(said)
                self._seed = ui.input("Seed", placeholder="by chance", validation=choices.seed_text_problem)
                self._seed.on_value_change(self._choose_again)
            with ui.row().classes("bf-fields"):
                self._delay = self._shift_field(
                    "Shift delay", "delay", 10, "DAS: frames that a key is held before it repeats"
                )
                self._repeat = self._shift_field(
                    "Shift repeat", "repeat", 2, "ARR: frames between repeats; 0 is at once"
                )
                self._soft = ui.number(
                    "Soft drop", value=kept.whole("soft", 0, 0, _MOST_SHIFT_FRAMES) or None, min=1, precision=0
                )
                self._soft.props('stack-label placeholder="as in rules"').on_value_change(self._choose_again)
                self._soft.validation = choices.whole_problem(1, _MOST_SHIFT_FRAMES, optional=True)
                self._soft.tooltip("SDF: frames for each row while the key is held; empty for what the rules say")
            ui.label("Shifts and soft drop are in frames, of which a second has 60.").classes("bf-soft text-xs")
            for field in (self._level, self._seed):
                field.props("stack-label")
            self._numbers_asked = (self._level, self._seed, self._delay, self._repeat, self._soft)
            for field in self._numbers_asked:
                field.props("hide-bottom-space")
            with ui.row().classes("gap-x-4 gap-y-0"):
                self._ghost = self._switch("Ghost", "ghost", usual=True)
                self._animated = self._switch("Animation", "animated", usual=True)
                self._sounds = self._switch("Sound", "sounds", usual=False)
            ui.button("New game", icon="replay", on_click=self._again).props("unelevated no-caps").classes("w-full")
        self._name_mode()

    def _build_rival_settings(self) -> None:
        kept, known = self._kept, menus.agent_choices()
        with ui.column().classes("w-full gap-3 items-stretch") as self._rival_fields:
            rival = self._address.one_of("against", kept.one_of("rival", _USUAL_RIVAL, known), known)
            self._rival_agent = menus.agent_menu(rival, lambda: self._rules.name)
            self._rival_agent.on_value_change(self._choose_again)
            self._rival_pace = ui.select(
                PACES, label="Its pace", value=kept.one_of("pace", 1, PACES), on_change=self._choose_again
            )

    @property
    def _mode(self) -> Mode:
        return MODES.get(str(self._mode_choice.value), MODES["endless"])

    def _name_mode(self) -> None:
        self._mode_what.text = self._mode.what
        self._rival_fields.visible = self._mode.against

    def _choose_mode(self) -> None:
        self._kept["mode"] = self._mode.name
        self._name_mode()
        self._change_rules()

    def _unless_playing(self, act: Callable[[], None]) -> None:
        """Does something that ends the game. Asks first where the game has begun."""
        if self._asking:
            return
        if self._state in (_State.RUNNING, _State.PAUSED) and self._session.game.pieces > 0:
            self.pause()
            self._wanted = act
            self._enter(_State.PAUSED)
            widgets.bring_into_view(self._stage)  # where the question is
        else:
            act()

    def _throw_away(self) -> None:
        wanted, self._wanted = self._wanted, None
        self._state = _State.READY
        if wanted:
            wanted()

    def _keep_playing(self) -> None:
        """Puts the choices back to those of the game that goes on."""
        if self._wanted is None:  # answered already: Space, pressed at once, would press the button again
            return
        self._wanted = None
        self._asking = True
        self._mode_choice.value, self._choice.value = self._played_mode.name, self._rules.name
        self._asking = False
        self._name_mode()
        self._toggle()

    def _shift_field(self, title: str, name: str, usual: int, what: str) -> ui.number:
        field = ui.number(
            title,
            value=self._kept.whole(name, usual, 0, _MOST_SHIFT_FRAMES),
            min=0,
            max=_MOST_SHIFT_FRAMES,
            validation=choices.whole_problem(0, _MOST_SHIFT_FRAMES),
        )
        field.tooltip(what).on_value_change(self._choose_again)
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
        self._show_ranking()
        self._new_game()

    def _show_ranking(self) -> None:
        mode, key = self._mode, key_of(game("tetris"), {"rules": self._rules.name})
        if mode.name in ("sprint", "marathon"):
            key = f"{key}/{mode.name}"
        ranking = self._scoreboard.show(key, f"{self._rules.title}, {mode.title.lower()}", times=mode.by_time)
        background_tasks.create(ranking, context=self._client)

    def _build_stage(self) -> None:
        """Its boards have the rules' sizes."""
        play = self._rules.file.play
        self._next, self._hold = PieceQueue(self._rules, play.previews), PieceQueue(self._rules, 1)
        shown = TetrisSession(self._rules, 0).rows_shown
        self._stage.clear()
        versus = " bf-stage-versus" if self._mode.against else ""
        with (
            self._stage,
            ui.element("div").classes(f"bf-stage{versus}").style(f"--ratio: {self._rules.columns / shown}"),
        ):
            with ui.element("div").classes("bf-stage-board"):
                self._view = BoardCanvas(
                    self._rules.columns, shown, label="The board", skyline=self._rules.visible_rows
                )
                with ui.column().classes("bf-cover items-center justify-center") as self._cover:
                    box = ui.column().classes("bf-cover-box items-center")
            with ui.column().classes("bf-stage-hold"):
                self._hold_view = self._small_board("Hold", self._hold) if play.hold else None
            with ui.element("div").classes("bf-stage-facts"):
                self._numbers = widgets.Numbers(["Time", "Lines", "Score", "Level", "Pieces", "Per second"])
                self._pause_button = ui.button(icon="pause", on_click=self._toggle)
                self._pause_button.props('outline aria-label="Pause"').classes("bf-pause")
            with ui.column().classes("bf-stage-next"):
                self._next_view = self._small_board("Next", self._next) if play.previews else None
            if self._mode.against:
                with ui.column().classes("bf-stage-rival"):
                    self._rival_name = ui.label().classes("bf-fact-name")
                    label = "The agent's board"
                    self._rival_view = BoardCanvas(self._rules.columns, self._rules.visible_rows, label=label)
                    self._rival_numbers = ui.label().classes("bf-rival-numbers").props("role=status")
        with self._stage:
            self._keys = Keys(on_held=self._held.hold, on_command=self._command, on_captured=self._captured)
        with box:
            self._message = ui.label().classes("text-lg font-bold").props("role=status")
            self._hint = ui.label().classes("text-sm text-center")
            self._trouble = widgets.trouble()
            self._go = ui.button("Start", icon="play_arrow", on_click=self._toggle).props("unelevated no-caps")
            self._go.on("click", js_handler=_LOSE_FOCUS)
            with ui.row().classes("justify-center gap-2") as self._question:
                ui.button("New game", icon="replay", on_click=self._throw_away).props(
                    'unelevated no-caps color=negative aria-label="Yes, throw it away"'
                )
                ui.button("Go on", icon="play_arrow", on_click=self._keep_playing).props("outline no-caps")
            self._analyse = ui.button("Analyse", icon="troubleshoot", on_click=self._open_analysis)
            self._analyse.props('outline no-caps aria-label="Analyse this position"')
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
        if self._state in (_State.READY, _State.OVER):
            self._new_game()

    def _again(self) -> None:
        """Another game, at once. Asked twice, it throws the game away."""
        if self._wanted is not None:
            self._throw_away()
        else:
            self._unless_playing(self._start_again)

    def _start_again(self) -> None:
        if self._new_game():
            self._toggle()

    def _new_game(self) -> bool:
        """Whether there is one: where a setting is wrong, its field says so."""
        if not all(field.validate() for field in self._numbers_asked):
            return False
        level = choices.whole(self._level.value, "start level", 0, most_start_level(self._rules))
        delay = choices.whole(self._delay.value, "shift delay", 0, _MOST_SHIFT_FRAMES)
        repeat = choices.whole(self._repeat.value, "shift repeat", 0, _MOST_SHIFT_FRAMES)
        soft = None
        if self._soft.value is not None:
            soft = choices.whole(self._soft.value, "soft drop", 1, _MOST_SHIFT_FRAMES)
        seed, self._first_seed = choices.seed(self._seed.value or self._first_seed), None
        kept = (("level", level), ("delay", delay), ("repeat", repeat), ("soft", soft or 0))
        for name, value in (*kept, ("rival", self._rival_agent.value), ("pace", self._rival_pace.value)):
            self._kept[name] = value
        self._played_mode = self._mode
        waiting, self._waiting = self._waiting, None
        self._session = waiting or TetrisSession(self._rules.starting_at(level), seed, delay, repeat, soft)
        self._address.note(
            game="tetris",
            rules=self._rules.name,
            seed=self._session.seed,
            level=level or None,
            mode=self._mode.name,
            against=self._rival_agent.value if self._mode.against else None,
        )
        self._rival = None
        self._numbers_shown = 0
        self._shown_queue: tuple[str, str | None] | None = None
        self._end.begin()
        self._enter(_State.PAUSED if waiting else _State.READY)
        self._show()
        if waiting and self._mode.against:
            background_tasks.create(self._bring_rival_back(), context=self._client)
        return True

    def _enter(self, state: _State) -> None:
        """Another state, and what the page says of it."""
        self._state = state
        self._held.release_all()
        self._keys.listen(state is _State.RUNNING)
        self._cover.visible = state is not _State.RUNNING
        asked = self._wanted is not None
        self._go.visible = state in (_State.READY, _State.PAUSED) and not asked
        self._question.visible = state is _State.PAUSED and asked
        self._analyse.visible = state is _State.PAUSED and not asked
        self._message.visible = state is not _State.OVER
        self._hint.visible = state in (_State.READY, _State.PAUSED)
        if state is _State.COUNTING:
            self._message.classes("bf-count")
        else:
            self._message.classes(remove="bf-count")
        self._pause_button.set_enabled(state is _State.RUNNING)
        self._end.hide()
        key = sign_of(self._keys_panel.keys["pause"])
        if state is _State.READY:
            self._message.text, self._go.text = "Ready", "Start"
            self._hint.text = f"Seed {self._session.seed}. {key} starts and pauses."
        elif state is _State.PAUSED:
            self._message.text, self._go.text = "Paused", "Go on"
            self._hint.text = f"{key} or Esc goes on."
            if asked:
                self._message.text = "Throw this game away?"
                self._hint.text = "It has begun, and cannot be brought back."
            self._keep_game()

    def _open_analysis(self) -> None:
        """Opens the position in Analyse. The game is kept."""
        self._keep_game()
        agent = usual_agent(self._rules.name, otherwise=_USUAL_RIVAL)
        ui.navigate.to(analyse_link(self._session.game, agent))

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
        if self._wanted is not None:
            self._keep_playing()
            return
        if self._state is _State.BUILDING and not self._new_game():
            return
        if self._state in (_State.RUNNING, _State.COUNTING):
            self.pause()
        elif self._state is not _State.OVER:
            with widgets.said_at(self._trouble):
                _GAMES_AT_ONCE.take()
            if self._trouble.text:
                return
            counts = self._played_mode.counts_down and self._session.frames == 0
            self._enter(_State.COUNTING if counts else _State.RUNNING)
            widgets.bring_into_view(self._stage)
            self._runs += 1
            background_tasks.create(self._run(self._runs), context=self._client)

    async def _run(self, run: int) -> None:
        """Steps the game until this run of it ends: by a pause, its end, another game, or the visitor leaving."""
        try:
            await self._get_ready(run)
            clock = FrameClock(time.monotonic())
            while self._goes_on(run):
                await asyncio.sleep(clock.wait_s(time.monotonic()))
                self._play_frames(clock.due(time.monotonic()), run)
                await self._play_rival(run)
        finally:
            _GAMES_AT_ONCE.give_back()

    def _goes_on(self, run: int, state: _State = _State.RUNNING) -> bool:
        return self._state is state and run == self._runs and not self._gone

    async def _get_ready(self, run: int) -> None:
        """Brings the rival, and counts down."""
        if self._played_mode.against and self._rival is None:
            self._rival = await self._new_rival()
            if self._rival is None:
                self.pause()
                return
            self._show_rival(self._rival)
        for count in _COUNTDOWN:
            if not self._goes_on(run, _State.COUNTING):
                return
            self._message.text = count
            await asyncio.sleep(_COUNT_S)
        if self._goes_on(run, _State.COUNTING):
            self._enter(_State.RUNNING)

    async def _new_rival(self) -> Rival | None:
        """The agent of the menu. None where it is not here, which the menu's field says."""
        self._rival_agent.error = None
        try:
            player = await asyncio.to_thread(menus.chosen_agent, self._rival_agent.value)
        except BlockfallError as error:
            self._rival_agent.error = widgets.sentence(error)
            return None
        pace = self._rival_pace.value if self._rival_pace.value in PACES else 0
        return Rival(self._session.rules, player, self._session.seed, float(pace))

    async def _bring_rival_back(self) -> None:
        """After a reload: the agent's game up to where the visitor's is."""
        session, rival = self._session, await self._new_rival()
        if rival is None:
            return
        while rival.is_due(session.frames, session.game.pieces):
            await asyncio.to_thread(rival.play)
        if session is self._session and self._rival is None:  # or the visitor went on meanwhile
            self._rival = rival
            self._show_rival(rival)

    def _play_frames(self, frames: int, run: int) -> None:
        if not self._goes_on(run):
            return
        changes = []
        for _ in range(frames):
            changes.append(self._session.step(self._held.next_frame()))
            if self._ending():
                break
        if any(changes):
            self._show()
        elif self._session.frames - self._numbers_shown >= _FRAMES_PER_NUMBERS:
            self._show_numbers()
        self._end_if_over()
        if self._goes_on(run) and time.monotonic() - self._game_kept > _KEEP_S:
            self._keep_game()

    async def _play_rival(self, run: int) -> None:
        rival, session = self._rival, self._session
        if rival is None or not self._goes_on(run) or not rival.is_due(session.frames, session.game.pieces):
            return
        await asyncio.to_thread(rival.play)
        if rival is self._rival:
            self._show_rival(rival)
            self._end_if_over()

    def _ending(self) -> ModeEnding | None:
        session, rival = self._session, self._rival
        return modes.ending(
            self._played_mode,
            session.frames,
            session.game.score,
            session.progress,
            rival.progress if rival else None,
            session.ending,
        )

    def _end_if_over(self) -> None:
        found = self._ending()
        if found is None or self._state is not _State.RUNNING:
            return
        self._enter(_State.OVER)
        session = self._session
        score = -session.frames if self._played_mode.by_time else session.game.score
        self._end.show(found.title, found.detail, score, counts=found.counts)
        self._show_numbers()
        self._keep_game()
        background_tasks.create(self._keep_replay(session), context=self._client)

    def _show_rival(self, rival: Rival) -> None:
        self._rival_name.text = rival.agent.name
        self._rival_view.show(rival.picture())
        lines = rival.progress.lines
        self._rival_numbers.text = f"{lines} line{'s' if lines != 1 else ''}, {rival.pieces} placed"

    def _show_numbers(self) -> None:
        self._numbers_shown = self._session.frames
        self._numbers.show(self._session.numbers())

    def _show(self) -> None:
        session = self._session
        self._view.show(session.picture(ghost=self._ghost.value))
        self._show_numbers()
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
