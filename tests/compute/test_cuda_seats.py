"""Seats of a learner on a GPU: the program, run by the CPU, returns what the core's seats return."""

import numpy as np
import pytest

from blockfall import _core
from blockfall.rulesets import rules
from tests.compute.host_device import HostDevice
from tests.compute.host_seats import Array, HostSeats

SEATS = 12
STEPS = 60


def careless_choices(random: np.random.Generator, found: dict[str, Array], known: Array) -> Array:
    """Choose a successor of the piece in hand for each seat: the lowest board for most, a random one for the others."""
    choices = np.full(SEATS, -1, np.int64)
    top_row = np.where(found["rows"] > 0, np.arange(1, found["rows"].shape[1] + 1), 0).max(axis=1)
    for seat in range(SEATS):
        mine = np.flatnonzero((found["seat"] == seat) & (found["piece"] == known[seat, 0]))
        if len(mine):
            choices[seat] = random.choice(mine) if seat % 3 == 0 else mine[np.argmin(top_row[mine])]
    return choices


@pytest.mark.parametrize("pieces_known", [1, 2])
@pytest.mark.parametrize("name", ["standard-10x10", "nes-no-rotation-timed"])
def test_seats_are_the_cores(name: str, pieces_known: int, device: HostDevice) -> None:
    game_rules = rules(name)
    core = _core.Seats(game_rules.core, seats=SEATS, seed=3, first_number=40, pieces_known=pieces_known)
    seats = HostSeats(device, game_rules, SEATS, seed=3, first_number=40, pieces_known=pieces_known)
    random = np.random.default_rng(1)
    games_over = lines = 0
    for _ in range(STEPS):
        for what, there in seats.read().items():
            assert np.array_equal(there, getattr(core, what)), what
        expected, found = core.successors(), seats.successors()
        assert found.keys() == expected.keys()
        for what, there in found.items():
            assert np.array_equal(there, expected[what]), what
        choices = careless_choices(random, found, core.known)
        expected, done = core.play(choices), seats.play(choices)
        for what, there in done.items():
            assert np.array_equal(there, expected[what]), what
        games_over, lines = games_over + int(done["over"].sum()), lines + int(expected["lines"].sum())
    assert games_over >= SEATS  # next games were begun
    assert lines > 0


def test_the_core_continues_from_the_seats_of_a_gpu(device: HostDevice) -> None:
    game_rules = rules("standard-10x10")
    seats = HostSeats(device, game_rules, SEATS, seed=3, first_number=40, pieces_known=1)
    core = _core.Seats(game_rules.core, seats=SEATS, seed=3, first_number=0, pieces_known=1)
    core.set_state(seats.state())
    for what, there in seats.read().items():
        assert np.array_equal(there, getattr(core, what)), what
