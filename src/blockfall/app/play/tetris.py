"""Tetris on the page Play: the loop that steps the game, and the effects of its settings, stage and keys."""

import asyncio
import time
from collections.abc import Callable

from nicegui import background_tasks, ui

from blockfall.agents import usual_agent
from blockfall.app.parts import choices, menus, widgets
from blockfall.app.parts.address import Address, analyse_link
from blockfall.app.parts.choices import Kept
from blockfall.app.play import modes
from blockfall.app.play.high_scores import key_of
from blockfall.app.play.keyboard import actions_of, sign_of
from blockfall.app.play.keys import Keys
from blockfall.app.play.keys_panel import KeysPanel
from blockfall.app.play.modes import ModeEnding
from blockfall.app.play.playing import HeldKeys, TetrisSession, playable_rules
from blockfall.app.play.rival import Rival
from blockfall.app.play.scoreboard import Scoreboard
from blockfall.app.play.tetris_settings import USUAL_RIVAL, TetrisSettings
from blockfall.app.play.tetris_stage import GameState, StageActions, TetrisStage
from blockfall.app.play.ticking import FrameClock, GamesAtOnce
from blockfall.app.review.opening import keep_replay
from blockfall.app.review.reviewing import persons_game
from blockfall.errors import BlockfallError
from blockfall.games import game
from blockfall.rulesets import Rules, rules

_USUAL_RULES = "guideline"
_GAMES_AT_ONCE = GamesAtOnce(60)
_COUNTDOWN = ("3", "2", "1")
_COUNT_S = 0.6
_KEEP_S = 5.0


