"""The page Watch: an agent plays and the page explains its choices, or two agents race."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from nicegui import ui
from nicegui.events import KeyEventArguments, ValueChangeEventArguments

from blockfall.app.parts import menus, widgets
from blockfall.app.parts.address import Address, analyse_link, link
from blockfall.app.parts.desk import SEARCHES
from blockfall.app.parts.why import Why
from blockfall.app.review.reviewing import MOST_PIECES
from blockfall.app.watch.lead import Lead
from blockfall.app.watch.racing import Score, many_games, winner
from blockfall.app.watch.seats import Seat
from blockfall.app.watch.settings import WatchSettings
from blockfall.app.watch.watching import FRAMES_PER_S, SPEEDS, Pacer, Show, Slices, speed_of, step_of
from blockfall.errors import BlockfallError
from blockfall.games.explanation import Explained

P = ParamSpec("P")
T = TypeVar("T")

_SLICES = Slices()
_PLAYER = ThreadPoolExecutor(1, "watch")  # one thread: more would only compete for Python's lock
_UPDATE_S = 0.25  # between updates of numbers, reasons and charts
_NEXT_GAME_S = 2.0
_FIRST_SPEED = 6  # the slider's first step
_MOST_PIECE = 1_000_000
_SLICE_S = 0.1
_NOTE_S = 2.0  # between updates of the address while a game runs
_NO_KEYS = "(event) => event.stopPropagation()"
_NO_SPACE = "(event) => { if (event.key === ' ') event.stopPropagation(); }"
_NO_SCROLLING = """document.addEventListener("keydown", (event) => {
  if (event.key === " " && event.target === document.body) event.preventDefault();
});"""


def build() -> None:
    """Fill the page."""
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
        """The current pairing; the score counts its games."""
        self._score = Score()
        ui.run_javascript(_NO_SCROLLING)
        with widgets.parts():
            with widgets.panel("", "bf-scene").props('aria-label="Game"'):
                self._stage = ui.element("div").classes("bf-seats")
                self._build_transport()
            with ui.element("div").classes("bf-beside"):
                with widgets.panel("Settings", "bf-grow"):
                    self._settings = WatchSettings(self._address, self._choose, self._redraw)
                self._build_findings()
        ui.keyboard(self._hear_key, ignore=["input", "select", "textarea"])
        ui.timer(0, self._open, once=True)
        self._timer = ui.timer(1 / FRAMES_PER_S, self._tick)

    def _build_transport(self) -> None:
        with ui.element("div").classes("bf-transport"):
            self._button("first_page", "To the first kept position", partial(self._move, "to_start"))
            self._button("chevron_left", "Back one piece", partial(self._move, "back"))
            self._play_button = self._button("pause", "Pause", self._toggle)
            self._button("chevron_right", "Forward one piece", partial(self._move, "step"))
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
        """Start the first game. After that, each choice starts a new one."""
        try:
            self._settings.add_trained(await asyncio.to_thread(menus.trained_choices))
        finally:  # the shipped agents work without the store
            self._opened = True
            await self._begin_as_asked()

    async def _begin_as_asked(self) -> None:
        """Start the game in the address and go to its piece. Names that do not exist are not replaced."""
        if missing := self._settings.missing():
            self._refuse(missing)
            return
        await self._begin(piece=self._address.whole("piece", 0, 0, _MOST_PIECE))
        self._set_playing(self._playing)

    async def _choose(self) -> None:
        if self._opened and self._settings.has_seed:
            await self._begin(chosen=True)

    async def _restart(self) -> None:
        if self._settings.has_seed:
            await self._begin()

    async def _begin(self, seed: int | None = None, chosen: bool = False, piece: int = 0) -> None:
        """Start a new game with the current settings and show it from this piece on.

        If a visitor chose the game, the browser's Back leads to the previous one.
        """
        number = self._settings.seed if seed is None else seed
        game_rules, named, goal = self._settings.rules, self._settings.agents, self._settings.goal
        if self._opened:
            write = self._address.choose if chosen else self._address.note
            against, to = (named[1], goal) if len(named) > 1 else (None, None)
            write(rules=game_rules.name, agent=named[0], against=against, to=to, seed=number)
        async with self._busy:
            try:
                players = [await asyncio.to_thread(menus.chosen_agent, one) for one in named]
            except BlockfallError as error:
                self._refuse(f"{error}. Choose another agent.")
                return
            self._show = show = await self._do(Show, game_rules, players, number, goal_lines=goal)
            self._stage.clear()
            with self._stage:
                self._seats = [Seat(game) for game in show.games]
            while show.number < piece and await self._do(show.play, piece - show.number, _SLICE_S):
                pass
        self._why_panel.visible, self._race_panel.visible = len(players) == 1, len(players) > 1
        self._settings.show_begun(number)
        if (match := (game_rules.name, *named, goal)) != self._match:
            self._match, self._score = match, Score()
            if self._lead:
                self._lead.show_many("", working=False)
        self._ended = None
        self._pace.restart()
        await self._present(everything=True)

    def _review(self) -> None:
        """Open the game up to here in Review."""
        if self._show and self._show.games:
            game = self._show.games[0]
            agent, pieces = self._settings.agents[0], min(MOST_PIECES, max(1, game.number))
            ui.navigate.to(link("/review", rules=game.rules.name, agent=agent, seed=game.seed, pieces=pieces))

    def _analyse(self) -> None:
        """Open the position in Analyse."""
        if self._show and not self._show.games[0].over:
            ui.navigate.to(analyse_link(self._show.games[0].position.game, self._settings.agents[0]))

    def _refuse(self, why: str) -> None:
        """Show a message instead of a game."""
        self._show, self._seats = None, []
        self._why_panel.visible = self._race_panel.visible = False
        self._stage.clear()
        with self._stage:
            widgets.empty_state("visibility_off", why)

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
        """Do the work in the players' thread and charge its time to this visitor."""
        turn = partial(_timed, partial(work, *args, **kwargs))
        given, seconds = await asyncio.get_running_loop().run_in_executor(_PLAYER, turn)
        _SLICES.spent(self._account, seconds)
        return given

    async def _end(self) -> None:
        """Start the next game a moment after all are over, if the switch is on."""
        now = time.monotonic()
        if self._ended is None:
            self._ended = now
            if self._show and len(self._show.games) > 1:
                self._score.add(winner(self._show))
            await self._present(everything=True)
        elif self._settings.goes_on.value and self._show and now - self._ended > _NEXT_GAME_S:
            self._ended = now
            await self._begin(self._show.games[0].seed + 1)

    async def _present(self, everything: bool = False) -> None:
        """Show the games: the boards always, the rest from time to time and while paused."""
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
        flashing = slow and bool(self._settings.animated.value)
        for seat in self._seats:
            seat.show_board(self._ranked, outlined=slow, heated=bool(self._settings.heated.value), flashing=flashing)
            if everything:
                seat.show_numbers()
        if everything:
            self._show_findings(show, full_speed)
            self._note_piece(show)

    async def _play_many(self) -> None:
        """Play many games of the race and show the score as it grows."""
        show, lead, match = self._show, self._lead, self._match
        if show is None or lead is None:
            return
        players, race = [game.agent for game in show.games], show.games[0]
        lead.show_many("Playing…", working=True)
        told = ""
        try:
            games = many_games(race.rules, players, race.seed)
            while (played := await SEARCHES.do(lambda: next(games, None))) and match == self._match:
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
        """Write the current piece to the address. Browsers accept only a few writes per second."""
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
        async with self._busy:  # finish the current piece before the button changes
            pass
        await self._present(everything=True)
        self._set_playing(self._playing)

    def _set_playing(self, playing: bool) -> None:
        self._playing = playing
        self._pace.restart()
        icon, name = ("pause", "Pause") if playing else ("play_arrow", "Play")
        self._play_button.props(f'icon={icon} aria-label="{name}"')

    async def _move(self, how: str) -> None:
        """Step by hand. This pauses the game."""
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
            await self._move("step")
        elif event.key.arrow_left:
            await self._move("back")


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result of the work and the CPU time that it took."""
    began = time.thread_time()
    return work(), time.thread_time() - began
