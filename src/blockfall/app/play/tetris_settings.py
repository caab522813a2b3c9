"""The settings of Tetris on the page Play: mode, rules, opponent, seed and key timing."""

from collections.abc import Callable
from dataclasses import dataclass

from nicegui import ui

from blockfall.app.parts import choices, menus, widgets
from blockfall.app.parts.address import Address
from blockfall.app.parts.choices import Kept, kept_switch
from blockfall.app.play.modes import MODES, Mode
from blockfall.app.play.playing import most_start_level
from blockfall.app.play.rival import PACES
from blockfall.rulesets import Rules

USUAL_RIVAL = "dellacherie"
_MOST_SHIFT_FRAMES = 60


@dataclass(frozen=True)
class StartSettings:
    """The numbers that a new game starts with."""

    level: int
    seed: int | None
    """None for a random seed."""
    delay: int
    repeat: int
    soft: int | None
    """None for the soft drop of the rules."""


class TetrisSettings:
    """The panel with a visitor's settings. They apply to the next game."""

    def __init__(
        self,
        kept: Kept,
        address: Address,
        titles: dict[str, str],
        game_rules: Rules,
        *,
        on_mode: Callable[[], None],
        on_rules: Callable[[], None],
        on_numbers: Callable[[], None],
        on_effects: Callable[[], None],
        on_new_game: Callable[[], None],
    ) -> None:
        """`titles` are those of the rules to choose from; `game_rules` are chosen first."""
        self._kept, self._address, self._rules = kept, address, game_rules
        self._on_numbers = on_numbers
        with widgets.panel("Game", "bf-side"):
            modes = {mode.name: mode.title for mode in MODES.values()}
            self._mode = ui.toggle(modes, value=address.one_of("mode", kept.one_of("mode", "endless", modes), modes))
            self._mode.props('no-caps unelevated dense spread aria-label="Mode"').classes("w-full bf-modes")
            self._mode.on_value_change(on_mode)
            self._mode_what = ui.label().classes("bf-soft text-sm")
            self._build_rival()
            self._chosen_rules = menus.Menu("rules", titles, value=game_rules.name, label="Rules")
            self._chosen_rules.on_value_change(on_rules)
            self._chosen_rules.classes("w-full")
            self._about = ui.label().classes("bf-soft text-sm")
            self._build_numbers()
            with ui.row().classes("gap-x-4 gap-y-0"):
                self.ghost = kept_switch(kept, "Ghost", "ghost", True, on_effects)
                self.animated = kept_switch(kept, "Animation", "animated", True, on_effects)
                self.sounds = kept_switch(kept, "Sound", "sounds", False, on_effects)
            ui.button("New game", icon="replay", on_click=on_new_game).props("unelevated no-caps").classes("w-full")
        self.describe_mode()

    def _build_rival(self) -> None:
        kept, known = self._kept, menus.agent_choices()
        with ui.column().classes("w-full gap-3 items-stretch") as self._rival_fields:
            rival = self._address.one_of("against", kept.one_of("rival", USUAL_RIVAL, known), known)
            self._rival = menus.agent_menu(rival, lambda: self._rules.name)
            self._rival.on_value_change(self._on_numbers)
            self._pace = ui.select(
                PACES, label="Its pace", value=kept.one_of("pace", 1, PACES), on_change=self._on_numbers
            )

    def _build_numbers(self) -> None:
        kept = self._kept
        with ui.row().classes("bf-fields"):
            most = most_start_level(self._rules)
            level = self._address.whole("level", kept.whole("level", 0, 0, most), 0, most)
            self._level = ui.number("Start level", value=level, min=0, precision=0, on_change=self._on_numbers)
            self._level.validation = lambda said: choices.whole_problem(0, most_start_level(self._rules))(said)
            self._seed = ui.input("Seed", placeholder="random", validation=choices.seed_text_problem)
            self._seed.on_value_change(self._on_numbers)
        with ui.row().classes("bf-fields"):
            self._delay = self._shift_field("Shift delay", "delay", 10, "DAS: frames to hold a key before it repeats")
            self._repeat = self._shift_field("Shift repeat", "repeat", 2, "ARR: frames between repeats; 0 is instant")
            soft = kept.whole("soft", 0, 0, _MOST_SHIFT_FRAMES) or None
            self._soft = ui.number("Soft drop", value=soft, min=1, precision=0)
            self._soft.props('stack-label placeholder="as in rules"').on_value_change(self._on_numbers)
            self._soft.validation = choices.whole_problem(1, _MOST_SHIFT_FRAMES, optional=True)
            self._soft.tooltip("SDF: frames per row while the key is held; empty to use the rules' own speed")
        ui.label("Shifts and soft drop are in frames: 60 make a second.").classes("bf-soft text-xs")
        for field in (self._level, self._seed):
            field.props("stack-label")
        self._fields = (self._level, self._seed, self._delay, self._repeat, self._soft)
        for field in self._fields:
            field.props("hide-bottom-space")

    def _shift_field(self, title: str, name: str, usual: int, what: str) -> ui.number:
        field = ui.number(
            title,
            value=self._kept.whole(name, usual, 0, _MOST_SHIFT_FRAMES),
            min=0,
            max=_MOST_SHIFT_FRAMES,
            validation=choices.whole_problem(0, _MOST_SHIFT_FRAMES),
        )
        field.tooltip(what).on_value_change(self._on_numbers)
        return field

    @property
    def mode(self) -> Mode:
        """The chosen mode."""
        return MODES.get(str(self._mode.value), MODES["endless"])

    @property
    def rules_name(self) -> str | None:
        """The name of the chosen rules; None if there are none by that name."""
        return self._chosen_rules.value if self._chosen_rules.value in self._chosen_rules.options else None

    @property
    def rival(self) -> str:
        """The name of the agent to play against."""
        return str(self._rival.value)

    @property
    def pace(self) -> float:
        """The pieces per second of the agent; 0 for the player's own pace."""
        return float(self._pace.value) if self._pace.value in PACES else 0.0

    def describe_mode(self) -> None:
        """Describe the chosen mode."""
        self._mode_what.text = self.mode.what
        self._rival_fields.visible = self.mode.against

    def go_back_to(self, mode: Mode, game_rules: Rules) -> None:
        """Choose the mode and the rules of the running game again."""
        self._mode.value, self._chosen_rules.value = mode.name, game_rules.name
        self.describe_mode()

    def describe_rules(self, game_rules: Rules) -> None:
        """Describe these rules and limit the start level to theirs."""
        self._rules = game_rules
        play, most = game_rules.file.play, most_start_level(game_rules)
        lock = f"{play.lock_delay} frames" if play.lock_delay else "none"
        again = f", restarted up to {play.lock_resets} times" if play.lock_delay and play.lock_resets else ""
        hold = "yes" if play.hold else "no"
        self._about.text = f"Lock delay: {lock}{again}. Hold: {hold}. Next: {play.previews}.{_key_limit(game_rules)}"
        self._level.max = most
        self._level.value = min(int(self._level.value or 0), most)
        self._level.set_enabled(most > 0)

    def read(self) -> StartSettings | None:
        """Return the settings and remember them; None if a field is wrong, which then says why."""
        if not all(field.validate() for field in self._fields):
            return None
        level = choices.whole(self._level.value, "start level", 0, most_start_level(self._rules))
        delay = choices.whole(self._delay.value, "shift delay", 0, _MOST_SHIFT_FRAMES)
        repeat = choices.whole(self._repeat.value, "shift repeat", 0, _MOST_SHIFT_FRAMES)
        soft = None
        if self._soft.value is not None:
            soft = choices.whole(self._soft.value, "soft drop", 1, _MOST_SHIFT_FRAMES)
        kept = {"level": level, "delay": delay, "repeat": repeat, "soft": soft or 0}
        for name, value in (kept | {"rival": self._rival.value, "pace": self._pace.value}).items():
            self._kept[name] = value
        seed = choices.seed(self._seed.value) if self._seed.value else None
        return StartSettings(level, seed, delay, repeat, soft)

    def show_rival_problem(self, problem: str | None) -> None:
        """Show below the opponent's menu what is wrong with it."""
        self._rival.error = problem


def _key_limit(game_rules: Rules) -> str:
    """Return the rules' limit on shifts and turns, in words."""
    limits = game_rules.file.placement.keys_per_row
    if not limits:
        return ""
    later = "" if limits[0] == limits[-1] else f", later {limits[-1]}"
    return f" Shifts and turns per row: {limits[0]}{later}."
