"""The default memory limit of a search."""

import os
import time
from functools import lru_cache
from pathlib import Path

MOST_BYTES = 8 << 30
"""The default limit on a machine with enough memory."""

_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def default_limit_bytes() -> int:
    """Return the default limit of a search: the smaller of 8 GiB and half of the free memory."""
    return _limit_in(int(time.monotonic()))


@lru_cache(maxsize=1)
def _limit_in(_second: int) -> int:
    """Return the limit, asking the system once a second: small searches come by the thousand."""
    free = free_bytes()
    return MOST_BYTES if free is None else max(1, min(MOST_BYTES, free // 2))


def free_bytes() -> int | None:
    """Return the free memory, within a container's limit; None if the system does not tell."""
    known = [free for free in (_of_machine(), *(_of_group(*files) for files in _GROUPS)) if free is not None]
    return min(known, default=None)


def _of_machine() -> int | None:
    try:
        for row in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if row.startswith("MemAvailable:"):
                return 1024 * int(row.split()[1])
        return None
    except (OSError, ValueError, IndexError):
        pass
    try:  # without /proc, only the total size is known
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_group(limit: str, used: str) -> int | None:
    """Return a control group's free memory. Without a limit it says "max", or a number larger than any memory."""
    try:
        return max(0, int(Path(limit).read_text(encoding="ascii")) - int(Path(used).read_text(encoding="ascii")))
    except (OSError, ValueError):
        return None