class TetrisPart:
    """One visitor's game."""

    def __init__(self, address: Address) -> None:
        self._kept, self._address = Kept("play-tetris"), address
        self._client = ui.context.client
        self._held = HeldKeys()
        self._runs = 0
        self._state = GameState.BUILDING
        self._gone = False
        self._wanted: Callable[[], None] | None = None
        """The action that waits until the visitor agrees to abandon the game."""
        self._asking = False
        self._rival: Rival | None = None
        self._game_kept = 0.0
        titles = {one.name: one.title for one in playable_rules()}
        self._waiting = self._in_progress()
        asked = address.one_of("rules", self._kept.one_of("rules", _USUAL_RULES, titles), titles)
        self._rules: Rules = rules(self._waiting.rules.name if self._waiting else asked)
        self._first_seed: int | None = None if address.get("seed") == "" else address.whole("seed", 0, 0, 2**64 - 1)
        if address.get("rules") not in ("", self._rules.name):
            widgets.trouble(f"This link names the rules {address.get('rules')[:80]!r}, which cannot be played here.")
        if address.get("against") not in ("", *menus.agent_choices()):
            widgets.trouble(f"This link names {menus.missing_agent(address.get('against'))} This is another one.")
        with ui.element("div").classes("bf-parts"):
            self._settings = TetrisSettings(
                self._kept,
                address,
                titles,
                self._rules,
                on_mode=lambda: self._unless_playing(self._choose_mode),
                on_rules=lambda: self._unless_playing(self._choose_rules),
                on_numbers=self._choose_again,
                on_effects=self._use_effects,
                on_new_game=self._again,
            )
            self._panel = widgets.panel("", "bf-grow bf-stage-panel").props('aria-label="Game"')
            with ui.column().classes("bf-side bf-column"):
                self._keys_panel = KeysPanel(
                    self._kept, on_change=self._use_keys, on_capture=lambda: self._keys.capture()
                )
                self._scoreboard = Scoreboard()
        self._change_rules()

    def leave(self) -> None:
        """Stop the game: the visitor went elsewhere."""
        self._gone = True

    def pause(self) -> None:
        """Pause the game if it runs."""
        if self._state in (GameState.RUNNING, GameState.COUNTING):
            self._enter(GameState.PAUSED)

    def _in_progress(self) -> TetrisSession | None:
        """Return the visitor's unfinished game, unless the address asks for another."""
        found = TetrisSession.restored(self._kept.get("game"))
        if found is None or found.over:
            return None
        this = self._address.get("rules") in ("", found.rules.name)
        return found if this and self._address.get("seed") in ("", str(found.seed)) else None

    def _keep_game(self) -> None:
        """Keep the game for a reload, and every few seconds while it runs."""
        self._kept["game"] = None if self._state is GameState.OVER else self._session.as_kept()
        self._game_kept = time.monotonic()

    def _choose_mode(self) -> None:
        self._kept["mode"] = self._settings.mode.name
        self._settings.describe_mode()
        self._change_rules()

    def _choose_rules(self) -> None:
        if name := self._settings.rules_name:
            self._rules = rules(name)
            self._kept["rules"] = name
            self._change_rules()

    def _unless_playing(self, act: Callable[[], None]) -> None:
        """Do something that ends the game. Ask first if the game has begun."""
        if self._asking:
            return
        if self._state in (GameState.RUNNING, GameState.PAUSED) and self._session.game.pieces > 0:
            self.pause()
            self._wanted = act
            self._enter(GameState.PAUSED)
            self._stage.bring_into_view()  # the question is there
        else:
            act()

    def _abandon(self) -> None:
        wanted, self._wanted = self._wanted, None
        self._state = GameState.READY
        if wanted:
            wanted()

    def _keep_playing(self) -> None:
        """Go back to the mode and rules of the running game."""
        if self._wanted is None:  # answered already: Space, pressed at once, would press the button again
            return
        self._wanted = None
        self._asking = True
        self._settings.go_back_to(self._played_mode, self._rules)
        self._asking = False
        self._toggle()

    def _change_rules(self) -> None:
        self._state = GameState.BUILDING
        self._settings.describe_rules(self._rules)
        actions = StageActions(self._toggle, self._abandon, self._keep_playing, self._open_analysis, self._again)
        against = self._settings.mode.against
        self._stage = TetrisStage(self._panel, self._rules, self._scoreboard, actions, against=against)
        with self._panel:
            self._keys = Keys(on_held=self._held.hold, on_command=self._command, on_captured=self._keys_panel.captured)
        self._use_effects()
        self._use_keys()
        self._show_ranking()
        self._new_game()

    def _show_ranking(self) -> None:
        mode, key = self._settings.mode, key_of(game("tetris"), {"rules": self._rules.name})
        if mode.name in ("sprint", "marathon"):
            key = f"{key}/{mode.name}"
        ranking = self._scoreboard.show(key, f"{self._rules.title}, {mode.title.lower()}", times=mode.by_time)
        background_tasks.create(ranking, context=self._client)

    def _use_effects(self) -> None:
        self._stage.set_effects(animated=self._settings.animated.value, sounds=self._settings.sounds.value)
        if self._state is not GameState.BUILDING:
            self._show()

    def _use_keys(self) -> None:
        self._keys_panel.show(actions_of(self._rules))
        self._keys.use(self._keys_panel.keys, actions_of(self._rules))

    def _choose_again(self) -> None:
        """Apply a setting to the next game; a running game keeps its own."""
        if self._state in (GameState.READY, GameState.OVER):
            self._new_game()

    def _again(self) -> None:
        """Start another game at once. The second request abandons the game without asking."""
        if self._wanted is not None:
            self._abandon()
        else:
            self._unless_playing(self._start_again)

    def _start_again(self) -> None:
        if self._new_game():
            self._toggle()

    def _new_game(self) -> bool:
        """Prepare a game. Return False if a setting is wrong; its field says why."""
        chosen = self._settings.read()
        if chosen is None:
            return False
        asked, self._first_seed = self._first_seed, None
        seed = choices.seed(asked if chosen.seed is None else chosen.seed)
        self._played_mode = mode = self._settings.mode
        waiting, self._waiting = self._waiting, None
        self._session = waiting or TetrisSession(
            self._rules.starting_at(chosen.level), seed, chosen.delay, chosen.repeat, chosen.soft
        )
        self._address.note(
            game="tetris",
            rules=self._rules.name,
            seed=self._session.seed,
            level=chosen.level or None,
            mode=mode.name,
            against=self._settings.rival if mode.against else None,
        )
        self._rival = None
        self._stage.begin()
        self._enter(GameState.PAUSED if waiting else GameState.READY)
        self._show()
        if waiting and mode.against:
            background_tasks.create(self._bring_rival_back(), context=self._client)
        return True

    def _enter(self, state: GameState) -> None:
        self._state = state
        self._held.release_all()
        self._keys.listen(state is GameState.RUNNING)
        key = sign_of(self._keys_panel.keys["pause"])
        self._stage.enter(state, asked=self._wanted is not None, seed=self._session.seed, pause_key=key)
        if state is GameState.PAUSED:
            self._keep_game()

    def _open_analysis(self) -> None:
        """Open the position in Analyse. The game is kept."""
        self._keep_game()
        agent = usual_agent(self._rules.name, otherwise=USUAL_RIVAL)
        ui.navigate.to(analyse_link(self._session.game, agent))

    async def _keep_replay(self, session: TetrisSession) -> None:
        """Save a finished game for review."""
        with self._panel:
            replay = await asyncio.to_thread(persons_game, self._rules, session.seed, session.placements, "you")
            address = await keep_replay(replay)
        if session is self._session:
            self._stage.end.offer_review(address)

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
        if self._state is GameState.BUILDING and not self._new_game():
            return
        if self._state in (GameState.RUNNING, GameState.COUNTING):
            self.pause()
        elif self._state is not GameState.OVER:
            with widgets.said_at(self._stage.trouble):
                _GAMES_AT_ONCE.take()
            if self._stage.trouble.text:
                return
            counts = self._played_mode.counts_down and self._session.frames == 0
            self._enter(GameState.COUNTING if counts else GameState.RUNNING)
            self._stage.bring_into_view()
            self._runs += 1
            background_tasks.create(self._run(self._runs), context=self._client)

    async def _run(self, run: int) -> None:
        """Step the game until this run ends: by a pause, the game's end, another game, or the visitor leaving."""
        try:
            await self._get_ready(run)
            clock = FrameClock(time.monotonic())
            while self._goes_on(run):
                await asyncio.sleep(clock.wait_s(time.monotonic()))
                self._play_frames(clock.due(time.monotonic()), run)
                await self._play_rival(run)
        finally:
            _GAMES_AT_ONCE.give_back()

    def _goes_on(self, run: int, state: GameState = GameState.RUNNING) -> bool:
        return self._state is state and run == self._runs and not self._gone

    async def _get_ready(self, run: int) -> None:
        """Bring the opponent and count down."""
        if self._played_mode.against and self._rival is None:
            self._rival = await self._new_rival()
            if self._rival is None:
                self.pause()
                return
            self._stage.show_rival(self._rival)
        for count in _COUNTDOWN:
            if not self._goes_on(run, GameState.COUNTING):
                return
            self._stage.count_down(count)
            await asyncio.sleep(_COUNT_S)
        if self._goes_on(run, GameState.COUNTING):
            self._enter(GameState.RUNNING)

    async def _new_rival(self) -> Rival | None:
        """Return the agent of the menu. None if it does not exist; the menu's field says so."""
        self._settings.show_rival_problem(None)
        try:
            player = await asyncio.to_thread(menus.chosen_agent, self._settings.rival)
        except BlockfallError as error:
            self._settings.show_rival_problem(widgets.sentence(error))
            return None
        session = self._session
        return await asyncio.to_thread(Rival, session.rules, player, session.seed, self._settings.pace)

    async def _bring_rival_back(self) -> None:
        """Play the agent's game up to the visitor's after a reload."""
        session, rival = self._session, await self._new_rival()
        if rival is None:
            return
        while rival.is_due(session.frames, session.game.pieces):
            await asyncio.to_thread(rival.play)
        if session is self._session and self._rival is None:  # otherwise the visitor continued meanwhile
            self._rival = rival
            self._stage.show_rival(rival)

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
        else:
            self._stage.show_time(self._session)
        self._end_if_over()
        if self._goes_on(run) and time.monotonic() - self._game_kept > _KEEP_S:
            self._keep_game()

    async def _play_rival(self, run: int) -> None:
        rival, session = self._rival, self._session
        if rival is None or not self._goes_on(run) or not rival.is_due(session.frames, session.game.pieces):
            return
        await asyncio.to_thread(rival.play)
        if rival is self._rival:
            self._stage.show_rival(rival)
            self._end_if_over()

    def _ending(self) -> ModeEnding | None:
        session, rival = self._session, self._rival
        theirs = rival.progress if rival else None
        score = session.game.score
        return modes.ending(self._played_mode, session.frames, score, session.progress, theirs, session.ending)

    def _end_if_over(self) -> None:
        found = self._ending()
        if found is None or self._state is not GameState.RUNNING:
            return
        self._enter(GameState.OVER)
        session = self._session
        score = -session.frames if self._played_mode.by_time else session.game.score
        self._stage.end.show(found.title, found.detail, score, counts=found.counts)
        self._stage.show_numbers(session)
        self._keep_game()
        background_tasks.create(self._keep_replay(session), context=self._client)

    def _show(self) -> None:
        self._stage.show(self._session, ghost=self._settings.ghost.value)
