"""Estimates of the length of games, compared with whole games on low boards, where both can be had."""

import json
import math
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
import pytest

import blockfall
from blockfall import Agent, Evaluation, GameSettings, LocalBackend, Request, Rules, Termination, WeightedFeatures
from blockfall.compute import InterruptedPlay, Population, Summary, summarise
from blockfall.compute.cutting import Cutter, Joined, narrowed
from blockfall.errors import SettingError
from blockfall.rulesets import register_rules
from tests.program import Call
from tests.registries import restored

BUILDER = Agent("builder", WeightedFeatures({"landing-height": 1.0, "holes": 1.0}), pieces_known=1)
"""An agent that tries to lose: its games end after some ten pieces."""
SLOPPY = Agent("sloppy", WeightedFeatures({"holes": -1.0}), pieces_known=2)
COUNTER = Agent("counter", WeightedFeatures({"holes": -1.0, "total-lines": 1.0}), pieces_known=1)


def low(rows: int, generator: str = "uniform", pieces: str = "IOTSZJL") -> Rules:
    drawn = {"name": generator} | ({"only": pieces} if len(pieces) == 1 else {})
    with restored():
        return register_rules(
            "low", {"extends": "standard", "title": "Low", "board": {"rows": rows}, "generator": drawn}
        )


def estimates(rules: Rules | str, agent: str | Agent, games: int, tries: int, **more: object) -> Evaluation:
    return blockfall.evaluate(rules, agent, games, seed=1, tries=tries, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "generator", "agent"),
    [
        (8, "uniform", "bcts"),
        (8, "nes", "dt-10"),
        (6, "7-bag", "dellacherie"),
        (7, "tgm1", "dellacherie"),
        (7, "tgm3-real", "bcts"),
        (6, "uniform", SLOPPY),
        (20, "uniform", BUILDER),
    ],
)
def test_the_mean_of_estimates_is_that_of_whole_games(rows: int, generator: str, agent: str | Agent) -> None:
    rules, player = low(rows, generator), blockfall.agent(agent)
    whole = blockfall.evaluate(rules, player, games=3000, seed=2).summary()
    estimated = estimates(rules, player, games=40, tries=3000)
    assert (estimated.termination == Termination.ESTIMATED).all()
    found = estimated.summary()
    assert max(found.sem, whole.sem) < 0.05 * whole.mean + 0.1  # close enough to fail
    assert abs(found.mean - whole.mean) < 4 * math.hypot(found.sem, whole.sem) + 1  # lines are whole numbers


def test_an_estimate_is_the_same_on_every_machine() -> None:
    rules = low(12)
    found = estimates(rules, "dt-20", games=6, tries=200, backend=LocalBackend(1, simd="scalar"))
    for threads, simd in ((2, None), (3, "scalar")):
        assert estimates(rules, "dt-20", 6, 200, backend=LocalBackend(threads, simd)) == found
    later = estimates(rules, "dt-20", 3, 200, first_game=3)
    assert later.lines.tolist() == found.lines[3:].tolist()
    assert len(set(found.lines.tolist())) == len(found.lines)


def test_candidates_of_a_population_are_estimated_like_agents() -> None:
    rules, agents = low(10), [blockfall.agent(name) for name in ("dt-10", "dt-20")]
    rows = [list(agent.value.parameters) for agent in agents]
    found = blockfall.evaluate_population(rules, agents[0], rows, 3, seed=1, tries=100, purpose=blockfall.Purpose.TEST)
    for row, agent in zip(found.lines, agents, strict=True):
        assert row.tolist() == estimates(rules, agent, 3, 100).lines.tolist()


def test_a_board_network_is_estimated_too() -> None:
    found = estimates("sz", "sz", games=4, tries=50)
    assert 100 < found.lines.mean() < 2000  # 426 in whole games


def test_an_estimate_without_a_loss_is_a_lower_bound() -> None:
    found = estimates("standard", "dt-20", games=20, tries=1)
    assert found.capped > 0
    assert set(found.termination.tolist()) <= {Termination.PIECE_LIMIT, Termination.ESTIMATED}


FEW_TRIES = Request(blockfall.rules("standard-10x10"), blockfall.agent("dt-10"), games=20, seed=1, tries=20)
"""Few enough tries that only some of the estimates reach a loss."""


