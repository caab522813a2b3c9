"""What the frame knows of a page."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class AppPage:
    """A page of the app: its address, its names and the function that fills it."""

    path: str
    title: str
    icon: str
    """The name of a Material icon."""
    what: str
    """One sentence for the card on the first page."""
    build: Callable[[], None]
