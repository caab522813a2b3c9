"""The page Watch: an agent plays and the page explains its choices, or two agents race."""

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from nicegui import ui
from nicegui.events import KeyEventArguments, ValueChangeEventArguments

from blockfall.agents import usual_agent
from blockfall.app.parts import choices, menus, widgets
from blockfall.app.parts.address import Address, analyse_link, link
from blockfall.app.parts.desk import SEARCHES
from blockfall.app.parts.why import Why
from blockfall.app.review.reviewing import MOST_PIECES
from blockfall.app.watch.lead import Lead
from blockfall.app.watch.racing import GOALS, Score, many_games, winner
from blockfall.app.watch.seats import Seat
from blockfall.app.watch.watching import FRAMES_PER_S, SPEEDS, Pacer, Show, Slices, speed_of, step_of
from blockfall.errors import BlockfallError
from blockfall.games.explanation import Explained
from blockfall.rulesets import rules

P = ParamSpec("P")
T = TypeVar("T")

_SLICES = Slices()
_PLAYER = ThreadPoolExecutor(1, "watch")  # one thread: more would only compete for Python's lock
_UPDATE_S = 0.25  # numbers, reasons and charts are updated at most so often
_NEXT_GAME_S = 2.0
_USUAL_GOAL = 100
_FIRST_SPEED = 6  # the slider's first step
_MOST_PIECE = 1_000_000
_SLICE_S = 0.1
_NOTE_S = 2.0  # the address follows a game that runs at most so often
_NO_KEYS = "(event) => event.stopPropagation()"
_NO_SPACE = "(event) => { if (event.key === ' ') event.stopPropagation(); }"
_NO_SCROLLING = """document.addEventListener("keydown", (event) => {
  if (event.key === " " && event.target === document.body) event.preventDefault();
});"""


def build() -> None:
    """Fills the page."""
    widgets.title("Watch")
    _WatchPage()


