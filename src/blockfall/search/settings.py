"""What a search may be told: its limits and its options."""

from dataclasses import dataclass

from blockfall import _core
from blockfall.errors import SettingError, UnknownNameError
from blockfall.search.tuning import temperatures

TIES = {"first": _core.Ties.FIRST, "last": _core.Ties.LAST, "larger-g": _core.Ties.LARGER_G}
"""Which of two equally promising nodes goes first."""

MEMORY_LIMIT_BYTES = 8 << 30


@dataclass(frozen=True)
class SearchSettings:
    """No limits unless given, but 8 GiB of memory."""

    time_limit_s: float | None = None
    node_limit: int | None = None
    """Nodes expanded."""
    memory_limit_bytes: int = MEMORY_LIMIT_BYTES
    seed: int = 1
    width: int = 1000
    """Of `beam`: states kept of each layer."""
    diversity: int | None = None
    """Of `beam`: children kept of one parent; all unless said."""
    level: int | None = None
    """Of `nmcs` (2 unless said) and `nrpa` (3): how deep searches are nested."""
    ties: str | None = None
    """One of `TIES`; the problem's own unless said."""
    table: bool | None = None
    """Whether states met before are left out; the problem's own choice unless said."""
    trace: bool = False
    """Whether to keep the expanded nodes: the first million."""

    def core(self, threads: int = 1) -> _core.SearchSettings:
        """The core's form of these settings, checked. `best` searches on so many threads."""
        for name, value, unit in (
            ("time limit", self.time_limit_s, "seconds"),
            ("node limit", self.node_limit, "nodes"),
            ("memory limit", self.memory_limit_bytes, "bytes"),
        ):
            if value is not None and not 0 < value < 2**62:
                raise SettingError(f"a {name} of {value} {unit}; it must be more than 0")
        if not 0 <= self.seed < 2**64:
            raise SettingError(f"seed {self.seed}; a seed is a whole number from 0 to 2^64 - 1")
        if not 1 <= self.width <= 1 << 24:
            raise SettingError(f"a width of {self.width}; it must be 1 to {1 << 24}")
        if self.diversity is not None and not 1 <= self.diversity <= 1 << 24:
            raise SettingError(f"a diversity of {self.diversity}; it must be 1 to {1 << 24} children of a parent")
        if self.level is not None and not 1 <= self.level <= 8:
            raise SettingError(f"level {self.level}; it must be 1 to 8")
        if self.ties is not None and self.ties not in TIES:
            raise UnknownNameError("tie rule", self.ties, list(TIES))
        core = _core.SearchSettings()
        core.time_limit_s = self.time_limit_s or 0
        core.node_limit = self.node_limit or 0
        core.memory_limit_bytes = self.memory_limit_bytes
        core.seed = self.seed
        core.threads = threads
        core.width = self.width
        core.diversity = self.diversity or 0
        core.level = self.level or 0
        core.ties = None if self.ties is None else TIES[self.ties]
        core.table = self.table
        core.trace = self.trace
        core.hot, core.cold = temperatures()
        return core
