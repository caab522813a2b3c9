"""The description of a page, for the frame around it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class AppPage:
    """A page of the app."""

    path: str
    title: str
    icon: str
    """The name of a Material icon."""
    what: str
    """One sentence for the card on the first page."""
    build: Callable[[], None]
    """The function that fills the page."""
