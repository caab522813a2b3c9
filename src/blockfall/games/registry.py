"""The registry of games, which the command line, the app, the searches and the tests ask.

>>> game_names()[:4]
['tetris', 'hopeless', 'samegame', 'ist-tetris']
>>> position = game("samegame").start(seed=3, columns=4, rows=3, colours=2)
>>> position.apply(position.actions()[0]).score >= position.score
True
"""

from functools import cache
from typing import TypeVar

from blockfall.errors import SettingError, UnknownNameError
from blockfall.games.hopeless import Hopeless, scorings
from blockfall.games.ist_tetris import IstTetris
from blockfall.games.protocol import GameKind
from blockfall.games.tetris_position import Tetris
from blockfall.plugins import Registry, check_name

AnyGame = TypeVar("AnyGame", bound=GameKind | type[GameKind])

_registered: Registry[GameKind] = Registry()


@cache
def _built_in() -> dict[str, GameKind]:
    kinds: list[GameKind] = [Tetris(), *(Hopeless(one) for one in scorings().values()), IstTetris()]
    return {kind.name: kind for kind in kinds}


def shipped_games() -> list[str]:
    """Return the games that come with Blockfall."""
    return list(_built_in())


def game_names() -> list[str]:
    """Return all games: those that come with Blockfall, then the registered ones.

    >>> import blockfall
    >>> blockfall.game_names()[:4]
    ['tetris', 'hopeless', 'samegame', 'ist-tetris']
    """
    return [*_built_in(), *_registered.known()]


def game(name: str) -> GameKind:
    """Return the game of this name.

    >>> import blockfall
    >>> position = blockfall.game("samegame").start(seed=3, columns=4, rows=3, colours=2)
    >>> len(position.text().split())
    3
    """
    found = (_built_in().get(name) or _registered.known().get(name)) if isinstance(name, str) else None
    if found is None:
        raise UnknownNameError("game", name, game_names())
    return found


def register_game(kind: AnyGame) -> AnyGame:
    """Add a game; it then works wherever a built-in one does. Pass an object, or use this to decorate a class.

    Registering a game again replaces it. examples/columns.py is a whole game.

    >>> import blockfall
    >>> from blockfall.games import Tetris
    >>> @blockfall.register_game
    ... class FivePieces(Tetris):
    ...     name, title = "five-pieces", "Five pieces"
    ...     options = (blockfall.Option("rules", "nes", "a rule set"), blockfall.Option("pieces", 5, "to place"))
    >>> blockfall.game("five-pieces").start(seed=1).numbers()["Pieces left"]
    5
    """
    made = kind() if isinstance(kind, type) else kind
    for word in ("name", "title"):
        if not isinstance(getattr(made, word, None), str):
            raise SettingError(f"a game must have a {word}; {type(made).__name__} has none")
    check_name("a game", made.name, _built_in())
    _registered.put(made.name, made)
    return kind
