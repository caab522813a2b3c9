"""The keys of a rules file, and the values that each key may have."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from blockfall import _core
from blockfall.errors import shortened
from blockfall.validation import Model, whole_number

PIECES = "IOTSZJL"
"""The letters of the seven pieces, in the core's order."""
MIRRORED = "IOTZSLJ"
"""Their mirror images."""
MOST_LEVEL = _core.MAX_LEVELS - 1
"""The highest level at which a game may start."""

Key = Literal["left", "right", "down", "clockwise", "counter-clockwise", "drop"]
GeneratorName = Literal["uniform", "nes", "nes-lfsr", "7-bag", "tgm1", "tgm2", "tgm3", "tgm3-real", "script", "snake"]
Kick = tuple[Annotated[int, Field(ge=-8, le=8)], Annotated[int, Field(ge=-8, le=8)]]

Points = Annotated[int, Field(ge=-(10**9), le=10**9)]


def _as_tuple(value: object) -> object:
    return (
        tuple(tuple(item) if isinstance(item, list) else item for item in value) if isinstance(value, list) else value
    )


Tupled = BeforeValidator(_as_tuple)


class BoardKeys(Model):
    """[board]: the size of the board."""

    columns: int = whole_number(_core.MIN_COLUMNS, _core.MAX_COLUMNS)
    rows: int = whole_number(_core.MIN_ROWS, _core.MAX_ROWS)
    hidden_rows: int = whole_number(0, 12, 0)

    @model_validator(mode="after")
    def _fits_a_word(self) -> "BoardKeys":
        if (together := self.rows + self.hidden_rows) > _core.MAX_ROWS:
            raise ValueError(f"rows and hidden_rows together are {together}; they may be at most {_core.MAX_ROWS}")
        return self


class SpawnKeys(Model):
    """[spawn]: the upper left corner of a new piece's box. Row 0 is the top visible row."""

    column: int = whole_number(-4, _core.MAX_COLUMNS)
    row: int = whole_number(-8, _core.MAX_ROWS - 1)


class PlacementKeys(Model):
    """[placement]: the places that a piece can reach, and the keys."""

    model: Literal["drop", "reachable"] = Field(description='"drop" or "reachable"')
    keys: Annotated[tuple[Key, ...], Tupled] = Field(
        min_length=1, description="a list of left, right, down, clockwise, counter-clockwise, drop"
    )
    keys_per_row: Annotated[tuple[Annotated[int, Field(ge=1, le=16)], ...], Tupled] = Field(
        default=(),
        max_length=_core.MAX_LEVELS,
        description=f"a list of at most {_core.MAX_LEVELS} whole numbers from 1 to 16, by level",
    )
    keys_on_spawn_row: bool = Field(default=True, description="true or false")

    @model_validator(mode="after")
    def _can_move(self) -> "PlacementKeys":
        if not {"left", "right"} <= set(self.keys):
            raise ValueError("keys must contain left and right")
        if not self.keys_per_row and not {"down", "drop"} & set(self.keys):
            raise ValueError("keys must contain down or drop; without them a piece never lands")
        return self


class GeneratorKeys(Model):
    """[generator]: the drawing of the next piece."""

    name: GeneratorName = Field(
        description="one of uniform, nes, nes-lfsr, 7-bag, tgm1, tgm2, tgm3, tgm3-real, script, snake"
    )
    pieces: str = Field(default="", description="a string of the letters I O T S Z J L")
    only: str = Field(
        default="",
        pattern=f"^[{PIECES}]*$",
        description="a string of some of the letters I O T S Z J L, the pieces that uniform draws",
    )
    file: str = Field(default="", description="the name of a text file of the letters I O T S Z J L")
    frames_per_piece: int = whole_number(0, 100_000, 60)

    @model_validator(mode="after")
    def _draws_each_once(self) -> "GeneratorKeys":
        if len(set(self.only)) < len(self.only):
            raise ValueError(f"only is {shortened(self.only)}; each piece may appear in it once")
        if self.only and self.name != "uniform":
            raise ValueError(f"only is {shortened(self.only)}, but the generator is {self.name}; only uniform has it")
        return self


class ScoringKeys(Model):
    """[scoring]: the points for lines, pieces and drops, and the levels."""

    lines: Annotated[tuple[Points, Points, Points, Points], Tupled] = Field(
        description="points for 1, 2, 3 and 4 lines, each from -1000000000 to 1000000000"
    )
    piece: int = whole_number(0, 10**9, 0)
    by_level: bool = Field(default=False, description="true or false")
    lines_per_level: int = whole_number(1, 10**9, 10)
    start_level: int = whole_number(0, MOST_LEVEL, 0)
    soft_drop: int = whole_number(0, 10**6, 0)
    hard_drop: int = whole_number(0, 10**6, 0)


Lines = Annotated[int, Field(ge=0, le=10**6)]


