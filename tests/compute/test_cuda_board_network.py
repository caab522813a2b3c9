"""Board networks on a GPU: the program, run by the CPU, plays the core's games."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from blockfall import Agent, BoardNetwork, Guard, SettingError
from blockfall.agents import agent
from blockfall.compute import LocalBackend, Request
from blockfall.compute.cuda import CudaBackend
from blockfall.rulesets import rules
from tests.agents.board_networks import player, small, trained_like
from tests.compute.host_device import HostDevice
from tests.strategies import variant


def check(device: HostDevice, request: Request, **settings: Any) -> None:
    """Play the request on both backends. Games that end at once would compare little."""
    expected = LocalBackend(threads=1, simd="scalar").play(request)
    assert expected.pieces.max() >= 5
    assert CudaBackend(device, **settings).play(request) == expected


@pytest.mark.parametrize(
    ("name", "plies", "outputs"),
    [
        ("nes-no-rotation-drop", 2, 7),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in product(["nes-no-rotation-drop", "nes-no-rotation-timed"], [1, 2], [1, 7])
        ),
    ],
)
def test_games_are_the_cores(name: str, plies: int, outputs: int, device: HostDevice) -> None:
    request = Request(rules(name), player(small(outputs), plies), games=3, seed=4, max_pieces=12 if plies == 1 else 6)
    check(device, request)


@pytest.mark.parametrize(
    ("name", "plies", "outputs"), [("nes-no-rotation-timed", 1, 7), ("nes-no-rotation-drop", 2, 1)]
)
def test_mirror_images_count_as_in_the_core(name: str, plies: int, outputs: int, device: HostDevice) -> None:
    network = replace(small(outputs), mirror=True)
    check(device, Request(rules(name), player(network, plies), games=2, seed=4, max_pieces=6))


@pytest.mark.long
def test_games_end_and_others_take_their_seats(device: HostDevice) -> None:
    """On low boards every game ends by a loss, which also compares the choice when every placement loses."""
    game_rules = variant("nes-no-rotation-drop", "nintendo", 10, 8, "nes")
    network = small(rows=game_rules.rows)
    request = Request(game_rules, player(network), games=7, seed=2**63, first_game=5)
    expected = LocalBackend(threads=1).play(request)
    assert set(expected.termination.tolist()) <= {1, 2, 3}
    check(device, request, seats=3)
    check(device, replace(request, agent=player(network, plies=2)), seats=2)


@pytest.mark.long
@pytest.mark.parametrize(
    "sizes",
    [
        {"channels": 33, "kernel": 5, "blocks": 2, "hidden": 40},  # rounded up to 64 and 64
        {"channels": 130, "kernel": 1, "blocks": 1, "hidden": 8},  # more channels than threads
    ],
)
def test_networks_of_other_sizes(sizes: dict[str, int], device: HostDevice) -> None:
    network = trained_like(3, columns=10, rows=20, outputs=7, **sizes)
    check(device, Request(rules("nes-no-rotation-drop"), player(network), games=2, seed=1, max_pieces=5))


@pytest.mark.long
def test_a_shipped_network(device: HostDevice) -> None:
    small_one = replace(agent("noro-small"), plies=1)
    check(device, Request(rules("nes-no-rotation-timed"), small_one, games=2, seed=1, max_pieces=6))


@pytest.mark.long
def test_a_script_that_ends(device: HostDevice) -> None:
    """After the last piece there is no next piece."""
    game_rules = variant("nes-no-rotation-drop", "nintendo", 10, 20, "script")
    for plies in (1, 2):
        check(device, Request(game_rules, player(small(), plies), games=2, seed=1, max_pieces=40 // plies))


def test_games_without_room_wait(device: HostDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the boards of all games do not fit at once, some games place their piece in a later step."""
    monkeypatch.setattr("blockfall.compute.cuda.network_seating._room", lambda *_: (30, 4))
    request = Request(rules("nes-no-rotation-drop"), player(small(), 2), games=4, seed=4, max_pieces=5)
    check(device, request)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"plies": 3}, "net looks 3 plies ahead; backend cuda plays board networks of 1 or 2 plies"),
        ({"guard": Guard(4, 6)}, "net has a guard; backend cuda plays board networks without one"),
    ],
)
def test_requests_that_it_cannot_play_are_refused(changed: dict[str, object], said: str, device: HostDevice) -> None:
    plays: Agent = replace(player(small()), **changed)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=said):
        CudaBackend(device).play(Request(rules("nes-no-rotation-drop"), plays, games=1, seed=1))


@pytest.mark.long
def test_zeros_are_valued(device: HostDevice) -> None:
    """A network without a preference plays the first placement that does not lose."""
    zeros = BoardNetwork.zeros(columns=10, rows=20, channels=8, kernel=3, blocks=1, hidden=16, outputs=1)
    assert not np.frombuffer(zeros.weights, np.uint8).any()
    check(device, Request(rules("standard"), Agent("zeros", zeros, 1), games=1, seed=1, max_pieces=8))
