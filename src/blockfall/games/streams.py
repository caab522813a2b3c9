"""Seeds, and what games are played for.

Every purpose has its own stream of random numbers, so two purposes never share a game.
"""

from enum import IntEnum

from blockfall.errors import SettingError, whole

_LARGEST_SEED = 2**64 - 1


class Purpose(IntEnum):
    """What a game's pieces are drawn for.

    The same seed and the same number of a game give other pieces for another purpose.

    >>> Purpose.TRAINING.name
    'TRAINING'
    """

    TEST = 0
    TRAINING = 1
    VALIDATION = 2
    LEARNING = 3


def check_seed(seed: int) -> int:
    """Gives the seed, or raises a SettingError for a number that is none."""
    seed = whole(seed, "seed")
    if not 0 <= seed <= _LARGEST_SEED:
        raise SettingError(f"seed {seed}; a seed is a whole number from 0 to 2^64 - 1")
    return seed
