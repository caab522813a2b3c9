"""The actions of keys, and a visitor's changes to them. Keys are named by their position (the browser's `code`)."""

import re
from dataclasses import dataclass

from blockfall.errors import SettingError
from blockfall.games import HumanGame
from blockfall.rulesets import Rules

HALF_TURN = 128
"""A key that the app adds to the core's: two turns in quick succession."""


@dataclass(frozen=True)
class KeyAction:
    """Something that a key can do."""

    name: str
    """The name of a key in the rules, or a command to the page."""
    title: str
    code: str
    """The usual key. The visitor may choose another."""
    mask: int = 0
    """The bit in a frame of `HumanGame`, or HALF_TURN; 0 for a command."""
    icon: str = ""
    """The icon of the button on a touch screen."""


ACTIONS = {
    action.name: action
    for action in (
        KeyAction("left", "Left", "ArrowLeft", HumanGame.LEFT, "arrow_back"),
        KeyAction("right", "Right", "ArrowRight", HumanGame.RIGHT, "arrow_forward"),
        KeyAction("down", "Soft drop", "ArrowDown", HumanGame.DOWN, "arrow_downward"),
        KeyAction("clockwise", "Turn clockwise", "ArrowUp", HumanGame.CLOCKWISE, "rotate_right"),
        KeyAction("counter-clockwise", "Turn back", "KeyZ", HumanGame.COUNTER_CLOCKWISE, "rotate_left"),
        KeyAction("half-turn", "Turn 180°", "KeyA", HALF_TURN, "sync"),
        KeyAction("drop", "Hard drop", "Space", HumanGame.DROP, "vertical_align_bottom"),
        KeyAction("hold", "Hold", "KeyC", HumanGame.HOLD, "swap_horiz"),
        KeyAction("pause", "Start, pause", "KeyP"),
        KeyAction("restart", "New game", "KeyR"),
    )
}
ALL_KEYS = sum(action.mask for action in ACTIONS.values())
ALWAYS_PAUSES = "Escape"
_SIGNS = {
    "ArrowLeft": "←",
    "ArrowRight": "→",
    "ArrowUp": "↑",
    "ArrowDown": "↓",
    "ShiftLeft": "left Shift",
    "ShiftRight": "right Shift",
    "Semicolon": ";",
    "Comma": ",",
    "Period": ".",
    "Slash": "/",
    "Quote": "'",
    "BracketLeft": "[",
    "BracketRight": "]",
    "Backslash": "\\",
    "Backquote": "`",
    "Minus": "-",
    "Equal": "=",
    "Space": "Space",
    "Enter": "Enter",
}
_PLAIN = re.compile(r"Key([A-Z])|Digit([0-9])|(Numpad[0-9]|Numpad(?:Add|Subtract|Multiply|Divide|Decimal|Enter))")


def actions_of(game_rules: Rules) -> list[KeyAction]:
    """Return what can be done under these rules."""
    file = game_rules.file
    having = {*file.placement.keys, "pause", "restart"} | ({"hold"} if file.play.hold else set())
    if "clockwise" in having:
        having.add("half-turn")
    return [action for action in ACTIONS.values() if action.name in having]


def is_usable(code: object) -> bool:
    """Return whether a key may be chosen."""
    return isinstance(code, str) and (code in _SIGNS or _PLAIN.fullmatch(code) is not None)


def sign_of(code: str) -> str:
    """Return what a US keyboard prints on a key: "C" for KeyC."""
    if code in _SIGNS:
        return _SIGNS[code]
    found = _PLAIN.fullmatch(code)
    letter, digit, pad = found.groups() if found else (None, None, code)
    return letter or digit or str(pad).replace("Numpad", "keypad ")


class KeyMap:
    """One key for each action; no two actions share a key."""

    def __init__(self, kept: object = None) -> None:
        """`kept` is what `as_kept` returned; for anything else the usual keys are taken."""
        self._codes = {name: action.code for name, action in ACTIONS.items()}
        if isinstance(kept, dict) and set(kept) == set(ACTIONS) and all(is_usable(code) for code in kept.values()):
            self._codes = dict(kept) if len(set(kept.values())) == len(ACTIONS) else self._codes

    def __getitem__(self, action: str) -> str:
        return self._codes[action]

    def assign(self, action: str, code: object) -> KeyAction | None:
        """Give an action another key. The action that had it gets the old key in exchange and is returned."""
        if not isinstance(code, str) or not is_usable(code):
            raise SettingError("this key cannot be used; take a letter, a digit, an arrow, Space, Enter or Shift")
        holder = next((name for name, taken in self._codes.items() if taken == code and name != action), None)
        if holder is not None:
            self._codes[holder] = self._codes[action]
        self._codes[action] = code
        return None if holder is None else ACTIONS[holder]

    def as_kept(self) -> dict[str, str]:
        """Return the keys for the next visit."""
        return dict(self._codes)

    def masks(self) -> dict[str, int]:
        """Return the masks of the keys that are held, by code."""
        return {code: mask for name, code in self._codes.items() if (mask := ACTIONS[name].mask)}

    def commands(self) -> dict[str, str]:
        """Return the commands to the page, by code."""
        return {code: name for name, code in self._codes.items() if not ACTIONS[name].mask} | {ALWAYS_PAUSES: "pause"}
