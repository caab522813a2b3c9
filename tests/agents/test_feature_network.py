"""Networks over features in play: values equal to NumPy's to the bit, and equal games in every instruction set."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall import Agent, BlockfallError, Game, agent, evaluate
from blockfall.agents import FeatureNetwork, WeightedFeatures
from blockfall.agents.values.base import shortest
from blockfall.agents.values.network import parameter_count
from blockfall.compute import LocalBackend, Purpose, evaluate_population
from blockfall.features import built_in_features, feature_list
from blockfall.games.explanation import explain
from blockfall.simd import simd_levels
from tests.program import output_of


def random_network(inputs: tuple[str, ...], hidden: tuple[int, ...], seed: int) -> Agent:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(0, 0.5, parameter_count(len(inputs), hidden))
    return Agent("random", FeatureNetwork(inputs, hidden, tuple(map(shortest, numbers))))


THESIS = random_network(feature_list("data-6"), (32, 32, 32), seed=1)


@st.composite
def networks(draw: st.DrawFn) -> Agent:
    names = st.sampled_from([feature.name for feature in built_in_features()])
    inputs = tuple(draw(st.lists(names, min_size=1, max_size=9, unique=True)))
    hidden = tuple(draw(st.lists(st.integers(1, 40), min_size=1, max_size=4)))
    return random_network(inputs, hidden, draw(st.integers(0, 2**32)))


@given(networks(), st.integers(0, 1000), st.integers(0, 12))
@settings(max_examples=40, deadline=None)
def test_the_lanes_value_boards_as_numpy_does(player: Agent, seed: int, moves: int) -> None:
    network = player.value
    assert isinstance(network, FeatureNetwork)
    game = Game("tetrisbot", seed=seed)
    while not game.over and game.outcome.pieces < moves:
        game.play(game.placements()[seed % len(game.placements())])
    if game.over:
        return
    for level in simd_levels():
        for placement in game.placements():
            spot = (placement.shape, placement.column, placement.row)
            lives, value, _, measures = player.core.best_sequence(game.core, *spot, simd=level)
            if lives:
                assert np.float32(value) == network.value(measures[None, :])[0]


@given(networks())
@settings(max_examples=15, deadline=None)
def test_every_instruction_set_plays_the_same_games(player: Agent) -> None:
    plays = [
        evaluate("tetrisbot", player, 5, seed=3, max_pieces=60, backend=LocalBackend(threads, level))
        for level in simd_levels()
        for threads in (1, 2)
    ]
    for played in plays[1:]:
        assert np.array_equal(played.score, plays[0].score)


@pytest.mark.parametrize("known", [1, 2])
def test_the_placement_of_the_highest_value_is_played(known: int) -> None:
    player = THESIS.knowing(known)
    game = Game("standard", seed=5)
    for _ in range(15):
        ranked = explain(game, player)
        values = [one.value for one in ranked if one.value is not None]
        assert ranked[0].value == max(values)
        assert ranked[0].measures.keys() == set(player.feature_names)
        assert not ranked[0].shares
        game.play(ranked[0].placement)


def test_one_hidden_neuron_is_a_linear_agent_cut_at_zero() -> None:
    """If the bias keeps the neuron positive, the network ranks boards as the weights do."""
    thesis = agent("data-4")
    whole = Agent(
        "whole", WeightedFeatures({name: float(round(4 * weight)) for name, weight in thesis.weights.items()})
    )
    exact = (*whole.weights.values(), 4096.0, 1.0, 0.0)
    network = Agent("same", FeatureNetwork(tuple(whole.weights), (1,), exact))
    one, other = (evaluate("tetrisbot", player, 20, seed=1, max_pieces=200) for player in (whole, network))
    assert np.array_equal(one.score, other.score)


def test_candidates_are_networks_too() -> None:
    """An optimiser's candidates are rows of a network's parameters."""
    others = [random_network(THESIS.feature_names, (32, 32, 32), seed) for seed in (2, 3, 4)]
    rows = np.array([player.value.parameters for player in others])
    together = evaluate_population("tetrisbot", THESIS, rows, 6, seed=1)
    for row, player in zip(together.score, others, strict=True):
        alone = evaluate("tetrisbot", player, 6, seed=1, purpose=Purpose.TRAINING)
        assert row.tolist() == alone.score.tolist()
    with pytest.raises(BlockfallError, match="2,368 numbers for each candidate; random has 2,369"):
        evaluate_population("tetrisbot", THESIS, rows[:, 1:], 6, seed=1)


def test_a_saved_network_loads_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(THESIS.as_json()))
    read = agent(path)
    assert read == THESIS
    assert read.weights == {}


def test_the_commands_take_a_network(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(THESIS.as_json()))
    for command in (
        ("evaluate", "--games", "3", "--json"),
        ("watch", "--max-pieces", "3", "--json"),
        ("explain", "--json"),
        ("explain",),
    ):
        done = output_of(*command, "--rules", "tetrisbot", "--agent", path)
        if "--json" in command:
            json.loads(done)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"inputs": ["holes", "holes"]}, "an input occurs twice"),
        ({"inputs": ["hoels", "holes"]}, "network.inputs: unknown feature 'hoels'"),
        ({"inputs": ["holes"]}, "layer 1 must have 1 rows of 2 weights"),
        ({"layers": [{"weights": [[1.0], [2.0]], "biases": [0.0]}]}, "a list of 2 to 9 layers"),
        ({"layers": [{"weights": [[1e39], [2.0]], "biases": [0.0]}] * 2}, "finite number"),
        ({"layers": [{"weights": [[1.0] * 2] * 2, "biases": [0.0] * 2}] * 2}, "the last layer has 2 neurons"),
        ({"layers": [{"weights": [[1.0] * 300] * 2, "biases": [0.0] * 300}] * 2}, "a list of 1 to 256 numbers"),
    ],
)
def test_a_wrong_network_is_refused_with_the_reason(tmp_path: Path, change: dict[str, object], part: str) -> None:
    hidden = {"weights": [[1.0, 2.0], [3.0, 4.0]], "biases": [0.0, 0.0]}
    table = {"inputs": ["holes", "bumpiness"], "layers": [hidden, {"weights": [[1.0], [1.0]], "biases": [0.0]}]}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"network": table | change}))
    with pytest.raises(BlockfallError) as raised:
        agent(path)
    assert part in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_agent_has_weights_or_a_network(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(THESIS.as_json() | {"weights": {"holes": 1.0}}))
    with pytest.raises(BlockfallError, match="both weights and a network"):
        agent(path)
