"""Views of a search: the walk in the terminal, the tree, and several algorithms side by side."""

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from blockfall.cli.stepping import drawn, walk
from blockfall.games import HopelessBoard, scoring
from blockfall.reports.of_search import progress_of
from blockfall.search import HopelessProblem, SearchSettings, TracedSearch, solve
from blockfall.search.tree import tree_svg
from tests.program import Call, run_program
from tests.searched import LARGE, PAIRS, PROBLEMS, EightPuzzle

BOARD = "11422533"  # three pairs that never touch
SVG = "{http://www.w3.org/2000/svg}"


def traced(algorithm: str = "breadth-first", board: str = BOARD) -> TracedSearch[Any]:
    return TracedSearch.run(HopelessProblem(HopelessBoard.from_text(board), scoring("hopeless")), algorithm)


def shown(search: TracedSearch[Any], *said: str, capsys: pytest.CaptureFixture[str]) -> str:
    answers = iter(said)

    def ask(prompt: str) -> str:
        del prompt
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    walk(search, ask)
    return capsys.readouterr().out


def test_a_walk_goes_forwards_and_back(capsys: pytest.CaptureFixture[str]) -> None:
    search = traced()
    out = shown(search, "", "b", "3", "e", "", "q", capsys=capsys)
    heads = [row.split()[1] for row in out.splitlines() if row.startswith("Expansion")]
    last = str(len(search))
    assert heads == ["1", "2", "1", "3", last, last]
    assert "This was the last one." in out


def test_a_step_shows_the_node_its_board_and_the_open_list() -> None:
    rows = drawn(traced().at(1))
    assert rows[0] == "node 1   f 4 = g 4 + h 0   depth 1   from node 0, 0,0"
    assert rows[1] == "  422533.."
    assert rows[2] == "open: 4 nodes, the next one first"
    assert [row.split()[1] for row in rows[3:]] == ["2", "3", "4", "5"]
    assert drawn(traced("ida-star").at(0))[-1] == "open: this algorithm keeps no list of open nodes"


def test_a_start_that_is_final_has_nothing_to_walk_through(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Nothing was expanded" in shown(traced(board="1"), capsys=capsys)


def circles(svg: str) -> list[str]:
    return [node.findtext(f"{SVG}text") or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}g")]


def test_the_tree_has_a_node_for_every_path() -> None:
    search = traced()
    labels = circles(tree_svg(search))
    assert sorted(labels) == sorted([*(str(step + 1) for step in range(len(search))), "goal"])


@pytest.mark.parametrize(("algorithm", "name"), PAIRS)
def test_every_search_can_be_drawn(algorithm: str, name: str) -> None:
    problem, _ = PROBLEMS[name]
    search = TracedSearch.run(problem, algorithm, SearchSettings(node_limit=60, level=1))
    labels = circles(tree_svg(search))
    assert len(labels) >= 1
    numbers = [int(label) for label in labels if label.isdigit()]
    assert len(numbers) == len(set(numbers))


def test_a_large_tree_is_cut() -> None:
    search = TracedSearch.run(EightPuzzle((8, 6, 7, 2, 5, 4, 3, 0, 1)), "breadth-first", SearchSettings(node_limit=500))
    svg = tree_svg(search, most=40)
    assert len(circles(svg)) == 40
    assert "(the first 40 are drawn)" in svg


def test_the_state_of_a_problem_is_in_the_trees_titles() -> None:
    svg = tree_svg(TracedSearch.run(EightPuzzle((1, 2, 3, 4, 5, 6, 0, 7, 8)), "a-star"))
    assert "1 2 3\n4 5 6\n. 7 8" in svg


def test_improvements_are_drawn_as_steps() -> None:
    found = solve(LARGE["hopeless"], "annealing", SearchSettings(node_limit=20_000))
    nodes, seconds = progress_of([found], "one").figures
    (stairs,) = nodes.series  # type: ignore[attr-defined]
    assert list(stairs.y) == sorted(stairs.y)
    assert stairs.y[-1] == found.points
    assert stairs.x[-1] == found.nodes_expanded
    assert (nodes.x_label, seconds.x_label) == ("nodes expanded", "seconds")


def run(folder: Path, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    done = run_program("solve", "--board", "board.txt", *arguments, cwd=folder, input=said)
    assert done.returncode == 0, done.stderr
    return done


def test_the_commands(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text(f"{BOARD}\n")
    done = run(tmp_path, "--algorithm", "a-star", "--step", "--tree", "tree.svg", said="\nb\nq\n")
    assert done.stdout.count("Expansion") == 3
    assert (tmp_path / "tree.svg").read_text().startswith("<svg")
    names = ["a-star", "breadth-first", "uct"]
    done = run(tmp_path, "--compare", ",".join(names), "--plot", "plot.png", "--json")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    assert [one["algorithm"] for one in found] == names
    for one in found:
        assert one["improvements"][-1]["points"] == one["points"]
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_a_label_ends_before_the_next_node() -> None:
    """Nodes expanded a thousand times have long labels; a letter of 9 points is 5 wide."""
    problem = HopelessProblem(HopelessBoard.from_text("1212\n2112\n1221"), scoring("hopeless"))
    picture = tree_svg(TracedSearch.run(problem, "tabu", SearchSettings(node_limit=5000, seed=1)), 40)
    circles = sorted((float(y), float(x)) for x, y in re.findall(r"<circle cx='([\d.]+)' cy='([\d.]+)'", picture))
    beside = re.findall(
        r"<text x='([\d.]+)' y='([\d.]+)' font-family='sans-serif' font-size='9'[^>]*>(f [^<]+)<", picture
    )
    assert max(len(said) for _, _, said in beside) > len("f 112 x99")
    for x, y, said in beside:
        right = [place for row, place in circles if abs(row - float(y)) < 5 and place > float(x)]
        assert not right or float(x) + 5 * len(said) <= min(right) - 13


@pytest.mark.parametrize(("arguments", "ending"), [(["--tree", "x.png"], ".svg"), (["--plot", "x.svg"], ".png")])
def test_a_picture_with_a_wrong_suffix_is_refused(
    arguments: list[str], ending: str, call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, said = call("solve", "--seed", "1", *arguments)
    assert (code, len(said.splitlines())) == (2, 1)
    assert f"must end in {ending}" in said
    assert not list(tmp_path.iterdir())
