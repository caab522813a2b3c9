"""The game as a person plays it: golden playthroughs, gravity, lock delay, hold, and exact replay."""

import random
from pathlib import Path

import pytest

from blockfall import Board, Game, HumanGame, Termination, rules
from blockfall.rulesets import Rules
from tests import ROOT

PLAYTHROUGHS = sorted((ROOT / "tests" / "data" / "playthroughs").glob("human-*.txt"))
KEYS = {
    "left": HumanGame.LEFT,
    "right": HumanGame.RIGHT,
    "down": HumanGame.DOWN,
    "clockwise": HumanGame.CLOCKWISE,
    "counter-clockwise": HumanGame.COUNTER_CLOCKWISE,
    "drop": HumanGame.DROP,
    "hold": HumanGame.HOLD,
}


def scripted(folder: Path, base: str, pieces: str, more: str = "") -> Rules:
    path = folder / "scripted.toml"
    path.write_text(f'extends = "{base}"\n{more}\n[generator]\nname = "script"\npieces = "{pieces}"\n')
    return rules(path)


def press(game: HumanGame, key: str, frames: int = 1) -> None:
    """Hold a key for some frames, then release it for a frame."""
    game.step(KEYS[key], frames)
    game.step()


def lowest_rows(game: HumanGame, rows: int) -> str:
    return "\n".join(str(game).splitlines()[-rows:])


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_golden_playthroughs(path: Path, tmp_path: Path) -> None:
    """Play the keys of a file and compare each board.

    A file has rules, pieces, a board, and then keys, each followed by the board after it. `left*2` presses a key twice,
    `down~60` holds it for 60 frames.
    """
    head, *steps = path.read_text().split("\n> ")
    settings = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
    drawn = head.split("board:\n", 1)[1] if "board:\n" in head else ""
    game_rules = scripted(tmp_path, settings["rules"], settings["pieces"])
    board = Board.from_text(drawn, game_rules.columns, game_rules.rows)
    game = HumanGame(game_rules, board=board)
    for step in steps:
        keys, _, picture = step.partition("\n")
        for key in keys.split():
            name, _, frames = key.partition("~")
            name, _, times = name.partition("*")
            for _ in range(int(times or 1)):
                press(game, name, int(frames or 1))
        expected = picture.strip()
        if expected:
            assert lowest_rows(game, len(expected.splitlines())) == expected, f"after {keys}"


def test_there_are_playthroughs_of_a_wall_kick_and_a_twist() -> None:
    assert {"human-wall-kick", "human-twist"} <= {path.stem for path in PLAYTHROUGHS}


def test_recorded_keys_replay_exactly() -> None:
    for name in ("guideline", "nes", "standard", "aveiro"):
        keys = [random.Random(name).choice([0, 0, 1, 2, 4, 8, 16, 32, 64, 9, 6]) for _ in range(6000)]

        def play(keys: list[int] = keys, name: str = name) -> list[object]:
            game = HumanGame(name, seed=5)
            for key in keys:
                game.step(key)
            return [str(game), game.core.score, game.core.lines, game.core.pieces, game.core.termination]

        assert play() == play()


def test_gravity_follows_the_levels_table() -> None:
    """On level 0 of the NES a piece falls a row every 48 frames."""
    game = HumanGame("nes", seed=1)
    start = game.core.falling[3]
    game.step(frames=47)
    assert game.core.falling[3] == start
    game.step()
    assert game.core.falling[3] == start - 1
    game.step(frames=48)
    assert game.core.falling[3] == start - 2


def test_soft_drop_is_faster_and_scores(tmp_path: Path) -> None:
    game = HumanGame(scripted(tmp_path, "guideline", "IIII"))
    start = game.core.falling[3]
    game.step(HumanGame.DOWN, 9)
    assert game.core.falling[3] == start - 3
    assert game.core.score == 3


def test_hard_drop_locks_at_once(tmp_path: Path) -> None:
    game = HumanGame(scripted(tmp_path, "guideline", "OOOO"))
    rows = game.core.falling[3]
    game.step(HumanGame.DROP)
    assert game.core.pieces == 1
    assert game.core.score == 2 * rows
    assert lowest_rows(game, 2) == "....##....\n....##...."


def on_the_floor(folder: Path) -> HumanGame:
    game = HumanGame(scripted(folder, "guideline", "OOOO"))
    while game.core.falling[3] > 0:
        game.step(HumanGame.DOWN)
    return game


def test_lock_delay_is_half_a_second(tmp_path: Path) -> None:
    game = on_the_floor(tmp_path)
    game.step(frames=28)
    assert game.core.pieces == 0
    game.step()
    assert game.core.pieces == 1


def test_moves_restart_the_lock_delay_fifteen_times(tmp_path: Path) -> None:
    game = on_the_floor(tmp_path)
    frames = 0
    direction = 0
    while game.core.pieces == 0:
        direction += 1
        game.step(HumanGame.LEFT if direction % 2 else HumanGame.RIGHT)  # restarts the delay
        game.step(frames=19)
        frames += 20
    # The first wait and fifteen restarts take twenty frames each; then the delay of thirty runs out.
    assert 15 * 20 <= frames <= 15 * 20 + 40


