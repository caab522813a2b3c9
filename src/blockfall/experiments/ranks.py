"""The Mann-Whitney test: does one of two samples tend to have the larger values?

It is exact if no value occurs twice and one sample has at most eight values. Otherwise it uses the normal
approximation, with corrections for ties and for continuity. These are SciPy's choices, and its p-values.

>>> round(mann_whitney([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]), 6)
0.028571
"""

import math
from collections.abc import Sequence

import numpy as np

_MOST_EXACT = 8


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the two-sided p-value."""
    n, m = len(first), len(second)
    _, place, counts = np.unique([*first, *second], return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    larger = float(ranks[:n].sum()) - n * (n + 1) / 2  # U: the pairs in which the first sample's value is larger
    larger = max(larger, n * m - larger)
    if counts.max() == 1 and min(n, m) <= _MOST_EXACT:
        ways = _ways(n, m)
        return min(1.0, 2 * sum(ways[int(larger) :]) / sum(ways))
    ties = float((counts**3 - counts).sum()) / ((n + m) * (n + m - 1))
    spread = math.sqrt(n * m / 12 * (n + m + 1 - ties))
    if not spread:
        return 1.0
    z = (larger - n * m / 2 - 0.5) / spread
    return min(1.0, math.erfc(z / math.sqrt(2)))


def _ways(n: int, m: int) -> list[int]:
    """Return the number of orders of the samples with U = 0, 1, ..., n m: the coefficients of a Gaussian binomial."""
    ways = [1] + [0] * (n * m)
    for i in range(1, n + 1):
        for u in range(n * m, m + i - 1, -1):  # times 1 - q^(m + i)
            ways[u] -= ways[u - m - i]
        for u in range(i, n * m + 1):  # divided by 1 - q^i
            ways[u] += ways[u - i]
    return ways
