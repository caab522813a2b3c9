"""The CUDA backend without a GPU: its programs, run by the CPU, play the core's games."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from blockfall import Agent, FeatureNetwork, Guard, LookAhead, Purpose, SettingError, Table, WeightedFeatures, feature
from blockfall.agents import agent
from blockfall.compute import InterruptedPlay, LocalBackend, Population, Request, summarise
from blockfall.compute.cuda import CudaBackend
from blockfall.compute.cuda.seating import OUTCOME_BYTES, Seating
from blockfall.errors import UnknownNameError
from blockfall.features import built_in_features, feature_list, find_feature
from blockfall.rulesets import rules, rules_names
from tests.compute.host_device import HostDevice
from tests.strategies import GENERATORS, variant


def check(device: HostDevice, request: Request, **settings: Any) -> None:
    """Play the request on both backends. Some games must get far, so that play is compared and not only its end."""
    expected = LocalBackend(threads=1, simd="scalar").play(request)
    assert expected.pieces.max() >= 5
    assert CudaBackend(device, **settings).play(request) == expected


@pytest.mark.parametrize("name", [name for name in rules_names() if not rules(name).file.attack])
def test_every_rule_set(name: str, device: HostDevice) -> None:
    check(device, Request(rules(name), agent("dellacherie"), games=6, seed=5, max_pieces=300))


@pytest.mark.parametrize("name", [name for name in rules_names() if rules(name).file.attack])
def test_rules_with_attack_are_refused(name: str, device: HostDevice) -> None:
    """A GPU does not count attack lines and must not omit them silently from the result."""
    request = Request(rules(name), agent("dellacherie"), games=6, seed=5)
    with pytest.raises(SettingError, match=f"a GPU does not count the attack lines of {name}; choose --backend local"):
        CudaBackend(device).play(request)
    assert not CudaBackend(device).can_play(request)


@pytest.mark.parametrize("generator", GENERATORS)
def test_every_generator(generator: str, device: HostDevice) -> None:
    game_rules = variant("nes-no-rotation-drop", "nintendo", 10, 20, generator)
    check(device, Request(game_rules, agent("dellacherie"), games=6, seed=2**63, first_game=7))


def soster(pieces_known: int = 2) -> Agent:
    """Return soster2024's seventeen metrics with weights that play sensibly."""
    birken = agent("birken-6").weights
    weights = {name: birken.get(name, -1.0) for name in feature_list("soster-3")}
    return Agent("soster-3", WeightedFeatures(weights), pieces_known)


