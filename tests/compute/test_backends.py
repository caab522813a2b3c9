"""Requests and backends: every backend plays the same games and counts all of them."""

import json
import math
import os
import statistics
from typing import Any

import numpy as np
import pytest

from blockfall import BlockfallError, agent, rules
from blockfall.compute import (
    BACKENDS,
    Evaluation,
    LocalBackend,
    PlayProgress,
    Population,
    Purpose,
    Request,
    backend,
    evaluate,
    evaluate_population,
    summarise,
)
from blockfall.experiments.comparing import compare
from tests.program import refusal, run_program

REQUEST = Request(rules("nes-no-rotation"), agent("birken-6"), games=23, seed=5)


class Counting:
    """A backend that plays on one thread and reports progress after every game."""

    threads = 1

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
        self.requests.append(request)
        played = LocalBackend(threads=1).play(request)
        if progress:
            for done, pieces in enumerate(np.cumsum(played.pieces).tolist(), 1):
                progress(done, pieces)
        return played


def test_a_backend_plays_what_evaluate_asks_for() -> None:
    own = Counting()
    played = evaluate("nes-no-rotation", "birken-6", 4, 5, first_game=2, max_pieces=30, backend=own)
    [request] = own.requests
    assert request == Request(
        rules("nes-no-rotation"), agent("birken-6"), 4, 5, Purpose.TEST, first_game=2, max_pieces=30
    )
    assert played == LocalBackend().play(request)


def test_threads_and_instruction_sets_change_no_game() -> None:
    whole = LocalBackend(threads=1, simd="scalar").play(REQUEST)
    assert LocalBackend(threads=3).play(REQUEST) == whole
    assert evaluate(REQUEST.rules, REQUEST.agent, REQUEST.games, seed=6) != whole


def test_progress_continues_from_slice_to_slice() -> None:
    """23 games in slices of 5: the counts grow game by game and end at the totals."""
    whole = LocalBackend().play(REQUEST)
    told: list[tuple[int, int]] = []
    own = Counting()
    found = summarise(REQUEST, own, lambda done, pieces: told.append((done, pieces)), slice_games=5)
    assert [request.games for request in own.requests] == [5, 5, 5, 5, 3]
    assert told == list(enumerate(np.cumsum(whole.pieces).tolist(), 1))
    assert (found.games, found.pieces) == told[-1]


def test_a_summary_has_the_textbook_figures() -> None:
    played = LocalBackend().play(REQUEST)
    lines = played.lines.tolist()
    for found in (played.summary(), summarise(REQUEST, slice_games=7)):
        assert (found.games, found.lines, found.min, found.max) == (23, sum(lines), min(lines), max(lines))
        assert found.mean == pytest.approx(statistics.mean(lines))
        assert found.std == pytest.approx(statistics.stdev(lines))
        assert found.sem == pytest.approx(statistics.stdev(lines) / math.sqrt(23))
        assert found.score_mean == pytest.approx(statistics.mean(played.score.tolist()))
        assert sum(n * count for n, count in enumerate(found.clears, 1)) == sum(lines)
        assert sum(count for _, count in found.terminations) == 23
        assert found.capped == 0


def test_a_summary_counts_the_games_that_were_cut() -> None:
    found = evaluate("nes-no-rotation", "birken-6", 10, seed=1, max_pieces=5)
    assert (found.capped, found.summary().capped) == (10, 10)


def test_an_evaluation_is_printed_in_a_line() -> None:
    played = evaluate("nes-no-rotation", "birken-6", 2000, seed=2, max_pieces=20)
    assert len(repr(played)) < 200
    assert f"{played.lines.mean():,.2f}" in repr(played)
    assert "2,000 games" in repr(played)
    assert "2 x 3 games" in repr(evaluate_population("nes-no-rotation", "birken-6", [[-1.0] * 6] * 2, 3, seed=1))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("gpu", f"unknown backend 'gpu'; known: {', '.join(BACKENDS)}"),
        ("", "unknown backend ''; known: local"),
        ("local:many", "backend 'local:many'; write local, or local:THREADS such as local:2"),
        ("local:-1", "write local, or local:THREADS"),
        ("local:0", "0 threads; use 1 to 1024"),
        ("local:1025", "1025 threads; use 1 to 1024"),
    ],
)
def test_a_wrong_backend_is_refused_with_the_reason(text: str, part: str) -> None:
    with pytest.raises(BlockfallError) as raised:
        backend(text)
    assert part in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_backend_is_found_by_its_name() -> None:
    assert backend("local:2") == LocalBackend(threads=2)
    assert backend("local") == backend(None) == LocalBackend()
    own = Counting()
    assert backend(own) is own


