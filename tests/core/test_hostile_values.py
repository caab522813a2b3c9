"""Values that no honest caller passes. Each is an error or harmless, never a crash. An interrupt ends every loop."""

import gc
import math
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest

import blockfall
from blockfall import _core
from blockfall.errors import SettingError
from blockfall.features import FeatureError
from blockfall.learning import Beginning, NetworkLearner, NetworkLearning
from blockfall.search import Problem, SearchSettings, solve

NES = blockfall.rules("nes-no-rotation")
EMPTY = np.zeros(10, dtype=np.uint32)


class InterruptError(Exception):
    """A stand-in for an interrupt."""


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    def interrupt(*_: object) -> None:
        raise InterruptError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_learner_names_the_feature_that_returned_nan() -> None:
    @blockfall.feature("sometimes-no-number")
    def sometimes_no_number(board: Any) -> float:
        """Return NaN on a high board."""
        return math.nan if max(board.heights) > 4 else 1.0

    settings = NetworkLearning(warm_up=100, queue=1000, sample=8, batch=8)
    learner = NetworkLearner(settings, Beginning(NES, ("holes", "sometimes-no-number"), (4,), seed=1))
    gc.collect()
    with pytest.raises(FeatureError, match="sometimes-no-number"):
        learner.learn(5000)


def test_a_learner_keeps_its_agent_alive() -> None:
    calls: list[int] = []

    @blockfall.feature("never-a-number")
    def never_a_number(board: Any) -> float:
        """Return NaN."""
        calls.append(board.columns)
        return math.nan

    settings = NetworkLearning(warm_up=100, queue=1000, sample=8, batch=8)
    network = blockfall.FeatureNetwork.zeros(("never-a-number",), (2,))
    agents = [blockfall.Agent("learner", network) for _ in range(50)]
    for_core = settings._for_core(random_warm_up=True)
    learners = [_core.Learner(NES.core, agent.core, for_core, 1000, 1, 0) for agent in agents]
    del agents
    gc.collect()
    for learner in learners:
        learner.learn(10)  # this used to write into the agent's freed memory
    assert calls


@pytest.mark.parametrize("algorithm", sorted(blockfall.algorithms(undoes=False)))
def test_a_problem_whose_heuristic_is_always_minus_infinity(algorithm: str) -> None:
    class Hopeless(Problem):
        def start(self) -> int:
            return 0

        def actions(self, state: int) -> list[int]:
            return [1, 2] if state < 4 else []

        def result(self, state: int, action: int) -> int:
            return state + action

        def is_goal(self, state: int) -> bool:  # noqa: ARG002
            return False

        def heuristic(self, state: int) -> float:  # noqa: ARG002
            return -math.inf

    found = solve(Hopeless(), algorithm, SearchSettings(node_limit=500))
    assert found.points is None
    assert found.moves == ()


def test_a_problem_whose_moves_change_between_calls() -> None:
    class Fickle(Problem):
        asked = 0

        def start(self) -> int:
            return 0

        def actions(self, state: int) -> list[int]:
            self.asked += 1
            return list(range(1 + 7 * self.asked % 5)) if state < 6 else []

        def result(self, state: int, action: int) -> int:  # noqa: ARG002
            return state + 1

        def is_goal(self, state: int) -> bool:
            return state >= 6

        def reward(self, state: int, action: int, result: int) -> float:  # noqa: ARG002
            return float(action)

    for level in (1, 2, 3):
        with suppress(blockfall.BlockfallError):  # the replay also gets other moves
            solve(Fickle(), "nmcs", SearchSettings(node_limit=2000, level=level))


@pytest.mark.parametrize("name", ["ist", "hold"])
def test_a_person_plays_a_script_to_its_end(name: str, tmp_path: Any) -> None:
    rules: Any = name
    if name == "hold":
        rules = tmp_path / "rules.toml"
        rules.write_text('extends = "guideline"\n[generator]\nname = "script"\npieces = "TSZ"\n')
    game = blockfall.HumanGame(rules)
    for frame in range(20_000):
        if game.over:
            break
        game.step((game.DROP | game.DOWN | game.HOLD) if frame % 2 else 0)
        assert len(game.falling_cells) == 4 or game.over
    assert game.termination is blockfall.Termination.SEQUENCE_END
    assert (game.piece, game.known, game.falling_cells, game.ghost_cells) == ("", "", [], [])
    assert "#" in str(game)
    with pytest.raises(ValueError, match="no piece falls"):
        game.core.falling  # noqa: B018


def test_an_agent_is_not_asked_after_the_end() -> None:
    game = blockfall.Game("ist", pieces_known=1)
    agent = blockfall.agent("ist-h1")
    while not game.over:
        game.play(game.placements()[0])
    assert game.known == "" or game.outcome.termination is not blockfall.Termination.SEQUENCE_END
    with pytest.raises(ValueError, match="the game is over"):
        agent.core.choose(game.core)
    with pytest.raises(ValueError, match="the game is over"):
        agent.core.best_sequence(game.core, 0, 0, 0)
    with pytest.raises(ValueError, match="0 to 6"):
        game.core.placements()


def test_an_agent_chooses_only_among_what_it_is_given() -> None:
    game = blockfall.Game.at("nes-no-rotation", blockfall.Board.empty(10, 20), "O")
    in_the_air = np.array([[0, 3, 7]], dtype=np.int32)
    with pytest.raises(ValueError, match="none of these placements"):
        blockfall.agent("birken-6").core.choose(game.core, in_the_air)


