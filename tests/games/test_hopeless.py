"""Hopeless: its rules, its boards, and the searches of feup2016 against plain Python."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall import _core
from blockfall.errors import SettingError
from blockfall.games import HopelessBoard, HopelessPosition, Scoring, scoring
from blockfall.search import HopelessProblem, SearchSettings, Solution, solve
from blockfall.simd import simd, simd_levels
from tests import ROOT
from tests.reference import search as reference

DATA = ROOT / "tests" / "data"
HOPELESS, SAMEGAME = scoring("hopeless"), scoring("samegame")


def as_columns(board: HopelessBoard) -> reference.Board:
    return tuple(tuple(c for c in column if c) for column in board.cells.tolist() if any(column))


def search(board: HopelessBoard, algorithm: str, rules: Scoring = HOPELESS, **options: int) -> Solution:
    return solve(HopelessProblem(board, rules), algorithm, SearchSettings(**options))  # type: ignore[arg-type]


@st.composite
def boards(draw: st.DrawFn, most: int = 7, colours: int = 9) -> HopelessBoard:
    size = (draw(st.integers(1, most)), draw(st.integers(1, most)))
    return HopelessBoard.random(*size, colours=draw(st.integers(1, colours)), seed=draw(st.integers(0, 10**6)))


def small_boards(count: int) -> list[HopelessBoard]:
    sizes = [(4, 4, 3), (5, 4, 4), (3, 6, 3), (5, 5, 4)]
    return [HopelessBoard.random(*sizes[n % 4], seed=11, number=n) for n in range(count)]


def test_a_drawn_game() -> None:
    board = HopelessBoard.from_text("""
        .2..
        .13.
        1133
        2133
    """)
    first = HopelessPosition(board, HOPELESS)
    assert first.actions() == [(1, 2), (2, 2)]
    second = first.apply((1, 2))
    assert second.score == 36  # four squares: (2 x 3)^2
    assert second.text() == "....\n..3.\n..33\n2233"
    third = second.apply((2, 2))
    assert third.score == 36 + 64
    last = third.apply((0, 0))
    assert (last.over, last.score) == (True, 36 + 64 + 4)


def test_an_empty_column_closes() -> None:
    position = HopelessPosition(HopelessBoard.from_text("11\n12\n13"), HOPELESS)
    assert position.apply((0, 2)).text() == "..\n2.\n3."


def test_samegame_scores() -> None:
    """Schadd et al. 2008: (n - 2)^2, 1000 for an empty board; otherwise each colour left costs as one block."""
    cleared = HopelessPosition(HopelessBoard.from_text("111"), SAMEGAME)
    assert cleared.apply((0, 0)).score == 1 + 1000
    left = HopelessPosition(HopelessBoard.from_text("3.....\n111...\n232323"), SAMEGAME)
    assert left.apply((0, 1)).score == 1 - (4 - 2) ** 2 - (3 - 2) ** 2


def test_any_cell_of_a_block_selects_it() -> None:
    position = HopelessPosition(HopelessBoard.from_text("12.\n112"), HOPELESS)
    shown = position.preview((1, 0))
    assert (set(shown.cells), shown.title) == ({(0, 0), (0, 1), (1, 0)}, "3 squares: 16 points")
    assert position.apply((1, 0)) == position.apply((0, 1))
    assert position.actions_at((1, 0)) == [(0, 1)]
    assert position.actions_at((2, 0)) == []  # a square alone
    assert position.actions_at((2, 1)) == []  # an empty cell


def test_endings_are_described() -> None:
    def played(text: str, rules: Scoring) -> HopelessPosition:
        position = HopelessPosition(HopelessBoard.from_text(text), rules)
        while not position.over:
            position = position.apply((0, 0))
        return position

    assert played("12.\n112", HOPELESS).ending().detail == "The board is empty!"
    won = played("12.\n112", SAMEGAME)
    assert (won.score, won.ending().title) == (1 + 0 + 1000, "Cleared")
    assert won.ending().detail == "The board is empty: a bonus of 1,000."
    stuck = played("22121212", SAMEGAME)
    assert stuck.score == 0 - (1 + 1)  # three 1s and three 2s are left: (3 - 2)^2 each
    assert stuck.ending().detail == "6 squares are left, and no two of one colour touch. They cost 2 points."


@pytest.mark.parametrize("text", ["7.0\n070", "12\n21", "9..\n99.\n123", "...\n..."])
def test_text_and_back(text: str) -> None:
    """The digits that name the colours do not matter."""
    assert str(HopelessBoard.from_text(text)) == text


@given(boards())
@settings(max_examples=60, deadline=None)
def test_the_game_equals_the_reference(board: HopelessBoard) -> None:
    position, columns = HopelessPosition(board, HOPELESS), as_columns(board)
    while found := reference.blocks(columns):
        assert [position.block(move) for move in position.actions()] == found
        block = found[len(found) // 2]
        after = position.apply(next(iter(block)))
        assert after.score - position.score == reference.hopeless_points(len(block))
        position, columns = after, reference.without(columns, block)
        assert as_columns(position.board) == columns
    assert position.over


def test_random_boards_are_even_and_seeded() -> None:
    board = HopelessBoard.random(32, 32, 9, seed=5)
    assert board == HopelessBoard.random(32, 32, 9, seed=5)
    assert board != HopelessBoard.random(32, 32, 9, seed=6)
    assert board != HopelessBoard.random(32, 32, 9, seed=5, number=1)
    counts = np.bincount(board.cells.ravel(), minlength=10)
    assert counts[0] == 0
    assert counts[1:].min() > 70  # of 114 each


@pytest.mark.parametrize("algorithm", ["brute-force", "a-star", "best"])
def test_exact_searches_find_the_references_optimum(algorithm: str) -> None:
    for board in small_boards(120):
        found = search(board, algorithm)
        assert found.optimal
        assert found.points == reference.optimum(as_columns(board)), board


@pytest.mark.parametrize("rules", [replace(SAMEGAME, leftover_penalty=False), SAMEGAME], ids=["no-penalty", "penalty"])
def test_exact_searches_find_the_optimum_of_samegame(rules: Scoring) -> None:
    for board in small_boards(60):
        wanted = reference.optimum(as_columns(board), lambda n: (n - 2) ** 2, 1000, rules.leftover_penalty)
        for algorithm in ("brute-force", "a-star", "best"):
            assert search(board, algorithm, rules).points == wanted


@pytest.mark.parametrize(
    ("algorithm", "plain"),
    [
        ("depth-first", reference.depth_first),
        ("greedy", reference.greedy),
        ("maxmin", reference.maxmin),
        ("a-star-goal-h", reference.a_star_goal_h),
    ],
)
def test_feup2016s_algorithms_are_the_references(algorithm: str, plain: object) -> None:
    assert callable(plain)
    for board in small_boards(60):
        assert search(board, algorithm).points == plain(as_columns(board)), board


def test_breadth_first_and_iterative_deepening_give_the_same_shortest_solution() -> None:
    for board in small_boards(40):
        wanted = reference.fewest_moves(as_columns(board))
        wide, deep = search(board, "breadth-first"), search(board, "iterative-deepening")
        assert (len(wide.moves), wide.points) == (len(deep.moves), deep.points) == wanted
        assert wide.moves == deep.moves


def test_brute_force_expands_every_state_once() -> None:
    for board in small_boards(20):
        states = reference.all_states(as_columns(board))
        assert search(board, "brute-force").nodes_expanded == sum(1 for s in states if reference.blocks(s))


def test_brute_force_equals_a_star_on_5000_boards() -> None:
    for number in range(5000):
        board = HopelessBoard.random(5, 5, 4, seed=2016, number=number)
        exact, star = search(board, "brute-force"), search(board, "a-star")
        assert exact.points == star.points
        assert star.nodes_expanded <= exact.nodes_expanded


@given(boards(most=32))
@settings(max_examples=25, deadline=None)
def test_every_size_is_played_by_the_games_own_rules(board: HopelessBoard) -> None:
    """`solve` replays each solution, here on boards of every width of the core's words."""
    for algorithm in ("greedy", "depth-first"):
        assert search(board, algorithm).points is not None
    assert search(board, "nrpa", node_limit=300).points is not None
    assert search(board, "annealing", node_limit=2000).points is not None
    assert search(board, "beam", width=2).points is not None


