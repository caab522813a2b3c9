"""ist2015's search problem: its functions, its searches, the course's own tests and the report's counts."""

import gzip
import json
from itertools import product
from typing import Any

import pytest

from blockfall.errors import BlockfallError
from blockfall.games import IstPosition
from blockfall.search import IstProblem, SearchSettings, Solution, algorithms, solve
from tests import ROOT

DATA = ROOT / "tests" / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "ist_search_tests.json").read_text())
ALGORITHMS = {"procura-pp": "depth-first", "procura-A*": "a-star"}


def search(pieces: str, algorithm: str = "a-star", board: str = "", **names: str) -> Solution:
    return solve(IstProblem(IstPosition.start(pieces, board), **names), algorithm)


def words(path: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(step.split()[0]), step.split()[1]) for step in path.split(", "))


def test_single_placements_are_the_courses() -> None:
    """In 1,250 cases, the game's own rules and the search's model both give the recorded board."""
    cases = json.loads(gzip.decompress((DATA / "ist_results.json.gz").read_bytes()))
    assert len(cases) == 1250
    for case in cases:
        state = IstPosition.start(case["piece"], "\n".join(reversed(case["board"])))
        action = state.actions()[case["action_index"]]
        assert action == (case["col"], case["orientation"])
        after = state.apply(action)
        assert str(after.board).splitlines()[::-1] == case["board_after"]
        assert (after.score, after.lost) == (case["points"], case["lost"])
        core = IstProblem(state).core(None)
        assert core.actions() == state.actions()
        columns, points, lost = core.result(action[0], int(action[1][1]))
        assert columns.tolist() == after.board.columns.tolist()
        assert (points, lost) == (after.score, after.lost)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['algorithm']}-{''.join(case['pieces'])}")
def test_searches_agree_with_the_courses_tests(case: dict[str, Any]) -> None:
    board = "\n".join(reversed(case["board_rows_bottom_first"]))
    cost = {} if case["cost"] == "0" else {"cost": case["cost"]}
    found = search("".join(case["pieces"]), ALGORITHMS[case["algorithm"]], board, **cost)
    path = case["expected_path"]
    assert found.moves == tuple((column, orientation) for column, orientation in path or ())
    assert found.points == (case["reference_points"] if path else None)
    assert (found.nodes_expanded, found.nodes_generated) == (case["reference_expanded"], case["reference_generated"])


@pytest.mark.parametrize(
    ("pieces", "expanded", "generated", "points", "path"),
    [
        ("o", 1, 9, 0, "8 o0"),
        ("oj", 10, 315, 0, "0 o0, 7 j3"),
        ("ojl", 316, 10_719, 0, "8 o0, 0 j0, 7 l3"),
        ("ojlt", 10_720, 364_455, 100, "0 o0, 7 j3, 2 l1, 5 t3"),
    ],
)
def test_counts_of_nodes_and_points_are_the_reports(
    pieces: str, expanded: int, generated: int, points: int, path: str
) -> None:
    found = search(pieces)
    assert (found.nodes_expanded, found.nodes_generated, found.points) == (expanded, generated, points)
    assert found.moves == words(path)
    assert found.optimal


def test_depth_first_and_qualidade_expand_one_node_per_piece() -> None:
    path = words("8 o0, 7 j3, 7 l3, 8 t3, 6 i1")
    for count, generated in enumerate((9, 43, 77, 111, 128), 1):
        for found in (search("ojlti"[:count], "depth-first"), search("ojlti"[:count], cost="qualidade")):
            assert (found.nodes_expanded, found.nodes_generated) == (count, generated)
            assert (found.moves, found.points) == (path[:count], 0)


def test_five_pieces_in_seconds() -> None:
    found = search("ojlti")
    assert found.nodes_generated > 6_000_000
    assert found.optimal
    assert found.seconds < 15  # 1 s on a free core


def plain_optimum(state: IstPosition) -> int | None:
    """Return the most points, by trying every sequence of placements by the game's own rules."""
    if not state.pieces:
        return state.score if state.solved else None
    found = [plain_optimum(state.apply(action)) for action in state.actions()]
    return max((points for points in found if points is not None), default=None)


