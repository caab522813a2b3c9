"""The protocol of games: positions, their actions, the result of an action, the score, and text.

A game is one object, a `GameKind`, which starts positions from a seed or reads them from text. A `Position` is a value:
it never changes and can be hashed, and two positions are equal if their games continue alike with the same score. Only
a few methods must be written; the others have defaults that work. docs/games.md has a whole game in one file.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from blockfall.errors import SettingError, UnknownNameError, shortened
from blockfall.fumen import is_fumen, rows_of_board
from blockfall.games.drawing import svg
from blockfall.games.streams import check_seed

Cell = tuple[int, int]
"""(column, row) of a board; the floor is row 0."""
OptionValue = int | str | None
"""A value of an option."""
_LONGEST_ACTION = 60  # characters of an action that an error shows


@dataclass(frozen=True)
class Preview:
    """The effect of an action, to be shown before it is played.

    >>> import blockfall
    >>> position = blockfall.game("hopeless").read("12.\\n112")
    >>> preview = position.preview((0, 1))
    >>> sorted(preview.cells), preview.title
    ([(0, 0), (0, 1), (1, 0)], '3 squares: 16 points')
    """

    cells: frozenset[Cell]
    """The cells that the action concerns; they light up."""
    rows: Sequence[str]
    """The board to show meanwhile, top row first. A piece may be drawn where it would land."""
    title: str
    """The points that the action earns, in words."""


@dataclass(frozen=True)
class Ending:
    """The end of a game, in words.

    >>> import blockfall
    >>> blockfall.game("hopeless").read("11").apply((0, 0)).ending().title
    'Cleared'
    """

    title: str = "Over"
    detail: str = ""


class Position(ABC):
    """A game between two actions. As a frozen dataclass it can be hashed and compared.

    >>> import blockfall
    >>> position = blockfall.game("hopeless").read("12.\\n112")
    >>> position.actions()
    [(0, 1)]
    >>> after = position.apply((0, 1))
    >>> after.score, after.text().split(), position.score
    (16, ['...', '22.'], 0)
    """

    score: int
    """The points so far, a field of every subclass."""

    admissible: ClassVar[bool] = False
    """Whether `heuristic` never underestimates the points still to be earned. `a-star` is then exact."""
    acyclic: ClassVar[bool] = False
    """Whether no position can occur twice in one game."""

    @abstractmethod
    def actions(self) -> Sequence[Any]:
        """Return the actions, in the order that breaks ties. There are none when the game is over.

        An action is a string, an integer, or a tuple of those.
        """

    @abstractmethod
    def apply(self, action: Any) -> Self:
        """Return the position after an action. Raise `SettingError` if there is no such action."""

    @abstractmethod
    def text(self) -> str:
        """Return the board in rows of one character per cell, top row first; `.` is an empty cell."""

    @property
    def over(self) -> bool:
        """True if the game has ended."""
        return not self.actions()

    @property
    def solved(self) -> bool:
        """True if a search may end here. It is False in a lost game."""
        return self.over

    def heuristic(self) -> float:
        """Estimate the points that can still be earned."""
        return 0.0

    def rows(self) -> list[str]:
        """Return the rows that a screen shows, top row first; there may be more of them than in `text`."""
        return self.text().splitlines()

    def numbers(self) -> Mapping[str, object]:
        """Return more numbers to show beside the score, by title. The titles stay the same during a game."""
        return {}

    def preview(self, action: Any) -> Preview:
        """Show what an action would do: the cells that change, and what it earns."""
        after = self.apply(action)
        before = self.rows()
        cells = frozenset(
            (x, len(before) - 1 - at)
            for at, (old, new) in enumerate(zip(before, after.rows(), strict=True))
            for x, (mark, other) in enumerate(zip(old, new, strict=True))
            if mark != other
        )
        return Preview(cells, before, points_in_words(after.score - self.score))

    def actions_at(self, cell: Cell) -> Sequence[Any]:
        """Return the actions that pointing at this cell may mean, the likeliest first."""
        return [action for action in self.actions() if cell in self.preview(action).cells]

    def drawing(self, action: Any = None) -> str:
        """Draw the position for a terminal, with the next action if there is one."""
        coming = "" if action is None else f"; {action_in_words(action)}: {self.preview(action).title}"
        return f"{self.text()}\n{points_in_words(self.score)}{coming}"

    def _repr_svg_(self) -> str:
        return svg(self.rows())

    def ending(self) -> Ending:
        """Say how the game ended, once it is over."""
        return Ending()


@dataclass(frozen=True)
class Option:
    """A setting of a game or of its search: a whole number, a text, or one of several words.

    >>> import blockfall
    >>> blockfall.Option("columns", 6, "of the board", least=3, most=12).checked("8")
    8
    """

    name: str
    default: OptionValue
    what: str
    """The meaning of the option, in a few words."""
    title: str = ""
    """The option's name in a form, by default the name with a capital letter."""
    least: int = 0
    most: int = 2**53 - 1
    choices: tuple[str, ...] = ()
    """The allowed words. Without any, every text is allowed."""
    or_file: bool = False
    """Whether the name of a user's file is also allowed. The app does not take files."""
    needed: bool = False
    """Whether the option must be given. The default is then only an example."""
    start_only: bool = False
    """Whether the option is only for games that do not begin with a given board."""

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise SettingError(f"an option {self.name} from {self.least} to {self.most}; the first must be the smaller")

    @property
    def label(self) -> str:
        """The title for a form."""
        return self.title or self.name.replace("-", " ").capitalize()

    def checked(self, value: object) -> OptionValue:
        """Return the value in the option's type, or raise an error that says what is allowed. Numbers may be texts."""
        if value is None and self.default is None:
            return None
        if self.choices and not self.or_file:
            if value not in self.choices:
                raise UnknownNameError(self.name, str(value)[:80], list(self.choices))
            return str(value)
        if not isinstance(self.default, int):
            if not isinstance(value, str):
                raise SettingError(f"{self.name} is {shortened(value)}; it must be a text: {self.what}")
            return value
        number = _whole(value)
        if number is None or not self.least <= number <= self.most:
            allowed = f"a whole number from {self.least} to {self.most}"
            raise SettingError(f"{self.name} is {str(value)[:40]!r}; it must be {allowed}")
        return number