def by_hand(lines: list[int], ends: list[Termination], tries: int | None = 20) -> Evaluation:
    counts, clears = np.array(lines), np.zeros((len(lines), 4), np.int64)
    return Evaluation(counts, counts * 5 // 2, counts, counts, clears, np.array(ends, np.uint8), 0.0, tries=tries)


def timeless(summary: Summary) -> Summary:
    return replace(summary, seconds=0.0)


def test_estimates_without_a_loss_count_in_the_harmonic_mean() -> None:
    limit, found = Termination.PIECE_LIMIT, Termination.ESTIMATED
    whole = by_hand([100, 400, 400], [found, limit, limit]).summary()
    assert whole.mean == 200
    assert by_hand([100], [found]).summary() + by_hand([400, 400], [limit, limit]).summary() == whole
    assert by_hand([100, 300], [limit, limit]).summary().mean == 150
    assert by_hand([100, 300], [limit, limit], tries=None).summary().mean == 200  # whole games, not estimates


def test_an_evaluation_of_estimates_says_so() -> None:
    with pytest.raises(ValueError, match="say with how many tries"):
        by_hand([100, 300], [Termination.PIECE_LIMIT, Termination.ESTIMATED], tries=None)
    limit = [Termination.PIECE_LIMIT]
    assert by_hand([7], limit) != by_hand([7], limit, tries=None)


@pytest.mark.parametrize("games", [1, 3])
def test_summaries_of_parts_add_up(games: int) -> None:
    played = LocalBackend().play(FEW_TRIES)
    parts = [LocalBackend().play(part) for part in FEW_TRIES.slices(games)]
    assert any(part.capped == part.lines.size for part in parts)
    assert 0 < played.capped < 20
    assert timeless(reduce(add, (part.summary() for part in parts))) == timeless(played.summary())
    assert timeless(summarise(FEW_TRIES, slice_games=games)) == timeless(played.summary())


def test_candidates_and_parts_of_estimates_are_estimates() -> None:
    rows = [list(blockfall.agent(name).value.parameters) for name in ("dt-20", "dt-10")]
    request = replace(FEW_TRIES, games=3, first_game=1, population=Population(rows))
    whole = LocalBackend().play(request)
    candidates = [whole.of_candidates(i, i + 1) for i in range(2)]
    assert {one.capped == one.lines.size for one in candidates} == {True, False}
    assert timeless(reduce(add, (one.summary() for one in candidates))) == timeless(whole.summary())

    cutter, joined = Cutter(request), Joined(request)
    while cutter.left:
        part = cutter.cut(2)
        joined.put(part, narrowed(LocalBackend().play(part.request())))
    assert joined.evaluation(0.0) == whole
    assert timeless(joined.evaluation(0.0).summary()) == timeless(whole.summary())


def test_estimates_that_ended_before_an_interrupt_are_estimates() -> None:
    ends = [Termination.PIECE_LIMIT, Termination.INTERRUPTED, Termination.PIECE_LIMIT, Termination.RUNNING]
    ended = by_hand([100, 0, 300, 0], ends).summary_of_ended()
    assert ended == by_hand([100, 300], [Termination.PIECE_LIMIT] * 2).summary()


def test_games_without_end_are_given_up() -> None:
    found = estimates(low(20, pieces="O"), "dellacherie", games=2, tries=10)
    assert found.capped == 2
    assert (found.pieces > 500_000).all()


def test_an_interrupt_ends_it() -> None:
    def stop(_done: int, _pieces: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(InterruptedPlay):
        estimates("standard", "dt-20", games=1000, tries=20_000, progress=stop)


@pytest.mark.parametrize(
    ("rules", "agent", "more", "message"),
    [
        ("nes", "birken-6", {}, "birken-6 on nes cannot be estimated; pieces must drop straight"),
        ("standard", COUNTER, {}, "the lines so far must not matter"),
        ("standard", "dt-20", {"max_pieces": 10}, "both tries and a piece limit"),
        ("standard", "dt-20", {"tries": 0}, "0 tries; use 1 to 20,000"),
        ("standard", "dt-20", {"tries": 20_001}, "20,001 tries; use 1 to 20,000"),
        ("guideline", "birken-6", {}, "attack lines cannot be estimated"),
        (low(8, "snake"), "dt-20", {}, "be drawn at random"),
    ],
)
def test_requests_that_cannot_be_estimated_are_refused(
    rules: Rules | str, agent: str | Agent, more: dict[str, int], message: str
) -> None:
    tries, max_pieces = more.get("tries", 10), more.get("max_pieces")
    with pytest.raises(SettingError, match=message):
        Request(blockfall.rules(rules), blockfall.agent(agent), games=2, seed=1, tries=tries, max_pieces=max_pieces)


def test_a_training_by_estimates(tmp_path: Path) -> None:
    few = GameSettings(training=1, validation=2, test=3, tries=20, fresh=True, max_test_pieces=200)
    result = blockfall.train(
        rules="standard",
        features=["landing-height", "eroded-cells", "row-transitions", "column-transitions", "holes", "well-sums"],
        optimiser=blockfall.CmaEs(iterations=8, population=12),
        pieces_known=1,
        games=few,
        out=tmp_path / "run",
        store=blockfall.Store(tmp_path / "store.sqlite3"),
    )
    assert result.restarts[0].training_fitness > 100  # which no game of 200 pieces has
    assert result.test.lines.max <= 80
    with pytest.raises(SettingError, match="leave out max_pieces and the score"):
        blockfall.Configuration(fitness="score", games=few)
    with pytest.raises(SettingError, match=r"set games\.max_test_pieces to end test games"):
        blockfall.Configuration(games=GameSettings(tries=20))


def test_the_command_line_names_estimates(call: Call) -> None:
    words = ["evaluate", "--rules", "standard-10x10", "--agent", "dt-10", "--games", "3", "--tries", "50"]
    code, out, _ = call(*words)
    assert code == 0
    assert "dt-10 on standard-10x10, 3 estimates of 50 tries" in out
    assert "points" not in out
    code, out, _ = call(*words, "--json")
    figures = json.loads(out)
    assert (figures["tries"], figures["games"], figures["terminations"]) == (50, 3, {"estimated": 3})
    assert "score_mean" not in figures
