"""Functions over many boards at once, as agents outside the core."""

import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import blockfall
from blockfall import Agent, BoardFunction, Game
from blockfall.errors import SettingError
from blockfall.server.game import CourseGame, dealt
from blockfall.server.messages import Frame
from blockfall.server.pilot import Pilot
from tests.program import output_of
from tests.registries import restored

Boards = npt.NDArray[np.bool_]
WEIGHTS = {"heights-sum": -2.0, "holes": -3.0}


def low(boards: Boards) -> npt.NDArray[np.float64]:
    """WEIGHTS in NumPy: a column's height is its highest filled cell, and its holes are the empty cells below."""
    rows = np.arange(1, boards.shape[1] + 1)
    heights = (boards * rows[None, :, None]).max(axis=1)
    holes = heights.sum(axis=1) - boards.sum(axis=(1, 2))
    return np.asarray(-2.0 * heights.sum(axis=1) - 3.0 * holes)


TWIN = Agent("twin", blockfall.WeightedFeatures(WEIGHTS))


@pytest.mark.parametrize("rules", ["standard-10x10", "nes-no-rotation"])
def test_a_function_plays_the_games_of_the_same_agent_in_the_core(rules: str) -> None:
    ours = blockfall.evaluate(rules=rules, agent=low, games=30, seed=3, first_game=5)
    theirs = blockfall.evaluate(rules=rules, agent=TWIN, games=30, seed=3, first_game=5)
    assert ours == theirs
    game = Game(rules, seed=3, pieces_known=1)
    for _ in range(10):
        assert game.choose(low) == game.choose(TWIN)
        game.play(game.choose(low))


def test_limits_and_purposes_hold_for_functions() -> None:
    for settings in ({"max_pieces": 7}, {"purpose": blockfall.Purpose.VALIDATION, "max_pieces": 20}):
        one = blockfall.evaluate(rules="standard", agent=low, games=5, seed=3, **settings)  # type: ignore[arg-type]
        assert one == blockfall.evaluate(rules="standard", agent=TWIN, games=5, seed=3, **settings)  # type: ignore[arg-type]
        assert one.capped == 5


def test_more_games_than_are_played_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfall.compute.outside._SEATS", 4)
    assert blockfall.evaluate(rules="standard-10x10", agent=low, games=11, seed=3) == blockfall.evaluate(
        rules="standard-10x10", agent=TWIN, games=11, seed=3
    )


def test_a_function_may_see_the_lines() -> None:
    def greedy(boards: Boards, lines: npt.NDArray[np.int32]) -> object:
        assert lines.shape == (len(boards),)
        return lines

    game = Game.at("standard", blockfall.Board.from_text("####.#####", 10, 20), "I")
    placement = game.choose(Agent("greedy", BoardFunction(greedy, lines=True)))
    assert {x for x, _ in placement.cells} == {4}


def test_functions_compare_with_other_agents() -> None:
    found = blockfall.compare(rules="standard-10x10", agents=(low, TWIN), games=10, seed=2)
    assert found.names == ("low", "twin")
    assert found.lines.difference == 0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda boards: [float("nan")] * len(boards), "gave nan for a board"),
        (lambda boards: [float("inf")] * len(boards), "gave inf for a board"),
        (lambda _: [1.0], "of the shape"),
        (lambda _: "many", "must give a number for each board"),
        (lambda _: None, "must be a finite number|number for each board"),
    ],
)
def test_a_wrong_result_is_a_one_line_error(function: object, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        blockfall.evaluate(rules="standard", agent=function, games=2)  # type: ignore[arg-type]


def test_functions_have_no_file_features_or_parameters() -> None:
    mine = Agent("mine", BoardFunction(low))
    for wrong in (
        lambda: mine.as_json(),
        lambda: mine.core,
        lambda: mine.with_parameters([1.0]),
        lambda: mine.knowing(2),
        lambda: mine.looking_ahead(3),
        lambda: BoardFunction(3),  # type: ignore[arg-type]
        lambda: blockfall.register_agent(Agent("lee", BoardFunction(low))),
        lambda: blockfall.register_agent(Agent("a/b", BoardFunction(low))),
    ):
        with pytest.raises(SettingError):
            wrong()


PLUGIN = """
import blockfall

@blockfall.register_agent
def low(boards):
    return -boards.any(axis=2).sum(axis=1)
"""


def test_a_plugins_function_is_an_agent_by_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)
    for command in (
        ["evaluate", "--rules", "standard-10x10", "--games", "3"],
        ["watch", "--rules", "standard-10x10", "--max-pieces", "3"],
    ):
        assert output_of(*command, "--plugin", path, "--agent", "low", "--json")
    with restored():
        blockfall.load_plugin(path)
        assert blockfall.agent("low").name == "low"


def test_a_function_plays_on_the_course_server_as_connect_does() -> None:
    """The game played by the client's pilot from the server's frames is the one that `evaluate` plays."""
    game, pilot, key = CourseGame(dealt(3, 0)), Pilot(blockfall.agent(low)), ""
    while not game.over and game.pieces < 30:
        pilot.see(Frame.model_validate_json(game.step(key)))
        key = pilot.key() or ""
    core = blockfall.evaluate(rules="aveiro", agent=low, games=1, seed=3, max_pieces=30)
    assert (game.pieces, game.lines, game.score) == (core.pieces[0], core.lines[0], core.score[0])


def test_a_function_is_explained_by_its_values() -> None:
    board = Game("standard", seed=2, pieces_known=1)
    ours, theirs = blockfall.explain(board, low), blockfall.explain(board, TWIN)
    assert [(one.placement, one.value) for one in ours] == [(one.placement, one.value) for one in theirs]
    assert (ours[0].measures, ours[0].shares) == ({}, {})


def test_torch_plays_too() -> None:
    torch = pytest.importorskip("torch")

    def low_in_torch(boards: Boards) -> object:
        planes = torch.from_numpy(boards).float().requires_grad_()
        return -planes.amax(dim=2).sum(dim=1, keepdim=True)

    played = blockfall.evaluate(rules="standard-10x10", agent=low_in_torch, games=5, seed=3)
    assert played.lines.shape == (5,)


@pytest.mark.alone
def test_a_million_boards_a_second_go_through_a_trivial_function() -> None:
    """One core handles a million boards per second, less a margin for a busy machine."""

    def first(boards: Boards) -> npt.NDArray[np.float64]:
        return np.zeros(len(boards))

    rates = []
    for _ in range(3):
        started = time.process_time()
        played = blockfall.evaluate(rules="standard", agent=first, games=4096, seed=1, backend="local:1")
        rates.append(int(played.placements.sum()) / (time.process_time() - started))
    assert max(rates) > 1_200_000
