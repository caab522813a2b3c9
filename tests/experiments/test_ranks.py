"""The Mann-Whitney test gives SciPy's p-values."""

import numpy as np
import pytest

from blockfall.experiments.ranks import mann_whitney


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 5), (8, 8), (10, 3), (9, 12), (40, 30)])
@pytest.mark.parametrize("values", [3, 20, 1_000_000])
def test_p_values_are_those_of_scipy(n: int, m: int, values: int) -> None:
    from scipy.stats import mannwhitneyu

    draw = np.random.default_rng(n * values + m)
    for shift in (0, values // 3):
        first, second = draw.integers(values, size=n).astype(float), draw.integers(values, size=m) + float(shift)
        all_equal = len({*first, *second}) == 1  # from SciPy 1.18 on, its p is then no number
        expected = 1.0 if all_equal else float(mannwhitneyu(first, second).pvalue)
        assert mann_whitney(first.tolist(), second.tolist()) == pytest.approx(expected, nan_ok=False, rel=1e-9)


def test_equal_samples_show_nothing() -> None:
    assert mann_whitney([1.0, 1.0], [1.0, 1.0]) == 1.0
