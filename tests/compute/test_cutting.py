"""Requests in parts: however they are cut, the games are the same and each is played once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall import agent, rules
from blockfall.compute import LocalBackend, Population, Request
from blockfall.compute.cutting import Cutter, GameBlock, Joined, TaskPace, narrowed
from blockfall.compute.evaluation import ARRAYS

REQUEST = Request(rules("nes-no-rotation"), agent("birken-6"), games=7, seed=5, first_game=3, max_pieces=40)
POPULATION = replace(REQUEST, population=Population(np.linspace(-1, 1, 30).reshape(5, 6)))
WHOLE = {request: LocalBackend(threads=1).play(request) for request in (REQUEST, POPULATION)}


def cut(request: Request, sizes: list[int]) -> list[GameBlock]:
    """Cut the request into parts of these sizes in turn."""
    cutter, parts = Cutter(request), list[GameBlock]()
    while cutter.left:
        before = cutter.left
        parts.append(cutter.cut(sizes[len(parts) % len(sizes)]))
        assert before - cutter.left == parts[-1].size
    return parts


@pytest.mark.parametrize("request_", [REQUEST, POPULATION], ids=["agent", "population"])
@given(sizes=st.lists(st.integers(1, 40), min_size=1), shuffled=st.randoms())
@settings(max_examples=30, deadline=None)
def test_parts_in_any_size_and_order_are_the_whole(request_: Request, sizes: list[int], shuffled: object) -> None:
    parts = cut(request_, sizes)
    cells = [(candidate, game) for part in parts for candidate in part.candidates for game in part.games]
    candidates = request_.population.candidates if request_.population else 1
    assert sorted(cells) == [(candidate, game) for candidate in range(candidates) for game in range(request_.games)]
    shuffled.shuffle(parts)  # type: ignore[attr-defined]
    joined = Joined(request_)
    for part in parts:
        joined.put(part, narrowed(LocalBackend(threads=1).play(part.request())))
    found = joined.evaluation(seconds=1.0)
    assert found == WHOLE[request_]
    for name in ("lines", "clears", "termination"):
        assert getattr(found, name).dtype == getattr(WHOLE[request_], name).dtype
        assert getattr(found, name).shape == getattr(WHOLE[request_], name).shape


@pytest.mark.parametrize(("sizes", "most"), [([1], 1), ([7], 7), ([20], 20), ([3, 50], 50)])
def test_a_part_has_no_more_games_than_asked_for(sizes: list[int], most: int) -> None:
    assert max(part.size for part in cut(POPULATION, sizes)) <= most


def test_a_part_that_is_missing_or_comes_twice_is_an_error() -> None:
    first, second = cut(REQUEST, [4])
    joined = Joined(REQUEST)
    joined.put(first, LocalBackend(1).play(first.request()))
    with pytest.raises(ValueError, match="3 games are missing"):
        joined.evaluation(1.0)
    with pytest.raises(ValueError, match="twice"):
        joined.put(first, LocalBackend(1).play(first.request()))
    joined.put(second, LocalBackend(1).play(second.request()))
    assert joined.evaluation(1.0) == WHOLE[REQUEST]


def test_results_are_sent_in_few_bytes() -> None:
    played = WHOLE[REQUEST]
    large = replace(played, score=played.score - 1000, placements=played.placements + 2**40)
    small = narrowed(large)
    assert small == large
    assert small.lines.dtype == np.uint8
    assert small.score.min() < 0
    assert sum(getattr(narrowed(played), name).nbytes for name in ARRAYS) < 0.3 * sum(
        getattr(played, name).nbytes for name in ARRAYS
    )


@pytest.mark.parametrize("game_s", [0.0003, 0.05, 3.0])
def test_parts_soon_last_as_long_as_asked(game_s: float) -> None:
    """Games of 0.3 ms, 50 ms or 3 s on 8 places: after a few parts, each part lasts 1 to 10 s."""
    pace, left, lasted = TaskPace(1.0, 10.0), round(2000 / game_s), list[float]()
    while left:
        size = min(pace.games(left, places=8), left)
        pace.add(size, size * game_s)
        left -= size
        lasted.append(size * game_s)
    settled = lasted[6:-1]
    assert all(0.99 <= seconds <= max(10.01, game_s) for seconds in settled), settled
    assert max(lasted) > 2
    assert lasted[-2] < 4  # at the end parts are short, so that all places end together


def test_the_size_of_parts_follows_games_that_grow_longer() -> None:
    pace = TaskPace(1.0, 10.0)
    for _ in range(5):
        pace.add(pace.games(10**9, 2), 0.001 * pace.games(10**9, 2))
    before = pace.games(10**9, 2)
    for _ in range(20):
        size = pace.games(10**9, 2)
        pace.add(size, 0.1 * size)
    assert before > 1000
    assert 90 <= pace.games(10**9, 2) <= 110