@pytest.mark.parametrize("pieces", ["io", "zi", "li", "ti"])
@pytest.mark.parametrize("board", ["########..\n########..\n#######...", "#########.\n####.####.\n#########."])
def test_the_optimum_is_plain_pythons(pieces: str, board: str) -> None:
    wanted = plain_optimum(IstPosition.start(pieces, board))
    for algorithm, heuristic in product(("a-star", "brute-force", "best"), (None, "lines")):
        names = {"heuristic": heuristic} if heuristic else {}
        found = search(pieces, algorithm, board, **names)
        assert (found.points, found.optimal) == (wanted, True)


def test_six_pieces_are_proved() -> None:
    """24 cells make two lines at most; the proof must show that both at once are impossible."""
    found = search("ojltis", "best")
    assert (found.points, found.optimal) == (200, True)
    assert solve(IstProblem(IstPosition.start("ojltis")), "beam", SearchSettings(width=2000)).points in (100, 200)


def test_a_drawn_board_may_have_full_rows() -> None:
    """More than four lines at once earn as much as four."""
    for rows, points in ((1, 100), (3, 500), (4, 800), (5, 800), (12, 800)):
        for algorithm in ("best", "a-star", "brute-force"):
            found = search("oi", algorithm, "##########\n" * rows)
            assert (found.points, found.optimal) == (points, True)


def test_a_lost_board_has_no_solution() -> None:
    lost = IstProblem(IstPosition.start("o", "#.........\n" * 18))
    for algorithm in algorithms(undoes=False):
        found = solve(lost, algorithm, SearchSettings(time_limit_s=60))
        assert (found.points, found.stopped_by) == (None, "finished")


PICTURED = """
    #.........
    #.#....##.
    ###.######
"""


@pytest.mark.parametrize(
    ("heuristic", "value"),
    [
        ("max-height", 3),
        ("bumpiness", 2 + 1 + 2 + 1 + 0 + 0 + 1 + 0 + 1),
        ("heights-sum", 3 + 1 + 2 + 0 + 1 + 1 + 1 + 2 + 2 + 1),
        ("holes", 0),
        ("qualidade", 0),
        ("ist-h1", 0),
        ("ist-h2", 8 + 14 + 0),
        ("ist-h3", 30 * 3 + 5 * 8 + 10 * 14),
    ],
)
def test_the_reports_heuristics(heuristic: str, value: float) -> None:
    assert IstProblem(IstPosition.start("o", PICTURED), heuristic=heuristic).core(heuristic).heuristic() == value


def test_holes_count_below_the_highest_cell() -> None:
    state = IstPosition.start("o", "##........\n.#........\n..........\n")
    assert IstProblem(state, heuristic="holes").core("holes").heuristic() == 3


def test_ist_best_prunes() -> None:
    board = "########..\n########..\n#######..."
    narrow, wide = search("oj", "ist-best", board), search("oj", "a-star", board, heuristic="ist-h3")
    assert narrow.points is not None
    assert narrow.nodes_generated <= wide.nodes_generated


def test_a_state_is_drawn_as_by_desenha_estado() -> None:
    state = IstPosition.start("oj").apply((8, "o0"))
    drawn = state.drawing((0, "j0")).splitlines()
    assert len(drawn) == 1 + 4 + 1 + 17 + 1
    assert drawn[0] == "+---------------------+  Proxima peca:J"
    assert drawn[2:5] == ["|   #                 |", "|   #                 |", "| # #                 |"]
    assert drawn[5] == "+---------------------+  Pontuacao:0"
    assert drawn[-2] == "|                 # # |"
    assert state.apply((0, "j0")).drawing().splitlines()[0].endswith("Proxima peca:NIL")


def test_pieces_may_be_written_as_the_report_does() -> None:
    assert IstPosition.start("O J L t") == IstPosition.start("ojlt")


def test_bad_names() -> None:
    with pytest.raises(BlockfallError, match="no piece 'x'"):
        IstPosition.start("ox")
    with pytest.raises(BlockfallError, match="unknown heuristic 'h9'"):
        IstProblem(IstPosition.start("o"), heuristic="h9")
    with pytest.raises(BlockfallError, match="no action 9,o0"):
        IstPosition.start("o").apply((9, "o0"))
