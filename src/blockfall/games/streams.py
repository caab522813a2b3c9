"""Seeds, and the purposes of games.

Every purpose has its own stream of random numbers, so two purposes never share a game.
"""

from enum import IntEnum

from blockfall import _core
from blockfall.errors import SettingError, shortened, whole
from blockfall.rulesets import PIECES, Rules

_LARGEST_SEED = 2**64 - 1


class Purpose(IntEnum):
    """The purpose that a game's pieces are drawn for.

    The same seed and game number give different pieces for different purposes.

    >>> Purpose.TRAINING.name
    'TRAINING'
    """

    TEST = 0
    TRAINING = 1
    VALIDATION = 2
    LEARNING = 3


def check_seed(seed: int) -> int:
    """Return the seed, or raise SettingError if it is not one."""
    seed = whole(seed, "seed")
    if not 0 <= seed <= _LARGEST_SEED:
        raise SettingError(f"seed {seed}; a seed is a whole number from 0 to 2^64 - 1")
    return seed


def check_purpose(purpose: Purpose) -> Purpose:
    """Return the purpose, or raise SettingError if it is not one."""
    try:
        return Purpose(purpose)
    except (TypeError, ValueError):
        known = ", ".join(one.name for one in Purpose)
        raise SettingError(f"purpose is {shortened(purpose)}; it must be one of {known}") from None


def dealt_pieces(rules: Rules, count: int, seed: int, game: int = 0) -> str:
    """Return the first pieces of a test game, fewer if a script runs out.

    >>> from blockfall.rulesets import rules
    >>> sorted(dealt_pieces(rules("tetrisbot-7-bag"), 7, seed=1))
    ['I', 'J', 'L', 'O', 'S', 'T', 'Z']
    """
    pieces = _core.deal(rules.core, check_seed(seed), game, count, _core.Purpose(Purpose.TEST))
    return "".join(PIECES[piece] for piece in pieces if piece < len(PIECES))
