"""The fast core: rules, placements, features, games, searches."""

from collections.abc import Sequence
import enum
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


MIN_COLUMNS: int = 4

MAX_COLUMNS: int = 16

MIN_ROWS: int = 6

MAX_ROWS: int = 32

MAX_LEVELS: int = 32

MAX_KNOWN: int = 8

MAX_FEATURES: int = 128

MAX_CUSTOM: int = 16

MAX_LAYERS: int = 8

MAX_WIDTH: int = 256

MAX_SEQUENCES: int = 128

MAX_PLIES: int = 3

MAX_SAMPLE: int = 4096

MAX_THREADS: int = 1024

MAX_TRIES: int = 20000

MAX_GAMES: int = 1048576

TABLE_ENTRIES: int = 26068

TABLE_WINDOW: int = 4

TABLE_STEEPEST: int = 3

MAX_HOPELESS_SIZE: int = 32

MAX_HOPELESS_COLOURS: int = 9

class PlacementModel(enum.Enum):
    DROP = 0

    REACHABLE = 1

class Key(enum.IntEnum):
    LEFT = 1

    RIGHT = 2

    DOWN = 4

    CLOCKWISE = 8

    COUNTER_CLOCKWISE = 16

    DROP = 32

class GeneratorKind(enum.Enum):
    UNIFORM = 0

    NES = 1

    NES_LFSR = 2

    BAG7 = 3

    TGM1 = 4

    TGM2 = 5

    TGM3 = 6

    TGM3_REAL = 7

    SCRIPT = 8

    SNAKE = 9

class TurnDescription:
    def __init__(self) -> None: ...

    @property
    def state(self) -> int: ...

    @state.setter
    def state(self, arg: int, /) -> None: ...

    @property
    def kicks(self) -> list[tuple[int, int]]: ...

    @kicks.setter
    def kicks(self, arg: Sequence[tuple[int, int]], /) -> None: ...

    @property
    def centre_column_rule(self) -> bool: ...

    @centre_column_rule.setter
    def centre_column_rule(self, arg: bool, /) -> None: ...

class StateDescription:
    def __init__(self) -> None: ...

    @property
    def cells(self) -> list[tuple[int, int]]: ...

    @cells.setter
    def cells(self, arg: Sequence[tuple[int, int]], /) -> None: ...

    @property
    def clockwise(self) -> TurnDescription: ...

    @clockwise.setter
    def clockwise(self, arg: TurnDescription, /) -> None: ...

    @property
    def counter_clockwise(self) -> TurnDescription: ...

    @counter_clockwise.setter
    def counter_clockwise(self, arg: TurnDescription, /) -> None: ...

class PieceDescription:
    def __init__(self) -> None: ...

    @property
    def box_columns(self) -> int: ...

    @box_columns.setter
    def box_columns(self, arg: int, /) -> None: ...

    @property
    def spawn_column(self) -> int: ...

    @spawn_column.setter
    def spawn_column(self, arg: int, /) -> None: ...

    @property
    def spawn_row(self) -> int: ...

    @spawn_row.setter
    def spawn_row(self, arg: int, /) -> None: ...

    @property
    def states(self) -> list[StateDescription]: ...

    @states.setter
    def states(self, arg: Sequence[StateDescription], /) -> None: ...

