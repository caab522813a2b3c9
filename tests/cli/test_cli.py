"""The command line as users meet it: real processes, exit codes, one-line errors, clean JSON."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blockfall.cli.commands import COMMANDS
from tests.program import PROGRAM, machine_is_busy, next_line, refusal, run_program, start_program


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_program(*arguments, env=environment)


def run_json(*arguments: str, **environment: str) -> object:
    done = run(*arguments, "--json", **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("rules", {"standard", "nes", "guideline", "aveiro"}),
        ("features", {"row-transitions", "holes", "diversity"}),
        ("groups", {"soster-3", "bcts", "data-14", "wang-2018"}),
        ("agents", {"dellacherie", "bcts", "dt-10", "dt-20", "lee", "birken-6"}),
    ],
)
def test_listings(command: str, names: set[str]) -> None:
    rows = run_json(command)
    assert isinstance(rows, list)
    assert names <= {row["name"] for row in rows}
    assert all(row["source"] for row in rows)
    table = run(command)
    assert table.returncode == 0
    assert all(name in table.stdout for name in names)


def test_evaluate_gives_the_contracts_fields() -> None:
    result = run_json("evaluate", "--rules", "nes-no-rotation", "--agent", "birken-6", "--games", "50", "--seed", "3")
    assert isinstance(result, dict)
    contract = "games mean std sem min max lines pieces placements score_mean capped seconds pieces_per_second"
    assert {*contract.split(), "placements_per_second"} <= set(result)
    assert result["games"] == 50
    assert result["mean"] == result["lines"] / 50
    assert result["min"] <= result["mean"] <= result["max"]


def test_evaluate_prints_a_table_and_what_to_try_next() -> None:
    done = run("evaluate", "--games", "20")
    assert done.returncode == 0
    assert "birken-6 on nes-no-rotation, 20 games" in done.stdout
    assert " watch --rules nes-no-rotation --agent birken-6" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("level", ["scalar", "avx2", "avx512"])
def test_every_instruction_set_can_be_asked_for(level: str) -> None:
    arguments = ("evaluate", "--rules", "standard-10x10", "--agent", "bcts", "--games", "5", "--max-pieces", "300")
    asked, usual = run_json(*arguments, BLOCKFALL_SIMD=level), run_json(*arguments)
    assert isinstance(asked, dict)
    assert isinstance(usual, dict)
    assert all(asked[key] == usual[key] for key in ("lines", "pieces", "placements", "max"))


def test_pieces_known_and_limits() -> None:
    result = run_json("evaluate", "--pieces-known", "1", "--max-pieces", "10", "--games", "4", "--threads", "1")
    assert isinstance(result, dict)
    assert result["pieces"] == 40
    assert result["capped"] == 4
    assert "lower bound" in run("evaluate", "--max-pieces", "10", "--games", "4").stdout


def test_watch_without_a_terminal_prints_boards() -> None:
    done = run("watch", "--max-pieces", "3", "--speed", "0")
    assert done.returncode == 0
    assert done.stdout.count("@") == 12


def test_watch_as_json() -> None:
    moves = run_json("watch", "--max-pieces", "3", "--rules", "nes", "--seed", "5")
    assert isinstance(moves, list)
    assert [len(move["cells"]) for move in moves] == [4, 4, 4]
    assert set(moves[0]["features"]) >= {"well-cells", "total-lock-height"}


def test_watch_in_a_terminal() -> None:
    """A real pseudo-terminal: the board, the next piece, the score and the features' values are on the screen."""
    shown = bytearray()

    def read(descriptor: int) -> bytes:
        data = os.read(descriptor, 65536)
        shown.extend(data)
        return data

    os.environ["COLUMNS"], os.environ["LINES"] = "120", "40"
    status = pty.spawn(
        [*PROGRAM, "watch", "--agent", "birken-6", "--max-pieces", "4", "--speed", "20", "--seed", "2"], read
    )
    assert os.waitstatus_to_exitcode(status) == 0
    text = shown.decode()
    for part in ("nes-no-rotation", "birken-6", "next", "points", "row-transitions-occupied", "██", "4 pieces"):
        assert part in text