class AttackKeys(Model):
    """[attack]: the lines that are sent to an opponent. Only rules with this table distinguish spins of the T."""

    lines: Annotated[tuple[Lines, Lines, Lines, Lines], Tupled] = Field(description="for 1, 2, 3 and 4 lines")
    mini: Annotated[tuple[Lines, Lines], Tupled] = Field(description="for 1 and 2 lines with a mini spin")
    spin: Annotated[tuple[Lines, Lines, Lines], Tupled] = Field(description="for 1, 2 and 3 lines with a full spin")
    back_to_back: int = whole_number(0, 10**6, 0)
    combo: Annotated[tuple[Lines, ...], Tupled] = Field(
        default=(), max_length=64, description="added by the clears in a row before this one; the last entry repeats"
    )
    perfect_clear: int = whole_number(0, 10**6, 0)


class GameOverKeys(Model):
    """[game_over]: the ends of a game."""

    overflow: bool = Field(default=False, description="true or false")
    height_limit: int = whole_number(0, _core.MAX_ROWS, 0)  # the most rows of a stack; 0 means all rows of the board
    block_out: bool = Field(default=False, description="true or false")
    lock_out: bool = Field(default=False, description="true or false")


class PlayKeys(Model):
    """[play]: the speed and settings of a person's game. A second has 60 frames."""

    frames_per_row: Annotated[tuple[float, ...], Tupled] = Field(
        default=(48.0,),
        min_length=1,
        max_length=_core.MAX_LEVELS,
        description=f"a list of at most {_core.MAX_LEVELS} positive numbers, by level",
    )
    soft_drop_frames_per_row: float = Field(default=2.0, ge=0.001, le=10**6, description="a positive number")
    lock_delay: int = whole_number(0, 10_000, 0)
    lock_resets: int = whole_number(0, 10_000, 0)
    hold: bool = Field(default=False, description="true or false")
    previews: int = whole_number(0, _core.MAX_KNOWN - 1, 1)

    @model_validator(mode="after")
    def _takes_time(self) -> "PlayKeys":
        if not all(0.001 <= frames <= 10**6 for frames in self.frames_per_row):
            raise ValueError("frames_per_row must be positive numbers, at most a million")
        return self


Kicks = Annotated[tuple[Kick, ...], Tupled]


class KicksKeys(Model):
    """[[kicks]]: the kicks of some pieces, for one turn or for all turns in one direction."""

    pieces: str = Field(description="a string of the letters I O T S Z J L")
    clockwise: Kicks = Field(default=(), max_length=5, description="a list of at most 5 [columns, rows]")
    counter_clockwise: Kicks = Field(default=(), max_length=5, description="a list of at most 5 [columns, rows]")
    turns: dict[str, Kicks] = Field(
        default_factory=dict, description='turns such as "0>1", each a list of [columns, rows]'
    )

    @model_validator(mode="before")
    @classmethod
    def _collect_turns(cls, keys: Any) -> Any:
        """Move keys such as `"0>1" = [...]` into `turns`; in the file they are beside the other keys."""
        if not isinstance(keys, dict):
            return keys
        turns = {key: _as_tuple(value) for key, value in keys.items() if ">" in key}
        return {key: value for key, value in keys.items() if ">" not in key} | ({"turns": turns} if turns else {})


class CentreColumnKeys(Model):
    """[centre_column_rule]: pieces that do not kick if the first occupied cell is in the centre column."""

    pieces: str = Field(description="a string of the letters I O T S Z J L")
    states: Annotated[tuple[int, ...], Tupled] = Field(description="the states turned from, a list of 0 to 3")


class RotationKeys(Model):
    """A rotation system: the drawings of all pieces and their kicks."""

    title: str = Field(default="", description="a string")
    source: str = Field(default="", description="a string")
    states: dict[str, str] = Field(description="a drawing for each of I O T S Z J L: its states side by side, # and .")
    kicks: Annotated[tuple[KicksKeys, ...], Tupled] = Field(default=(), description="[[kicks]] tables")
    centre_column_rule: CentreColumnKeys | None = Field(default=None, description="a table of pieces and states")


class RulesFile(Model):
    """A whole rules file."""

    title: str = Field(default="", description="a string")
    source: str = Field(default="", description="a string")
    extends: str = Field(default="", description="the name of a rule set")
    rotation: str = Field(description="the name of a rotation system, or a table that draws one")
    board: BoardKeys = Field(description="a table")
    spawn: SpawnKeys = Field(description="a table")
    placement: PlacementKeys = Field(description="a table")
    generator: GeneratorKeys = Field(description="a table")
    scoring: ScoringKeys = Field(description="a table")
    game_over: GameOverKeys = Field(description="a table")
    play: PlayKeys = Field(default_factory=PlayKeys, description="a table")
    attack: AttackKeys | None = Field(default=None, description="a table")