def test_an_unknown_instruction_set_is_an_error() -> None:
    with pytest.raises(BlockfallError, match="simd is 'mmx'; it must be one of scalar, avx2, avx512"):
        LocalBackend(simd="mmx")


def test_all_cores_where_the_system_has_no_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS and Windows offer only the number of cores; Python 3.13 has a count of its own."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(os, "process_cpu_count", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert LocalBackend().threads == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert LocalBackend().threads == 1
    monkeypatch.setattr(os, "process_cpu_count", lambda: 3, raising=False)
    assert LocalBackend().threads == 3


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"games": 0}, "0 games; play at least 1"),
        ({"first_game": -1}, "first game -1"),
        ({"max_pieces": 0}, "a limit of 0 pieces"),
        ({"seed": -1}, "seed -1"),
        ({"seed": 2**64}, "a seed is a whole number"),
    ],
)
def test_a_wrong_request_is_refused_with_the_reason(change: dict[str, Any], part: str) -> None:
    with pytest.raises(BlockfallError, match=part):
        evaluate("nes-no-rotation", "birken-6", **{"games": 2, "seed": 1} | change)


def test_a_population_is_a_row_per_candidate() -> None:
    rows = np.array([[-1.0, -2.0], [-3.0, 0.5]])
    found = Population(rows)
    rows[0, 0] = 9.0
    assert found.parameters.tolist() == [[-1.0, -2.0], [-3.0, 0.5]]
    with pytest.raises(ValueError, match="read-only"):
        found.parameters[0, 0] = 1.0
    wrongs: tuple[list[Any], ...] = ([], [[]], [1.0], [[float("nan")]], [[1e39]])
    for wrong in wrongs:
        with pytest.raises(BlockfallError, match="a population"):
            Population(wrong)


def test_two_agents_are_compared_on_the_same_games() -> None:
    told: list[int] = []
    found = compare(
        rules="nes-no-rotation",
        agents=("birken-6", "lee"),
        games=30,
        seed=4,
        backend=Counting(),
        progress=lambda done, _pieces: told.append(done),
    )
    first, second = (evaluate("nes-no-rotation", name, 30, seed=4) for name in ("birken-6", "lee"))
    assert found.names == ("birken-6", "lee")
    assert found.played == (first, second)
    assert found.lines.difference == pytest.approx(statistics.mean((first.lines - second.lines).tolist()))
    assert told == list(range(1, 61))
    with pytest.raises(BlockfallError, match="at least 2"):
        compare("nes-no-rotation", ("birken-6", "lee"), games=1)


@pytest.mark.parametrize("command", [("evaluate",), ("compare", "birken-6", "lee")])
def test_the_command_line_takes_a_backend(command: tuple[str, ...]) -> None:
    given = (*command, "--games", "6", "--max-pieces", "40", "--json")
    found = [run_program(*given, *option) for option in ((), ("--backend", "local:2"), ("--threads", "1"))]
    assert [one.returncode for one in found] == [0, 0, 0], found[1].stderr
    plain, *others = [json.loads(one.stdout) for one in found]
    for other in others:
        if isinstance(plain, list):
            assert other == plain
        else:
            assert [other[key] for key in ("mean", "pieces", "placements")] == [
                plain[key] for key in ("mean", "pieces", "placements")
            ]


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate",),
        ("compare", "birken-6", "lee"),
        ("train", "--out", "never"),
        ("resume", "never"),
        ("study", "ist2015", "--out", "never"),
        ("solve", "--game", "ist-tetris", "--pieces", "o"),
    ],
)
def test_backend_and_threads_exclude_each_other(command: tuple[str, ...]) -> None:
    assert "both --backend local:2 and --threads 1; give one of them" in refusal(
        *command, "--backend", "local:2", "--threads", "1"
    )
    said = run_program(*command, "--backend", "moon").stderr.strip()
    assert said.endswith(f"unknown backend 'moon'; known: {', '.join(BACKENDS)}")
