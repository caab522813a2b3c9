"""Long games played in parts: the GPU's programs, run by the CPU, and the program that plays 1,000 such games."""

import importlib.util
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from blockfall import Agent, SettingError, WeightedFeatures
from blockfall.agents import agent
from blockfall.compute import InterruptedPlay, LocalBackend, Population, Request
from blockfall.compute.cuda import CudaBackend
from blockfall.compute.cuda.relay import Relay, can_relay
from blockfall.rulesets import Rules, rules
from tests import ROOT
from tests.compute.host_device import HostDevice

STEP, STEPS, SEATS = 58, 10, 160
"""Boards of six columns become equal after some hundred pieces; their number must be a multiple of six."""


def narrow_rules(folder: Path, rows: int, only: str) -> Rules:
    """Return rules of six columns and a few kinds of pieces, whose games last some thousand pieces."""
    path = folder / "narrow.toml"
    board = f"[board]\ncolumns = 6\nrows = {rows}\n[spawn]\ncolumn = 1\n"
    path.write_text(f'extends = "standard"\n{board}[generator]\nonly = "{only}"\n')
    return rules(path)


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return narrow_rules(tmp_path_factory.mktemp("rules"), 14, "OTJL")


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that receives, for each round, the number of parts that met the next one."""
    counts: list[int] = []
    join: Callable[..., None] = Relay._join

    def counted(self: Relay, seating: Any, games: Any, looks: Any, met: Any, met_at: Any) -> None:
        counts.append(int((met >= 0).sum()))
        join(self, seating, games, looks, met, met_at)

    monkeypatch.setattr(Relay, "_join", counted)
    return counts


def test_parts_reach_as_far_as_games_likely_do(device: HostDevice, narrow: Rules) -> None:
    relay = Relay(device, Request(narrow, agent("dellacherie"), games=10, seed=1), seats=320, step=60, steps=20)
    assert relay._parts_of(running=10) == 32, "no game is over, so their length is unknown"
    relay._counts[1] = 3000  # pieces: 30,000 of all games
    assert relay._parts_of(running=9) == 35, "30,000 pieces per game that is over: more than there are seats for"
    assert relay._parts_of(running=2) == 9, "3,750 pieces per game that is over; three times as far in parts of 1,200"


def test_the_parts_of_a_game_are_the_game(device: HostDevice, narrow: Rules, joined: list[int]) -> None:
    request = Request(narrow, agent("dellacherie"), games=4, seed=1)
    relay = Relay(device, request, SEATS, STEP, STEPS)
    told = list(relay.rounds())
    assert sum(joined) > 20
    assert relay.outcomes() == LocalBackend(threads=1).play(request)
    assert told == sorted(told)
    assert told[-1][0] == 4


def test_parts_of_a_player_that_knows_two_pieces(device: HostDevice, tmp_path: Path, joined: list[int]) -> None:
    low = narrow_rules(tmp_path, 6, "IOTJL")
    request = Request(low, agent("dellacherie").knowing(2), games=2, seed=8, first_game=5)
    relay = Relay(device, request, SEATS, STEP, STEPS)
    list(relay.rounds())
    assert sum(joined) > 0
    assert relay.outcomes() == LocalBackend(threads=1).play(request)


def test_saved_games_continue(device: HostDevice, narrow: Rules) -> None:
    """After every round the games move to another relay, as if the process had been killed."""
    request = Request(narrow, agent("dellacherie"), games=3, seed=1)
    make = partial(Relay, device, request, SEATS, STEP, STEPS)
    relay, rounds = make(), 0
    while (relay.outcomes().termination == 0).any():
        for _ in relay.rounds():
            if relay.rounds_played:
                break
        state = relay.state()
        relay = make()
        relay.go_on(state)
        rounds += 1
    assert rounds > 1
    assert relay.outcomes() == LocalBackend(threads=1).play(request)


def test_games_of_another_request_are_refused(device: HostDevice, narrow: Rules) -> None:
    request = Request(narrow, agent("lee"), games=2, seed=1)
    state = Relay(device, request, SEATS, STEP, STEPS).state()
    damaged = {**state, "counts": state["counts"] ^ 1}
    other = replace(request, agent=agent("dellacherie"))
    for asked, kept in (
        (replace(request, seed=2), state),
        (other, state),
        (request, damaged),
        (request, {}),
        (request, {**state, "more": state["kept"]}),
    ):
        with pytest.raises(SettingError, match="these games are damaged, or belong to another request"):
            Relay(device, asked, SEATS, STEP, STEPS).go_on(kept)


def test_requests_that_cannot_be_cut_are_refused(device: HostDevice, narrow: Rules) -> None:
    lee = agent("lee")
    total = Agent("total", WeightedFeatures({"total-lines": 1.0, "holes": -1.0}))
    for request, said in (
        (Request(rules("nes-no-rotation-drop"), lee, 2, 1), "depend on earlier ones"),
        (Request(narrow, total, 2, 1), "depends on the lines so far"),
        (Request(narrow, lee, 2, 1, max_pieces=50), "cannot be cut"),
        (Request(narrow, lee, 2, 1, population=Population(np.ones((2, 4)))), "cannot be cut"),
        (Request(rules("sz"), agent("sz"), 2, 1), "a board network"),
    ):
        assert not can_relay(request)
        with pytest.raises(SettingError, match=said):
            Relay(device, request)


def test_the_backend_plays_long_games_in_parts(
    device: HostDevice, narrow: Rules, joined: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blockfall.compute.cuda.backend.LONG_SECONDS", 0.0)
    monkeypatch.setattr("blockfall.compute.cuda.backend.Relay", partial(Relay, seats=SEATS, step=STEP, steps=STEPS))
    request = Request(narrow, agent("dellacherie"), games=3, seed=3)
    told: list[tuple[int, int]] = []
    assert CudaBackend(device).play(request, lambda *done: told.append(done)) == LocalBackend(threads=1).play(request)
    assert sum(joined) > 0
    assert told[-1][0] == 3


def test_an_interrupt_keeps_the_games_that_ended_before_the_parts(
    device: HostDevice, narrow: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(_self: Relay) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("blockfall.compute.cuda.backend.LONG_SECONDS", 0.0)
    monkeypatch.setattr("blockfall.compute.cuda.seating.Seating._first_pieces", 2000)
    monkeypatch.setattr(Relay, "rounds", stopped)
    request = Request(narrow, agent("lee"), games=8, seed=3)
    with pytest.raises(InterruptedPlay) as raised:
        CudaBackend(device).play(request)
    expected = LocalBackend(threads=1).play(request)
    assert raised.value.finished
    assert raised.value.finished.games == (expected.pieces <= 2000).sum() > 0


@pytest.fixture(scope="module")
def long_games() -> ModuleType:
    path = ROOT / "benchmarks" / "long_games.py"
    spec = importlib.util.spec_from_file_location("long_games", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["long_games"] = module
    spec.loader.exec_module(module)
    return module


def test_long_games_are_stopped_and_resumed(
    long_games: ModuleType,
    device: HostDevice,
    narrow: Rules,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(long_games, "find_device", lambda: device)
    monkeypatch.setattr(long_games, "Relay", partial(Relay, seats=SEATS, step=STEP, steps=STEPS))
    monkeypatch.setattr(long_games, "rules", lambda _name: narrow)
    words = ["--out", str(tmp_path), "--games", "4", "--agents", "lee", "dellacherie"]
    assert long_games.main([*words, "--seconds", "0"]) == 0
    assert not list(tmp_path.glob("*.json"))
    assert long_games.main(words) == 0
    assert "4 of 4 over" in capsys.readouterr().out
    for name in ("lee", "dellacherie"):
        expected = LocalBackend(threads=1).play(Request(narrow, agent(name), 4, seed=1))
        found = json.loads((tmp_path / f"{name}.json").read_text())
        assert (found["mean"], found["max"]) == (expected.lines.mean(), expected.lines.max())
        assert found["pieces"] == expected.pieces.sum()
    (tmp_path / "lee.npz").write_bytes(b"nothing")
    assert long_games.main(words) == 2
    assert "lee.npz: not a file of saved games" in capsys.readouterr().err
