"""One module per page; `build` fills it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    path: str
    title: str
    icon: str
    what: str
    build: Callable[[], None]
