"""Learning a network: gradients, equal numbers in every instruction set, targets, and play that improves."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall import Agent, Game, Placement, _core, agent, evaluate, rules
from blockfall.agents import FeatureNetwork, Table
from blockfall.errors import FileError, SettingError
from blockfall.features import feature_list
from blockfall.games.streams import Purpose
from blockfall.learning import (
    Beginning,
    Lstd,
    NetworkLearner,
    NetworkLearning,
    NStepLearning,
    TableLearner,
    TableLearning,
    learning_from,
)
from blockfall.learning.checkpoint import Arrays
from blockfall.simd import simd_levels
from tests import ROOT
from tests.agents.test_feature_network import networks
from tests.learning.checkpoints import resumes
from tests.reference.learning import PlainLearner
from tests.reference.randomizer import words


def network_learning(keys: dict[str, Any]) -> NetworkLearning:
    found = learning_from(keys)
    assert isinstance(found, NetworkLearning)
    return found


def loss_in_doubles(network: FeatureNetwork, numbers: npt.NDArray[np.float64], x: object, y: object) -> float:
    """Return the mean squared error, computed in binary64."""
    values = np.asarray(x, dtype=np.float64)
    start = 0
    for width in (*network.hidden, 1):
        end = start + values.shape[1] * width
        values = values @ numbers[start:end].reshape(values.shape[1], width) + numbers[end : end + width]
        last, values = values, np.maximum(values, 0)
        start = end + width
    return float(np.mean((last[:, 0] - np.asarray(y)) ** 2))


@given(networks(), st.integers(1, 40), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_the_gradient_is_that_of_finite_differences(player: Agent, rows: int, seed: int) -> None:
    network = player.value
    assert isinstance(network, FeatureNetwork)
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (rows, len(player.feature_names))).astype(np.float32)
    y = rng.normal(0, 1, rows).astype(np.float32)
    numbers = np.array(network.parameters, dtype=np.float32).astype(np.float64)
    loss, gradient = _core.network_gradient(player.core, x, y)
    assert loss == pytest.approx(loss_in_doubles(network, numbers, x, y), rel=1e-4, abs=1e-6)
    scale = float(np.abs(gradient).max()) + 1e-6
    for place in rng.choice(len(numbers), size=min(30, len(numbers)), replace=False):
        sides = []
        for step in (1e-6, -1e-6):
            moved = numbers.copy()
            moved[place] += step
            sides.append(loss_in_doubles(network, moved, x, y))
        slope = (sides[0] - sides[1]) / 2e-6
        assert gradient[place] == pytest.approx(slope, rel=2e-3, abs=2e-4 * scale)


@given(networks(), st.integers(1, 40))
@settings(max_examples=10, deadline=None)
def test_every_instruction_set_finds_the_same_gradient(player: Agent, rows: int) -> None:
    rng = np.random.default_rng(rows)
    x = rng.normal(0, 3, (rows, len(player.feature_names))).astype(np.float32)
    y = rng.normal(0, 1, rows).astype(np.float32)
    found = [_core.network_gradient(player.core, x, y, simd=level) for level in simd_levels()]
    assert {gradient.tobytes() for _, gradient in found} == {found[0][1].tobytes()}


SMALL = {
    "warm_up": 300,
    "exploration": 0.1,
    "train_every": 5,
    "sample": 16,
    "batch": 8,
    "epochs": 2,
    "discount": 0.9,
    "learning_rate": 0.01,
    "queue": 1000,
    "max_pieces": 40,
}
VARIANTS: dict[str, dict[str, object]] = {
    "data2021": {"name": "data2021"},
    "n-step": {"name": "n-step", "steps": 3, "target_every": 4, "piece_reward": 0.5, "end_reward": -2.0},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_core_learns_as_the_plain_reference_does(variant: str) -> None:
    chosen = network_learning(SMALL | VARIANTS[variant])
    inputs = feature_list("data-6,lines-cleared")
    learner = NetworkLearner(chosen, Beginning(rules("tetrisbot"), inputs, (8, 5), seed=3))
    plain = PlainLearner(rules("tetrisbot"), inputs, (8, 5), chosen, seed=3)
    for until in (250, 420):
        learner.learn(until)
        plain.learn(until)
        state = learner.core.state()
        assert state["counts"].tolist()[:4] == [len(plain.states), plain.actions, plain.games, plain.updates]
        assert state["reward"].tolist() == pytest.approx(plain.rewards)
        assert state["link"].tolist() == plain.links
        assert np.array_equal(state["state"].reshape(-1, len(inputs)), np.array(plain.states))
        # The reference adds in another order, so the last digits differ.
        assert state["parameters"] == pytest.approx(plain.parameters, rel=1e-3, abs=1e-4)
        if not plain.predictions:  # it still warms up
            assert learner.figures is None
            continue
        values, errors = np.array(plain.predictions).T
        assert learner.figures is not None
        assert learner.figures.loss == pytest.approx(float(np.mean(errors**2)), rel=1e-2)
        assert learner.figures.value == pytest.approx(float(values.mean()), rel=1e-2, abs=1e-3)
    assert learner.core.updates > 40


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_instruction_set_learns_the_same_numbers(variant: str) -> None:
    found = set()
    for level in simd_levels():
        settings = network_learning(SMALL | VARIANTS[variant])
        learner = NetworkLearner(settings, Beginning(rules("tetrisbot"), feature_list("data-6"), (20, 7), seed=1))
        learner.core.learn(3000, simd=level)
        found.add(learner.parameters.tobytes())
    assert len(found) == 1


def test_learning_resumes_from_a_checkpoint_to_the_same_numbers(tmp_path: Path) -> None:
    def fresh() -> NetworkLearner:
        settings = network_learning(SMALL | VARIANTS["n-step"])
        return NetworkLearner(settings, Beginning(rules("tetrisbot"), feature_list("data-6"), (8,), seed=1))

    assert resumes(fresh, tmp_path, 1500, 3000)


def test_restarts_and_seeds_learn_from_other_games() -> None:
    settings = network_learning(SMALL)
    found = set()
    for seed, restart in ((1, 0), (1, 1), (2, 0)):
        learner = NetworkLearner(settings, Beginning(rules("tetrisbot"), ("holes",), (4,), seed=seed, restart=restart))
        learner.learn(200)
        found.add(learner.core.state()["state"].tobytes())
    assert len(found) == 3


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda arrays: arrays | {"parameters": arrays["parameters"][1:]}, "parameters: not an array of"),
        (lambda arrays: arrays | {"link": arrays["link"] + 7}, "link: a value above 2"),
        (lambda arrays: arrays | {"counts": -arrays["counts"]}, "counts: a negative one"),
        (lambda arrays: {key: value for key, value in arrays.items() if key != "state"}, "state: not an array of"),
        (lambda arrays: arrays | {"parameters": np.array([{}], dtype=object)}, "it cannot be read"),
    ],
)
def test_a_damaged_checkpoint_is_refused(tmp_path: Path, damage: Callable[[Arrays], Arrays], complaint: str) -> None:
    learner = NetworkLearner(network_learning(SMALL), Beginning(rules("tetrisbot"), ("holes",), (4,), seed=1))
    learner.learn(100)
    with (tmp_path / "kept.npz").open("wb") as file:
        np.savez(file, **damage(learner.core.state()))  # type: ignore[arg-type]
    with pytest.raises(FileError, match=complaint):
        learner.load(tmp_path / "kept.npz")


def test_no_damage_to_a_checkpoint_is_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "kept.npz"
    learner = NetworkLearner(network_learning(SMALL), Beginning(rules("tetrisbot"), ("holes",), (4,), seed=1))
    learner.learn(100)
    learner.save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(200):
        damaged = bytearray(whole)
        for place in rng.integers(len(whole), size=50):
            damaged[place] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            learner.load(path)
        except FileError:
            refused += 1
    assert refused > 150


def test_the_documentation_names_every_setting() -> None:
    page = (ROOT / "docs" / "learning.md").read_text()
    for kind in (NetworkLearning, TableLearning):
        for key in kind.model_fields:
            assert f"`{key}`" in page or f"{key} = " in page, key


def test_learning_beats_random_placement_a_hundredfold() -> None:
    chosen = network_learning({"name": "n-step"})
    inputs = feature_list("data-6,lines-cleared")
    learner = NetworkLearner(chosen, Beginning(rules("tetrisbot"), inputs, (32, 32, 32), seed=1))
    learner.learn(chosen.warm_up)
    random_lines = learner.core.lines / learner.core.games
    learner.learn(80_000)
    network = FeatureNetwork(inputs, (32, 32, 32), tuple(learner.parameters.tolist()))
    played = evaluate("tetrisbot", Agent("learned", network), 50, seed=1, max_pieces=2000)
    assert 0 < random_lines < 0.2
    assert played.lines.mean() > 100 * random_lines


def plain_table_game(learner: TableLearner, values: dict[tuple[object, ...], float], number: int, actions: int) -> int:
    """Play a learning game by the formula of 5.4.3, with pictures of four columns as keys of a dictionary."""
    game = Game(learner.beginning.rules, learner.beginning.seed, number, 1, Purpose.LEARNING)
    draws = words(learner.beginning.seed, number | 1 << 63, 3)

    def heights() -> list[int]:
        return [int(word).bit_length() for word in game.board.columns]

    def holes() -> int:
        return sum(h - int(word).bit_count() for h, word in zip(heights(), game.board.columns, strict=True))

    def pairs() -> list[tuple[Placement, tuple[object, ...] | None]]:
        found: list[tuple[Placement, tuple[object, ...] | None]] = []
        tops = heights()
        for placement in game.placements():
            xs, top = {x for x, _ in placement.cells}, max(y for _, y in placement.cells)
            if top >= 19:
                found.append((placement, None))
                continue
            for left in range(max(xs) - 3, min(xs) + 1):
                if left >= 0 and left + 4 <= 10:
                    steps = [tops[left + i] - tops[left + i - 1] for i in (1, 2, 3)]
                    contour = tuple(max(-3, min(3, step)) for step in steps)
                    found.append((placement, (contour, placement.piece, placement.shape, min(xs) - left)))
        return found

    def best() -> tuple[Placement, tuple[object, ...] | None]:
        known = [(placement, pair) for placement, pair in pairs() if pair]
        return max(known, key=lambda one: values.get(one[1], 0.0)) if known else pairs()[0]

    while not game.over and game.outcome.pieces < learner.settings.max_pieces:
        if actions < learner.settings.warm_up:
            for seen, option in enumerate(pairs(), 1):
                if next(draws) * seen >> 32 == 0:
                    placement, pair = option
        else:
            placement, pair = best()
        before = game.outcome.lines, holes()
        game.play(placement)
        actions += 1
        if pair:
            reward = game.outcome.lines - before[0] - (holes() - before[1])
            now = values.get(pair, 0.0)
            following = best()[1] if not game.over else None
            ahead = max(now, values.get(following, 0.0)) if following else now
            values[pair] = now + learner.settings.learning_rate * (reward + learner.settings.discount * ahead - now)
    return actions


def test_the_table_learns_by_the_formula() -> None:
    settings = TableLearning(warm_up=150, learning_rate=0.25, discount=0.5, max_pieces=60)
    learner = TableLearner(settings, Beginning(rules("tetrisbot"), seed=2))
    values: dict[tuple[object, ...], float] = {}
    actions = game = 0
    while actions < 400:
        actions = plain_table_game(learner, values, game, actions)
        game += 1
    learner.learn(400)
    assert (learner.games, learner.actions) == (game, actions)
    # At first halves and quarters are exact; later both round, the reference less.
    learned = learner.parameters
    assert np.sort(learned[learned != 0]) == pytest.approx(sorted(v for v in values.values() if v), abs=1e-5)


def table_agent(learner: TableLearner) -> Agent:
    return Agent("table", Table(tuple(learner.parameters.tolist())))


def test_a_table_beats_random_placement_and_continues_from_its_file(tmp_path: Path) -> None:
    whole, first, second = (TableLearner(TableLearning(), Beginning(rules("tetrisbot"), seed=1)) for _ in range(3))
    first_lines = evaluate(
        "tetrisbot", table_agent(whole), 200
    ).lines.mean()  # an empty table plays the first placement
    whole.learn(300_000)
    first.learn(200_000)
    first.save(tmp_path / "table.npz")
    assert second.load(tmp_path / "table.npz") is not None
    second.learn(300_000)
    assert np.array_equal(whole.parameters, second.parameters)
    assert evaluate("tetrisbot", table_agent(whole), 200).lines.mean() > 2 + 20 * first_lines
    with (tmp_path / "table.npz").open("wb") as file:
        np.savez(file, values=first.parameters[1:], counts=np.array([1, 2]))
    with pytest.raises(FileError, match="it holds no table"):
        second.load(tmp_path / "table.npz")


def test_learning_continues_from_an_agent_without_random_play() -> None:
    """The learner has the agent's numbers and, in the warm-up, plays as the agent does."""
    game_rules, inputs = rules("tetrisbot"), feature_list("data-6,lines-cleared")
    begun = NetworkLearner(NStepLearning(warm_up=2000), Beginning(game_rules, inputs, (8,), seed=3))
    begun.learn(30_000)
    first = Agent("first", FeatureNetwork(inputs, (8,), tuple(begun.parameters.tolist())))
    goes_on = NStepLearning(warm_up=2000).start(Beginning(game_rules, inputs, (8,), seed=4, first=first))
    assert np.array_equal(goes_on.parameters, begun.parameters)
    goes_on.learn(1000)  # in the warm-up it plays as before and does not learn yet
    assert np.array_equal(goes_on.parameters, begun.parameters)
    assert isinstance(goes_on, NetworkLearner)
    anew = NetworkLearner(NStepLearning(warm_up=2000), Beginning(game_rules, inputs, (8,), seed=4))
    anew.learn(1000)
    assert goes_on.core.lines > 10 * max(1, anew.core.lines)
    table = TableLearner(TableLearning(warm_up=1000), Beginning(game_rules, seed=1))
    table.learn(3000)
    again = TableLearning().start(Beginning(game_rules, seed=2, first=table_agent(table)))
    assert np.array_equal(again.parameters, table.parameters)
    for method, wrong, complaint in (
        (NStepLearning(), agent("data-6"), "it has weights, not a network"),
        (NStepLearning(), replace(first, value=FeatureNetwork.zeros(inputs, (4,))), "with hidden = [4], the run's"),
        (TableLearning(), first, "it has a network, not a table"),
        (Lstd(), first, "it has a network, not weights"),
        (Lstd(), agent("dellacherie"), "which are not among the run's features"),
    ):
        with pytest.raises(SettingError, match=re.escape(complaint)):
            method.check_first(Beginning(game_rules, inputs, (8,), first=wrong))
