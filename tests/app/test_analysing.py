"""Sketched boards, searches to step through and boards in the store, without a browser."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from blockfall.agents import agent
from blockfall.app.analyse.contest import ContestEntry, chart, enter
from blockfall.app.analyse.position_tab import ranked_placements
from blockfall.app.analyse.sketches import HopelessSketch, TetrisSketch, clean_name, examples, sketch_of
from blockfall.app.analyse.small_boards import way
from blockfall.app.parts import choices, menus
from blockfall.app.parts.layout import layout
from blockfall.errors import BlockfallError, SettingError, StoreError, UnknownNameError
from blockfall.games import HopelessBoard, HopelessPosition, IstPosition, game, game_names, scoring
from blockfall.search import (
    GameProblem,
    HopelessProblem,
    IstProblem,
    SearchSettings,
    TracedSearch,
    algorithms,
    problem_of,
)
from blockfall.store import Store
from blockfall.store import boards as stores

SMALL = HopelessBoard.random(5, 5, colours=4, seed=1)


def problems() -> list[GameProblem]:
    return [
        HopelessProblem(SMALL, scoring("hopeless")),
        HopelessProblem(SMALL, scoring("samegame")),
        IstProblem(IstPosition.start("ojlt"), heuristic="ist-h3"),
        problem_of(game("tetris").start(1, rules="standard-10x10", pieces=3)),
    ]


@pytest.mark.parametrize("algorithm", algorithms(undoes=False))
def test_every_algorithm_can_be_stepped_through(algorithm: str) -> None:
    for problem in problems():
        traced = TracedSearch.run(problem, algorithm, SearchSettings(node_limit=150))
        assert len(traced) == traced.solution.nodes_expanded
        for step in range(0, len(traced), max(1, len(traced) // 8)):
            moment = traced.at(step)
            assert moment.path is not None
            assert len(moment.path) == moment.expansion.depth
            assert moment.rows is not None
            if moment.open is not None and step + 1 < len(traced):
                assert moment.open[0].node == traced.solution.trace[step + 1].node
                assert moment.open[0].next


@pytest.mark.parametrize("problem", problems(), ids=["hopeless", "samegame", "ist", "tetris"])
def test_a_star_takes_the_best_of_its_open_list(problem: GameProblem) -> None:
    traced = TracedSearch.run(problem, "a-star", SearchSettings(node_limit=60))
    sign = -1 if problem.minimises else 1
    for step in range(len(traced) - 1):
        moment = traced.at(step, most_open=10**6)
        assert moment.open is not None
        assert len(moment.open) == moment.open_count
        following = traced.solution.trace[step + 1]
        assert (moment.open[0].f, moment.open[0].g, moment.open[0].h) == (following.f, following.g, following.h)
        assert max(sign * one.f for one in moment.open) <= sign * following.f + 1e-9


def test_the_open_list_by_hand() -> None:
    """The root has three blocks; breadth-first expands them in their order.

    33.     The first step opens 3 3, 1 1 and 2 2;
    112     after the second, the first of them is gone and its two children are there, and so on.
    112
    """
    problem = HopelessProblem(HopelessBoard.from_text("33.\n112\n112"), scoring("hopeless"))
    traced = TracedSearch.run(problem, "breadth-first")
    first = traced.at(0)
    assert first.path == ()
    assert first.open is not None
    assert [one.depth for one in first.open] == [1, 1, 1]
    second = traced.at(1)
    assert second.path == ((0, 2),)
    assert second.rows == ["...", "112", "112"]
    assert second.open is not None
    assert sorted(one.depth for one in second.open) == [1, 1, 2, 2]


def test_boards_of_a_trace_are_those_of_the_game() -> None:
    problem = HopelessProblem(SMALL, scoring("hopeless"))
    traced = TracedSearch.run(problem, "a-star")
    for step, one in enumerate(traced.solution.trace):
        moment = traced.at(step)
        position = HopelessPosition(SMALL, scoring("hopeless"))
        for move in moment.path or ():
            position = position.apply(move)
        assert (moment.rows, moment.points) == (position.rows(), position.score)
        assert one.g == position.score


def test_a_stroke_fills_or_empties_as_its_first_cell_says() -> None:
    sketch = TetrisSketch(4, 3)
    for x in range(3):
        sketch.touch((x, 0), dragged=x > 0)
    assert str(sketch) == "....\n....\n###."
    sketch.touch((1, 0), dragged=False)
    sketch.touch((2, 0), dragged=True)
    sketch.touch((3, 0), dragged=True)
    assert str(sketch) == "....\n....\n#..."
    sketch.read("##..")
    assert str(sketch) == "....\n....\n##.."
    for wrong in ("", "###", "#?..", "....\n" * 4, None, 7, "." * 5000):
        with pytest.raises(SettingError):
            sketch.read(wrong)
    assert str(sketch) == "....\n....\n##.."


def test_squares_fall_and_columns_close() -> None:
    sketch = HopelessSketch(3, 2)
    sketch.touch((2, 1), False, "4")
    assert str(sketch) == "...\n..4"
    sketch.touch((0, 0), False, "1")
    sketch.touch((0, 1), False, "2")
    sketch.touch((0, 1), False, "3")
    assert str(sketch) == "3..\n1.4"
    assert sketch.board_text() == "3..\n14."
    sketch.touch((0, 0), False, ".")
    assert str(sketch) == "...\n3.4"
    sketch.clear()
    with pytest.raises(SettingError, match="empty"):
        sketch.board_text()


def test_a_sketch_of_a_board_is_that_board() -> None:
    for seed in range(5):
        board = HopelessBoard.random(7, 4, colours=3, seed=seed)
        assert HopelessSketch.drawn(str(board)).board_text() == str(board)


def test_the_examples_are_boards() -> None:
    for text in examples()["tetris"].values():
        TetrisSketch(10, 20).read(text)
    for text in examples()["hopeless"].values():
        assert game("hopeless").read(HopelessSketch.drawn(text).board_text()).actions()


@pytest.mark.parametrize("name", [name for name in game_names() if game(name).reads_boards])
def test_a_sketch_gives_its_game_the_board_back(name: str) -> None:
    kind = game(name)
    usual = {option.name: option.default for option in kind.options}
    drawn = {option.name: option.default for option in kind.options if not option.start_only}
    start = kind.start(3, **usual)
    assert kind.read(sketch_of(kind, start.text()).board_text(), 3, **drawn) == start


@pytest.mark.parametrize(("said", "kept"), [("a board", "a board"), ("  a \n\t b\x00 ", "a b"), ("../../x", "../../x")])
def test_names_are_cleaned(said: str, kept: str) -> None:
    assert clean_name(said) == kept


@pytest.mark.parametrize("said", ["", "   ", None, "x" * 41, "\x00"])
def test_an_empty_or_long_name_is_refused(said: object) -> None:
    with pytest.raises(SettingError, match="1 to 40"):
        clean_name(said)


def test_boards_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "store.sqlite3")
    store.boards.save("tetris", "b", "#...")
    store.boards.save("tetris", "A", ".#..")
    store.boards.save("hopeless", "b", "11")
    store.boards.save("tetris", "b", "##..")
    assert list(store.boards.of("tetris").items()) == [("A", ".#.."), ("b", "##..")]
    monkeypatch.setattr(stores, "MOST_BOARDS", 2)
    with pytest.raises(StoreError, match="delete one"):
        store.boards.save("tetris", "c", "....")
    store.boards.save("tetris", "A", "....")
    store.boards.delete("tetris", "b")
    store.boards.save("tetris", "c", "....")
    assert set(store.boards.of("tetris")) == {"A", "c"}
    assert store.boards.of("hopeless") == {"b": "11"}
    store.close()


def test_an_agent_sees_no_more_pieces_than_it_knows() -> None:
    one, both = (ranked_placements("standard", agent("lee"), "....#.....", "T", following) for following in ("", "I"))
    assert [x.value for x in one] == [x.value for x in both]
    knowing = agent("lee").knowing(2)
    assert all(x.last for x in ranked_placements("standard", knowing, "....#.....", "T", "I") if x.value is not None)


@pytest.mark.parametrize("said", ["/etc/passwd", "../x.json", "agent.json", "", None, 7, "run:../../x", "run:"])
def test_an_agent_is_chosen_by_name_or_run(said: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path))
    with pytest.raises((SettingError, UnknownNameError)):
        menus.chosen_agent(said)


def test_agents_of_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path))
    store = Store()
    for run in ("trained", "dead"):
        (tmp_path / run).mkdir()
        store.runs.add(run, tmp_path / run, "")
    (tmp_path / "trained" / "agent.json").write_text('{"name": "mine", "weights": {"holes": -1}}')
    store.runs.finish("trained", {})
    store.close()
    assert menus.trained_choices() == {"run:trained": "trained (run trained)"}
    assert menus.chosen_agent("run:trained").name == "mine"
    with pytest.raises(BlockfallError, match="has no agent until"):
        menus.chosen_agent("run:dead")
    (tmp_path / "dead" / "agent.json").write_text('{"name": "deep", "pieces_known": 4, "weights": {"holes": -1}}')
    with pytest.raises(SettingError, match="knows 4 pieces"):
        menus.chosen_agent("run:dead")


@pytest.mark.parametrize("said", [None, "3", 1.5, -1, 11, True, float("nan"), float("inf")])
def test_whole_numbers_are_checked(said: object) -> None:
    with pytest.raises(SettingError, match="whole number from 0 to 10"):
        choices.whole(said, "it", 0, 10)
    assert choices.whole(3.0, "it", 0, 10) == 3


def test_a_tree_is_laid_out() -> None:
    """Parents stand above the middle of their children, leaves do not overlap, and a new root starts another tree."""
    nodes = layout([None, 0, 0, 1, 1, None, 5])
    assert [node.depth for node in nodes] == [0, 1, 1, 2, 2, 0, 1]
    leaves = [nodes[step].across for step in (3, 4, 2, 6)]
    assert leaves == [0, 1, 2, 3]
    assert nodes[1].across == 0.5
    assert nodes[0].across == (0.5 + 2) / 2
    assert nodes[5].across == 3
    assert len(layout([None] + [0] * 50, most=10)) == 10


def test_small_boards_show_the_path() -> None:
    position = game("hopeless").read("12.\n112")
    shown = way(position, [(0, 1)])
    assert shown.count("<svg") == 2
    assert 'aria-label="Move 1: 3 squares: 16 points"' in shown
    assert shown.count("stroke-width") == 3


def test_a_contest_names_every_algorithm() -> None:
    problem = problem_of(game("hopeless").read("2211\n1111\n2221"))
    entries = [enter(problem, name, 1000) for name in ("greedy", "brute-force")]
    assert [entry.points for entry in entries if entry.algorithm == "brute-force"] == [208]
    drawn = chart(entries)
    assert drawn.count("<li>") == 2
    assert drawn.count("bf-contest-dot") == 2
    assert "brute-force: 208 points" in drawn
    assert "No solution" in chart([])


def test_a_contests_best_has_the_most_points_where_a_search_minimises_a_cost() -> None:
    problem = problem_of(game("ist-tetris").start(0, pieces="ojlti"))
    entries = [enter(problem, name, 3000) for name in ("depth-first", "best")]
    assert [entry.points for entry in entries] == [0, 100]
    assert re.findall("bf-contest-best.*?title=.(.*?):", chart(entries)) == ["best"]


def test_dots_close_together_share_a_label() -> None:
    """Otherwise the names would overlap."""
    for shift in range(40):
        places = {"first": (1, 0), "a": (20 + shift, 70 + shift // 2), "b": (21 + shift, 73 + shift // 2)}
        entries = [ContestEntry(name, points, nodes, 0.0, False, False) for name, (nodes, points) in places.items()]
        assert len(re.findall(">b, a</b>", chart(entries))) == 1, shift


def test_no_name_of_a_contest_lies_on_another_or_leaves_the_chart() -> None:
    """Only some of the nine algorithms have a name beside their dot; the list has all of them."""
    entries = [ContestEntry(f"algorithm-{at}", 40 + at % 3 * 30, 4**at, 0.0, False, False) for at in range(9)]
    labels = re.findall(r'contest-(left|right)" style="left:([\d.]+)%;bottom:([\d.]+)%">(.*?)</b>', chart(entries))
    spans: dict[str, list[tuple[float, float]]] = {}
    for side, at, level, text in labels:
        width = 2.4 * len(text)  # of a phone's chart
        left = float(at) - width if side == "left" else float(at)
        spans.setdefault(level, []).append((left, left + width))
    assert len(labels) > 3
    for level, taken in spans.items():
        assert all(first[1] <= second[0] for first, second in pairwise(sorted(taken))), level
        assert min(left for left, _ in taken) >= 0
        assert max(right for _, right in taken) <= 105
    assert chart(entries).count("<li>") == 9
