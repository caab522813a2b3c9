"""What a page is to the frame: where it lives, what it is called, and who fills it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    path: str
    title: str
    icon: str
    what: str
    build: Callable[[], None]
