"""What games are played for. Every purpose has its own stream of random numbers, so two purposes never share a game."""

from enum import IntEnum


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