@pytest.mark.parametrize(
    "name", ["nes-no-rotation", "nes-no-rotation-drop", "nes", pytest.param("standard-10x10", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("threads", [1, 8])
def test_two_pieces_known(name: str, threads: int, device: HostDevice) -> None:
    check(device, Request(rules(name), soster(), games=4, seed=1, max_pieces=40), threads_per_game=threads)


@pytest.mark.parametrize("name", ["nes-no-rotation", "standard-10x10"])
def test_look_ahead(name: str, device: HostDevice) -> None:
    ahead = replace(agent("dellacherie"), look_ahead=LookAhead(best=5, loss=-1000.0))
    check(device, Request(rules(name), ahead, games=2, seed=1, max_pieces=30))


def test_guard(device: HostDevice) -> None:
    guarded = replace(agent("aveiro"), guard=Guard(max_height=4, bumpiness=6))
    check(device, Request(rules("aveiro"), guarded, games=4, seed=1, max_pieces=200))


def test_network(device: HostDevice) -> None:
    zeros = FeatureNetwork.zeros(("holes", "bumpiness", "heights-sum", "lines-cleared"), (9, 3))
    numbers = np.random.default_rng(2).normal(-0.2, 1, len(zeros.parameters))
    check(device, Request(rules("tetrisbot"), Agent("network", zeros.with_parameters(numbers.tolist())), 5, seed=1))


def test_table(device: HostDevice) -> None:
    numbers = np.random.default_rng(3).normal(0, 1, len(Table.zeros().parameters))
    check(device, Request(rules("tetrisbot"), Agent("table", Table(tuple(numbers.tolist()))), 5, seed=1))


def test_a_population_in_few_seats(device: HostDevice) -> None:
    """A free seat takes the next game, whichever candidate plays it."""
    numbers = np.random.default_rng(4).normal(-1, 2, (7, 6))
    request = Request(
        rules("nes-no-rotation-drop"), agent("dellacherie"), 5, 1, Purpose.TRAINING, population=Population(numbers)
    )
    check(device, request, seats=3)
    check(device, request)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("standard", 1),
        ("nes-no-rotation", 2),
        pytest.param("aveiro", 1, marks=pytest.mark.long),
        pytest.param("standard", 2, marks=pytest.mark.long),
    ],
)
def test_threads_share_a_game(name: str, known: int, device: HostDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """They share the placements of one piece, or the first placements of two. Among equal values the first wins."""
    monkeypatch.setattr("blockfall.compute.cuda.seating._TRY_SHARING_AFTER_SECONDS", 0.0)
    flat = Agent("flat", WeightedFeatures({"holes": -1, "max-height": -1}), known)  # values that are often equal
    before = set(device.programs)
    check(device, Request(rules(name), flat, games=2, seed=1, max_pieces=20 // known), seats=1)
    fresh = set(device.programs) - before
    assert any(f"-DBLOCKFALL_THREADS={32 if known == 1 else 8}" in options for options in fresh)


def test_many_games_of_two_pieces_begin_with_a_thread_each(device: HostDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfall.compute.cuda.seating._FEW_SEATS", 5)
    numbers = {"bumpiness": -1, "holes": -1, "landing-height": -1, "max-height": -1}
    request = Request(rules("nes-no-rotation"), Agent("of this test", WeightedFeatures(numbers), 2), 6, 1, max_pieces=6)
    before = set(device.programs)
    check(device, request)
    (program,) = set(device.programs) - before
    assert not any("THREADS" in option for option in program)


@pytest.mark.parametrize(("name", "known"), [("nes-no-rotation", 2), ("standard", 1)])
def test_one_program_plays_agents_of_some_features(name: str, known: int, device: HostDevice) -> None:
    """One program plays agents of any of these features, summed in any order."""
    random = np.random.default_rng(known)
    names = np.array(["lines-cleared", *feature_list("soster-3")])
    backend = CudaBackend(device).prepared_for(names.tolist())
    before = set(device.programs)
    for count in (1, 4, 7, len(names)):
        chosen = random.permutation(names)[:count].tolist()
        weights = dict(zip(chosen, random.normal(-1, 1, count).tolist(), strict=True))
        request = Request(rules(name), Agent("some", WeightedFeatures(weights), known), 4, count, max_pieces=24)
        expected = LocalBackend(threads=1, simd="scalar").play(request)
        assert expected.pieces.max() >= 5
        assert backend.play(request) == expected
        population = Population(random.normal(-1, 1, (3, count)))
        assert backend.play(replace(request, population=population)) == LocalBackend(threads=1).play(
            replace(request, population=population)
        )
    # Small terms added between 1e8 and -1e8 are lost, so another order of the sum plays another game.
    ordered = {"column-holes": 1e8, "total-lock-height": -1.3, "heights-sum": -1e8, "vertical-mass": -0.7}
    request = Request(rules(name), Agent("ordered", WeightedFeatures(ordered), known), 8, seed=1, max_pieces=40)
    backwards = replace(request.agent, value=WeightedFeatures(dict(reversed(ordered.items()))))
    expected = LocalBackend(threads=1).play(request)
    assert expected != LocalBackend(threads=1).play(replace(request, agent=backwards))
    assert backend.play(request) == expected
    assert len(set(device.programs) - before) == 1


def test_other_agents_have_programs_of_their_own(device: HostDevice) -> None:
    """An agent with another feature has its own program; if too many features are prepared, every agent has one."""
    request = Request(rules("standard"), Agent("b", WeightedFeatures({"wells": -1, "holes": -2})), 3, 1, max_pieces=20)
    expected, before = LocalBackend(threads=1).play(request), set(device.programs)
    many = [one.name for one in built_in_features()]
    for features in (["holes"], many, ["wells", "holes"]):
        assert CudaBackend(device).prepared_for(features).play(request) == expected
    policies = {option for program in set(device.programs) - before for option in program if "VALUE" in option}
    wells, holes = find_feature("wells").number, find_feature("holes").number
    own, shared = f"FixedFeatures<10, {wells}, {holes}>", f"SomeFeatures<10, {holes}, {wells}>"
    assert policies == {f"-DBLOCKFALL_VALUE={policy}" for policy in (own, shared)}


def test_a_users_own_features_are_not_prepared(device: HostDevice) -> None:
    @feature("cuda-test-prepared")
    def own(board: object) -> float:  # noqa: ARG001
        return 0.0

    assert CudaBackend(device).prepared_for(["wells", "cuda-test-prepared", "holes"]).prepared == ("holes", "wells")
    with pytest.raises(UnknownNameError, match="unknown feature 'wels'"):
        CudaBackend(device).prepared_for(["wels"])


def test_progress_counts_games_and_pieces(device: HostDevice) -> None:
    calls: list[tuple[int, int]] = []
    request = Request(rules("nes-no-rotation-drop"), agent("dellacherie"), games=30, seed=1)
    played = CudaBackend(device, seats=4).play(request, lambda games, pieces: calls.append((games, pieces)))
    assert calls == sorted(calls)
    assert calls[-1] == (30, int(played.pieces.sum()))


def test_an_interrupt_reports_the_finished_games(device: HostDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfall.compute.cuda.backend.GAMES_AT_ONCE", 10)  # the second part is interrupted
    request = Request(rules("nes-no-rotation-drop"), agent("dellacherie"), games=30, seed=1)
    told = 0

    def interrupt(games: int, _pieces: int) -> None:
        nonlocal told
        if games > 12:
            told = games
            raise KeyboardInterrupt

    with pytest.raises(InterruptedPlay) as raised:
        CudaBackend(device, seats=2).play(request, interrupt)
    assert raised.value.finished
    assert 12 < raised.value.finished.games == told < 30
    assert raised.value.finished.min >= LocalBackend(threads=1).play(request).lines.min()


def test_an_interrupt_before_a_game_has_ended(device: HostDevice) -> None:
    def interrupt(_games: int, _pieces: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(InterruptedPlay) as raised:
        CudaBackend(device).play(Request(rules("standard"), agent("dellacherie"), games=2, seed=1), interrupt)
    assert raised.value.finished is None


def test_a_users_own_feature_is_refused_by_name(device: HostDevice) -> None:
    @feature("cuda-test-own")
    def own(board: object) -> float:  # noqa: ARG001
        return 0.0

    mine = Agent("mine", WeightedFeatures({"holes": -1, "cuda-test-own": -1}))
    with pytest.raises(SettingError, match="mine has cuda-test-own, a feature of your own"):
        CudaBackend(device).play(Request(rules("standard"), mine, games=1, seed=1))


def test_three_pieces_are_refused(device: HostDevice) -> None:
    with pytest.raises(SettingError, match="lee knows 3 pieces; backend cuda plays agents that know 1 or 2"):
        CudaBackend(device).play(Request(rules("standard"), replace(agent("lee"), pieces_known=3), games=1, seed=1))


def test_a_gpu_cuts_a_long_request_by_its_memory(device: HostDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """`summarise` leaves the cutting to the backend: parts of as many games as fit into half of the memory."""
    request = Request(rules("nes-no-rotation-drop"), agent("dellacherie"), games=50, seed=1)
    expected = LocalBackend(threads=1).play(request).summary()
    begun: list[int] = []
    begin = Seating.begin

    def counting(seating: Seating, part: Request) -> None:
        begun.append(part.games)
        begin(seating, part)

    monkeypatch.setattr(Seating, "begin", counting)
    monkeypatch.setattr(device, "free_bytes", 2 * 20 * OUTCOME_BYTES)
    told: list[tuple[int, int]] = []
    found = summarise(request, CudaBackend(device), lambda games, pieces: told.append((games, pieces)))
    assert begun == [20, 20, 10]
    assert replace(found, seconds=0.0) == replace(expected, seconds=0.0)
    assert told == sorted(told)
    assert told[-1] == (50, expected.pieces)
    monkeypatch.setattr(device, "free_bytes", 2**30)
    begun.clear()
    summarise(replace(request, games=70_000, max_pieces=1), CudaBackend(device))
    assert begun == [70_000]  # more than the slices of backends that do not cut by themselves


def test_an_interrupted_summary_has_the_games_that_had_ended(
    device: HostDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blockfall.compute.cuda.seating._MOST_PIECES", 9)
    request = Request(rules("nes-no-rotation-drop"), agent("dellacherie"), games=30, seed=1)

    def interrupt(games: int, _pieces: int) -> None:
        if games > 12:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedPlay) as raised:
        summarise(request, CudaBackend(device, seats=2), interrupt)
    assert raised.value.finished
    assert 12 < raised.value.finished.games < 30


def test_several_threads_share_one_backend(device: HostDevice) -> None:
    request = Request(rules("nes-no-rotation-drop"), agent("dellacherie"), games=8, seed=1)
    backend = CudaBackend(device, seats=3)
    with ThreadPoolExecutor(4) as pool:
        played = list(pool.map(backend.play, [replace(request, seed=seed) for seed in range(8)]))
    for seed, one in enumerate(played):
        assert one == LocalBackend(threads=1).play(replace(request, seed=seed))


@pytest.mark.parametrize("threads", [0, 2, 64])
def test_other_numbers_of_threads_per_game_are_refused(threads: int, device: HostDevice) -> None:
    with pytest.raises(SettingError, match="threads for each game; it must be 1, 8 or 32"):
        CudaBackend(device, threads_per_game=threads)
    table = Agent("table", Table.zeros())
    with pytest.raises(SettingError, match="32 threads for a game of table; it is played by 1"):
        CudaBackend(device, threads_per_game=32).play(Request(rules("tetrisbot"), table, 1, seed=1))
