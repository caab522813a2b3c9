"""Linear temporal differences: the reference's numbers, in every instruction set, from any checkpoint."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from blockfall import Agent, Lstd, TemporalDifference, WeightedFeatures, agent, evaluate, rules
from blockfall.errors import FileError
from blockfall.features import feature_list
from blockfall.learning import Beginning, LinearLearner, LinearLearning
from blockfall.learning.checkpoint import Arrays
from blockfall.simd import simd_levels
from tests import ROOT
from tests.learning.checkpoints import resumes
from tests.reference.linear_learning import PlainLinearLearner

VARIANTS: dict[str, LinearLearning] = {
    "lstd": Lstd(warm_up=150, policy_actions=100),
    "lstd with a memory": Lstd(warm_up=150, policy_actions=60, memory=0.5, trace_decay=0.9, ridge=0.01, discount=0.9),
    "lstd of points": Lstd(warm_up=100, policy_actions=50, reward="points", exploration=0.1, end_reward=-1e6),
    "lstd of short games": Lstd(
        warm_up=100, policy_actions=50, max_pieces=20, trace_decay=0.0, end_reward=-1, memory=1.0
    ),
    "td": TemporalDifference(warm_up=150),
    "td of points": TemporalDifference(warm_up=50, reward="points", exploration=0.2, trace_decay=0.9, discount=0.9),
}


def learner_of(settings: LinearLearning, features: str = "data-6", seed: int = 3, restart: int = 0) -> LinearLearner:
    return LinearLearner(settings, Beginning(rules("tetrisbot"), feature_list(features), seed=seed, restart=restart))


@pytest.mark.parametrize("features", ["data-6", "data-6,lines-cleared,points"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_core_learns_as_the_plain_reference_does(variant: str, features: str) -> None:
    learner = learner_of(VARIANTS[variant], features)
    plain = PlainLinearLearner(rules("tetrisbot"), feature_list(features), VARIANTS[variant], seed=3)
    for until in (130, 500):
        learner.learn(until)
        plain.learn(until)
        assert (learner.core.actions, learner.core.games) == (plain.actions, plain.games)
        scale = np.abs(plain.weights).max()
        assert learner.core.weights == pytest.approx(plain.weights, rel=1e-5, abs=1e-7 * scale)
        assert learner.features == tuple(plain.agent_weights)
        assert learner.parameters == pytest.approx(list(plain.agent_weights.values()), rel=1e-5, abs=1e-7 * scale)
        values, errors = np.array(plain.predictions).T
        assert learner.figures is not None
        assert learner.figures.loss == pytest.approx(float(np.mean(errors**2)), rel=1e-4)
        assert learner.figures.value == pytest.approx(float(values.mean()), rel=1e-4, abs=1e-9)
    assert learner.core.updates >= 3
    assert np.count_nonzero(learner.core.weights) > 3


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_instruction_set_learns_the_same_numbers(variant: str) -> None:
    found = set()
    for level in simd_levels():
        learner = learner_of(VARIANTS[variant])
        learner.core.learn(5000, simd=level)
        found.add((learner.parameters.tobytes(), learner.core.weights.tobytes()))
    assert len(found) == 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_learning_resumes_from_a_checkpoint_to_the_same_numbers(tmp_path: Path, variant: str) -> None:
    assert resumes(lambda: learner_of(VARIANTS[variant]), tmp_path, 700, 3000)


def test_restarts_and_seeds_learn_from_other_games() -> None:
    found = set()
    for seed, restart in ((1, 0), (1, 1), (2, 0)):
        learner = learner_of(VARIANTS["lstd"], seed=seed, restart=restart)
        learner.learn(500)
        found.add(learner.parameters.tobytes())
    assert len(found) == 3


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda arrays: arrays | {"matrix": arrays["matrix"][1:]}, "matrix: not an array of 49"),
        (lambda arrays: arrays | {"weights": arrays["weights"].astype("U9")}, "weights: not an array of 7"),
        (lambda arrays: arrays | {"counts": -arrays["counts"]}, "counts: a negative one"),
        (lambda arrays: {key: value for key, value in arrays.items() if key != "states"}, "states: not an array of"),
    ],
)
def test_a_damaged_checkpoint_is_refused(tmp_path: Path, damage: Callable[[Arrays], Arrays], complaint: str) -> None:
    learner = learner_of(VARIANTS["lstd"])
    learner.learn(100)
    with (tmp_path / "kept.npz").open("wb") as file:
        np.savez(file, **damage(learner.core.state()))  # type: ignore[arg-type]
    with pytest.raises(FileError, match=complaint):
        learner.load(tmp_path / "kept.npz")


def test_a_feature_that_never_changes_gets_no_weight() -> None:
    """`total-lines` is 0 in a game that has cleared nothing, so the equations leave its weight at 0."""
    learner = learner_of(Lstd(warm_up=100, policy_actions=100, max_pieces=3), "holes,total-lines")
    learner.learn(200)
    assert learner.parameters.tolist()[1:] == [0.0, 1.0]


@pytest.mark.parametrize(("settings", "least"), [(Lstd(), 800), (TemporalDifference(), 100)])
def test_learning_clears_lines(settings: LinearLearning, least: float) -> None:
    """A random game clears 1/64 of a line. The bounds are well below what seeds 1 to 5 reach."""
    learner = learner_of(settings, seed=1)
    best = 0.0
    for until in range(100_000, 300_001, 25_000):
        learner.learn(until)
        value = WeightedFeatures(dict(zip(learner.features, learner.parameters.tolist(), strict=True)))
        best = max(best, evaluate("tetrisbot", Agent("", value), 20, seed=1, max_pieces=5000).lines.mean())
    assert best > least


def test_the_documentation_names_every_setting() -> None:
    page = (ROOT / "docs" / "learning.md").read_text()
    for kind in (Lstd, TemporalDifference):
        for key in kind.model_fields:
            assert f"`{key}`" in page, key


def test_learning_continues_from_an_agent() -> None:
    first = agent("data-6")
    beginning = Beginning(rules("tetrisbot"), feature_list("data-6"), seed=3, first=first)
    for settings in (Lstd(), TemporalDifference()):
        learner = settings.start(beginning)
        assert isinstance(learner, LinearLearner)
        assert learner.parameters.tolist() == pytest.approx([*first.weights.values(), 0.0])  # and the reward's
        assert learner.core.weights[:-1] * settings.discount == pytest.approx(list(first.weights.values()))
    lstd = Lstd(policy_actions=10_000).start(beginning)
    lstd.learn(5000)
    assert isinstance(lstd, LinearLearner)
    assert lstd.core.lines > 1500  # it plays well at once: no move is random
