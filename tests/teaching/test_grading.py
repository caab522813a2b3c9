"""Assignments and their grading: a class of ten with good, slow, wrong and hostile submissions, and their marks."""

import doctest
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall.cli.output import Meter
from blockfall.errors import BlockfallError
from blockfall.games import Game, HopelessBoard, IstPosition, game
from blockfall.rulesets import rules
from blockfall.search import solve
from blockfall.teaching.assignment import create, load
from blockfall.teaching.exercises import KINDS, Exercise
from blockfall.teaching.grading import begin, grade
from blockfall.teaching.sandbox import SubmissionError
from blockfall.teaching.submissions import Submission, find_submissions
from tests import ROOT
from tests.program import Call, output_of, run_program

CLASS = ROOT / "tests" / "data" / "class-of-ten"
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the layers are Linux's")


def short_scheme(folder: Path, seconds: float = 2.0) -> None:
    """Return the assignment's scheme with smaller tasks: two boards of 5x4, and one of 15x10."""
    text = (folder / "marking.toml").read_text()
    for old, new in (
        ("boards = 5\ncolumns = 6\nrows = 5", "boards = 2\ncolumns = 5\nrows = 4"),
        ("boards = 5", "boards = 1"),
        ("seconds = 5.0", f"seconds = {seconds}"),
        ("memory_mb = 512", "memory_mb = 128"),
    ):
        assert old in text
        text = text.replace(old, new)
    (folder / "marking.toml").write_text(text)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Grade the class once; return the assignment's folder and the printed marks."""
    folder = tmp_path_factory.mktemp("teacher") / "hopeless"
    assert run_program("assignment", "new", "hopeless", folder, "--seed", 11).returncode == 0
    short_scheme(folder)
    return folder, json.loads(output_of("grade", folder, CLASS, "--json"))


def of(marks: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (one for one in marks["submissions"] if one["name"] == name)
    return dict(found)


def test_the_class_of_ten_is_graded(graded: tuple[Path, dict[str, Any]]) -> None:
    marks = graded[1]
    points = {one["name"]: one["points"] for one in marks["submissions"]}
    assert list(points) == sorted(points)
    assert len(points) == 10
    assert marks["of"] == 100
    assert of(marks, "ana")["tasks"][0]["points"] == 40  # optimal on small boards
    assert points["ana"] > points["Bruno Reis"] >= 20 > 0  # a fifth of the points is for complete games
    assert 0 < points["dinis"] <= 40
    for name in ("carla", "eva", "filipe", "goncalo", "helena", "ines", "joao"):
        assert points[name] == 0, name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("carla", "after its moves the game is not over"),
        ("dinis", "1 board: more than 2 s for one board"),
        ("eva", "SyntaxError, line 3: expected ':'"),
        ("filipe", "2 boards: IndexError, line 9: string index out of range"),
        ("filipe", "1 board: its process ended with exit code 7"),
        ("goncalo", "3 boards: it wrote rubbish instead of an answer"),
        ("joao", "after its moves the game is not over"),
    ],
)
def test_each_student_learns_why(graded: tuple[Path, dict[str, Any]], name: str, reason: str) -> None:
    assert reason in of(graded[1], name)["reasons"]


@LINUX
def test_hostile_submissions_can_do_nothing(graded: tuple[Path, dict[str, Any]]) -> None:
    """All nine attempts fail: reading, writing, deleting, killing, the network, programs and the seed."""
    marks = graded[1]
    assert marks["notes"] == []
    assert "could do: []" in of(marks, "helena")["reasons"]
    assert "it ran out of memory" in of(marks, "ines")["reasons"]
    assert sorted(path.name for path in CLASS.iterdir() if path.suffix == ".py") == [
        f"{name}.py" for name in ["ana", "carla", "dinis", "eva", "filipe", "goncalo", "helena", "ines", "joao"]
    ]


def test_the_marks_are_in_files(graded: tuple[Path, dict[str, Any]]) -> None:
    folder, marks = graded
    assert json.loads((folder / "marks.json").read_text()) == marks
    book = openpyxl.load_workbook(folder / "marks.xlsx")
    assert book.sheetnames == ["Marks", "Every board"]
    rows = list(book["Marks"].iter_rows(min_row=4, values_only=True))
    assert rows[0] == ("name", "points of 100", "small boards of 40", "large boards of 60", "reasons")
    assert [(row[0], row[1]) for row in rows[1:]] == [(one["name"], one["points"]) for one in marks["submissions"]]
    assert len(list(book["Every board"].iter_rows(min_row=5))) == 30


def test_points_are_as_the_scheme_says(graded: tuple[Path, dict[str, Any]]) -> None:
    """Bruno takes the largest block, as `greedy` does apart from ties, so his points follow from what he earned."""
    folder, marks = graded
    assignment = load(folder)
    for mark in of(marks, "Bruno Reis")["exercises"]:
        above = max(0.0, mark["earned"] - mark["floor"]) / (mark["target"] - mark["floor"])
        assert mark["points"] == pytest.approx(mark["of"] * (0.2 + 0.8 * min(1.0, above)), abs=1e-3)
    board = HopelessBoard.random(5, 4, 3, 11, 0)
    first = of(marks, "ana")["exercises"][0]
    assert first["target"] == first["earned"] == solve("hopeless", "brute-force", board=board).points
    assert first["floor"] == solve("hopeless", "greedy", board=board).points
    assert assignment.points == 100