class RulesDescription:
    def __init__(self) -> None: ...

    @property
    def columns(self) -> int: ...

    @columns.setter
    def columns(self, arg: int, /) -> None: ...

    @property
    def rows(self) -> int: ...

    @rows.setter
    def rows(self, arg: int, /) -> None: ...

    @property
    def visible_rows(self) -> int: ...

    @visible_rows.setter
    def visible_rows(self, arg: int, /) -> None: ...

    @property
    def pieces(self) -> list[PieceDescription]: ...

    @pieces.setter
    def pieces(self, arg: Sequence[PieceDescription], /) -> None: ...

    @property
    def model(self) -> PlacementModel: ...

    @model.setter
    def model(self, arg: PlacementModel, /) -> None: ...

    @property
    def keys(self) -> int: ...

    @keys.setter
    def keys(self, arg: int, /) -> None: ...

    @property
    def keys_per_row(self) -> list[int]: ...

    @keys_per_row.setter
    def keys_per_row(self, arg: Sequence[int], /) -> None: ...

    @property
    def keys_on_spawn_row(self) -> bool: ...

    @keys_on_spawn_row.setter
    def keys_on_spawn_row(self, arg: bool, /) -> None: ...

    @property
    def generator(self) -> GeneratorKind: ...

    @generator.setter
    def generator(self, arg: GeneratorKind, /) -> None: ...

    @property
    def drawn(self) -> list[int]: ...

    @drawn.setter
    def drawn(self, arg: Sequence[int], /) -> None: ...

    @property
    def script(self) -> list[int]: ...

    @script.setter
    def script(self, arg: Sequence[int], /) -> None: ...

    @property
    def frames_per_piece(self) -> int: ...

    @frames_per_piece.setter
    def frames_per_piece(self, arg: int, /) -> None: ...

    @property
    def line_score(self) -> list[int]: ...

    @line_score.setter
    def line_score(self, arg: Sequence[int], /) -> None: ...

    @property
    def piece_score(self) -> int: ...

    @piece_score.setter
    def piece_score(self, arg: int, /) -> None: ...

    @property
    def score_by_level(self) -> bool: ...

    @score_by_level.setter
    def score_by_level(self, arg: bool, /) -> None: ...

    @property
    def lines_per_level(self) -> int: ...

    @lines_per_level.setter
    def lines_per_level(self, arg: int, /) -> None: ...

    @property
    def start_level(self) -> int: ...

    @start_level.setter
    def start_level(self, arg: int, /) -> None: ...

    @property
    def frames_per_row(self) -> list[int]: ...

    @frames_per_row.setter
    def frames_per_row(self, arg: Sequence[int], /) -> None: ...

    @property
    def soft_drop_frames_per_row(self) -> int: ...

    @soft_drop_frames_per_row.setter
    def soft_drop_frames_per_row(self, arg: int, /) -> None: ...

    @property
    def lock_delay(self) -> int: ...

    @lock_delay.setter
    def lock_delay(self, arg: int, /) -> None: ...

    @property
    def lock_resets(self) -> int: ...

    @lock_resets.setter
    def lock_resets(self, arg: int, /) -> None: ...

    @property
    def hold(self) -> bool: ...

    @hold.setter
    def hold(self, arg: bool, /) -> None: ...

    @property
    def previews(self) -> int: ...

    @previews.setter
    def previews(self, arg: int, /) -> None: ...

    @property
    def soft_drop_score(self) -> int: ...

    @soft_drop_score.setter
    def soft_drop_score(self, arg: int, /) -> None: ...

    @property
    def hard_drop_score(self) -> int: ...

    @hard_drop_score.setter
    def hard_drop_score(self, arg: int, /) -> None: ...

    @property
    def overflow_loses(self) -> bool: ...

    @overflow_loses.setter
    def overflow_loses(self, arg: bool, /) -> None: ...

    @property
    def block_out_loses(self) -> bool: ...

    @block_out_loses.setter
    def block_out_loses(self, arg: bool, /) -> None: ...

    @property
    def lock_out_loses(self) -> bool: ...

    @lock_out_loses.setter
    def lock_out_loses(self, arg: bool, /) -> None: ...

    @property
    def height_limit(self) -> int: ...

    @height_limit.setter
    def height_limit(self, arg: int, /) -> None: ...

class Rules:
    """A rule set as the core plays it."""

    def __init__(self, description: RulesDescription) -> None: ...

    @property
    def columns(self) -> int: ...

    @property
    def rows(self) -> int: ...

    @property
    def drops(self) -> bool:
        """True if pieces drop straight down."""

    @property
    def states(self) -> int:
        """The most rotation states of a piece."""

    @property
    def can_be_estimated(self) -> bool:
        """
        True if games can be estimated: they can continue from one position with other pieces.
        """

    @property
    def slots(self) -> list[int]:
        """The number of (shape, column) pairs where each piece fits."""

    def image(self) -> bytes:
        """
        The core's struct, for a device that runs the same code, without the script.
        """

    @property
    def script(self) -> bytes:
        """The pieces of a script generator, a byte each."""

    def cells(self, piece: int, shape: int, x: int, y: int) -> list[tuple[int, int]]:
        """Return the (column, row) cells of a placement."""

class Purpose(enum.IntEnum):
    """
    The purpose of a game's pieces; games of different purposes never share a stream.
    """

    TEST = 0

    TRAINING = 1

    VALIDATION = 2

    LEARNING = 3