def test_hold_swaps_once_per_piece(tmp_path: Path) -> None:
    game = HumanGame(scripted(tmp_path, "guideline", "TJZOSLI"))
    press(game, "hold")
    assert (game.held, game.piece) == ("T", "J")
    press(game, "hold")
    assert (game.held, game.piece) == ("T", "J")
    press(game, "drop")
    press(game, "hold")
    assert (game.held, game.piece) == ("Z", "T")


def test_nes_has_no_hold_and_no_hard_drop() -> None:
    game = HumanGame("nes", seed=1)
    before = str(game)
    press(game, "hold")
    press(game, "drop")
    assert str(game) == before
    assert game.held is None


def test_a_held_key_repeats_after_its_delay(tmp_path: Path) -> None:
    game = HumanGame(scripted(tmp_path, "guideline", "IIII"), shift_delay_frames=10, shift_repeat_frames=3)
    columns = []
    for _ in range(17):
        game.step(HumanGame.LEFT)
        columns.append(game.core.falling[2])
    assert columns == [2] * 10 + [1] * 3 + [0] * 4
    at_once = HumanGame(scripted(tmp_path, "guideline", "IIII"), shift_delay_frames=5, shift_repeat_frames=0)
    at_once.step(HumanGame.RIGHT, 6)
    assert at_once.core.falling[2] == 6


def test_the_game_ends_when_the_next_piece_has_no_room(tmp_path: Path) -> None:
    game = HumanGame(scripted(tmp_path, "guideline", "O" * 40))
    for _ in range(40):
        press(game, "drop")
    assert game.termination in (Termination.BLOCK_OUT, Termination.LOCK_OUT)
    pieces = game.core.pieces
    game.step(HumanGame.DROP, 100)
    assert game.core.pieces == pieces


def test_the_game_reports_where_the_last_piece_locked(tmp_path: Path) -> None:
    """Before the full row is removed, the second I fills row 0 with the first one and the O."""
    game = HumanGame(scripted(tmp_path, "guideline", "IIOZ"))
    assert game.locked is None
    press(game, "left", 30)
    press(game, "drop")
    assert game.locked is not None
    assert (game.locked.piece, set(game.locked.cells)) == ("I", {(0, 0), (1, 0), (2, 0), (3, 0)})
    press(game, "right")
    press(game, "drop")
    press(game, "right", 30)
    press(game, "drop")
    assert game.core.lines == 1
    assert (game.locked.piece, set(game.locked.cells)) == ("O", {(8, 0), (9, 0), (8, 1), (9, 1)})
    assert lowest_rows(game, 1) == "........##"


def test_the_ghost_is_where_a_hard_drop_lands() -> None:
    """This includes overhangs, of which random play makes many."""
    for name in ("guideline", "standard", "aveiro"):
        chance = random.Random(name)
        dropped = 0
        for seed in range(20):
            game = HumanGame(name, seed=seed)
            while not game.over:
                for _ in range(chance.randrange(120)):
                    game.step(chance.choice([0, 1, 2, 4, 8, 16]))
                if game.over:
                    break
                game.step()
                pieces, shadow = game.core.pieces, game.ghost_cells
                game.step(HumanGame.DROP)
                assert game.core.pieces == pieces + 1
                assert game.locked is not None
                assert set(shadow) == set(game.locked.cells)
                dropped += 1
        assert dropped > 100


def test_the_rules_limit_of_keys_per_row_holds(tmp_path: Path) -> None:
    """The timed rules allow one shift in each row on level 13, and nine on level 0."""
    timed = scripted(tmp_path, "nes-no-rotation-timed", "OOOO")
    for level, columns in ((0, 4), (13, 1)):
        game = HumanGame(timed.starting_at(level), shift_delay_frames=1, shift_repeat_frames=0)
        start, row = game.core.falling[2:]
        game.step(HumanGame.LEFT, 3)
        assert game.core.falling[2:] == (start - columns, row)
    while game.core.falling[3] == row:
        game.step()
    press(game, "left")
    assert game.core.falling[2:] == (start - 2, row - 1)


@pytest.mark.parametrize("game_rules", [rules("aveiro"), rules("nes-no-rotation-timed").starting_at(13)], ids=str)
def test_a_person_reaches_no_more_than_an_agent_where_keys_are_limited(game_rules: Rules) -> None:
    chance = random.Random(1)
    held = locked = 0
    for seed in range(10):
        game = HumanGame(game_rules, seed=seed, shift_delay_frames=2, shift_repeat_frames=0)
        while not game.over and game.core.lines < 10:
            board, piece, pieces = game.board, game.piece, game.core.pieces
            while game.core.pieces == pieces:
                if chance.random() < 0.2:
                    held = chance.choice([0, HumanGame.LEFT, HumanGame.RIGHT, HumanGame.CLOCKWISE])
                game.step(held)
            assert game.locked
            reachable = {frozenset(one.cells) for one in Game.at(game_rules, board, piece).placements()}
            assert frozenset(game.locked.cells) in reachable
            locked += 1
    assert locked > 100
