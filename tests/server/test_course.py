"""Pieces and boards of the course's frames, compared with recorded games and recorded pieces."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall import Board
from blockfall.games.protocol import Cell
from blockfall.rulesets import PIECES
from blockfall.server.course import (
    DROP,
    RULES,
    WALLS,
    Grid,
    Pose,
    board_of,
    game_at,
    path,
    pose_of,
    reachable,
    recognise,
    spawned,
)
from blockfall.server.game import CourseGame, dealt, info
from blockfall.server.messages import Frame, Info, parse_said
from tests.reference.course import DATA, SHAPES, box, cells, fewest_keys, fits, frame
from tests.strategies import boards


def recorded(name: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (DATA / f"aveiro_{name}.jsonl").read_text().splitlines()]
    return [row["msg"] for row in rows if "msg" in row]


def frames_of(name: str) -> list[dict[str, Any]]:
    return [message for message in recorded(name) if "game" in message]


def letter_of(shown: list[list[int]]) -> str:
    """The recorded piece that has these cells at another place."""
    (left, top) = min(x for x, _ in shown), min(y for _, y in shown)
    found: set[str] = {
        letter
        for letter in SHAPES
        for state in box(letter)
        if sorted((x - min(x for x, _ in state) + left, y - min(y for _, y in state) + top) for x, y in state)
        == sorted((x, y) for x, y in shown)
    }
    (letter,) = found
    return letter


@st.composite
def settled_cells(draw: st.DrawFn, most: float = 0.8) -> set[Cell]:
    """The cells in the server's coordinates."""
    return {(x + 1, 29 - y) for x, y in draw(boards(8, 30, most))}


@st.composite
def poses(draw: st.DrawFn, settled: set[Cell]) -> Pose | None:
    letter = draw(st.sampled_from(PIECES))
    free = [
        (state, x, y)
        for state in range(len(box(letter)))
        for x in range(-2, 9)
        for y in range(30)
        if fits(settled, letter, (state, x, y))
    ]
    return Pose(letter, *draw(st.sampled_from(free))) if free else None


@pytest.mark.parametrize("letter", PIECES)
def test_every_piece_is_recognised_in_every_state_and_place(letter: str) -> None:
    seen = 0
    for state in range(len(box(letter))):
        for x in range(-2, 9):
            for y in range(30):
                if fits(set(), letter, (state, x, y)):
                    shown = cells(letter, (state, x, y))
                    assert recognise(reversed(shown)) == Pose(letter, state, x, y)
                    assert Pose(letter, state, x, y).cells == shown
                    seen += 1
    assert seen > 150


@pytest.mark.parametrize("letter", PIECES)
def test_pieces_appear_as_on_the_courses_server(letter: str) -> None:
    seen = SHAPES[letter]
    assert [list(cell) for cell in spawned(letter).cells] == seen["spawn_check_positions"]
    first = Grid([]).after(spawned(letter), "")
    assert first
    assert [list(cell) for cell in first.cells] == seen["first_frame_positions_without_key"]


@pytest.mark.parametrize(
    "shown", [[], [(1, 1)], [(1, 1), (2, 1), (3, 1)], [(1, 1), (2, 2), (3, 3), (4, 4)], [(x, 0) for x in range(5)]]
)
def test_other_cells_are_no_piece(shown: list[Cell]) -> None:
    assert recognise(shown) is None


def test_duplicate_cells_are_one() -> None:
    assert recognise([(3, 3), (4, 3), (3, 4), (4, 4), (4, 4)]) == Pose("O", 0, 2, 1)


@pytest.mark.parametrize("name", ["idle", "drop"])
def test_recorded_frames_decode(name: str) -> None:
    for message in frames_of(name):
        said = parse_said(json.dumps(message))
        assert isinstance(said, Frame)
        if message["piece"]:
            pose = recognise(said.piece or [])
            assert pose
            assert pose.piece == letter_of(message["piece"])
            assert pose.state == 0  # no recorded player turns a piece
            assert [list(cell) for cell in pose.cells] == message["piece"]
        following = [recognise(cells or []) for cells in said.next_pieces]
        assert [pose and pose.piece for pose in following] == [letter_of(cells) for cells in message["next_pieces"]]
        picture = "\n".join("".join("#" if [x, y] in message["game"] else "." for x in range(1, 9)) for y in range(30))
        assert board_of(said.game) == Board.from_text(picture, 8, 30)
    for message in (recorded(name)[0], recorded(name)[-1]):
        said = parse_said(json.dumps(message))
        assert isinstance(said, Info)
        assert tuple(said.grid) == WALLS