class Termination(enum.IntEnum):
    """How a game ended."""

    RUNNING = 0

    OVERFLOW = 1
    """The stack passed the height limit."""

    BLOCK_OUT = 2
    """The next piece had no room to appear."""

    LOCK_OUT = 3
    """A piece locked wholly above the visible rows."""

    PIECE_LIMIT = 4
    """The caller's limit, so the counts are lower bounds."""

    SEQUENCE_END = 5
    """A scripted sequence ran out."""

    INTERRUPTED = 6

    FORFEITED = 7
    """The player gave no move."""

    ESTIMATED = 8
    """The game was estimated, not played to its end."""

class Game:
    """A game between two placements."""

    def __init__(self, rules: Rules, seed: int, number: int, pieces_known: int, purpose: Purpose, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @staticmethod
    def at(rules: Rules, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], dealt: Sequence[int], pieces_known: int, lines: int, seed: int) -> Game:
        """
        Return a game that goes on from this board. `dealt` holds all pieces so far, the known ones last; the seed draws those to come.
        """

    @property
    def columns(self) -> NDArray[numpy.uint32]: ...

    @property
    def known(self) -> list[int]: ...

    @property
    def law(self) -> list[float]:
        """
        The probability of each piece to come after the known ones, as far as a player can tell.
        """

    def __copy__(self) -> Game:
        """Return an independent copy of the game, including the pieces to come."""

    @property
    def lines(self) -> int: ...

    @property
    def pieces(self) -> int: ...

    @property
    def score(self) -> int: ...

    @property
    def level(self) -> int: ...

    @property
    def clears(self) -> list[int]: ...

    @property
    def termination(self) -> Termination: ...

    def placements(self) -> NDArray[numpy.int32]: ...

    @property
    def held(self) -> int | None: ...

    def hold(self) -> None:
        """
        Put the piece into the hold queue, and take out the one that is there or else the next piece.
        """

    def forfeit(self) -> None:
        """End the game because the player gave no move."""

    def play(self, shape: int, x: int, y: int) -> None:
        """Place the piece. Raises ValueError if it cannot rest there."""

    def play_unchecked(self, shape: int, x: int, y: int) -> None:
        """
        Place the piece at a placement known to be possible: from `placements`, or chosen by an agent.
        """

class HumanGame:
    """The game as a person plays it, frame by frame."""

    def __init__(self, rules: Rules, seed: int, shift_delay: int, shift_repeat: int, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def step(self, keys: int) -> None:
        """Advance one frame with these keys held."""

    @property
    def columns(self) -> NDArray[numpy.uint32]: ...

    @property
    def known(self) -> list[int]: ...

    @property
    def held(self) -> int | None: ...

    @property
    def falling(self) -> tuple[int, int, int, int]:
        """
        The (state, shape, x, y) of the falling piece; there is none after a script's end.
        """

    @property
    def locked(self) -> tuple[int, int, int, int] | None:
        """
        The (piece, shape, x, y) of the last locked piece, before rows were removed.
        """

    @property
    def frame(self) -> int: ...

    @property
    def lines(self) -> int: ...

    @property
    def pieces(self) -> int: ...

    @property
    def score(self) -> int: ...

    @property
    def level(self) -> int: ...

    @property
    def termination(self) -> Termination: ...

def placements(rules: Rules, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], piece: int, lines: int = 0) -> NDArray[numpy.int32]:
    """
    Return the placements as rows of (shape, x, y), in the order that breaks ties.
    """

def lock(rules: Rules, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], piece: int, shape: int, x: int, y: int) -> tuple[NDArray[numpy.uint32], int, Termination]:
    """
    Return the board after a placement, the lines removed, and how it ended the game, if it did.
    """

def shortest_keys(rules: Rules, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], piece: int, shape: int, x: int, y: int, lines: int = 0) -> list[Key]:
    """
    Return the fewest keys that lock the piece there; empty if there are none.
    """

def spins(rules: Rules, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]:
    """
    Return the placements of T that end with a turn and are spins by the corner rule: rows of (shape, x, y, spin), where 1 is a mini spin and 2 a full one. A placement may be listed as both.
    """

def perft(rules: Rules, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], depth: int) -> int:
    """
    Count the placement sequences of this depth, summed over all seven pieces at each ply.
    """

def deal(rules: Rules, seed: int, number: int, count: int, purpose: Purpose = Purpose.TEST) -> NDArray[numpy.uint8]:
    """Return the first pieces of a game; 255 after a script's end."""

