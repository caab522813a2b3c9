"""Games that are kept and go on: the programs of the GPU, run by the CPU, and the program that plays long games."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import chi2

from blockfall import SettingError
from blockfall.agents import agent
from blockfall.compute import LocalBackend, Population, Request
from blockfall.compute.cuda.seating import Seating
from blockfall.rulesets import rules
from tests.compute.host_device import HostDevice

REQUEST = Request(
    rules("nes-no-rotation-drop"),
    agent("dellacherie"),
    games=6,
    seed=3,
    population=Population(np.random.default_rng(5).normal(-1, 2, (2, 6))),
)


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfall.compute.cuda.seating._MOST_PIECES", 7)
    monkeypatch.setattr("blockfall.compute.cuda.seating.Seating._first_pieces", 7)


def test_games_that_were_kept_go_on(device: HostDevice) -> None:
    """After every slice the games move to other seats, as if the process had been killed."""
    expected = LocalBackend(threads=1).play(REQUEST)
    seating = Seating(device, REQUEST, seats=4, games=12)
    seating.begin(REQUEST)
    moves, told = 0, [(0, 0)]
    while told[-1][0] < 12:
        told.append(next(seating.slices()))
        state = seating.state()
        seating = Seating(device, REQUEST, seats=4, games=12)
        seating.go_on(REQUEST, state)
        moves += 1
    assert moves > 5
    assert told == sorted(told)
    assert told[-1] == (12, expected.pieces.sum())
    assert not list(seating.slices())
    assert seating.outcomes() == expected


def test_games_that_run_are_counted(device: HostDevice) -> None:
    seating = Seating(device, REQUEST, seats=12, games=12)
    seating.begin(REQUEST)
    over, pieces = next(seating.slices())
    found = seating.outcomes()
    assert (found.termination != 0).sum() == over < 12
    assert found.pieces.sum() == pieces > 12
    assert found.pieces.max() == 7


def test_games_of_another_request_are_refused(device: HostDevice) -> None:
    seating = Seating(device, REQUEST, seats=12, games=12)
    seating.begin(REQUEST)
    next(seating.slices())
    state = seating.state()
    other = Request(REQUEST.rules, REQUEST.agent, 6, seed=4, population=REQUEST.population)
    damaged = {**state, "seats": state["seats"] ^ 1}
    for request, kept in (
        (other, state),
        (REQUEST, damaged),
        (REQUEST, {}),
        (REQUEST, {**state, "more": state["list"]}),
    ):
        with pytest.raises(SettingError, match="these games are damaged, or of another request"):
            seating.go_on(request, kept)
    with pytest.raises(SettingError, match="these games had another number of seats"):
        Seating(device, REQUEST, seats=3, games=12).go_on(REQUEST, state)


@pytest.fixture(scope="module")
def long_games() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "long_games.py"
    spec = importlib.util.spec_from_file_location("long_games", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["long_games"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("lost", [10, 200])
def test_the_interval_of_games_without_memory(lost: int, long_games: ModuleType) -> None:
    estimate, low, high = long_games.memoryless(1_000_000, lost)
    assert estimate == 1_000_000 / lost
    assert low == pytest.approx(2_000_000 / chi2.ppf(0.975, 2 * lost + 2), rel=0.01)
    assert high == pytest.approx(2_000_000 / chi2.ppf(0.025, 2 * lost), rel=0.01)


def test_no_lost_game_gives_only_a_lower_bound(long_games: ModuleType) -> None:
    estimate, low, high = long_games.memoryless(1_000_000, 0)
    assert estimate is None
    assert high is None
    assert low == pytest.approx(2_000_000 / chi2.ppf(0.975, 2), rel=0.05)


def test_long_games_are_stopped_and_resumed(
    long_games: ModuleType,
    device: HostDevice,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(long_games, "find_device", lambda: device)
    words = ["--out", str(tmp_path), "--rules", "nes-no-rotation-drop", "--games", "20", "--threads-per-game", "1"]
    words += ["--agents", "dellacherie", "lee"]
    assert long_games.main([*words, "--seconds", "0"]) == 0
    over = [int(row.split()[1]) for row in capsys.readouterr().out.splitlines()[1:]]
    assert all(one < 20 for one in over)
    assert long_games.main(words) == 0
    assert "20 of 20" in capsys.readouterr().out
    for name in ("dellacherie", "lee"):
        expected = LocalBackend(threads=1).play(Request(rules("nes-no-rotation-drop"), agent(name), 20, seed=1))
        found = json.loads((tmp_path / f"{name}.json").read_text())
        assert (found["over"], found["lines"], found["pieces"]) == (20, expected.lines.sum(), expected.pieces.sum())
        assert found["mean"] == found["estimate"] == expected.lines.mean()
    (tmp_path / "lee.npz").write_bytes(b"nothing")
    assert long_games.main(words) == 2
    assert "lee.npz: not games that were kept" in capsys.readouterr().err