def test_walls_and_cells_outside_are_ignored() -> None:
    assert board_of([*WALLS, (-3, 4), (4, 99), (1, 29), (1, 29)]).heights == [1, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(("name", "key"), [("idle", ""), ("drop", "s")])
def test_the_game_repeats_the_recorded_ones(name: str, key: str) -> None:
    """The same pieces and keys give the same messages, cell by cell."""
    shown = frames_of(name)
    letters = [letter_of(cells) for cells in (shown[0]["piece"], *shown[0]["next_pieces"])]
    for before, after in pairwise(shown):
        if before["piece"] is None:  # the next piece has just appeared
            letters.append(letter_of(after["next_pieces"][-1]))
    game = CourseGame(iter([*letters, "I"]), name)
    ours = []
    while not game.over:
        ours.append(json.loads(game.step(key)))
    assert ours == shown
    assert json.loads(info(10, 0)) == recorded(name)[0]
    end = recorded(name)[-1]
    assert json.loads(info(10, 0, name, end["highscores"])) == end


def test_the_order_of_fields_is_the_recorded_one() -> None:
    game = CourseGame(dealt(1, 0), "idle")
    assert [list(json.loads(game.step())) for _ in range(2)] == [list(message) for message in frames_of("idle")[:2]]


def test_pieces_are_those_of_the_cores_game() -> None:
    from blockfall import Game

    stream = dealt(9, 4)
    assert "".join(next(stream) for _ in range(8)) == Game("aveiro", 9, 4, pieces_known=8).known
    again = dealt(9, 4)
    assert [next(again) for _ in range(500)][8:12] == [next(stream) for _ in range(4)]


@given(data=st.data(), settled=settled_cells(), key=st.sampled_from(["", "a", "d", "w", "s", "x"]))
@settings(max_examples=200, deadline=None)
def test_a_frame_moves_a_piece_as_the_reference(data: st.DataObject, settled: set[Cell], key: str) -> None:
    pose = data.draw(poses(settled))
    if pose is None:
        return
    grid = Grid(settled)
    assert grid.fits(pose)
    expected = frame(settled, pose.piece, (pose.state, pose.x, pose.y), key)
    assert grid.after(pose, key) == (expected and Pose(pose.piece, *expected))


@given(settled=settled_cells(1.0), letter=st.sampled_from(PIECES))
@settings(max_examples=60, deadline=None)
def test_reachable_poses_are_the_cores_placements(settled: set[Cell], letter: str) -> None:
    game = game_at(settled, letter)
    if not game.over:
        assert {pose_of(placement) for placement in game.placements()} == reachable(Grid(settled), spawned(letter))


@given(data=st.data(), settled=settled_cells())
@settings(max_examples=60, deadline=None)
def test_paths_have_the_fewest_keys(data: st.DataObject, settled: set[Cell]) -> None:
    """From any pose in the air, `path` finds a way to every reachable pose, and its keys lead there."""
    start = data.draw(poses(settled))
    if start is None:
        return
    grid = Grid(settled)
    fewest = fewest_keys(settled, start.piece, (start.state, start.x, start.y))
    assert {(pose.state, pose.x, pose.y) for pose in reachable(grid, start)} == set(fewest)
    for rest, count in fewest.items():
        keys = path(grid, start, Pose(start.piece, *rest))
        assert keys is not None
        assert sum(key in "wad" and key != "" for key in keys) == count
        position: tuple[int, int, int] | None = (start.state, start.x, start.y)
        for number, key in enumerate(keys):
            assert key != DROP or number == len(keys) - 1
            assert position
            position = frame(settled, start.piece, position, key)
        while position and position != rest:
            position = frame(settled, start.piece, position, "")
        assert position == rest
        assert frame(settled, start.piece, rest, "") is None


def test_an_unreachable_pose_has_no_path() -> None:
    """
    ........
    #######.
    ........
    """
    settled = [(x, 28) for x in range(1, 8)]
    assert path(Grid(settled), spawned("I"), Pose("I", 0, 2, 28)) is None


def test_keys_slide_a_piece_under_an_overhang() -> None:
    """Four to the right, down beside the overhang, and one back under it with the last frame.

    ######..
    .....@@.
    .....@@.
    """
    settled = [(x, 27) for x in range(1, 7)]
    keys = path(Grid(settled), spawned("O"), Pose("O", 0, 5, 26))
    assert keys == [*"dddd", *[""] * 21, "a"]
    assert path(Grid(settled), spawned("O"), Pose("O", 0, 4, 26)) is None  # there is no second such frame


def test_the_rules_have_the_courses_size() -> None:
    assert (RULES.columns, RULES.rows) == (8, 30)
