"""`blockfall solve`, `board` and `algorithms` as users meet them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blockfall.games import Board, Game
from blockfall.games.hopeless import scorings
from blockfall.search import core_algorithms
from tests.game_playthroughs import COLUMNS_FILE, kinds, small
from tests.program import output_of, refusal, run_program

FIELDS = {
    *("algorithm", "points", "moves", "nodes_expanded", "nodes_generated"),
    *("seconds", "peak_bytes", "optimal", "stopped_by", "fallback"),
}


def run_json(folder: Path, *arguments: str) -> Any:
    return json.loads(output_of(*arguments, "--json", cwd=folder))


def test_algorithms_are_listed_with_their_facts(tmp_path: Path) -> None:
    rows = run_json(tmp_path, "algorithms")
    assert {row["name"] for row in rows} == set(core_algorithms())
    assert all(row[field] for row in rows for field in ("source", "title", "textbook", "promise"))


def test_solve_gives_the_contracts_fields(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("12.\n112\n221\n")
    found = run_json(tmp_path, "solve", "--game", "hopeless", "--board", "board.txt", "--algorithm", "brute-force")
    assert set(found) >= FIELDS
    assert (found["points"], found["optimal"], found["stopped_by"]) == (16 + 36, True, "finished")
    assert found["moves"][0] == [0, 2]


def test_pieces_of_a_game_without_pieces_are_refused(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("12\n12\n")
    for game in scorings():
        assert f"{game} has no option 'pieces'" in refusal(
            "solve", "--game", game, "--board", "board.txt", "--pieces", "oj", cwd=tmp_path
        )


def test_a_board_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    plain = "12.\n112\n221\n"
    (tmp_path / "plain.txt").write_text(plain, encoding="utf-8")
    (tmp_path / "marked.txt").write_text(plain, encoding="utf-8-sig")
    found = [
        run_json(tmp_path, "solve", "--board", name, "--algorithm", "brute-force")["moves"]
        for name in ("plain.txt", "marked.txt")
    ]
    assert found[0] == found[1]


def test_the_greedy_way_out_is_named(tmp_path: Path) -> None:
    run_program("board", "--out", "board.txt", cwd=tmp_path)
    arguments = ("solve", "--board", "board.txt", "--algorithm", "brute-force", "--node-limit", "3")
    assert run_json(tmp_path, *arguments)["fallback"] is True
    assert "greedy fallback" in output_of(*arguments, cwd=tmp_path)


def test_seen_states_are_skipped_or_not_as_asked(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("12.\n112\n221\n")
    nodes = [
        run_json(tmp_path, "solve", "--board", "board.txt", "--algorithm", "brute-force", flag)["nodes_generated"]
        for flag in ("--skip-seen", "--no-skip-seen")
    ]
    assert nodes[0] <= nodes[1]
    assert "beam always skips seen states" in refusal(
        "solve", "--board", "board.txt", "--algorithm", "beam", "--no-skip-seen", cwd=tmp_path
    )


def test_a_heuristic_of_ones_own_is_an_agents_file(tmp_path: Path) -> None:
    weights = {"max-height": -30.0, "bumpiness": -5.0, "heights-sum": -10.0, "holes": -25.0, "points": 0.6}
    file = {"name": "mine", "source": "a test", "pieces_known": 1, "weights": weights}
    (tmp_path / "mine.json").write_text(json.dumps(file))
    search = ("solve", "--game", "ist-tetris", "--pieces", "ojlt", "--algorithm", "ist-best", "--heuristic")
    mine, theirs = (run_json(tmp_path, *search, heuristic) for heuristic in ("mine.json", "ist-h3"))
    assert (mine["moves"], mine["nodes_expanded"]) == (theirs["moves"], theirs["nodes_expanded"])
    assert "ist-h4" in refusal(*search, "ist-h4", cwd=tmp_path)


def test_ist_tetris_names_orientations(tmp_path: Path) -> None:
    found = run_json(tmp_path, "solve", "--game", "ist-tetris", "--pieces", "oj", "--algorithm", "a-star")
    assert found["moves"] == [[0, "o0"], [7, "j3"]]
    shown = run_program(
        "solve", "--game", "ist-tetris", "--pieces", "oj", "--algorithm", "a-star", "--show", cwd=tmp_path
    )
    assert shown.stdout.count("Proxima peca:") == 3
    assert "Proxima peca:J" in shown.stdout


def test_a_board_is_made_saved_and_solved(tmp_path: Path) -> None:
    made = run_program("board", "--size", "6x4", "--colours", "3", "--seed", "9", cwd=tmp_path)
    assert [len(line) for line in made.stdout.splitlines()] == [6] * 4
    run_program("board", "--size", "6x4", "--colours", "3", "--seed", "9", "--out", "board.txt", cwd=tmp_path)
    assert (tmp_path / "board.txt").read_text() == made.stdout
    done = run_program(
        "solve", "--board", "board.txt", "--algorithm", "a-star", "--trace", "trace.jsonl", "--show", cwd=tmp_path
    )
    assert "proved optimal" in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "trace.jsonl").read_text().splitlines()]
    assert set(lines[0]) == {"node", "parent", "depth", "action", "f", "g", "h", "state", "open", "open_count"}


def test_tetris_places_the_next_pieces_of_a_seed(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("#########.\n" * 4)
    options = ["--game", "tetris", "--rules", "standard", "--pieces", "3", "--seed", "1", "--algorithm", "brute-force"]
    found = run_json(tmp_path, "solve", *options, "--board", "board.txt")
    game = Game("standard", seed=1, board=Board.from_text("#########.\n" * 4, 10, 20))
    for column, row, shape in found["moves"]:
        (chosen,) = (p for p in game.placements() if [p.column, p.row, f"{p.piece}{p.shape}"] == [column, row, shape])
        game.play(chosen)
    assert (found["points"], found["optimal"]) == (game.outcome.score, True)
    assert len(found["moves"]) == 3


def test_every_game_is_solved_and_drawn(tmp_path: Path) -> None:
    run_program("board", "--size", "4x4", "--out", "board.txt", cwd=tmp_path)
    for kind in kinds():
        options = [part for name, value in small(kind).items() for part in ("--set", f"{name}={value}")]
        given = ["--board", "board.txt"] if kind.needs_board else options
        plugin = ["--plugin", str(COLUMNS_FILE)]
        done = output_of("solve", "--game", kind.name, *given, *plugin, "--algorithm", "greedy", "--show", cwd=tmp_path)
        assert f"Moves ({kind.action_words}):" in done


def test_a_board_of_any_game(tmp_path: Path) -> None:
    made = run_program("board", "--game", "tetris", "--set", "rules=standard-10x10", cwd=tmp_path)
    assert made.stdout.split() == ["." * 10] * 10
    assert len(output_of("board", "--game", "samegame", cwd=tmp_path).split()) == 15
    refused = run_program("board", "--game", "tetris", "--colours", "3", cwd=tmp_path)
    assert (refused.returncode, "tetris has no option 'colours'" in refused.stderr) == (2, True)


def test_no_solution_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "full.txt").write_text("#.........\n" * 18)
    found = run_json(
        tmp_path, "solve", "--game", "ist-tetris", "--board", "full.txt", "--pieces", "o", "--algorithm", "a-star"
    )
    assert (found["points"], found["moves"]) == (None, [])


BAD = [
    (["--board", "ragged.txt"], "ragged.txt: row 2 of the board has 1 cells"),
    (["--board", "symbol.txt"], "symbol.txt: row 1 of the board holds 'x'"),
    (["--board", "colours.txt"], "colours.txt: the board has 10 colours"),
    (["--board", "missing.txt"], "No such file"),
    ([], "needs --board"),
    (["--game", "chess", "--board", "good.txt"], "unknown game 'chess'; known: tetris, hopeless"),
    (["--game", "ist-tetris"], "ist-tetris needs pieces, such as ojlti"),
    (["--game", "ist-tetris", "--pieces", "oxo"], "no piece 'x'"),
    (["--game", "ist-tetris", "--pieces", "o", "--board", "good.txt"], "good.txt: row 1 of the board has 2 cells"),
    (["--game", "ist-tetris", "--pieces", "o", "--heuristic", "h9"], "unknown heuristic 'h9'"),
    (["--board", "good.txt", "--algorithm", "magic"], "unknown algorithm 'magic'"),
    (["--board", "good.txt", "--compare", "a-star,beam"], "--compare with --trace, --tree or --step"),
    (["--board", "good.txt", "--step"], "--step with --json"),
    (["--board", "good.txt", "--time-limit", "0"], "time limit of 0"),
    (["--board", "good.txt", "--node-limit", "0"], "node limit of 0"),
    (["--board", "good.txt", "--memory-limit", "0"], "memory limit of 0"),
    (["--board", "good.txt", "--heuristic", "ist-h3"], "unknown heuristic 'ist-h3'; known: colours"),
    (["--board", "good.txt", "--pieces", "ojlti"], "hopeless has no option 'pieces'; its options are columns, rows"),
    (["--board", "good.txt", "--cost", "qualidade"], "hopeless has no option 'cost'"),
    (["--board", "good.txt", "--set", "columns=4"], "hopeless has no option 'columns' where a board is given"),
    (["--board", "good.txt", "--set", "columns"], "--set columns; it must be NAME=VALUE"),
    (["--game", "tetris", "--pieces", "ojlti"], "pieces is 'ojlti'; it must be a whole number from 1 to 10000"),
    (["--game", "tetris", "--pieces", "3", "--set", "pieces=4"], "pieces is given twice"),
    (["--game", "tetris", "--rules", "chess"], "unknown rules 'chess'"),
    (["--game", "tetris", "--heuristic", "lines"], "tetris has no option 'heuristic'; its options are rules, pieces"),
    (["--plugin", "missing.py"], "plugin missing.py: no such file"),
]


@pytest.mark.parametrize(("arguments", "part"), BAD)
def test_bad_input_gets_one_line_and_exit_2(arguments: list[str], part: str, tmp_path: Path) -> None:
    for name, text in (("ragged", "12\n1"), ("symbol", "1x"), ("colours", "0123456789"), ("good", "12\n12")):
        (tmp_path / f"{name}.txt").write_text(text)
    before = sorted(tmp_path.iterdir())
    assert part in refusal("solve", *arguments, "--trace", "trace.jsonl", "--json", cwd=tmp_path)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("size", "part"), [("5", "size '5'"), ("33x5", "33x5"), ("5x5x5", "size"), ("ax5", "size")])
def test_bad_sizes(size: str, part: str, tmp_path: Path) -> None:
    assert part in refusal("board", "--size", size, cwd=tmp_path)


# Presses Ctrl-C once the search has told its progress a few times, however long the start took.
INTERRUPTED = """
import signal
from blockfall.cli import main, solving
from blockfall.search import solve

def interrupted(problem, algorithm, settings, progress, backend):
    ticks = iter(range(5))
    press = lambda: signal.raise_signal(signal.SIGINT) if next(ticks, None) == 4 else progress()
    return solve(problem, algorithm, settings, press, backend)

signal.signal(signal.SIGINT, signal.default_int_handler)
solving.solve = interrupted
main()
"""


def test_an_interrupt_gives_the_best_so_far(tmp_path: Path) -> None:
    run_program("board", "--size", "15x15", "--colours", "5", "--out", "board.txt", cwd=tmp_path)
    search = ["solve", "--game", "samegame", "--board", "board.txt", "--algorithm", "nrpa", "--level", "5", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *search], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert done.returncode == 130
    found = json.loads(done.stdout)
    assert found["stopped_by"] == "interrupt"
    assert found["points"] > 0
    assert found["moves"]
    assert "Traceback" not in done.stderr


def test_help_shows_an_example(tmp_path: Path) -> None:
    for command in ("solve", "board", "algorithms"):
        assert "Example: blockfall" in " ".join(output_of(command, "--help", cwd=tmp_path).split())
