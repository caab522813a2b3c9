"""Which key does what, and how a visitor changes it. Keys are known by their place (the browser's `code`)."""

import re
from dataclasses import dataclass

from blockfall.errors import SettingError
from blockfall.games import HumanGame
from blockfall.rulesets import Rules

HALF_TURN = 128
"""A key of the app's own, not of the core's: two turns, one right after the other."""


@dataclass(frozen=True)
class KeyAction:
    """Something a key can do."""

    name: str
    """Of a key of the rules, or a command to the page."""
    title: str
    code: str
    """The key that does it. The visitor may choose another."""
    mask: int = 0
    """In a frame of `HumanGame`, or HALF_TURN; 0 for a command."""
    icon: str = ""
    """On a touch screen."""


ACTIONS = {
    action.name: action
    for action in (
        KeyAction("left", "Left", "ArrowLeft", HumanGame.LEFT, "arrow_back"),
        KeyAction("right", "Right", "ArrowRight", HumanGame.RIGHT, "arrow_forward"),
        KeyAction("down", "Soft drop", "ArrowDown", HumanGame.DOWN, "arrow_downward"),
        KeyAction("clockwise", "Turn clockwise", "ArrowUp", HumanGame.CLOCKWISE, "rotate_right"),
        KeyAction("counter-clockwise", "Turn back", "KeyZ", HumanGame.COUNTER_CLOCKWISE, "rotate_left"),
        KeyAction("half-turn", "Turn half round", "KeyA", HALF_TURN, "sync"),
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
    """What can be done under these rules."""
    file = game_rules.file
    having = {*file.placement.keys, "pause", "restart"} | ({"hold"} if file.play.hold else set())
    if "clockwise" in having:
        having.add("half-turn")
    return [action for action in ACTIONS.values() if action.name in having]


def is_usable(code: object) -> bool:
    """Whether a key may be chosen."""
    return isinstance(code, str) and (code in _SIGNS or _PLAIN.fullmatch(code) is not None)


def sign_of(code: str) -> str:
    """What is printed on a key: "C" for KeyC, on keyboards laid out as in the United States."""
    if code in _SIGNS:
        return _SIGNS[code]
    found = _PLAIN.fullmatch(code)
    letter, digit, pad = found.groups() if found else (None, None, code)
    return letter or digit or str(pad).replace("Numpad", "keypad ")


class KeyMap:
    """A key for each action, and never one key for two."""

    def __init__(self, kept: object = None) -> None:
        """`kept` is what `as_kept` gave; where it is anything else the usual keys hold."""
        self._codes = {name: action.code for name, action in ACTIONS.items()}
        if isinstance(kept, dict) and set(kept) == set(ACTIONS) and all(is_usable(code) for code in kept.values()):
            self._codes = dict(kept) if len(set(kept.values())) == len(ACTIONS) else self._codes

    def __getitem__(self, action: str) -> str:
        return self._codes[action]

    def assign(self, action: str, code: object) -> KeyAction | None:
        """Gives an action another key. An action that had it takes the old one in exchange, and is returned."""
        if not isinstance(code, str) or not is_usable(code):
            raise SettingError("this key cannot be used; take a letter, a digit, an arrow, Space, Enter or Shift")
        holder = next((name for name, taken in self._codes.items() if taken == code and name != action), None)
        if holder is not None:
            self._codes[holder] = self._codes[action]
        self._codes[action] = code
        return None if holder is None else ACTIONS[holder]

    def as_kept(self) -> dict[str, str]:
        """Gives the keys as they are kept for the next visit."""
        return dict(self._codes)

    def masks(self) -> dict[str, int]:
        """By code, of the keys that are held."""
        return {code: mask for name, code in self._codes.items() if (mask := ACTIONS[name].mask)}

    def commands(self) -> dict[str, str]:
        """By code, of the keys that speak to the page."""
        return {code: name for name, code in self._codes.items() if not ACTIONS[name].mask} | {ALWAYS_PAUSES: "pause"}
