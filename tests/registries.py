"""The registries of what users register, left as they were."""

from collections.abc import Iterator
from contextlib import contextmanager

from blockfall.plugins import REGISTRIES


@contextmanager
def restored() -> Iterator[None]:
    """Take back what is registered meanwhile, so that other tests do not meet it."""
    before = [(known, dict(known)) for known in REGISTRIES]
    try:
        yield
    finally:
        for known in REGISTRIES:
            known.clear()
        for known, entries in before:
            known.update(entries)
