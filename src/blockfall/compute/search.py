"""The side of a search that a cluster needs to run it elsewhere. The searches themselves are a later room."""

from collections.abc import Callable
from typing import Any, Protocol


class Search(Protocol):
    """A search that can be sent to another process: it pickles by value."""

    def run(self, threads: int, progress: Callable[[], None] | None) -> dict[str, Any]:
        """Search on this many threads, and return the best found.

        `progress` is called now and then; a KeyboardInterrupt from it ends the search early.
        """
        ...
