"""An axis for HTML charts: the place of a value, in percent, and round values along it."""

import math
from collections.abc import Sequence

_WIDEST_LINEAR = 40.0
"""An axis is logarithmic if its largest value is more than this many times the smallest."""
_TICKS = 4


class Axis:
    """An axis that covers these values."""

    def __init__(self, values: Sequence[float]) -> None:
        low, high = min(values), max(values)
        self.logarithmic = low > 0 and high / low > _WIDEST_LINEAR
        if self.logarithmic:
            self._from, self._to = math.log10(low), math.log10(high)
        else:
            self._from, self._to = min(0.0, low), high
        if self._to <= self._from:
            self._to = self._from + 1

    def place(self, value: float) -> float:
        """Return the place of a value, in percent; values off the axis are at its end.

        >>> Axis([0, 50]).place(25), Axis([1, 10000]).place(100)
        (50.0, 50.0)
        """
        at = math.log10(value) if self.logarithmic and value > 0 else self._from if self.logarithmic else value
        return min(100.0, max(0.0, 100 * (at - self._from) / (self._to - self._from)))

    def ticks(self) -> list[float]:
        """Return round values along the axis."""
        if self.logarithmic:
            powers = range(math.ceil(self._from), math.floor(self._to) + 1)
            return [float(10**power) for power in powers]
        rough = (self._to - self._from) / _TICKS
        unit = 10 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough)
        first = math.ceil(self._from / step)
        return [step * at for at in range(first, int(self._to / step) + 1)]