@pytest.mark.parametrize("spot", [(0, 2**31 - 1, 3), (0, -(2**31), 3), (0, 0, 2**31 - 1), (2**31 - 1, 0, 0)])
def test_a_placement_far_outside_the_board_is_refused(spot: tuple[int, int, int]) -> None:
    t_piece = 2
    for call in (
        lambda: _core.lock(NES.core, EMPTY, t_piece, *spot),  # 2^31 - 1 and the piece's width gave a negative column
        lambda: _core.shortest_keys(NES.core, EMPTY, t_piece, *spot),
        lambda: NES.core.cells(t_piece, *spot),
    ):
        with pytest.raises(ValueError, match="no such placement"):
            call()


@pytest.mark.parametrize("action", [(0, 100), (100, 0), (-1, 0), (0, -1), (256, 0), (0, 256), (9, 0)])
def test_ist_tetris_refuses_an_impossible_action(action: tuple[int, int]) -> None:
    problem = _core.IstTetris(blockfall.rules("ist").core, EMPTY, "o", "qualidade", [0.0] * 5, False)
    with pytest.raises(ValueError, match="no such action"):
        problem.result(*action)


def test_ist_tetris_without_pieces_has_no_action() -> None:
    problem = _core.IstTetris(blockfall.rules("ist").core, EMPTY, "", "qualidade", [0.0] * 5, False)
    assert problem.actions() == []
    with pytest.raises(ValueError, match="no such action"):
        problem.result(0, 0)


@pytest.mark.parametrize("place", ["cell", "kick", "spawn_column", "spawn_row", "box_columns"])
@pytest.mark.parametrize("number", [-(2**31), 2**31 - 1, 1000])
def test_rules_refuse_numbers_far_outside_the_board(place: str, number: int) -> None:
    state = _core.StateDescription()
    state.cells = [(0, 0), (1, 0), (0, 1), (number if place == "cell" else 1, 1)]
    turn = _core.TurnDescription()
    turn.kicks = [(number if place == "kick" else 0, 0)]
    state.clockwise = turn
    piece = _core.PieceDescription()
    piece.box_columns, piece.spawn_column, piece.spawn_row = 2, 4, 18
    if place not in ("cell", "kick"):
        setattr(piece, place, number)
    piece.states = [state]
    description = _core.RulesDescription()
    description.columns, description.rows, description.visible_rows, description.height_limit = 10, 20, 20, 20
    description.pieces = [piece] * 7
    description.model, description.overflow_loses = _core.PlacementModel.DROP, True
    description.frames_per_row, description.soft_drop_frames_per_row = [1000], 1000
    description.line_score, description.lines_per_level = [1, 2, 3, 4], 10
    with pytest.raises(ValueError, match=r"64|eight cells"):
        _core.Rules(description)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("level", -1),
        ("level", 2**31 - 1),
        ("threads", 0),
        ("threads", 2**31 - 1),
        ("width", 0),
        ("iterations", -1),
        ("diversity", -1),
        ("node_limit", -1),
        ("memory_limit_bytes", -1),
        ("time_limit_s", math.nan),
    ],
)
@pytest.mark.parametrize("algorithm", ["nrpa", "nmcs", "beam"])
def test_a_search_refuses_impossible_settings(algorithm: str, name: str, value: float) -> None:
    settings = _core.SearchSettings()
    setattr(settings, name, value)
    problem = _core.IstTetris(blockfall.rules("ist").core, EMPTY, "oo", "qualidade", [0.0] * 5, False)
    with pytest.raises(ValueError, match=r"level|thread|width|limit"):
        problem.solve(algorithm, settings)


def test_a_deal_that_exceeds_memory_is_refused() -> None:
    for count in (-1, 3_000_000_000, 2**62):
        with pytest.raises(ValueError, match="a count is 0 to"):
            _core.deal(NES.core, 1, 0, count)


def solve_no_moves_for_ever() -> None:
    settings = _core.SearchSettings()
    settings.iterations = 2**31 - 1
    problem = _core.IstTetris(blockfall.rules("ist").core, EMPTY, "", "qualidade", [0.0] * 5, False)
    problem.solve("nrpa", settings)


ENDLESS: dict[str, Callable[[], object]] = {
    "deal": lambda: _core.deal(NES.core, 1, 0, 200_000_000),
    "perft": lambda: _core.perft(NES.core, EMPTY, 50),
    "nrpa": solve_no_moves_for_ever,
    "table": lambda: _core.learn_table(
        blockfall.rules("tetrisbot").core, np.zeros(_core.TABLE_ENTRIES, np.float32), 0, 0.1, 0.9, 0, 1, 0, 0, 0, 2**62
    ),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_an_interrupt_ends_every_loop(name: str) -> None:
    with pytest.raises(InterruptError), interrupted_after(0.3):
        ENDLESS[name]()


def test_a_game_without_pieces_or_with_a_wrong_one_is_refused() -> None:
    board = blockfall.Board.empty(10, 20)
    for known, dealt in (("X", ""), ("", "I"), ("I", "?"), ("i", "")):
        with pytest.raises(SettingError):
            blockfall.Game.at("nes-no-rotation", board, known, dealt)