class _WatchPage:
    def __init__(self) -> None:
        self._address = Address()
        self._opened = False
        self._account = object()  # not the page itself: the accounts would keep a closed page alive
        self._show: Show | None = None
        self._seats: list[Seat] = []
        self._pace = Pacer()
        self._busy = asyncio.Lock()
        self._playing = not self._address.get("paused")
        self._noted = 0.0
        self._speed_step = step_of(self._address.get("speed"), _FIRST_SPEED)
        self._speed = speed_of(self._speed_step)
        self._updated = 0.0
        self._ended: float | None = None
        self._ranked: list[Explained] = []
        self._match: tuple[object, ...] = ()
        """What is raced, by whom: the score is of this."""
        self._score = Score()
        ui.run_javascript(_NO_SCROLLING)
        with widgets.parts():
            with widgets.panel("", "bf-scene").props('aria-label="Game"'):
                self._stage = ui.element("div").classes("bf-seats")
                self._build_transport()
            with ui.element("div").classes("bf-beside"):
                with widgets.panel("Settings", "bf-grow"):
                    self._build_settings()
                self._build_findings()
        ui.keyboard(self._hear_key, ignore=["input", "select", "textarea"])
        ui.timer(0, self._open, once=True)
        self._timer = ui.timer(1 / FRAMES_PER_S, self._tick)

    def _build_transport(self) -> None:
        with ui.element("div").classes("bf-transport"):
            self._button("first_page", "To the first kept position", self._to_start)
            self._button("chevron_left", "Back one piece", self._back)
            self._play_button = self._button("pause", "Pause", self._toggle)
            self._button("chevron_right", "Forward one piece", self._step)
            self._button("replay", "Restart", self._restart)
            self._button("rate_review", "Review this game", self._review)
            self._button("troubleshoot", "Analyse this position", self._analyse)
        with ui.element("div").classes("bf-speed"):
            self._speed_label = ui.label().classes("bf-fact-name")
            slider = ui.slider(min=0, max=SPEEDS + 1, step=1, value=self._speed_step, on_change=self._set_speed)
            self._now = ui.label().classes("bf-fact-name").mark("pace")
            slider.props('aria-label="Speed"').on("keydown", js_handler=_NO_KEYS)
        self._name_speed()

    def _button(self, icon: str, name: str, act: object) -> ui.button:
        button = ui.button(icon=icon, on_click=act).props(f'flat round aria-label="{name}"')  # type: ignore[arg-type]
        button.on("keydown", js_handler=_NO_SPACE)
        return button

    def _build_settings(self) -> None:
        known, asked = menus.agent_choices(), self._address
        with ui.element("div").classes("bf-choices"):
            self._rules = menus.rules_menu(asked.one_of("rules", "standard", menus.rules_choices()))
            self._usual = self._usual_agent()
            usual = None if asked.get("agent") else self._usual  # an agent that is not here is not replaced by another
            self._agent = menus.agent_menu(asked.one_of("agent", usual, known), self._rules_name)
            self._rival = menus.agent_menu(asked.one_of("against", None, known), self._rules_name, "Race against")
            self._rival.props('clearable placeholder="nobody"')
            self._goal = ui.select(GOALS, label="Race to", value=_one_goal(asked.get("to")))
            self._goal.set_visibility(self._rival.value is not None)
            seed = asked.whole("seed", 1, 0, choices.MOST_SEED)
            self._seed = ui.number("Seed", value=seed, min=0, precision=0, validation=choices.seed_problem)
            self._seed.props("hide-bottom-space")
        with ui.element("div").classes("bf-switches"):
            self._heated = ui.switch("Heat map of the columns", on_change=self._redraw)
            self._goes_on = ui.switch("Next seed when a game ends", value=True)
            self._animated = ui.switch("Animation", value=True)
        self._wanted = {self._agent: asked.get("agent"), self._rival: asked.get("against")}
        self._wanted_rules = asked.get("rules")
        self._trained: dict[str, str] = {}
        self._rules.on_value_change(self._choose_rules)
        for field in (self._agent, self._rival, self._goal):
            field.on_value_change(self._choose)
        self._seed.on("change", self._choose)

    def _build_findings(self) -> None:
        with widgets.panel("Why this placement", "bf-grow bf-first") as self._why_panel:
            self._why = Why()
            ui.label("On the board, the bright cells are this placement. The outline is the next best.").classes(
                "bf-soft bf-note"
            )
        self._race_panel = widgets.panel("Race", "bf-grow bf-first")
        self._lead: Lead | None = None  # its chart is large to load: it comes with the first race
        self._race_panel.visible = False

    async def _open(self) -> None:
        """Starts the first game. After that, each choice starts a new one."""
        try:
            await self._add_trained()
        finally:  # the shipped agents work without the store
            self._opened = True
            await self._begin_as_asked()

    async def _begin_as_asked(self) -> None:
        """Starts what the address says and goes to its piece. Names that are not here are not replaced by others."""
        if self._wanted_rules not in ("", self._rules.value):
            self._refuse(f"This link names the rules {self._wanted_rules[:80]!r}, which are not here. Choose others.")
            return
        for field, wanted in self._wanted.items():
            if wanted not in ("", field.value):
                self._refuse(f"This link names {menus.missing_agent(wanted)} Choose another agent.")
                return
        await self._begin(piece=self._address.whole("piece", 0, 0, _MOST_PIECE))
        self._set_playing(self._playing)

    def _rules_name(self) -> str:
        return str(self._rules.value)

    def _usual_agent(self) -> str:
        return usual_agent(self._rules_name(), otherwise="dellacherie")

    async def _choose_rules(self) -> None:
        """Other rules bring their usual agent, unless somebody has chosen another one."""
        before, self._usual = self._usual, self._usual_agent()
        for field in (self._agent, self._rival):
            field.set_options({**menus.agent_choices(self._rules_name()), **self._trained})
        if self._agent.value == before != self._usual:
            self._agent.value = self._usual  # which starts the game
        else:
            await self._choose()

    async def _choose(self) -> None:
        if self._opened and not choices.seed_problem(self._seed.value):
            await self._begin(chosen=True)

    async def _restart(self) -> None:
        if not choices.seed_problem(self._seed.value):  # or its field says what is wrong
            await self._begin()

    async def _begin(self, seed: int | None = None, chosen: bool = False, piece: int = 0) -> None:
        """Starts a new game with the current settings and shows it from this piece on.

        Back leads to the game before if a visitor chose this one.
        """
        number = choices.whole(self._seed.value, "a seed", 0, choices.MOST_SEED) if seed is None else seed
        game_rules = rules(_one_of(self._rules.value, menus.rules_choices(), "standard") or "standard")
        named = [self._agent.value] + ([self._rival.value] if self._rival.value else [])
        if self._opened:
            write = self._address.choose if chosen else self._address.note
            against, goal = (named[1], self._goal.value) if len(named) > 1 else (None, None)
            write(rules=game_rules.name, agent=named[0], against=against, to=goal, seed=number)
        async with self._busy:
            try:
                players = [await asyncio.to_thread(menus.chosen_agent, one) for one in named]
            except BlockfallError as error:
                self._refuse(f"{error}. Choose another agent.")
                return
            goal = _one_goal(self._goal.value)
            self._show = show = await self._do(Show, game_rules, players, number, goal_lines=goal)
            self._stage.clear()
            with self._stage:
                self._seats = [Seat(game) for game in show.games]
            while show.number < piece and await self._do(show.play, piece - show.number, _SLICE_S):
                pass
        self._why_panel.visible, self._race_panel.visible = len(players) == 1, len(players) > 1
        self._heated.set_enabled(len(players) == 1)
        self._goal.set_visibility(len(players) > 1)
        if (match := (game_rules.name, *named, goal)) != self._match:
            self._match, self._score = match, Score()
            if self._lead:
                self._lead.show_many("", working=False)
        self._seed.value = number
        self._ended = None
        self._pace.restart()
        await self._present(everything=True)

    def _review(self) -> None:
        """Opens the game up to here in Review."""
        if self._show and self._show.games:
            game = self._show.games[0]
            agent, pieces = self._agent.value, min(MOST_PIECES, max(1, game.number))
            ui.navigate.to(link("/review", rules=game.rules.name, agent=agent, seed=game.seed, pieces=pieces))

    def _analyse(self) -> None:
        """Opens the position in Analyse."""
        if self._show and not self._show.games[0].over:
            ui.navigate.to(analyse_link(self._show.games[0].position.game, str(self._agent.value)))

    def _refuse(self, why: str) -> None:
        """Shows a message in place of a game."""
        self._show, self._seats = None, []
        self._why_panel.visible = self._race_panel.visible = False
        self._stage.clear()
        with self._stage:
            widgets.empty_state("visibility_off", why)

    async def _add_trained(self) -> None:
        """Adds the agents of the store's runs to the menus, and chooses the one that the page's address names."""
        found = self._trained = await asyncio.to_thread(menus.trained_choices)
        for field, wanted in self._wanted.items():
            field.set_options({**menus.agent_choices(self._rules_name()), **found})
            if wanted in found:
                field.value = wanted

    async def _tick(self) -> None:
        show = self._show
        if show is None or not self._playing or self._busy.locked():
            return
        if show.over:
            await self._end()
            return
        allowed = _SLICES.ask(self._account)
        if allowed <= 0:
            return
        due = None if self._speed is None else self._pace.due(self._speed)
        if due == 0:
            return
        async with self._busy:
            await self._do(show.play, due, allowed)
        await self._present()

    async def _do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Does the work in the players' thread and books its time on this visitor's account."""
        turn = partial(_timed, partial(work, *args, **kwargs))
        given, seconds = await asyncio.get_running_loop().run_in_executor(_PLAYER, turn)
        _SLICES.spent(self._account, seconds)
        return given

    async def _end(self) -> None:
        """Called while every game is over. Starts the next game after a moment, if the switch is on."""
        now = time.monotonic()
        if self._ended is None:
            self._ended = now
            if self._show and len(self._show.games) > 1:
                self._score.add(winner(self._show))
            await self._present(everything=True)
        elif self._goes_on.value and self._show and now - self._ended > _NEXT_GAME_S:
            self._ended = now
            await self._begin(self._show.games[0].seed + 1)

    async def _present(self, everything: bool = False) -> None:
        """Shows how the games stand: the boards always, the rest from time to time, or while paused."""
        show = self._show
        if show is None:
            return
        now = time.monotonic()
        everything |= not self._playing or now - self._updated >= _UPDATE_S
        full_speed = self._playing and self._speed is None
        slow = not self._playing or (self._speed is not None and self._speed <= 1 / _UPDATE_S)
        if len(self._seats) > 1 or full_speed:
            self._ranked = []
        elif everything or slow:
            self._ranked = await self._explain(show)
        if everything or slow:
            everything, self._updated = True, now
        flashing = slow and bool(self._animated.value)
        for seat in self._seats:
            seat.show_board(self._ranked, outlined=slow, heated=bool(self._heated.value), flashing=flashing)
            if everything:
                seat.show_numbers()
        if everything:
            self._show_findings(show, full_speed)
            self._note_piece(show)

    async def _play_many(self) -> None:
        """Plays many games of the race at once, and shows the score as it grows."""
        show, lead, match = self._show, self._lead, self._match
        if show is None or lead is None:
            return
        players, race = [game.agent for game in show.games], show.games[0]
        lead.show_many("Playing.", working=True)
        told = ""
        try:
            for found in _batches(many_games(race.rules, players, race.seed)):
                played = await SEARCHES.do(found)
                if played is None or match != self._match:
                    break
                told = str(played)
                lead.show_many(told, working=True)
        except BlockfallError as error:
            told = widgets.sentence(error)
        finally:
            if match == self._match:
                lead.show_many(told, working=False)

    async def _explain(self, show: Show) -> list[Explained]:
        game = show.games[0]
        return await self._do(game.position.explain, game.agent)

    def _note_piece(self, show: Show) -> None:
        """Writes how far the game is. Browsers take only a few writes a second."""
        now = time.monotonic()
        if not self._playing or now - self._noted >= _NOTE_S:
            self._noted = now
            self._address.note(piece=show.number or None, paused=not self._playing)

    def _show_findings(self, show: Show, full_speed: bool) -> None:
        pace = f"Now {self._pace.rate(show.number):,.0f} pieces per second" if self._playing else "Paused"
        back = f"piece {show.first:,}" if show.first else "the start"
        self._now.text = f"{pace}. You can go back to {back}."
        if len(show.games) > 1:
            if self._lead is None:
                with self._race_panel:
                    self._lead = Lead(self._play_many)
            self._lead.show(show, self._score)
        elif full_speed:
            self._why.say("Too fast to explain. Pause, or slow down.")
        elif self._ranked:
            self._why.show(show.games[0].agent, self._ranked[0], self._ranked[1] if len(self._ranked) > 1 else None)
        else:
            self._why.say("The game is over. Go back to see the last decisions.")

    async def _redraw(self) -> None:
        if not self._playing:
            await self._present()

    async def _toggle(self) -> None:
        self._playing = not self._playing
        async with self._busy:  # wait for the piece that is being played; the button changes after that
            pass
        await self._present(everything=True)
        self._set_playing(self._playing)

    def _set_playing(self, playing: bool) -> None:
        self._playing = playing
        self._pace.restart()
        icon, name = ("pause", "Pause") if playing else ("play_arrow", "Play")
        self._play_button.props(f'icon={icon} aria-label="{name}"')

    async def _step(self) -> None:
        await self._move("step")

    async def _back(self) -> None:
        await self._move("back")

    async def _to_start(self) -> None:
        await self._move("to_start")

    async def _move(self, how: str) -> None:
        """Steps by hand. This pauses the game."""
        if self._show is None:
            return
        self._set_playing(False)
        self._ended = None
        async with self._busy:
            await self._do(getattr(self._show, how))
        await self._present()

    def _set_speed(self, event: ValueChangeEventArguments[float | None]) -> None:
        self._speed = speed_of(event.value)
        self._address.note(speed="full" if self._speed is None else f"{self._speed:.3g}")
        self._pace.restart()
        self._name_speed()

    def _name_speed(self) -> None:
        speed = self._speed
        named = "as fast as possible" if speed is None else f"{speed:,.{0 if speed >= 100 else 1}f} pieces per second"
        self._speed_label.text = f"Speed: {named}"

    async def _hear_key(self, event: KeyEventArguments) -> None:
        if not event.action.keydown:
            return
        if event.key == " " and not event.action.repeat:
            await self._toggle()
        elif event.key.arrow_right:
            await self._step()
        elif event.key.arrow_left:
            await self._back()


def _batches(found: Iterator[T]) -> Iterator[Callable[[], T | None]]:
    """The work of an iterator, a piece at a time; the last piece gives None."""
    while True:
        yield lambda: next(found, None)


def _one_goal(said: object) -> int:
    """The goal of a race that a menu or an address says."""
    return next((goal for goal in GOALS if str(goal) == str(said)), _USUAL_GOAL)


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result of the work, and the CPU time that it took."""
    began = time.thread_time()
    return work(), time.thread_time() - began


def _one_of(value: object, known: dict[str, str], otherwise: str | None) -> str | None:
    return value if isinstance(value, str) and value in known else otherwise
