"""Every table of every command fits its screen: in 80 columns, in a pipe, and in a wide terminal."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
import tomli_w
from rich.cells import cell_len
from rich.text import Text

from blockfall.cli import bench, connecting, output, studying, tournaments
from blockfall.compute.bench import Measurement
from blockfall.learning import METHODS
from blockfall.optimisers import OPTIMISERS
from blockfall.server.client import CourseResult
from blockfall.server.pilot import Tally
from blockfall.server.tournament import EndedGame, RunningGame, Tournament
from blockfall.studies import STUDIES
from blockfall.studies.results import shipped_sheets
from tests.agents.test_table import random_table
from tests.program import PROGRAM, Call

LONGEST = 40  # longer words, such as paths, may be broken


@dataclass(frozen=True)
class Printed:
    """A table that a command printed."""

    caller: str
    """The module and the function of the command line that printed it."""
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    right: tuple[str, ...]


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[Printed]:
    """The tables that are printed during the test."""
    found: list[Printed] = []
    real = output.table

    def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[object]], right: Iterable[str] = ()) -> Text:
        frame = sys._getframe(1)
        if frame.f_code is output.print_rows.__code__ and frame.f_back:
            frame = frame.f_back
        caller = f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}"
        found.append(Printed(caller, title, tuple(columns), tuple(map(tuple, rows)), tuple(right)))
        return real(title, found[-1].columns, found[-1].rows, found[-1].right)

    monkeypatch.setattr(output, "table", table)
    monkeypatch.setattr(tournaments, "table", table)
    return found


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> Callable[..., None]:
    """Run a command in an empty folder, with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))

    def run(*words: str) -> None:
        code, _, errors = call(*words)
        assert code == 0, f"{words}: {errors}"

    return run


def test_every_table_fits_its_screen(
    run: Callable[..., None], printed: list[Printed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    print_all(run, tmp_path, monkeypatch)
    tables = list(printed)
    assert {one.caller for one in tables} == callers(), "each place that prints a table must be reached above"
    for width in (80, 200):
        monkeypatch.setattr(output.console, "_width", width)
        for one in tables:
            check(one, width)


def test_a_table_in_a_pipe_has_80_columns() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    shown = subprocess.run([*PROGRAM, "optimisers"], env=environment, capture_output=True, text=True, check=True)
    assert max(map(cell_len, shown.stdout.splitlines())) in range(70, 81)


def check(one: Printed, width: int) -> None:
    """Check that no line is too long, and that no heading, number or word is cut or missing."""
    title, *lines = output.table(one.title, one.columns, one.rows, one.right).plain.splitlines()
    text = "\n".join(lines)
    words = set(text.split())
    assert max(map(cell_len, lines)) <= width, title
    assert "…" not in text
    is_list = not any(line.strip(" ─-") == "" and line.strip() for line in lines)
    for place, name in enumerate(one.columns):
        cells = [str(row[place]) for row in one.rows]
        if any(cells) and not (is_list and place == 0):
            assert set(name.split()) <= words, (title, name)
        for cell in cells:
            missing = {word for word in cell.split() if cell_len(word) <= LONGEST} - words
            assert (cell in text) if name in one.right else not missing, (title, name, cell)


def callers() -> set[str]:
    """Return the modules and functions of the command line that print tables, from its source."""
    found = set()
    for path in Path(output.__file__).parent.glob("*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and path.stem != "output":
                called = {node.func.id for node in ast.walk(function) if is_call_of_name(node)}  # type: ignore[attr-defined]
                found |= {f"{path.stem}.{function.name}"} if called & {"print_rows", "table"} else set()
    return found


def is_call_of_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def print_all(run: Callable[..., None], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Print every table of the command line at least once."""
    for listing in ("rules", "features", "groups", "agents", "algorithms", "optimisers", "methods", "studies"):
        run(listing)
    run("evaluate", "--games", "20")
    run("evaluate", "--games", "20", "--rules", "guideline", "--agent", "lee", "--max-pieces", "50")
    run("benchmark", "--agent", "lee", "--tasks", "no-rotation")
    slow = [Measurement("nes-no-rotation/board-network-large", "scalar", 31_249.0, 912.4, 1.0)]
    monkeypatch.setattr(bench, "measure", lambda **_: slow)
    run("bench")
    print_explanations(run, folder)
    run("solve", "--game", "ist-tetris", "--pieces", "oj", "--algorithm", "greedy")
    run("solve", "--game", "ist-tetris", "--pieces", "oj", "--compare", "greedy,best")
    print_runs(run, folder)
    run("assignment", "new", "hopeless", "course")
    (folder / "class").mkdir()
    (folder / "class" / "a-student-with-a-rather-long-name.py").write_text("raise ValueError('not done')\n")
    run("grade", "course", "class")
    print_server(run)
    for study in STUDIES:
        for sheet in shipped_sheets(study).values():
            studying.print_sheet(sheet)


def print_explanations(run: Callable[..., None], folder: Path) -> None:
    """Print what each kind of value shows of a position."""
    table = folder / "table.json"
    table.write_text(json.dumps(random_table(1).as_json()))
    run("explain", "--rules", "tetrisbot", "--agent", str(table), "--piece", "T")
    for rules, agent in (("nes", "birken-6"), ("nes-no-rotation", "noro-small")):
        run("explain", "--rules", rules, "--agent", agent, "--piece", "T", "--next", "S")


def print_runs(run: Callable[..., None], folder: Path) -> None:
    """Print the runs of an optimiser and of a way of learning."""
    games = {"training": 2, "validation": 2, "test": 20, "max_pieces": 50}
    shared = {"rules": "tetrisbot", "features": "data-6", "restarts": 1, "seed": 1, "fitness": "score", "games": games}
    for trained in ({"optimiser": OPTIMISERS["random"]}, {"learning": METHODS["lstd"]}):
        (((table, kind)),) = trained.items()
        name = f"a-run-of-{kind.name}"
        (folder / f"{name}.toml").write_text(tomli_w.dumps(shared | {table: {"name": kind.name, **kind.small()}}))
        run("train", "--config", f"{name}.toml", "--out", name)
        run("runs", "show", name)
    run("runs")


def print_server(run: Callable[..., None]) -> None:
    """Print the games of a client and the tables of a tournament."""
    result = CourseResult(123_456, 22_345.6, Tally(1_234_567, 98_765, 12, 3), 3600.0, (("ann", 123_456), ("bob", 9)))
    connecting._print("lee at ws://127.0.0.1:8000", [result], as_json=False)
    tournament = Tournament.open("spring", 1, 3, 100, 0)
    ended = {"round": 1, "pieces": 98_765, "frames": 1_234_567, "end": "left", "replay": "0001.jsonl"}
    for player, score in (("a-player-with-a-name-of-32-letters", 1_234_567), ("bob", 5)):
        tournament.games.append(
            EndedGame.model_validate({"player": player[:32], "score": score, "lines": 98_765, **ended})
        )
    tournament.playing = [RunningGame(player="eve", round=1, score=1_234_567, pieces=98_765)]
    tournament.write()
    run("tournament")
    run("tournament", "spring")
    tournaments.standings_table(tournament)
