"""The limits and options of a search."""

from dataclasses import dataclass

from blockfall.errors import SettingError, UnknownNameError, shortened, whole

TIES = ("first", "last", "larger-g")
"""The order of two equally promising nodes."""

MOST_WEIGHT = 1_000_000
"""The largest factor of the heuristic in `weighted-a-star`."""


@dataclass(frozen=True)
class SearchSettings:
    """The limits and options of a search, checked when made. By default only memory is limited.

    >>> import blockfall
    >>> found = blockfall.solve("samegame", "beam", blockfall.SearchSettings(node_limit=50, seed=3))
    >>> found.stopped_by
    'nodes'
    """

    time_limit_s: float | None = None
    node_limit: int | None = None
    """The number of nodes that may be expanded."""
    memory_limit_bytes: int | None = None
    """None is the smaller of 8 GiB and half of the memory that is free when the search begins."""
    seed: int = 1
    width: int = 1000
    """For `beam`: the number of states kept of each layer."""
    diversity: int | None = None
    """For `beam`: the number of children kept of each parent. None keeps all."""
    level: int | None = None
    """For `nmcs` and `nrpa`: the nesting depth. None is 2 for `nmcs` and 3 for `nrpa`."""
    weight: float = 2.0
    """For `weighted-a-star`: the factor of the heuristic. If steps earn points, less than 1 is greedier."""
    ties: str | None = None
    """One of `TIES`. None leaves it to the problem."""
    skip_seen: bool | None = None
    """Whether to skip states seen before. None leaves it to the problem. See `Algorithm.skip_seen`."""
    trace: bool = False
    """Whether to keep the first million expanded nodes."""

    def __post_init__(self) -> None:
        for name, value, unit in (
            ("time limit", self.time_limit_s, "seconds"),
            ("node limit", self.node_limit, "nodes"),
            ("memory limit", self.memory_limit_bytes, "bytes"),
        ):
            if value is not None and not (isinstance(value, int | float) and 0 < value < 2**62):
                raise SettingError(f"a {name} of {shortened(value)} {unit}; it must be more than 0")
        for name in ("node_limit", "memory_limit_bytes", "seed", "width", "diversity", "level"):
            if getattr(self, name) is not None or name in ("seed", "width"):
                object.__setattr__(self, name, whole(getattr(self, name), name))
        if not 0 <= self.seed < 2**64:
            raise SettingError(f"seed {self.seed}; a seed is a whole number from 0 to 2^64 - 1")
        if not 1 <= self.width <= 1 << 24:
            raise SettingError(f"a width of {self.width}; it must be 1 to {1 << 24}")
        if self.diversity is not None and not 1 <= self.diversity <= 1 << 24:
            raise SettingError(f"a diversity of {self.diversity}; it must be 1 to {1 << 24} children of a parent")
        if self.level is not None and not 1 <= self.level <= 8:
            raise SettingError(f"level {self.level}; it must be 1 to 8")
        if not isinstance(self.weight, int | float) or not 0 <= self.weight <= MOST_WEIGHT:
            raise SettingError(f"a weight of {shortened(self.weight)}; it must be 0 to {MOST_WEIGHT:,}")
        if self.ties is not None and self.ties not in TIES:
            raise UnknownNameError("tie rule", self.ties, list(TIES))
