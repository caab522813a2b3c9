"""The pages' access to the store, in a separate thread so that no page waits for a disk."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from nicegui import ui

from blockfall.store import Store

T = TypeVar("T")


class Records:
    """The store in a thread, opened on first use."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "records")  # an SQLite connection stays in its thread
        self._store: Store | None = None

    async def do(self, work: Callable[[Store], T]) -> T:
        """Call the function with the store, in the thread, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: work(self._opened()))

    def _opened(self) -> Store:
        if self._store is None:
            self._store = Store()
        return self._store


RECORDS = Records()


def visitor() -> str:
    """Return the id of this page's browser, from its cookie."""
    return str(ui.context.client.request.session.get("id"))
