"""Rules, agents, boards and requests are values: they hash, compare and move to other processes."""

import copy
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blockfall
from blockfall import Agent, BlockfallError, Board, FeatureNetwork, HopelessBoard, Table, WeightedFeatures, agent, rules
from blockfall.agents import Guard, LookAhead
from blockfall.compute import Evaluation, LocalBackend, Population, Purpose, Request

NETWORK = FeatureNetwork.zeros(("holes", "bumpiness"), (3,))
REQUEST = Request(rules("nes-no-rotation"), agent("birken-6"), games=12, seed=3, max_pieces=80)
BOARD = """
#..#######
##.#######
"""

THINGS: dict[str, Callable[[], object]] = {
    "rules": lambda: rules("nes"),
    "rules at a level": lambda: rules("nes").starting_at(9),
    "rules with a script": lambda: rules("ist"),
    "weighted features": lambda: agent("bcts"),
    "guard and look-ahead": lambda: replace(
        agent("aveiro"), guard=Guard(12, 20), look_ahead=LookAhead(5, -10.0), pieces_known=2
    ),
    "network": lambda: Agent("network", NETWORK),
    "table": lambda: Agent("table", Table.zeros()),
    "board": lambda: Board.from_text(BOARD, 10, 20),
    "Hopeless board": lambda: HopelessBoard.random(6, 5, 4, seed=1),
    "request": lambda: REQUEST,
    "population": lambda: replace(
        REQUEST, agent=Agent("network", NETWORK), population=Population(np.ones((2, 13))), purpose=Purpose.TRAINING
    ),
    "backend": lambda: LocalBackend(threads=2, simd="scalar"),
}


def same(thing: object) -> object:
    return thing


def played(request: Request) -> Evaluation:
    return LocalBackend(threads=1).play(request)


def ask_for_the_impossible(name: str) -> object:
    return rules(name)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    """Start a new process that shares nothing with this one."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("name", THINGS)
def test_a_value_returns_from_another_process_unchanged(name: str, pool: ProcessPoolExecutor) -> None:
    thing = THINGS[name]()
    hash(thing)
    if isinstance(thing, Agent | blockfall.Rules):
        assert thing.core  # what is computed from the fields is not pickled
    back = pool.submit(same, thing).result(timeout=60)
    assert back is not thing
    assert back == thing
    assert hash(back) == hash(thing)
    assert len({back, thing}) == 1


@pytest.mark.parametrize("name", THINGS)
def test_copies_are_equal(name: str) -> None:
    thing = THINGS[name]()
    for other in (copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):
        assert other == thing
        assert hash(other) == hash(thing)


@pytest.mark.parametrize("name", ["request", "population"])
def test_another_process_plays_the_same_games(name: str, pool: ProcessPoolExecutor) -> None:
    request = THINGS[name]()
    assert isinstance(request, Request)
    there = pool.submit(played, request).result(timeout=60)
    assert there == LocalBackend().play(request)
    assert there.lines.shape == request.shape


def test_an_error_of_another_process_reads_the_same(pool: ProcessPoolExecutor) -> None:
    with pytest.raises(BlockfallError) as here:
        ask_for_the_impossible("nope")
    with pytest.raises(BlockfallError) as there:
        pool.submit(ask_for_the_impossible, "nope").result(timeout=60)
    assert type(there.value) is type(here.value)
    assert str(there.value) == str(here.value)


def test_different_values_are_not_equal() -> None:
    one = agent("lee")
    others = (
        agent("bcts"),
        one.knowing(2),
        replace(one, name="other"),
        replace(one, source="other"),
        one.looking_ahead(3),
        replace(one, guard=Guard(1, 1)),
        replace(one, value=WeightedFeatures({name: weight + 1 for name, weight in one.weights.items()})),
    )
    assert len({one, *others}) == 8
    assert len({rules("nes"), rules("nes-no-rotation"), rules("nes").starting_at(3)}) == 3
    assert rules("nes").starting_at(0) == rules("nes")
    changes: tuple[dict[str, Any], ...] = ({"games": 13}, {"seed": 4}, {"first_game": 1}, {"max_pieces": 81})
    assert len({REQUEST, *(replace(REQUEST, **change) for change in changes)}) == 5
    assert replace(REQUEST, purpose=Purpose.TRAINING) != REQUEST


def test_the_order_of_features_is_part_of_an_agent() -> None:
    """Binary32 sums depend on their order, so equal agents must have the same order."""
    one = WeightedFeatures({"holes": -1.0, "bumpiness": -2.0})
    assert one != WeightedFeatures({"bumpiness": -2.0, "holes": -1.0})


def test_rules_of_equal_files_are_equal(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "mine.toml" for folder in ("one", "other", "third")]
    for path, rows in zip(paths, (12, 12, 13), strict=True):
        path.parent.mkdir()
        path.write_text(f'extends = "standard"\n[board]\nrows = {rows}\n')
    one, other, third = map(rules, paths)
    assert one == other
    assert hash(one) == hash(other)
    assert one != third


def test_boards_cannot_be_written_to() -> None:
    words = np.array([1, 2, 3, 4], dtype=np.uint32)
    board = Board(words, 6)
    words[0] = 7
    assert board.columns.tolist() == [1, 2, 3, 4]
    arrays = [
        board.columns,
        pickle.loads(pickle.dumps(board)).columns,
        copy.deepcopy(board).columns,
        blockfall.Game("nes").board.columns,
        HopelessBoard.random(3, 3, 2, seed=1).cells,
        copy.deepcopy(HopelessBoard.random(3, 3, 2, seed=1)).cells,
    ]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert words[0] == 7  # the caller's own array stays writable
