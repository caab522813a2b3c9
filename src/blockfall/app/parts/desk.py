"""Long tasks for visitors, in threads beside the event loop, with a limit on those running and those waiting.

A visitor's tasks run one at a time, so that nobody takes every place. A visitor is a browser, known by its cookie.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from blockfall.app.parts.records import visitor
from blockfall.errors import SettingError

P = ParamSpec("P")
T = TypeVar("T")

_MOST_OF_A_VISITOR = 4  # running or waiting


@dataclass
class _Visitor:
    works: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Desk:
    """A queue of tasks that run in turn. A task must end by itself: give it a time limit."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._room = at_once + waiting
        self._visitors: dict[str, _Visitor] = {}

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a task of the visitor whose page this is."""
        return await self.do_for(visitor(), work, *args, **kwargs)

    async def do_for(self, who: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a task in a thread when its turn comes; refuse it if too many are waiting."""
        visitor = self._visitors.setdefault(who, _Visitor())
        if visitor.works == _MOST_OF_A_VISITOR:
            raise SettingError("too many of your requests are waiting; wait until some are done")
        if self._room == 0:
            raise SettingError("too many requests are waiting; try again in a moment")
        self._room -= 1
        visitor.works += 1
        try:
            async with visitor.turn, self._free:
                return await asyncio.to_thread(work, *args, **kwargs)
        finally:
            self._room += 1
            visitor.works -= 1
            if visitor.works == 0:
                self._visitors.pop(who, None)


SEARCHES = Desk(at_once=2, waiting=20)
EXPLANATIONS = Desk(at_once=1, waiting=60)
"""Short tasks, so that no explanation waits for a search to end."""
