"""The core's rules, made from a rules file: drawings become cells, kicks become turns."""

from blockfall import _core
from blockfall.errors import FileError
from blockfall.rulesets.model import PIECES, KicksKeys, RotationKeys, RulesFile

Cells = list[tuple[int, int]]

_KEYS = {
    "left": _core.Key.LEFT,
    "right": _core.Key.RIGHT,
    "down": _core.Key.DOWN,
    "clockwise": _core.Key.CLOCKWISE,
    "counter-clockwise": _core.Key.COUNTER_CLOCKWISE,
    "drop": _core.Key.DROP,
}
KEY_NAMES = {key: name for name, key in _KEYS.items()}

GENERATORS = {
    "uniform": _core.GeneratorKind.UNIFORM,
    "nes": _core.GeneratorKind.NES,
    "nes-lfsr": _core.GeneratorKind.NES_LFSR,
    "7-bag": _core.GeneratorKind.BAG7,
    "tgm1": _core.GeneratorKind.TGM1,
    "tgm2": _core.GeneratorKind.TGM2,
    "tgm3": _core.GeneratorKind.TGM3,
    "tgm3-real": _core.GeneratorKind.TGM3_REAL,
    "script": _core.GeneratorKind.SCRIPT,
    "snake": _core.GeneratorKind.SNAKE,
}


def compile_rules(file: RulesFile, rotation: RotationKeys, script: str, where: str) -> _core.Rules:
    """Return the core's rules. `where` names the file in errors."""
    board, over, play = file.board, file.game_over, file.play
    description = _core.RulesDescription()
    description.columns = board.columns
    description.rows = board.rows + board.hidden_rows
    description.visible_rows = board.rows
    description.pieces = [_piece(file, rotation, letter, where) for letter in PIECES]

    reachable = file.placement.model == "reachable"
    description.model = _core.PlacementModel.REACHABLE if reachable else _core.PlacementModel.DROP
    description.keys = sum(_KEYS[key].value for key in set(file.placement.keys))
    description.keys_per_row = list(file.placement.keys_per_row)
    description.keys_on_spawn_row = file.placement.keys_on_spawn_row

    description.generator = GENERATORS[file.generator.name]
    if file.generator.only:
        description.drawn = [PIECES.index(letter) for letter in file.generator.only]
    description.script = [PIECES.index(letter) for letter in script]
    description.frames_per_piece = file.generator.frames_per_piece

    description.line_score = list(file.scoring.lines)
    description.piece_score = file.scoring.piece
    description.score_by_level = file.scoring.by_level
    description.lines_per_level = file.scoring.lines_per_level
    description.start_level = file.scoring.start_level
    description.soft_drop_score = file.scoring.soft_drop
    description.hard_drop_score = file.scoring.hard_drop

    description.frames_per_row = [max(1, round(1000 * frames)) for frames in play.frames_per_row]
    description.soft_drop_frames_per_row = max(1, round(1000 * play.soft_drop_frames_per_row))
    description.lock_delay = play.lock_delay
    description.lock_resets = play.lock_resets
    description.hold = play.hold
    description.previews = play.previews

    description.overflow_loses = over.overflow
    description.height_limit = over.height_limit or board.rows + board.hidden_rows
    description.block_out_loses = over.block_out
    description.lock_out_loses = over.lock_out
    try:
        return _core.Rules(description)
    except ValueError as error:
        raise FileError(f"{where}: {error}") from None


def _piece(file: RulesFile, rotation: RotationKeys, letter: str, where: str) -> _core.PieceDescription:
    key = f"{where}: rotation.states.{letter}"
    if letter not in rotation.states:
        raise FileError(f"{key} is missing; each of {' '.join(PIECES)} needs a drawing")
    drawings = _side_by_side(rotation.states[letter], key)
    piece = _core.PieceDescription()
    piece.box_columns = len(drawings[0][0])
    piece.spawn_column = file.spawn.column
    piece.spawn_row = file.board.rows - file.spawn.row - len(drawings[0])
    states = []
    for number, drawing in enumerate(drawings):
        state = _core.StateDescription()
        state.cells = _cells(drawing, f"{key}, state {number}")
        state.clockwise = _turn(rotation, letter, number, (number + 1) % len(drawings), clockwise=True)
        state.counter_clockwise = _turn(rotation, letter, number, (number - 1) % len(drawings), clockwise=False)
        states.append(state)
    piece.states = states
    return piece


def _side_by_side(drawing: str, key: str) -> list[list[str]]:
    """Return the rows of each state, top row first."""
    rows = [row.split() for row in drawing.strip().splitlines()]
    if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
        raise FileError(f"{key}: every row of the drawing must show the same number of states")
    if len(rows[0]) > 4:
        raise FileError(f"{key} has {len(rows[0])} states; a piece has 1 to 4")
    states = [[row[number] for row in rows] for number in range(len(rows[0]))]
    if len({len(row) for state in states for row in state}) != 1:
        raise FileError(f"{key}: every state must be drawn in a box of the same size")
    return states


def _cells(drawing: list[str], key: str) -> Cells:
    if wrong := set("".join(drawing)) - {"#", "."}:
        raise FileError(f"{key} contains {sorted(wrong)[0]!r}; a drawing is made of # and .")
    height = len(drawing)
    cells = [(x, height - 1 - y) for y, row in enumerate(drawing) for x, mark in enumerate(row) if mark == "#"]
    if len(cells) != 4:
        raise FileError(f"{key} has {len(cells)} cells; a piece has 4")
    return cells


def _turn(rotation: RotationKeys, letter: str, start: int, end: int, *, clockwise: bool) -> _core.TurnDescription:
    turn = _core.TurnDescription()
    turn.state = end
    for kicks in rotation.kicks:
        if letter in kicks.pieces:
            turn.kicks = list(_kicks(kicks, start, end, clockwise=clockwise))
    rule = rotation.centre_column_rule
    turn.centre_column_rule = rule is not None and letter in rule.pieces and start in rule.states
    return turn


def _kicks(kicks: KicksKeys, start: int, end: int, *, clockwise: bool) -> tuple[tuple[int, int], ...]:
    return kicks.turns.get(f"{start}>{end}", kicks.clockwise if clockwise else kicks.counter_clockwise)
