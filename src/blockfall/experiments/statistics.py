"""What samples say, and what they do not.

>>> describe([3, 4, 5, 6, 7]).mean
5.0
>>> compare([3, 4, 5, 6, 7], [3, 4, 6, 5, 7]).verdict
'no difference shown'
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from blockfall.errors import SettingError

Sample = Sequence[float] | npt.NDArray[np.float64] | npt.NDArray[np.int64]

CONFIDENCE = 0.95
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Description:
    """Of one sample. The confidence interval is of the mean, by Student's t."""

    n: int
    mean: float
    std: float
    sem: float
    low: float
    high: float
    min: float
    max: float
    quantiles: dict[str, float]

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def describe(values: Sample) -> Description:
    sample = np.asarray(values, dtype=np.float64)
    n = len(sample)
    if n == 0:
        raise SettingError("an empty sample; nothing can be said of it")
    mean = float(sample.mean())
    std = float(sample.std(ddof=1)) if n > 1 else 0.0
    sem = std / math.sqrt(n)
    margin = sem * _student(n - 1) if n > 1 else 0.0
    quantiles = {f"{q:g}": float(value) for q, value in zip(QUANTILES, np.quantile(sample, QUANTILES), strict=True)}
    return Description(
        n, mean, std, sem, mean - margin, mean + margin, float(sample.min()), float(sample.max()), quantiles
    )


@dataclass(frozen=True)
class Comparison:
    """Of two samples: the mean difference, first minus second."""

    paired: bool
    n: tuple[int, int]
    difference: float
    low: float
    high: float
    p_value: float
    effect_size: float
    """Of pairs, the mean difference over its standard deviation (Cohen's d_z); else over the pooled one (Cohen's d)."""
    verdict: str

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def compare(first: Sample, second: Sample) -> Comparison:
    """Two samples of the same games, number by number: a paired t-test."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape or len(a) < 2:
        raise SettingError(f"{len(a)} and {len(b)} values; pairs need equally many, at least 2")
    differences = a - b
    mean, std = float(differences.mean()), float(differences.std(ddof=1))
    sem = std / math.sqrt(len(a))
    return _judged(True, (len(a), len(b)), mean, sem, len(a) - 1, std)


def compare_independent(first: Sample, second: Sample) -> Comparison:
    """Two samples that have nothing to do with each other, such as restarts of two trainings: Welch's t-test."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if min(len(a), len(b)) < 2:
        raise SettingError(f"{len(a)} and {len(b)} values; each sample needs at least 2")
    va, vb = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    sem = math.sqrt(va + vb)
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1)) if sem else len(a) + len(b) - 2
    pooled = math.sqrt((a.var(ddof=1) * (len(a) - 1) + b.var(ddof=1) * (len(b) - 1)) / (len(a) + len(b) - 2))
    return _judged(False, (len(a), len(b)), float(a.mean() - b.mean()), sem, float(freedom), pooled)


def _judged(
    paired: bool, n: tuple[int, int], difference: float, sem: float, freedom: float, spread: float
) -> Comparison:
    from scipy.stats import t  # half a second that only comparisons should cost

    if sem > 0:
        p_value = float(2 * t.sf(abs(difference) / sem, freedom))
        margin = sem * _student(freedom)
    else:  # every difference is the same
        p_value, margin = (1.0 if difference == 0 else 0.0), 0.0
    if p_value >= 1 - CONFIDENCE:
        verdict = "no difference shown"
    else:
        verdict = "the first is better" if difference > 0 else "the second is better"
    effect = difference / spread if spread else (0.0 if difference == 0 else math.copysign(math.inf, difference))
    return Comparison(paired, n, difference, difference - margin, difference + margin, p_value, effect, verdict)


def _student(freedom: float) -> float:
    """How many standard errors the confidence interval reaches to each side."""
    from scipy.stats import t

    return float(t.ppf((1 + CONFIDENCE) / 2, freedom))


def agrees(ours: float, sem: float, published: float, published_sem: float = 0.0) -> bool:
    """Within two standard errors of the difference."""
    return abs(ours - published) <= 2 * math.hypot(sem, published_sem)
