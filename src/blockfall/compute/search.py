"""What a cluster must know of a search to run it elsewhere. The searches themselves are a later room."""

from collections.abc import Callable
from typing import Any, Protocol


class Search(Protocol):
    """A search that can be sent to another process: it pickles by value."""

    def run(self, threads: int, progress: Callable[[], None] | None) -> dict[str, Any]:
        """Searches on so many threads. `progress` is called now and then; a KeyboardInterrupt from it ends the search.

        An ended search gives the best that it has found.
        """
        ...