def test_a_board_with_no_move_is_solved() -> None:
    for text in ("12\n21", "1", "..\n.."):
        for algorithm in ("best", "annealing", "nrpa", "greedy", "beam", "a-star-goal-h", "brute-force"):
            found = search(HopelessBoard.from_text(text), algorithm)
            assert (found.points, found.moves, found.optimal, found.stopped_by) == (0, (), True, "finished")


def test_ties_can_be_chosen() -> None:
    board = HopelessBoard.from_text("22133")
    for ties, first in (("first", (0, 0)), ("last", (3, 0))):
        problem = HopelessProblem(board, HOPELESS)
        assert solve(problem, "greedy", SearchSettings(ties=ties)).moves[0] == first


def test_a_strong_search_beats_a_weak_one_on_samegame() -> None:
    """The totals of four boards are compared, because on one board luck weighs more."""
    boards = [HopelessBoard.random(columns=15, rows=15, colours=5, seed=seed) for seed in range(1, 5)]

    def points(algorithm: str, **options: int) -> float:
        return sum(search(board, algorithm, SAMEGAME, **options).points or 0 for board in boards)

    weak, beam = points("maxmin"), points("beam", width=100)
    assert 0 < weak < beam < points("annealing", node_limit=2_000_000)
    assert weak < points("nrpa", node_limit=100_000)


def test_annealing_finds_most_optima_of_small_boards() -> None:
    """It claims none of them to be optimal."""
    reached = 0
    for seed in range(40):
        board = HopelessBoard.random(5, 5, 4, seed=seed)
        for rules in (HOPELESS, SAMEGAME):
            exact, annealed = search(board, "brute-force", rules), search(board, "annealing", rules, node_limit=20_000)
            assert annealed.points is not None
            assert exact.points is not None
            assert annealed.points <= exact.points
            assert not annealed.optimal
            reached += annealed.points == exact.points
    assert reached >= 68


@pytest.mark.parametrize("size", [(15, 15, 5), (16, 16, 7), (20, 17, 9)])
def test_annealing_is_the_same_with_every_instruction_set(size: tuple[int, int, int]) -> None:
    board = HopelessBoard.random(*size, seed=7)
    used = simd()
    try:
        found = []
        for level in simd_levels():
            _core.use_simd(level)
            found.append(search(board, "annealing", SAMEGAME, node_limit=100_000))
    finally:
        _core.use_simd(used)
    assert len({(one.points, one.moves, one.nodes_expanded) for one in found}) == 1


BAD = [
    ("12\n1", "row 2 of the board has 1 cells; the first row has 2"),
    ("12\n1x", "row 2 of the board holds 'x'"),
    ("0123456789", "10 colours; at most 9"),
    ("1" * 33, "33x1"),
    ("1\n.", "squares must have fallen"),
    (".1", "empty columns must have closed"),
    ("", "the board is empty"),
]


@pytest.mark.parametrize(("text", "part"), BAD)
def test_bad_boards(text: str, part: str) -> None:
    with pytest.raises(SettingError, match=part):
        HopelessBoard.from_text(text)
