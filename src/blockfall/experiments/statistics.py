"""Statistics of samples: describe one, compare two, and judge one of our figures against a published one.

>>> describe([3, 4, 5, 6, 7]).mean
5.0
>>> compare([3, 4, 5, 6, 7], [3, 4, 6, 5, 7]).sentence("mine", "yours")
'no difference shown'
>>> str(judge(10.2, 0.3, 9.7, 0.1)), str(judge(10.2, 3.0, 9.7, 0.1)), str(judge(10.2, 0.1, 9.7, 0.1))
('agrees', 'inconclusive', 'better')
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache

import numpy as np
import numpy.typing as npt

from blockfall.errors import SettingError
from blockfall.experiments import student

Sample = Sequence[float] | npt.NDArray[np.float64] | npt.NDArray[np.int64]

CONFIDENCE = 0.95
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Description:
    """The description of one sample. `low` and `high` are the 95 % interval of the mean, by Student's t."""

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
        """Return the fields for JSON."""
        return asdict(self)


def describe(values: Sample) -> Description:
    """Describe a sample of at least one value. The standard deviation of a single value is 0."""
    sample = np.asarray(values, dtype=np.float64)
    n = len(sample)
    if n == 0:
        raise SettingError("an empty sample cannot be described")
    mean = float(sample.mean())
    std = float(sample.std(ddof=1)) if n > 1 else 0.0
    sem = std / math.sqrt(n)
    margin = sem * _student(n - 1) if n > 1 else 0.0
    quantiles = {f"{q:g}": float(value) for q, value in zip(QUANTILES, np.quantile(sample, QUANTILES), strict=True)}
    return Description(
        n, mean, std, sem, mean - margin, mean + margin, float(sample.min()), float(sample.max()), quantiles
    )


class Difference(StrEnum):
    """The verdict of a comparison of two samples."""

    FIRST_BETTER = "the first is better"
    SECOND_BETTER = "the second is better"
    NOT_SHOWN = "no difference shown"


@dataclass(frozen=True)
class Comparison:
    """The mean difference of two samples, first minus second, with its 95 % interval."""

    paired: bool
    n: tuple[int, int]
    difference: float
    low: float
    high: float
    p_value: float
    effect_size: float
    """The mean difference over its standard deviation (Cohen's d_z) for pairs, else over the pooled one (Cohen's d)."""
    verdict: Difference

    def as_json(self) -> dict[str, object]:
        """Return the fields for JSON."""
        return asdict(self)

    def sentence(self, first: str, second: str) -> str:
        """Return the verdict in words, with these names for the two samples."""
        match self.verdict:
            case Difference.FIRST_BETTER:
                return f"{first} is better"
            case Difference.SECOND_BETTER:
                return f"{second} is better"
            case Difference.NOT_SHOWN:
                return "no difference shown"


def compare(first: Sample, second: Sample) -> Comparison:
    """Compare two samples of the same games, pair by pair, by a paired t-test."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape or len(a) < 2:
        raise SettingError(f"{len(a)} and {len(b)} values; pairs need equally many, at least 2")
    differences = a - b
    mean, std = float(differences.mean()), float(differences.std(ddof=1))
    sem = std / math.sqrt(len(a))
    return _judged(True, (len(a), len(b)), mean, sem, len(a) - 1, std)


def compare_independent(first: Sample, second: Sample) -> Comparison:
    """Compare two independent samples, such as the restarts of two trainings, by Welch's t-test."""
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
    if sem > 0:
        p_value = 2 * student.tail(abs(difference) / sem, freedom)
        margin = sem * _student(freedom)
    else:  # every difference is the same
        p_value, margin = (1.0 if difference == 0 else 0.0), 0.0
    verdict = Difference.NOT_SHOWN
    if p_value < 1 - CONFIDENCE:
        verdict = Difference.FIRST_BETTER if difference > 0 else Difference.SECOND_BETTER
    effect = difference / spread if spread else (0.0 if difference == 0 else math.copysign(math.inf, difference))
    return Comparison(paired, n, difference, difference - margin, difference + margin, p_value, effect, verdict)


@cache  # the samples of a study have few sizes
def _student(freedom: float) -> float:
    """Return the standard errors that the confidence interval reaches to each side."""
    return student.point((1 - CONFIDENCE) / 2, freedom)


class Verdict(StrEnum):
    """The verdict on one of our figures beside a published one."""

    AGREES = "agrees"
    BETTER = "better"
    WORSE = "worse"
    DIFFERS = "differs"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not comparable"


WIDEST = 0.25
"""The largest conclusive two standard errors of the difference, as a share of the published figure."""


def judge(
    ours: float,
    sem: float | None,
    published: float | None,
    published_sem: float | None = None,
    *,
    more_is_better: bool | None = True,
) -> Verdict:
    """Compare one of our figures with a published one. An error of None belongs to an exact count.

    The figures differ if the difference exceeds two of its standard errors. Otherwise they agree if the data could have
    shown a difference: two standard errors must be at most `WIDEST` of the published figure. A true difference of half
    the published figure would then be found in 98 of 100 cases. `more_is_better=None` means that neither more nor less
    is better.

    >>> str(judge(29_214, 17_240, 635, 63.5)), str(judge(364, None, 317, more_is_better=None))
    ('inconclusive', 'differs')
    """
    if published is None:
        return Verdict.NOT_COMPARABLE
    reach = 2 * math.hypot(sem or 0.0, published_sem or 0.0)
    if abs(ours - published) <= reach:
        return Verdict.AGREES if reach <= WIDEST * abs(published) else Verdict.INCONCLUSIVE
    if more_is_better is None:
        return Verdict.DIFFERS
    return Verdict.BETTER if (ours > published) is more_is_better else Verdict.WORSE
