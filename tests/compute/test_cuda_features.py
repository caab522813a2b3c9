"""Every feature of the catalogue on a GPU: the program, run by the CPU, values boards as the core does."""

import numpy as np
import pytest

from blockfall.agents import Agent, WeightedFeatures, agent
from blockfall.compute import LocalBackend, Population, Request
from blockfall.compute.cuda import CudaBackend
from blockfall.features import built_in_features
from blockfall.rulesets import rules
from tests.compute.host_device import HostDevice

EVERY = tuple(feature.name for feature in built_in_features())
PIECES = 30


def candidates() -> Population:
    """Return players of one feature each, sensible players with one feature added, and some of all features.

    A wrong value of a feature would change which placement is the best.
    """
    ones = np.eye(len(EVERY))
    sensible = np.array([agent("dellacherie").weights.get(name, 0.0) for name in EVERY])
    random = np.random.default_rng(6).normal(size=(4, len(EVERY)))
    return Population(np.concatenate([ones, sensible - 0.37 * ones, random]))


@pytest.mark.parametrize("name", ["standard-10x10", pytest.param("nes", marks=pytest.mark.long)])
def test_every_feature_is_the_cores(name: str, device: HostDevice) -> None:
    player = Agent("every", WeightedFeatures(dict.fromkeys(EVERY, 1.0)))
    request = Request(rules(name), player, games=1, seed=9, max_pieces=PIECES, population=candidates())
    expected = LocalBackend(threads=1, simd="scalar").play(request)
    found = CudaBackend(device).play(request)
    differing = [EVERY[number % len(EVERY)] for number in np.flatnonzero((found.pieces != expected.pieces).any(axis=1))]
    assert not differing
    assert found == expected
    assert (expected.pieces == PIECES).sum() > len(EVERY) // 2  # most of the sensible players get far