class BoardNetwork:
    """A board network, from the bytes of its file."""

    def __init__(self, columns: int, rows: int, channels: int, kernel: int, blocks: int, hidden: int, outputs: int, weights: bytes, mirror: bool = False) -> None: ...

    @staticmethod
    def weight_bytes(columns: int, rows: int, channels: int, kernel: int, blocks: int, hidden: int, outputs: int) -> int:
        """Return the file size in bytes of a network with these sizes."""

    @property
    def value_bits(self) -> int: ...

    def arrays(self) -> dict[str, Any]:
        """
        The numbers by name, in the order of the file, with channels and hidden neurons padded to whole blocks. `layers` are the convolutions and the hidden layer: weight[output, input], bias, shift and, for a convolution, factor.
        """

    def values(self, boards: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, simd: str | None = None) -> NDArray[numpy.int32]:
        """
        Return the outputs for boards, one row of columns each: integers, 2 ** value_bits to the line.
        """

def dense_levels() -> list[str]:
    """
    Return this machine's instruction sets that have code for integer layers.
    """

def dense(level: str, inputs: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], split: bool = False) -> NDArray[numpy.int16]:
    """Compute an integer layer in one of these instruction sets."""

def fixed_shapes() -> list[int]:
    """
    The shapes that a table tells apart: four bits per column, the left one first, bit 0 the bottom row.
    """

class Agent:
    """
    An agent as the core plays it: a weighted sum, or with hidden layers a network.
    """

    def __init__(self, features: Sequence[int], weights: Sequence[float], pieces_known: int, custom: Sequence[int] = [], guard: tuple[int, int] | None = None, best_sequences: int = 0, loss: float = 0.0, hidden: Sequence[int] = []) -> None: ...

    @staticmethod
    def of_table(values: Sequence[float]) -> Agent:
        """An agent that plays by a table, with one piece known."""

    @staticmethod
    def of_board_network(network: BoardNetwork, plies: int, guard: tuple[int, int] | None = None) -> Agent:
        """
        An agent that plays by a board network and looks `plies` placements ahead.
        """

    def image(self) -> bytes:
        """
        The core's struct, for a device that runs the same code, without its value's numbers and users' own features.
        """

    def take_failed(self) -> int | None:
        """
        Return the index in `custom` of a feature that gave no finite number since the last call.
        """

    def choose(self, game: Game, among: Annotated[NDArray[numpy.int32], dict(shape=(None, 3), order='C', device='cpu', writable=False)] | None = None, *, simd: str | None = None) -> tuple[int, int, int]:
        """
        Return the agent's placement (shape, x, y), among all placements or these rows of (shape, x, y).
        """

    def best_sequence(self, game: Game, shape: int, x: int, y: int, *, simd: str | None = None) -> tuple[bool, float, tuple[int, int, int, int], NDArray[numpy.float32]]:
        """
        Return whether any sequence of the known pieces that begins with this placement survives, and the best one's value, last placement and features.
        """

    def measure(self, rules: Rules, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], piece: int, placements: Annotated[NDArray[numpy.int32], dict(shape=(None, 3), order='C', device='cpu', writable=False)], lines: int = 0, *, simd: str | None = None) -> NDArray[numpy.float32]:
        """
        Return its features of the board after each placement, one row per placement.
        """

    def measure_board(self, rules: Rules, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, simd: str | None = None) -> NDArray[numpy.float32]:
        """Return its features of a board as it stands, with no piece placed."""

def play_games(rules: Rules, agent: Agent, seed: int, first_game: int, games: int, max_pieces: int, threads: int, purpose: Purpose, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, progress: object | None, *, tries: int = 0, simd: str | None = None) -> dict[str, Any]:
    """
    Play games to their end, or with `tries` estimate their lengths from this many tries per row. With `weights`, every row of it plays the same games. `progress` is called regularly with the games and pieces done. The result has `interrupted` if the user stopped the games; unfinished ones are then running or interrupted.
    """

def feature_facts() -> list[dict[str, Any]]:
    """
    Return the catalogue's facts about each feature, in the order of their numbers.
    """

def simd_levels() -> list[str]:
    """
    Return the instruction sets that this machine can play with, narrowest first.
    """

def simd() -> str:
    """
    Return the default instruction set: the widest one, or the one in the environment variable BLOCKFALL_SIMD if the machine has it, until use_simd sets another.
    """

