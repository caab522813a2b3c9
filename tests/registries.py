"""The registries of what users register, left as they were."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from blockfall import rulesets, studies
from blockfall.agents import loading
from blockfall.features import custom
from blockfall.games import registry
from blockfall.learning import METHODS
from blockfall.optimisers import OPTIMISERS
from blockfall.search import algorithm
from blockfall.search import registry as problems


@contextmanager
def restored() -> Iterator[None]:
    """Takes back what is registered meanwhile, so that other tests do not meet it."""
    registries: tuple[dict[str, Any], ...] = (
        custom.registered(),
        loading._registered,
        registry._registered,
        rulesets._registered,
        OPTIMISERS._registered,
        METHODS._registered,
        problems._problems,
        algorithm._registered,
        studies._registered,
    )
    before = [dict(known) for known in registries]
    try:
        yield
    finally:
        for known, entries in zip(registries, before, strict=True):
            known.clear()
            known.update(entries)
