"""Long work for visitors: in threads beside the event loop, only so much at once, and only so many waiting."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from blockfall.errors import SettingError

P = ParamSpec("P")
T = TypeVar("T")


class Desk:
    """Takes work in its turn. The work itself must end: give it a limit of time."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._room = at_once + waiting

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Does the work in a thread when its turn comes, or refuses it where too much is waiting."""
        if self._room == 0:
            raise SettingError("too much is waiting here already; try again in a moment")
        self._room -= 1
        try:
            async with self._free:
                return await asyncio.to_thread(work, *args, **kwargs)
        finally:
            self._room += 1


SEARCHES = Desk(at_once=2, waiting=20)
EXPLANATIONS = Desk(at_once=1, waiting=60)
"""Short work, so that nobody waits for a search to end before a placement is explained."""