def use_simd(name: str) -> None:
    """Set the default instruction set."""

def cells(words: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: int) -> NDArray[numpy.bool_]:
    """
    Return whether each cell is filled: cells[board][row][column], floor row first.
    """

class Games:
    """Many games that are stepped together."""

    def __init__(self, rules: Rules, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int, end: int, pieces_known: int, purpose: Purpose, max_pieces: int) -> None: ...

    @property
    def actions(self) -> int: ...

    def mask(self) -> NDArray[numpy.int8]:
        """Return a row per game: 1 for every possible action."""

    def planes(self) -> NDArray[numpy.uint8]:
        """Return each game's filled cells and seven planes per known piece."""

    def features(self, agent: Agent) -> NDArray[numpy.float32]:
        """
        Return the agent's features of each game's board, and seven numbers per known piece.
        """

    def step(self, actions: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict[str, Any]:
        """Play one action per game; a game that is over starts anew."""

    def cut(self, which: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """End these games as a piece limit would."""

    def afterstates(self, agent: Agent | None = None) -> dict[str, Any]:
        """Return every placement of every game, and the board after it."""

    def placement(self, game: int, action: int) -> tuple[int, int, int] | None:
        """
        Return the (shape, x, y) that an action means; None if it is impossible.
        """

    @property
    def words(self) -> NDArray[numpy.uint32]: ...

    @property
    def known(self) -> NDArray[numpy.uint8]:
        """The known pieces of each game; 255 after a script's end."""

    @property
    def numbers(self) -> NDArray[numpy.uint64]:
        """The number of each seat's game."""

    @property
    def outcomes(self) -> dict[str, Any]: ...

class AnswerError(ValueError):
    pass

class Ties(enum.Enum):
    """The order of two equally promising nodes."""

    FIRST = 0

    LAST = 1

    LARGER_G = 2

class SearchSettings:
    """The limits and options of a search; 0 means no limit."""

    def __init__(self) -> None: ...

    @property
    def time_limit_s(self) -> float: ...

    @time_limit_s.setter
    def time_limit_s(self, arg: float, /) -> None: ...

    @property
    def node_limit(self) -> int: ...

    @node_limit.setter
    def node_limit(self, arg: int, /) -> None: ...

    @property
    def memory_limit_bytes(self) -> int: ...

    @memory_limit_bytes.setter
    def memory_limit_bytes(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def width(self) -> int: ...

    @width.setter
    def width(self, arg: int, /) -> None: ...

    @property
    def diversity(self) -> int: ...

    @diversity.setter
    def diversity(self, arg: int, /) -> None: ...

    @property
    def level(self) -> int: ...

    @level.setter
    def level(self, arg: int, /) -> None: ...

    @property
    def iterations(self) -> int: ...

    @iterations.setter
    def iterations(self, arg: int, /) -> None: ...

    @property
    def sequences(self) -> int: ...

    @sequences.setter
    def sequences(self, arg: int, /) -> None: ...

    @property
    def weight(self) -> float: ...

    @weight.setter
    def weight(self, arg: float, /) -> None: ...

    @property
    def hot(self) -> float: ...

    @hot.setter
    def hot(self, arg: float, /) -> None: ...

    @property
    def cold(self) -> float: ...

    @cold.setter
    def cold(self, arg: float, /) -> None: ...

    @property
    def waiting(self) -> float: ...

    @waiting.setter
    def waiting(self, arg: float, /) -> None: ...

    @property
    def ties(self) -> Ties | None: ...

    @ties.setter
    def ties(self, arg: Ties | None, /) -> None: ...

    @property
    def skip_seen(self) -> bool | None: ...

    @skip_seen.setter
    def skip_seen(self, arg: bool | None, /) -> None: ...

    @property
    def trace(self) -> bool: ...

    @trace.setter
    def trace(self, arg: bool, /) -> None: ...

class HopelessPromise:
    """The worth that a beam expects from one colour."""

    def __init__(self, *, whole: float, blocks: float, toll: float) -> None: ...

class HopelessTuning:
    """Tuned numbers: see tuning.toml."""

    def __init__(self, *, tabu: HopelessPromise, other: HopelessPromise, size_bias: float, max_size_bias: int, tabu_bias: float, square_left: float, tabu_draw: float) -> None: ...

class IstTetris:
    """
    Tetris as ist2015's search problem, with the pieces and points of its rule set.
    """

    def __init__(self, rules: Rules, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], pieces: str, cost: str, weights: Sequence[float], lines: bool) -> None: ...

    def solve(self, algorithm: str, settings: SearchSettings, progress: object | None = None) -> dict[str, Any]: ...

    def actions(self) -> list[tuple[int, str]]:
        """Return the first piece's actions (accoes), as (column, orientation)."""

    def result(self, column: int, orientation: int) -> tuple[NDArray[numpy.uint32], int, bool]:
        """
        Return the result of the first piece (resultado): the board, the points, and whether the game is lost.
        """

    def heuristic(self) -> float:
        """Return the start's heuristic, as minimised in ist2015."""

def solve_hopeless(cells: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], clear_bonus: int, leftover_penalty: bool, tuning: HopelessTuning, algorithm: str, settings: SearchSettings, progress: object | None = None) -> dict[str, Any]:
    """
    `cells` has a row for each column of the board, floor first; `points` are those of a block, by its size.
    """

def solve_python(problem: object, own: object, algorithm: str, settings: SearchSettings, progress: object | None = None) -> dict[str, Any]:
    """
    Search a blockfall.search.Problem; `own` names the methods that it overrides.
    """

def algorithm_facts() -> list[dict[str, Any]]:
    """Return every algorithm's name, title and source."""

class LearningSettings:
    def __init__(self) -> None: ...

    @property
    def warm_up(self) -> int: ...

    @warm_up.setter
    def warm_up(self, arg: int, /) -> None: ...

    @property
    def random_warm_up(self) -> bool: ...

    @random_warm_up.setter
    def random_warm_up(self, arg: bool, /) -> None: ...

    @property
    def exploration(self) -> float: ...

    @exploration.setter
    def exploration(self, arg: float, /) -> None: ...

    @property
    def train_every(self) -> int: ...

    @train_every.setter
    def train_every(self, arg: int, /) -> None: ...

    @property
    def sample(self) -> int: ...

    @sample.setter
    def sample(self, arg: int, /) -> None: ...

    @property
    def batch(self) -> int: ...

    @batch.setter
    def batch(self, arg: int, /) -> None: ...

    @property
    def epochs(self) -> int: ...

    @epochs.setter
    def epochs(self, arg: int, /) -> None: ...

    @property
    def discount(self) -> float: ...

    @discount.setter
    def discount(self, arg: float, /) -> None: ...

    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

    @property
    def steps(self) -> int: ...

    @steps.setter
    def steps(self, arg: int, /) -> None: ...

    @property
    def target_every(self) -> int: ...

    @target_every.setter
    def target_every(self, arg: int, /) -> None: ...

    @property
    def own_reward(self) -> bool: ...

    @own_reward.setter
    def own_reward(self, arg: bool, /) -> None: ...

    @property
    def piece_reward(self) -> float: ...

    @piece_reward.setter
    def piece_reward(self, arg: float, /) -> None: ...

    @property
    def end_reward(self) -> float: ...

    @end_reward.setter
    def end_reward(self, arg: float, /) -> None: ...

    @property
    def max_pieces(self) -> int: ...

    @max_pieces.setter
    def max_pieces(self, arg: int, /) -> None: ...

    @property
    def line_reward(self) -> list[float]: ...

    @line_reward.setter
    def line_reward(self, arg: Sequence[float], /) -> None: ...

class Learner:
    """A network that learns from its own games."""

    def __init__(self, rules: Rules, agent: Agent, settings: LearningSettings, capacity: int, seed: int, first_game: int) -> None: ...

    def learn(self, until: int, progress: object | None = None, *, simd: str | None = None) -> None:
        """
        Play and learn, whole games, until this many actions are done in all; `progress` is called with the count.
        """

    def state(self) -> dict[str, Any]:
        """Return all its data, between two games, as arrays."""

    def set_state(self, state: dict[str, Any]) -> None: ...

    @property
    def parameters(self) -> NDArray[numpy.float32]: ...

    @property
    def actions(self) -> int: ...

    @property
    def games(self) -> int: ...

    @property
    def updates(self) -> int: ...

    @property
    def lines(self) -> int: ...

    @property
    def curve(self) -> tuple[float, float] | None: ...

class LinearSettings:
    def __init__(self) -> None: ...

    @property
    def warm_up(self) -> int: ...

    @warm_up.setter
    def warm_up(self, arg: int, /) -> None: ...

    @property
    def exploration(self) -> float: ...

    @exploration.setter
    def exploration(self, arg: float, /) -> None: ...

    @property
    def discount(self) -> float: ...

    @discount.setter
    def discount(self, arg: float, /) -> None: ...

    @property
    def trace_decay(self) -> float: ...

    @trace_decay.setter
    def trace_decay(self, arg: float, /) -> None: ...

    @property
    def least_squares(self) -> bool: ...

    @least_squares.setter
    def least_squares(self, arg: bool, /) -> None: ...

    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

    @property
    def policy_actions(self) -> int: ...

    @policy_actions.setter
    def policy_actions(self, arg: int, /) -> None: ...

    @property
    def memory(self) -> float: ...

    @memory.setter
    def memory(self, arg: float, /) -> None: ...

    @property
    def ridge(self) -> float: ...

    @ridge.setter
    def ridge(self, arg: float, /) -> None: ...

    @property
    def by_points(self) -> bool: ...

    @by_points.setter
    def by_points(self, arg: bool, /) -> None: ...

    @property
    def end_reward(self) -> float: ...

    @end_reward.setter
    def end_reward(self, arg: float, /) -> None: ...

    @property
    def max_pieces(self) -> int: ...

    @max_pieces.setter
    def max_pieces(self, arg: int, /) -> None: ...

    @property
    def inputs(self) -> int: ...

    @inputs.setter
    def inputs(self, arg: int, /) -> None: ...

    @property
    def reward_place(self) -> int: ...

    @reward_place.setter
    def reward_place(self, arg: int, /) -> None: ...

class LinearLearner:
    """A weighted sum of features that learns from its own games."""

    def __init__(self, rules: Rules, agent: Agent, settings: LinearSettings, seed: int, first_game: int) -> None: ...

    @property
    def weights(self) -> NDArray[numpy.float64]: ...

    def learn(self, until: int, progress: object | None = None, *, simd: str | None = None) -> None:
        """
        Play and learn, whole games, until this many actions are done in all; `progress` is called with the count.
        """

    def state(self) -> dict[str, Any]:
        """Return all its data, between two games, as arrays."""

    def set_state(self, state: dict[str, Any]) -> None: ...

    @property
    def parameters(self) -> NDArray[numpy.float32]: ...

    @property
    def actions(self) -> int: ...

    @property
    def games(self) -> int: ...

    @property
    def updates(self) -> int: ...

    @property
    def lines(self) -> int: ...

    @property
    def curve(self) -> tuple[float, float] | None: ...

def learn_table(rules: Rules, table: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], explore: int, rate: float, discount: float, max_pieces: int, seed: int, first_game: int, games: int, actions: int, until: int) -> tuple[int, int, tuple[float, float] | None]:
    """
    Play whole games that change the table until this many actions are done. Return the games, actions and curve.
    """

