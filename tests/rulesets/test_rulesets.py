"""Every shipped rule set works, and a user's wrong one is refused with the reason."""

from pathlib import Path

import pytest

from blockfall import BlockfallError, Game, agent, rules, rules_names


@pytest.mark.parametrize("name", rules_names())
def test_every_rule_set_says_what_it_is_and_plays(name: str) -> None:
    game_rules = rules(name)
    assert game_rules.title
    assert game_rules.source
    game = Game(game_rules, seed=1)
    while not game.over and game.outcome.pieces < 20:
        game.play(game.choose(agent("birken-6")))
    assert game.outcome.pieces >= 5


def test_nes_pieces_spawn_where_the_console_puts_them() -> None:
    """Cells as (column, row from the top)."""
    spawns = {
        "T": {(4, 0), (5, 0), (6, 0), (5, 1)},
        "J": {(4, 0), (5, 0), (6, 0), (6, 1)},
        "Z": {(4, 0), (5, 0), (5, 1), (6, 1)},
        "O": {(4, 0), (5, 0), (4, 1), (5, 1)},
        "S": {(5, 0), (6, 0), (4, 1), (5, 1)},
        "L": {(4, 0), (5, 0), (6, 0), (4, 1)},
        "I": {(3, 0), (4, 0), (5, 0), (6, 0)},
    }
    from tests.reference.placements import shifted
    from tests.reference.rules import piece_of

    for letter, cells in spawns.items():
        piece = piece_of(rules("nes"), letter)
        assert {(x, 19 - y) for x, y in shifted(piece.states[0], *piece.spawn)} == cells


def test_states_of_a_rotation_system() -> None:
    """O has one state; I, S and Z two shapes, T, J and L four, in all six systems."""
    from tests.reference.rules import piece_of
    from tests.strategies import variant

    for rotation in ("srs", "nintendo", "sega", "arika", "original", "dtet"):
        game_rules = variant("guideline", rotation, 10, 20, "uniform")
        shapes = {letter: len(piece_of(game_rules, letter).shapes) for letter in "IOTSZJL"}
        assert shapes == {"I": 2, "O": 1, "T": 4, "S": 2, "Z": 2, "J": 4, "L": 4}
    assert len(piece_of(rules("guideline"), "S").states) == 4


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text)
    return path


def test_a_users_own_rules(tmp_path: Path) -> None:
    mine = rules(
        write(tmp_path, 'extends = "nes"\ntitle = "Narrow"\n[board]\ncolumns = 6\nrows = 12\n[spawn]\ncolumn = 1\n')
    )
    assert (mine.name, mine.title, mine.columns, mine.rows) == ("mine", "Narrow", 6, 12)
    assert mine.file.generator.name == "nes"


def test_a_script_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "pieces.txt").write_text("t s z\ni o")
    mine = write(tmp_path, 'extends = "standard"\n[generator]\nname = "script"\nfile = "pieces.txt"\n')
    assert Game(rules(mine), pieces_known=8).known == "TSZIO"


def drawing(**changed: str) -> str:
    states = dict.fromkeys("IOTSZJL", "##\n##") | changed
    tables = "".join(f'{letter} = """\n{text}\n"""\n' for letter, text in states.items())
    return f'extends = "standard"\n[rotation.states]\n{tables}'


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[board]\ncolumns = 99\n", ["mine.toml, line 2", "board.columns is 99", "4 to 16"]),
        ('extends = "nes"\n[board]\nrows = 33\n', ["line 3", "board.rows is 33", "6 to 32"]),
        ('extends = "nes"\n[board]\ncolums = 9\n', ["line 3", "unknown key 'board.colums'", "columns"]),
        ('extends = "nes"\n[board]\nrows = "twenty"\n', ["board.rows is 'twenty'", "whole number"]),
        ('extends = "nes"\n[board]\nrows = 30\nhidden_rows = 4\n', ["34", "at most 32"]),
        ('extends = "nope"\n', ["unknown rules 'nope'", "the nearest of", "nes"]),
        ('extends = "mine.toml"\n', ["circle"]),
        ('extends = "nes"\nrotation = "spin"\n', ["rotation is 'spin'", "srs"]),
        ('extends = "nes"\n[generator]\nname = "fair"\n', ["generator.name is 'fair'", "7-bag"]),
        ('extends = "standard"\n[generator]\nname = "script"\npieces = "TXT"\n', ["'X'", "I O T S Z J L"]),
        ('extends = "standard"\n[generator]\nname = "script"\n', ["needs pieces or a file"]),
        ('extends = "nes"\n[placement]\nkeys = ["left"]\n', ["keys must contain left and right"]),
        ('extends = "nes"\n[placement]\nkeys = ["left", "up"]\n', ["'up'", "left, right, down"]),
        ('extends = "nes"\n[spawn]\ncolumn = 9\n', ["between the walls"]),
        ('extends = "nes"\n[scoring]\nlines = [1, 2]\n', ["scoring.lines", "1, 2, 3 and 4 lines"]),
        ("board = 3\n", ["board is 3", "a table"]),
        ("not toml at all", ["mine.toml", "not TOML"]),
        (drawing(T="###\n##."), ["rotation.states.T, state 0 has 5 cells", "has 4"]),
        (drawing(T="##x\n##."), ["'x'", "# and ."]),
        (drawing(T="## #\n##"), ["same number of states"]),
        ('extends = "standard"\n[rotation.states]\nT = "####"\n', ["rotation.states.I is missing"]),
    ],
)
def test_a_wrong_rule_set_is_explained(tmp_path: Path, text: str, parts: list[str]) -> None:
    with pytest.raises(BlockfallError) as raised:
        rules(write(tmp_path, text))
    message = str(raised.value)
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BlockfallError, match="No such file"):
        rules(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BlockfallError, match="not a text file"):
        rules(tmp_path / "binary.toml")