def test_the_students_part_holds_no_secret(tmp_path: Path) -> None:
    create("hopeless", tmp_path / "a", seed=123456789)
    assert "123456789" in (tmp_path / "a" / "marking.toml").read_text()
    assert (tmp_path / "a" / "marking.toml").stat().st_mode & 0o077 == 0
    for path in (tmp_path / "a" / "handout").iterdir():
        assert "123456789" not in path.read_text()
    create("hopeless", tmp_path / "b")
    create("hopeless", tmp_path / "c")
    assert load(tmp_path / "b").seed != load(tmp_path / "c").seed


def test_an_exercise_below_the_floor_and_above_the_target() -> None:
    exercise = Exercise(lambda _ask, _seconds: 0.0, floor=10, target=20)
    assert [exercise.part(earned, 0.5) for earned in (0, 10, 15, 20, 30)] == [0.5, 0.5, 0.75, 1, 1]
    level = Exercise(lambda _ask, _seconds: 0.0, floor=20, target=20)
    assert [level.part(earned, 0.5) for earned in (10, 20)] == [0.5, 1]


# Submissions


def test_a_folder_that_submissions_could_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create("hopeless", tmp_path / "a")
    monkeypatch.setattr("blockfall.teaching.grading.readable", lambda _packages: [str(tmp_path)])
    with pytest.raises(BlockfallError, match="which submissions can read; move it elsewhere"):
        begin(load(tmp_path / "a"), [Submission("x", tmp_path)])


def test_layouts_of_submission_folders(tmp_path: Path) -> None:
    for name in [
        "ana.py",
        "Bo_1_assignsubmission_file_/solution.py",
        "Bo_2_assignsubmission_file_/solution.py",
        "x.txt",
        ".hidden.py",
        "deep/inner/solution.py",
        "deep/other.py",
        "one/mine.py",
        "two/a.py",
        "two/b.py",
        "none/text.txt",
        "__MACOSX/solution.py",
    ]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    with (tmp_path / "large.py").open("wb") as large:
        large.truncate(30 << 20)
    found = {one.name: one for one in find_submissions(tmp_path)}
    assert list(found) == ["Bo", "Bo_2_assignsubmission_file_", "ana", "deep", "large", "link", "none", "one", "two"]
    said = {}
    for name, one in found.items():
        place = tmp_path.parent / "copy" / name
        place.mkdir(parents=True)
        try:
            said[name] = one.copy_to(place, []).name
        except SubmissionError as error:
            said[name] = str(error)
    assert said == {
        "Bo": "solution.py",
        "Bo_2_assignsubmission_file_": "solution.py",
        "ana": "ana.py",
        "deep": "solution.py",
        "large": "it has more than 20 MiB",
        "link": "it is a link; hand in the file itself",
        "none": "it has no solution.py",
        "one": "mine.py",
        "two": "several Python files and no solution.py",
    }


def test_an_interrupt_keeps_the_marks_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    create("hopeless", tmp_path / "a", 3)
    short_scheme(tmp_path / "a")
    (tmp_path / "class").mkdir()
    for name in "abc":
        (tmp_path / "class" / f"{name}.py").write_text("def solve(board, seconds): return []")

    def interrupt(_meter: Meter, done: int, _note: str = "") -> None:
        if done == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(Meter, "update", interrupt)
    folders = (str(tmp_path / "a"), str(tmp_path / "class"))
    assert call("grade", *folders)[0] == 130
    marks = json.loads((tmp_path / "a" / "marks.json").read_text())
    assert [(one["graded"], len(one["exercises"])) for one in marks["submissions"]] == [
        (True, 3),
        (False, 1),
        (False, 0),
    ]


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_grades_its_template(kind: str, tmp_path: Path) -> None:
    """The template gets the points of a complete game, but not all points."""
    create(kind, tmp_path / kind, seed=7)
    scheme = tmp_path / kind / "marking.toml"
    text = scheme.read_text()
    for many in ("boards = 5", "games = 5"):
        text = text.replace(many, many[:-1] + "2")
    scheme.write_text(text.replace("max_pieces = 300", "max_pieces = 100"))
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "template.py").write_text((tmp_path / kind / "handout" / "solution.py").read_text())
    found = find_submissions(tmp_path / "class")
    grades = begin(load(tmp_path / kind), found)
    grade(grades, found, lambda _done, _what: None)
    (work,) = grades.works
    assert all(mark.reason == "" for mark in work.marks), work.reasons(grades.assignment)
    assert 20 <= work.points() < 100
    grades.write(tmp_path)


# The handouts