def network_gradient(agent: Agent, inputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, simd: str | None = None) -> tuple[float, NDArray[numpy.float32]]:
    """
    Return the mean squared error of the network over rows of inputs, and its gradient.
    """

class Seats:
    """Many games from which a board network learns."""

    def __init__(self, rules: Rules, seats: int, seed: int, first_number: int, pieces_known: int) -> None: ...

    def successors(self) -> dict[str, Any]:
        """Return the boards after every placement of each seat."""

    def play(self, choices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict[str, Any]:
        """
        Play one successor of each seat; -1 for a seat without any. A game that is over starts anew.
        """

    @property
    def rows(self) -> NDArray[numpy.uint16]: ...

    @property
    def known(self) -> NDArray[numpy.uint8]: ...

    @property
    def law(self) -> NDArray[numpy.float32]: ...

    def state(self) -> NDArray[numpy.uint8]:
        """Return the seats as bytes, for a checkpoint."""

    def set_state(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Restore a checkpoint."""

def play_versus(rules: Rules, agent: Agent, seed: int, first_game: int, games: int, max_pieces: int, threads: int, purpose: Purpose, hold: bool, pieces_shown: int, attack: Sequence[int] | None, combo: Sequence[int], progress: object | None, *, simd: str | None = None) -> dict[str, Any]:
    """
    Play as `play_games` does, with a hold queue if `hold` is set. The result has each game's attack lines by the rules' table: its numbers for lines, mini spins, full spins, back-to-back and a perfect clear.
    """
