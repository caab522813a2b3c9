"""Long work for visitors: in threads beside the event loop, only so much at once, and only so many waiting.

A visitor's own works wait for each other, so that nobody holds all places. A visitor is a browser, told by its cookie.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from blockfall.app.parts.records import visitor
from blockfall.errors import SettingError

P = ParamSpec("P")
T = TypeVar("T")

_MOST_OF_A_VISITOR = 4  # works, the one at work and those that wait


@dataclass
class _Visitor:
    works: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Desk:
    """Takes work in its turn. The work itself must end: give it a limit of time."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._room = at_once + waiting
        self._visitors: dict[str, _Visitor] = {}

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Does the work of the visitor whose page this is."""
        return await self.do_for(visitor(), work, *args, **kwargs)

    async def do_for(self, who: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Does the work in a thread when its turn comes, or refuses it where too much is waiting."""
        visitor = self._visitors.setdefault(who, _Visitor())
        if visitor.works == _MOST_OF_A_VISITOR:
            raise SettingError("you have too much waiting here already; wait until some of it is done")
        if self._room == 0:
            raise SettingError("too much is waiting here already; try again in a moment")
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
"""Short work, so that nobody waits for a search to end before a placement is explained."""
