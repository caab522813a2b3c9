"""Bad input is one line that says what is wrong, never a traceback: huge numbers, deep nesting, damaged files."""

import io
import json
import os
import sqlite3
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import blockfall
from blockfall import cli
from blockfall.errors import BlockfallError, FileError, SettingError, StoreError, shortened
from blockfall.experiments.choices import chosen_configuration
from blockfall.experiments.configuration import load_configuration
from blockfall.experiments.overview import runs
from blockfall.experiments.run import create_run
from blockfall.experiments.training import Training
from blockfall.learning.checkpoint import Arrays, load, save
from blockfall.server.client import address
from blockfall.store import Store
from blockfall.validation import parse_json, read_text, visible
from tests.program import run_program

MANY_DIGITS = "9" * 5000
DEEP = "[" * 3000


def run(home: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return run_program(*arguments, home=home, env=environment)


@pytest.mark.parametrize("value", [MANY_DIGITS, DEEP, "0x" + "f" * 10_000, "-" + MANY_DIGITS])
def test_huge_numbers_and_deep_nesting_are_refused(value: str, tmp_path: Path) -> None:
    cases: list[Callable[[], object]] = [
        lambda: chosen_configuration({}, changes=[f"seed={value}"]),
        lambda: chosen_configuration({}, changes=[f"features={value}"]),
        lambda: load_configuration(_file(tmp_path / "run.toml", f"seed = {value}\n")),
        lambda: blockfall.rules(_file(tmp_path / "rules.toml", f'extends = "nes"\n[board]\nrows = {value}\n')),
        lambda: blockfall.agent(_file(tmp_path / "agent.json", f'{{"weights": {{"holes": {value}}}}}')),
        lambda: parse_json(f'{{"a": {value}', "x"),
    ]
    for case in cases:
        with pytest.raises(BlockfallError) as caught:
            case()
        assert len(str(caught.value)) < 600
        assert "\n" not in str(caught.value).strip()


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_values_in_messages_are_shortened() -> None:
    assert shortened(10**5000) == "a number with too many digits"
    assert len(shortened("x" * 1000)) == 60
    assert shortened(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"


@pytest.mark.parametrize("points", [2**63, -(2**63), 2**31, 10**30])
def test_points_beyond_the_limit_are_refused(points: int, tmp_path: Path) -> None:
    file = _file(tmp_path / "rules.toml", f'extends = "nes"\n[scoring]\nlines = [{points}, 1, 2, 3]\n')
    with pytest.raises(FileError, match=r"line 3: scoring.lines.*from -1000000000 to 1000000000"):
        blockfall.rules(file)


@pytest.mark.parametrize(
    "url",
    [
        "ws://[::1",
        "ws://[",
        "ws://" + "x" * 300,
        f"ws://{'y' * 64}.example",
        "ws://a..b",
        "ws://a\x1b[2J/",
        "http://x",
        "",
    ],
)
def test_malformed_server_addresses_are_refused(url: str) -> None:
    with pytest.raises(SettingError, match="not the address of a server") as caught:
        address(url, "/player")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


def test_an_endless_file_is_refused() -> None:
    for read in (read_text, blockfall.rules, blockfall.agent):
        with pytest.raises(FileError, match="larger than 16 MiB"):
            read(Path("/dev/zero"))


def test_line_ends_and_undecodable_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("a\r\nä\n".encode())
    assert read_text(tmp_path / "a") == "a\nä\n"
    (tmp_path / "b").write_bytes(b"\xff")
    with pytest.raises(FileError, match="not a text file"):
        read_text(tmp_path / "b")
    with pytest.raises(FileError, match="directory"):
        read_text(tmp_path)


@pytest.mark.parametrize(
    ("games", "first", "pieces"), [(1, -1, None), (2**63, 0, None), (1, 2**64, None), (1, 0, 2**70)]
)
def test_numbers_of_games_beyond_64_bits_are_refused(games: int, first: int, pieces: int | None) -> None:
    with pytest.raises(SettingError):
        blockfall.evaluate(rules="nes", agent="birken-6", games=games, seed=1, first_game=first, max_pieces=pieces)
    with pytest.raises(SettingError, match="backend 'local:"):
        blockfall.backend("local:" + MANY_DIGITS)


def test_names_are_made_visible() -> None:
    assert visible("ann") == "ann"
    assert visible("\x1b[31mann\u202e\n\x9b") == r"\x1b[31mann\u202e\n\x9b"
    assert visible("a" * 400) == "a" * 300 + "..."


LEARNING = """
features = "data-6"
hidden = [4]
pieces_known = 1
[learning]
name = "n-step"
actions = 600
stages = 2
warm_up = 100
queue = 1000
[games]
training = 2
validation = 2
test = 2
max_pieces = 30
"""


@pytest.mark.parametrize(
    "damage",
    [
        {"answer": None},
        {"reached": None},
        {"answer": np.zeros(3, np.float32)},
        {"answer": np.zeros(33, np.float64)},
        {"answer": np.full(33, np.nan, np.float32)},
        {"reached": np.array([np.nan, 1.0])},
        {"reached": np.array([7.0, 1.0])},
        {"reached": np.array([1.5, 1.0])},
        {"reached": np.array(["x", "y"])},
        {"reached": np.array([1.0])},
    ],
)
def test_an_odd_checkpoint_is_named_and_may_be_deleted(damage: Arrays, tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite3")
    configuration = load_configuration(_file(tmp_path / "run.toml", LEARNING))

    class StopError(Exception):
        pass

    def stop(_: object) -> None:
        raise StopError

    begun = create_run(store, configuration, tmp_path / "run")
    with pytest.raises(StopError):
        Training(store, begun, watch=stop).complete()
    path = tmp_path / "run" / "learner-1.npz"
    arrays = load(path)
    assert arrays is not None
    assert arrays["answer"].shape == (33,)
    save(path, {name: array for name, array in (arrays | damage).items() if array is not None})
    with pytest.raises(FileError, match=r"learner-1.npz: not a checkpoint of this run: .*; delete it"):
        Training(store, begun).complete()
    path.unlink()
    whole = Training(store, create_run(store, configuration, tmp_path / "whole")).complete()
    assert Training(store, begun).complete().as_json() == whole.as_json()


@pytest.mark.parametrize(
    "change",
    [
        "machine = '{'",
        "machine = '[]'",
        "result = '{'",
        "result = '3'",
        "configuration = 'rules = '",
        "configuration = ''",
        "configuration = 'optimiser = 3'",
    ],
)
def test_a_damaged_run_does_not_hide_the_others(change: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite3")
    text = blockfall.Configuration().as_toml()
    for name in ("whole", "broken"):
        store.runs.add(name, tmp_path / name, text)
    with sqlite3.connect(store.path) as direct:
        direct.execute(f"UPDATE runs SET {change} WHERE id = 'broken'")
    direct.close()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        listed = [seen.id for seen in runs(store)]
    if change == "configuration = ''":  # an empty file is a run with all defaults
        assert sorted(listed) == ["broken", "whole"]
    else:
        assert listed == ["whole"]
        assert "broken is damaged" in str(told[-1].message)


def test_damaged_rows_name_their_run(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite3")
    store.runs.add("broken", tmp_path, blockfall.Configuration().as_toml())
    with sqlite3.connect(store.path) as direct:
        direct.execute("INSERT INTO iterations VALUES ('broken', 0, 0, 1, 1, 1, 1, 1, 'x', x'0102', 1)")
        direct.execute("INSERT INTO validations VALUES ('broken', 0, 'x', '[', '[]', '[]', 0)")
        direct.execute("INSERT INTO test_games VALUES ('broken', 0, 1, 1, 1, 99)")
    direct.close()
    for read in (store.runs.iterations, store.runs.validations, store.runs.test_games):
        with pytest.raises(StoreError, match="run broken is damaged in the store"):
            read("broken")


def test_an_ascii_terminal(tmp_path: Path) -> None:
    named = run(
        tmp_path, "evaluate", "--rules", "Ünbekannt\x9b", "--agent", "bcts", LC_ALL="C", PYTHONIOENCODING="ascii"
    )
    assert named.returncode == 2
    assert len(named.stderr.splitlines()) == 1
    listed = run(tmp_path, "studies", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (listed.returncode, listed.stderr) == (0, "")


LONG = "x" * 5000
NO_TEXT = os.fsdecode(b"\xff\xfe")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["runs", "show", LONG], "unknown run"),
        (["runs", "show", NO_TEXT], "the store keeps text only"),
        (["runs", "compare", LONG, LONG], "unknown run"),
        (["train", "--out", LONG], "File name too long"),
        (["train", "--out", NO_TEXT], "the store keeps text only"),
        (["train", "--plugin", LONG, "--out", "run"], "no such file"),
        (["resume", LONG], "starts one"),
        (["evaluate", "--agent", LONG + ".json"], "File name too long"),
        (["evaluate", "--agent", "\x1b[2J.json"], r"\x1b[2J.json: No such file"),
        (["serve", "--host", LONG], "not a valid host name"),
        (["app", "--no-browser", "--host", "ü" * 100], "not a valid host name"),
    ],
    ids=lambda value: " ".join(word[:12] for word in value) if isinstance(value, list) else "",
)
def test_impossible_names_are_refused_in_one_line(
    arguments: list[str],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.argv", ["blockfall", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert reason in told
    assert told.count("\n") == 1
    assert len(told) < 1100
    assert told[:-1].isprintable()


def test_a_disk_that_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(**_: object) -> None:
        raise OSError(5, "Input/output error", "some file")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    assert capsys.readouterr().err == "blockfall: some file: Input/output error\n"


def test_memory_that_is_exhausted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def exhaust(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(cli, "app", exhaust)
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    told = capsys.readouterr().err
    assert told.startswith("blockfall: out of memory")
    assert len(told.splitlines()) == 1


def test_spectators_see_the_control_characters_of_a_name() -> None:
    from rich.console import Console

    from blockfall.cli.spectating import _ending, screen
    from blockfall.server.messages import Frame, Info

    name = "\x1b[2Jann\x9b"
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(screen(Frame(game=[], piece=None, player=name)))
    shown = console.export_text()
    ended = _ending(Info(dimensions=(10, 30), grid=[], player=name, highscores=[(name, 3)]))
    for text in (shown, ended):
        assert r"\x1b[2Jann\x9b" in text
        assert "\x1b" not in text
        assert "\x9b" not in text


def test_json_of_a_name_holds_no_control_characters() -> None:
    from blockfall.server.messages import Frame

    frame = Frame(game=[], piece=None, player="\x9b2J")
    assert json.dumps(frame.model_dump(mode="json")).isascii()
