"""Our figures are SciPy's, and a verdict is wrong as rarely as it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from blockfall.errors import SettingError
from blockfall.experiments.statistics import agrees, compare, compare_independent, describe

samples = st.lists(st.floats(-1e3, 1e3).map(lambda x: round(x, 3)), min_size=2, max_size=30)


@given(samples)
def test_a_description_is_scipys(values: list[float]) -> None:
    found = describe(values)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-9)
    assert found.std == pytest.approx(stats.tstd(values), abs=1e-9)
    assert found.sem == pytest.approx(stats.sem(values), abs=1e-9)
    if found.sem > 1e-6:
        low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
        assert (found.low, found.high) == pytest.approx((low, high))
    assert (found.min, found.max) == (min(values), max(values))
    assert found.quantiles["0.5"] == pytest.approx(np.median(values))


@given(samples)
def test_pairs_are_compared_as_scipy_does(first: list[float]) -> None:
    rng = np.random.default_rng(len(first))
    second = np.asarray(first) + rng.normal(0.5, 2.0, len(first))
    found, expected = compare(first, second), stats.ttest_rel(first, second)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    interval = expected.confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-6, abs=1e-9)
    difference = np.asarray(first) - second
    assert found.effect_size == pytest.approx(difference.mean() / difference.std(ddof=1))


def test_independent_samples_are_compared_as_scipy_does() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        first, second = rng.normal(0, 1, 7), rng.normal(0.8, 3, 12)
        expected = stats.ttest_ind(first, second, equal_var=False)
        assert compare_independent(first, second).p_value == pytest.approx(expected.pvalue)


def test_verdicts() -> None:
    rng = np.random.default_rng(2)
    base = rng.poisson(9, 400)
    assert compare(base + rng.poisson(1, 400), base).verdict == "the first is better"
    assert compare(base, base + rng.poisson(1, 400)).verdict == "the second is better"
    assert compare(base, base).verdict == "no difference shown"
    assert compare(base, base).effect_size == 0
    assert compare(base + 1, base).verdict == "the first is better"  # always by exactly 1
    wrong = sum(compare(rng.poisson(9, 50), rng.poisson(9, 50)).verdict != "no difference shown" for _ in range(600))
    assert 10 <= wrong <= 55  # one in twenty of 600 is 30, standard deviation 5.3


def test_agreement_is_within_two_standard_errors() -> None:
    assert agrees(10.0, 0.5, 10.9)
    assert not agrees(10.0, 0.5, 11.1)
    assert agrees(10.0, 0.3, 11.0, 0.4)
    assert not agrees(10.0, 0.3, 11.1, 0.4)


def test_samples_too_small_are_refused() -> None:
    with pytest.raises(SettingError, match="empty sample"):
        describe([])
    with pytest.raises(SettingError, match="equally many"):
        compare([1.0, 2.0], [1.0])
    with pytest.raises(SettingError, match="at least 2"):
        compare_independent([1.0], [1.0, 2.0])
    assert describe([4.0]).std == 0
