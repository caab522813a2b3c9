"""The registries of users' things, restored after a test."""

from collections.abc import Iterator
from contextlib import contextmanager

from blockfall.plugins import REGISTRIES


@contextmanager
def restored() -> Iterator[None]:
    """Undo what is registered inside a `with`, so that other tests do not see it."""
    before = [(known, dict(known)) for known in REGISTRIES]
    try:
        yield
    finally:
        for known in REGISTRIES:
            known.clear()
        for known, entries in before:
            known.update(entries)
