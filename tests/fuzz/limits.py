"""The limits of an input: a second of CPU time, and 64 MB of memory."""

import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from blockfall.errors import BlockfallError

SECONDS = 1.0
MEGABYTES = 64


class TooSlowError(BaseException):
    """An input took longer than a second."""


@contextmanager
def little_memory() -> Iterator[None]:
    """Limit the process to 64 MB more than it has; beyond that there is a MemoryError."""
    has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (has + MEGABYTES * 1024 * 1024, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _late(*_: object) -> None:
    raise TooSlowError


def feed(parse: Callable[[bytes], object], data: bytes) -> None:
    """Parse the input. A BlockfallError of one short line is allowed; any other error is a fault."""
    before = signal.signal(signal.SIGVTALRM, _late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        parse(data)
    except BlockfallError as error:
        said = str(error)
        assert "\n" not in said, f"more than one line: {said[:200]!r}"
        assert len(said) < 2000, f"{len(said)} characters: {said[:200]!r}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