class GameKind(ABC):
    """A game: its name, its options, and how its positions begin.

    Your own game is a position and a kind. This example takes stones from a pile; docs/games.md has more.

    >>> from dataclasses import dataclass
    >>> import blockfall
    >>> @dataclass(frozen=True)
    ... class Pile(blockfall.Position):
    ...     left: int
    ...     score: int = 0
    ...
    ...     def actions(self):
    ...         return [stones for stones in (1, 2, 3) if stones <= self.left]
    ...
    ...     def apply(self, action):
    ...         return Pile(self.left - action, self.score + action**2)
    ...
    ...     def text(self):
    ...         return "o" * self.left
    >>> class Piles(blockfall.GameKind):
    ...     name, title = "piles", "Piles"
    ...     options = (blockfall.Option("stones", 10, "in the pile", least=1),)
    ...
    ...     def begin(self, seed, *, stones):
    ...         return Pile(stones)
    >>> blockfall.solve(Piles().start(stones=7), "brute-force").points  # of 3, 3 and 1 stones
    19
    """

    name: str
    """The game's name on the command line: lower case, no spaces."""
    title: str
    """The game's name for people."""
    source: str = ""
    """The origin of the rules."""
    about: str = ""
    """How to play, in a sentence or two."""
    options: Sequence[Option] = ()
    search_options: Sequence[Option] = ()
    """The options of a search of this game, such as a heuristic."""
    action_words: str = "action"
    """The parts of an action in words, such as "column, row from the floor"."""
    turns: bool = False
    """Whether one cell may stand for several actions. The app then offers to turn from one to the next."""
    needs_board: bool = False
    """Whether `blockfall solve` must be given a board."""

    # With *args, type checkers let a game name its own options: begin(self, seed, *, columns, rows).
    @abstractmethod
    def begin(self, seed: int, *args: Any, **options: Any) -> Position:
        """Start a game with checked options; `start` calls it. The same seed always gives the same game."""

    def parse(self, text: str, seed: int, *args: Any, **options: Any) -> Position:
        """Start a game at a drawn board with checked options; `read` calls it."""
        raise NotImplementedError

    def start(self, seed: int = 0, **options: object) -> Position:
        """Return the first position of the game with this seed."""
        return self.begin(check_seed(seed), **self._checked(options, self.options))

    def read(self, text: str, seed: int = 0, **options: object) -> Position:
        """Return the position of a drawn board: rows of one character per cell, top row first.

        The seed decides everything that the board does not show. A fumen stands for the rows of its first page.
        """
        if not self.reads_boards:
            raise SettingError(f"{self.name} reads no boards; it starts from a seed")
        text = rows_of_board(text) if is_fumen(text) else text
        drawn = [option for option in self.options if not option.start_only]
        return self.parse(text, check_seed(seed), **self._checked(options, drawn))

    @property
    def reads_boards(self) -> bool:
        """True if the game can `read` drawn boards."""
        return type(self).parse is not GameKind.parse

    @property
    def boards(self) -> str:
        """The name under which boards for this game are kept; games with the same name share them."""
        return self.name

    def ranking(self, **options: OptionValue) -> str:
        """Return the name of the high scores that games with these options compete for."""
        return "/".join([self.name, *(f"{name}={value}" for name, value in sorted(options.items()))])

    def split(self, given: Mapping[str, object]) -> tuple[dict[str, object], dict[str, OptionValue]]:
        """Split the given options into the game's and its search's. Refuse unknown ones."""
        known = {option.name: option for option in (*self.options, *self.search_options)}
        for name in given:
            if name not in known:
                there = f"its options are {', '.join(known)}" if known else "it has no options"
                raise SettingError(f"{self.name} has no option {shortened(name)}; {there}")
        of_search = {option.name for option in self.search_options}
        searching = {name: known[name].checked(value) for name, value in given.items() if name in of_search}
        return {name: value for name, value in given.items() if name not in of_search}, searching

    def _checked(self, given: Mapping[str, object], options: Sequence[Option]) -> dict[str, OptionValue]:
        known = {option.name for option in options}
        for name in given:
            if name not in known:
                place = "" if name not in {option.name for option in self.options} else " where a board is given"
                raise SettingError(f"{self.name} has no option {shortened(name)}{place}")
        for option in options:
            if option.needed and not str(given.get(option.name) or "").strip():
                raise SettingError(f"{self.name} needs {option.name}, such as {option.default}")
        return {option.name: option.checked(given.get(option.name, option.default)) for option in options}


def no_such_action(action: object) -> SettingError:
    """Return the error for an action that a position does not have."""
    try:
        words = action_in_words(action)
    except ValueError:  # Python writes no number of more than 4,300 digits
        words = shortened(action)
    return SettingError(f"no action {' '.join(words.split())[:_LONGEST_ACTION]} in this position")


def action_in_words(action: object) -> str:
    """Return an action on one line, its parts separated by commas."""
    return ",".join(str(part) for part in action) if isinstance(action, tuple) else str(action)


def points_in_words(points: int) -> str:
    """Return a number of points in words."""
    return f"{points:,} point{'' if points == 1 else 's'}"


def _whole(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) <= 20:
        return int(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1:
        return int(value)
    return None