def test_watch_looks_ahead() -> None:
    plain, ahead = (
        run_json("watch", "--agent", "bcts", "--rules", "standard-10x10", "--max-pieces", "25", *more)
        for more in ((), ("--look-ahead", "16"))
    )
    assert isinstance(plain, list)
    assert isinstance(ahead, list)
    assert len(plain) == len(ahead) == 25
    assert [move["cells"] for move in plain] != [move["cells"] for move in ahead]


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_numbers_are_never_cut_and_words_never_broken(columns: int) -> None:
    rows = [["a-star", "123,456.78", "a sentence of several words", "987,654,321"]] * 2
    code = (
        "from blockfall.cli.output import print_rows\n"
        f"rows = {rows!r}\n"
        "print_rows('A table', ('name', 'time [ms]', 'what it says', 'memory [bytes]'), rows, "
        "right=('time [ms]', 'memory [bytes]'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"COLUMNS": str(columns)},
        capture_output=True,
        text=True,
        check=True,
    )
    for cell in ("a-star", "123,456.78", "987,654,321", "time [ms]"):
        assert cell in done.stdout
    assert {"a", "sentence", "of", "several", "words", "memory", "[bytes]"} <= set(done.stdout.split())
    assert "…" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= columns


BAD = [
    (["evaluate", "--rules", "nope"], "unknown rules 'nope'; the nearest of 13: "),
    (["evaluate", "--agent", "nope"], "unknown agent 'nope'"),
    (["evaluate", "--games", "0"], "0 games"),
    (["evaluate", "--games", "-5"], "-5 games"),
    (["evaluate", "--games", "many"], "--games"),
    (["evaluate", "--max-pieces", "0"], "at least 1"),
    (["evaluate", "--threads", "0"], "0 threads"),
    (["evaluate", "--pieces-known", "9"], "1 to 8"),
    (["evaluate", "--seed", "-1"], "seed -1"),
    (["evaluate", "--rules", "missing.toml"], "No such file"),
    (["evaluate", "--frobnicate"], "--frobnicate"),
    (["frobnicate"], "frobnicate"),
    (["evaluat"], f"unknown command 'evaluat'; the nearest of {len(COMMANDS)}: evaluate, "),
    (["watch", "--speed", "-1"], "speed of -1"),
    (["watch", "--speed", "nan"], "speed of nan"),
    (["watch", "--max-pieces", "0"], "at least 1"),
    (["bench", "--repeats", "0"], "at least 1"),
]


@pytest.mark.parametrize(
    ("arguments", "part"), BAD, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_bad_input_gets_one_line_and_exit_2(arguments: list[str], part: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    assert part in refusal(*arguments, cwd=tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_without_words_the_help_is_all() -> None:
    done = run()
    assert "Usage:" in done.stdout
    assert done.stderr == ""


def test_bad_instruction_set() -> None:
    done = run("evaluate", BLOCKFALL_SIMD="mmx")
    assert done.returncode == 2
    assert "scalar, avx2, avx512" in done.stderr


def test_help_shows_an_example() -> None:
    for command in ("evaluate", "watch", "explain", "bench", "rules", "features", "groups", "agents"):
        done = run(command, "--help")
        assert done.returncode == 0
        assert f"Example: blockfall {command}" in " ".join(done.stdout.split())


@pytest.mark.alone
def test_an_interrupt_stops_a_batch_at_once() -> None:
    process = start_program("evaluate", "--rules", "standard", "--agent", "bcts", "--games", "1000000")
    assert process.stderr
    assert next_line(process.stderr)  # it says how far it is
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=10)
    assert time.monotonic() - started < (3 if machine_is_busy() else 0.5)
    assert process.returncode == 130
    assert "Traceback" not in errors


def test_a_closed_pipe_is_no_error() -> None:
    producer = subprocess.Popen([*PROGRAM, "watch", "--speed", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert producer.stdout
    producer.stdout.readline()
    producer.stdout.close()
    assert producer.stderr
    assert b"Traceback" not in producer.stderr.read()
    producer.wait(timeout=30)


def test_bench_reports_every_workload_beside_scalar() -> None:
    rows = run_json("bench", "--repeats", "1")
    assert isinstance(rows, list)
    fields = {"workload", "simd", "placements_per_second", "pieces_per_second", "ratio_to_scalar"}
    assert all(set(row) == fields for row in rows)
    names = {"standard/dellacherie", "nes-no-rotation/birken-6", "nes/birken-6", "nes-no-rotation/soster-3"}
    assert names <= {row["workload"] for row in rows}
    assert all(row["ratio_to_scalar"] == 1 for row in rows if row["simd"] == "scalar")
