"""Our statistics are SciPy's, and a verdict is wrong as rarely as it claims."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from blockfall.errors import SettingError
from blockfall.experiments import student
from blockfall.experiments.statistics import Difference, Verdict, compare, compare_independent, describe, judge

samples = st.lists(st.floats(-1e3, 1e3).map(lambda x: round(x, 3)), min_size=2, max_size=30)


@given(samples)
@settings(deadline=None)
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
@settings(deadline=None)
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
    assert compare(base + rng.poisson(1, 400), base).verdict is Difference.FIRST_BETTER
    assert compare(base, base + rng.poisson(1, 400)).verdict is Difference.SECOND_BETTER
    assert compare(base, base).verdict is Difference.NOT_SHOWN
    assert compare(base, base).effect_size == 0
    assert compare(base + 1, base).verdict is Difference.FIRST_BETTER  # always by exactly 1
    wrong = sum(compare(rng.poisson(9, 50), rng.poisson(9, 50)).verdict is not Difference.NOT_SHOWN for _ in range(600))
    assert 10 <= wrong <= 55  # 5 % of 600 is 30, standard deviation 5.3


def test_a_comparison_names_its_samples() -> None:
    assert compare([2, 3, 4, 5], [1, 2, 3, 4.5]).sentence("mine", "yours") == "mine is better"
    assert compare([1, 2, 3, 4.5], [2, 3, 4, 5]).sentence("mine", "yours") == "yours is better"
    assert compare([1, 2], [2, 1]).sentence("mine", "yours") == "no difference shown"


@pytest.mark.parametrize(
    ("ours", "sem", "published", "published_sem", "verdict"),
    [
        (10.0, 0.5, 10.9, None, Verdict.AGREES),
        (10.0, 0.5, 11.1, None, Verdict.WORSE),
        (12.2, 0.5, 11.1, None, Verdict.BETTER),
        (10.0, 0.3, 11.0, 0.4, Verdict.AGREES),
        (10.0, 0.3, 11.1, 0.4, Verdict.WORSE),
        (29_214.0, 17_240.0, 635.0, 63.5, Verdict.INCONCLUSIVE),
        (10.0, 1.2, 10.0, None, Verdict.AGREES),  # 2.4 is less than a quarter of 10
        (10.0, 1.3, 10.0, None, Verdict.INCONCLUSIVE),  # 2.6 is more
        (-10.0, 1.2, -10.0, None, Verdict.AGREES),
        (5.0, 0.1, None, None, Verdict.NOT_COMPARABLE),
        (317, None, 317, None, Verdict.AGREES),
        (0, None, 0, None, Verdict.AGREES),
        (0.0, 0.1, 0.0, None, Verdict.INCONCLUSIVE),
    ],
)
def test_our_figures_are_judged(
    ours: float, sem: float | None, published: float | None, published_sem: float | None, verdict: Verdict
) -> None:
    assert judge(ours, sem, published, published_sem) is verdict


def test_better_means_more_only_if_more_is_better() -> None:
    assert judge(9.0, 0.1, 10.0, more_is_better=False) is Verdict.BETTER
    assert judge(11.0, 0.1, 10.0, more_is_better=False) is Verdict.WORSE
    assert judge(11.0, 0.1, 10.0, more_is_better=None) is Verdict.DIFFERS


def test_a_comparison_that_agrees_could_have_failed() -> None:
    """At the widest error that can agree, a figure that is off by half is detected in 98 of 100 samples."""
    rng = np.random.default_rng(3)
    sem = 0.25 * 100 / 2
    found = [judge(rng.normal(150, sem), sem, 100.0) for _ in range(4000)]
    assert found.count(Verdict.BETTER) / len(found) == pytest.approx(stats.norm.cdf(2), abs=0.01)
    assert judge(100.0, sem, 100.0) is Verdict.AGREES


def test_samples_too_small_are_refused() -> None:
    with pytest.raises(SettingError, match="an empty sample"):
        describe([])
    with pytest.raises(SettingError, match="equally many"):
        compare([1.0, 2.0], [1.0])
    with pytest.raises(SettingError, match="at least 2"):
        compare_independent([1.0], [1.0, 2.0])
    assert describe([4.0]).std == 0


@pytest.mark.parametrize("freedom", [1.0, 1.7, 2.0, 5.0, 30.0, 249.0, 3999.0, 19_999.0, 1e6, 1e8])
def test_students_distribution_is_scipys(freedom: float) -> None:
    near = 1e-9 if freedom < 1e5 else 2e-5
    for x in (0.0, 1e-9, 0.1, 1.0, 1.96, 3.0, 8.0, 40.0, 1000.0):
        assert student.tail(x, freedom) == pytest.approx(float(stats.t.sf(x, freedom)), rel=near, abs=1e-300)
    for chance in (0.4, 0.05, 0.025, 0.0005):
        assert student.point(chance, freedom) == pytest.approx(float(stats.t.isf(chance, freedom)), rel=1e-7)