def handout(kind: str, module: str) -> ModuleType:
    import blockfall.teaching as room

    path = Path(room.__file__).parent / "assignments" / kind / "handout" / f"{module}.py"
    spec = importlib.util.spec_from_file_location(module, path)
    assert spec
    assert spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize(("kind", "module"), [("hopeless", "hopeless"), ("ist2015", "ist_tetris")])
def test_the_doctests_of_the_handouts_pass(kind: str, module: str) -> None:
    found = doctest.testmod(handout(kind, module))
    assert found.attempted
    assert not found.failed


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.data())
def test_the_hopeless_handout_has_our_rules(seed: int, data: st.DataObject) -> None:
    theirs = handout("hopeless", "hopeless")
    position: Any = game("hopeless").start(seed, columns=5, rows=4, colours=3)
    board = theirs.read(position.text())
    while not position.over:
        cell = data.draw(st.sampled_from(position.actions()))
        assert sorted(map(tuple, theirs.blocks(board))) == sorted(tuple(sorted(one)) for one in position._blocks)
        before = position.score
        position = position.apply(cell)
        board, earned = theirs.remove(board, cell)
        assert (theirs.text(board, 5, 4), earned) == (position.text(), position.score - before)
    assert theirs.blocks(board) == []


@settings(max_examples=30, deadline=None)
@given(st.text("ijlostz", min_size=1, max_size=25), st.data())
def test_the_ist2015_handout_has_our_rules(pieces: str, data: st.DataObject) -> None:
    theirs = handout("ist2015", "ist_tetris")
    position = IstPosition.start(pieces)
    board = theirs.read(position.text())
    while not position.over:
        assert theirs.moves(position.pieces[0]) == position.actions()
        move = data.draw(st.sampled_from(position.actions()))
        before = position.score
        position = position.apply(move)
        board, earned = theirs.drop(board, *move)
        assert (theirs.text(board), earned) == (position.text(), position.score - before)
        assert theirs.lost(board) == position.lost


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32), st.data())
def test_the_agents_handout_has_our_rules(seed: int, data: st.DataObject) -> None:
    theirs = handout("agent", "tetris")
    ours = Game(rules("standard-10x10"), seed, pieces_known=1)
    exercise = KINDS["agent"]
    assert exercise.unit == "game"
    while not ours.over:
        board = ours.board.text().splitlines()
        choices = theirs.placements(board, ours.known[0])
        placements, boards = ours.afterstates()
        by_board = {tuple(one["after"]) for one in choices if not one["loses"]}
        drawn = {tuple("".join("#" if c else "." for c in row) for row in reversed(b.tolist())) for b in boards}
        assert by_board == drawn - {tuple(board)}
        assert len(choices) == len(placements)
        ours.play(data.draw(st.sampled_from(placements)))


@pytest.mark.parametrize(("kind", "fails"), [("hopeless", 1), ("ist2015", 1), ("agent", 1), ("good", 0)])
def test_the_public_tests_tell_a_template_from_a_solution(kind: str, fails: int, tmp_path: Path) -> None:
    create("hopeless" if kind == "good" else kind, tmp_path / "new", 1)
    if kind == "good":
        (tmp_path / "new" / "handout" / "solution.py").write_text((CLASS / "ana.py").read_text())
    command = [sys.executable, "-S", "public_tests.py"]
    done = subprocess.run(command, cwd=tmp_path / "new" / "handout", capture_output=True, text=True, timeout=100)
    assert done.stderr.count("FAIL: ") == fails, done.stderr
    assert "Error:" not in done.stderr.replace("AssertionError:", "")


# Bad input


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["assignment", "new", "chess", "new"], "unknown assignment 'chess'; known: hopeless, ist2015, agent"),
        (["assignment", "new", "hopeless", "full"], "is not empty"),
        (["assignment", "new", "hopeless", "full/file"], "is not empty"),
        (["assignment", "new", "hopeless", "new", "--seed", "-1"], "seed -1"),
        (["assignment", "new", "hopeless", "full/file/x"], "full/file"),
        (["grade", "full", "full"], "has no marking.toml"),
        (["grade", "good", "nowhere"], "nowhere: no such folder"),
        (["grade", "good", "empty"], "no submissions in empty"),
        (["grade", "good", "full", "--out", "full/file"], "full/file: "),
        (["grade", "broken", "full"], "line 10: limits.seconds is -1"),
        (["grade", "unknown", "full"], "unknown algorithm 'magic'"),
        (["grade"], "FOLDER"),
    ],
)
def test_bad_input_gets_a_one_line_error(
    arguments: list[str], part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("x")
    (tmp_path / "full" / "a.py").write_text("")
    (tmp_path / "empty").mkdir()
    changes = (("good", "", ""), ("broken", "seconds = 5.0", "seconds = -1"), ("unknown", "a-star", "magic"))
    for name, old, new in changes:
        create("hopeless", tmp_path / name, 1)
        path = tmp_path / name / "marking.toml"
        path.write_text(path.read_text().replace(old, new))
    monkeypatch.chdir(tmp_path)
    code, _, said = call(*arguments)
    assert (code, len(said.splitlines())) == (2, 1)
    assert part in said
    assert not (tmp_path / "new").exists()
