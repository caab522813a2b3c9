"""The protocol as a state machine, without sockets or clocks: what comes in, and what must go out.

A connection is a player or a viewer, by its path. It joins; players wait in a queue until one of the games is free, and
play until their game ends or they leave. Viewers see one game after the other, or those of the player that they name.
"""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote

from blockfall.server.game import SLOWEST, CourseGame, info
from blockfall.server.messages import Join, MessageError, Press, parse_command, player_name

PLAYER, VIEWER = "/player", "/viewer"
OK, REFUSED = 1000, 1008

Connection = int
"""Names a connection; the caller's choice."""


@dataclass(frozen=True)
class Send:
    """`whole`: must arrive; other messages are frames, and a connection that is slow may miss some."""

    to: Sequence[Connection]
    text: str
    whole: bool = False


@dataclass(frozen=True)
class Close:
    connection: Connection
    code: int
    reason: str


@dataclass(frozen=True)
class Start:
    """A game that needs a clock: call `frame` at its pace until it is over."""

    table: "Table"


Effect = Send | Close | Start


class Scores(Protocol):
    def add(self, name: str, score: int) -> None: ...

    def best(self) -> Sequence[tuple[str, int]]: ...


@dataclass(eq=False)
class Table:
    """A game, its player, and who watches."""

    player: Connection
    game: CourseGame
    key: str = ""
    """The last one since the last frame."""
    left: bool = False
    viewers: list[Connection] = field(default_factory=list)

    @property
    def over(self) -> bool:
        return self.left or self.game.over


@dataclass
class _Guest:
    path: str
    joined: bool = False
    name: str = ""
    """Of a player; of the player whom a viewer wants to see, or empty."""


class Room:
    def __init__(
        self, pieces: Callable[[int], Iterator[str]], scores: Scores, games: int = 1, *, lockstep: bool = False
    ) -> None:
        """`pieces` deals those of the nth game; `games` are played at once; in lockstep each key makes a frame."""
        self._pieces = pieces
        self._scores = scores
        self._games = games
        self._lockstep = lockstep
        self._guests: dict[Connection, _Guest] = {}
        self._queue: deque[Connection] = deque()
        self._tables: dict[Connection, Table] = {}
        self._begun = 0

    @property
    def tables(self) -> list[Table]:
        """Of the games being played, the oldest first."""
        return list(self._tables.values())

    @property
    def waiting(self) -> list[Connection]:
        return list(self._queue)

    def has_joined(self, connection: Connection) -> bool:
        return connection in self._guests and self._guests[connection].joined

    def connect(self, connection: Connection, path: str) -> None:
        """`path` is one that `is_path` allows."""
        role, name = path_parts(path)
        self._guests[connection] = _Guest(role, name=name)

    def receive(self, connection: Connection, data: str | bytes) -> list[Effect]:
        guest = self._guests.get(connection)
        if guest is None:  # closed, but this was on its way
            return []
        try:
            command = parse_command(data)
            if isinstance(command, Join):
                return self._join(connection, guest, command)
            if isinstance(command, Press):
                return self._press(connection, guest, command.key)
        except MessageError as error:
            return self.refuse(connection, str(error))
        return []

    def refuse(self, connection: Connection, why: str) -> list[Effect]:
        """An error reply and a clean close."""
        if connection not in self._guests:
            return []
        text = json.dumps({"error": why})
        return [Send([connection], text, whole=True), *self._dismiss(connection, REFUSED, why)]

    def disconnect(self, connection: Connection) -> list[Effect]:
        """The connection is gone. A game that its player left counts for nothing."""
        guest = self._guests.pop(connection, None)
        if guest is None:
            return []
        if connection in self._queue:
            self._queue.remove(connection)
        table = self._tables.pop(connection, None)
        if table:
            table.left = True
        return self._seat()

    def frame(self, table: Table) -> list[Effect]:
        """One frame of a game, and its end where that was the last."""
        if table.over:
            return []
        text = table.game.step(table.key)
        table.key = ""
        effects: list[Effect] = [Send([table.player, *table.viewers], text)]
        if table.game.over:
            self._scores.add(table.game.player, table.game.score)
            end = info(table.game.speed, table.game.score, table.game.player, self._scores.best())
            effects.append(Send([table.player, *table.viewers], end, whole=True))
            effects += self._dismiss(table.player, OK, "the game is over")
        return effects

    def _join(self, connection: Connection, guest: _Guest, join: Join) -> list[Effect]:
        if guest.joined:
            raise MessageError("this connection has joined already")
        if guest.path == PLAYER:
            guest.name = player_name(join)
            self._queue.append(connection)
        guest.joined = True
        shown = next(iter(self._tables.values()), None)
        text = info(shown.game.speed, shown.game.score) if shown else info(SLOWEST, 0)
        return [Send([connection], text, whole=True), *self._seat()]

    def _press(self, connection: Connection, guest: _Guest, key: str) -> list[Effect]:
        if guest.path != PLAYER:
            raise MessageError("a key from a viewer; viewers only look")
        if not guest.joined:
            raise MessageError("a key before the join; join first")
        table = self._tables.get(connection)
        if table is None:  # still in the queue
            return []
        if key:
            table.key = key[0]
        return self.frame(table) if self._lockstep else []

    def _dismiss(self, connection: Connection, code: int, reason: str) -> list[Effect]:
        return [Close(connection, code, reason), *self.disconnect(connection)]

    def _seat(self) -> list[Effect]:
        """Those who have waited longest play where a game is free; viewers turn to what they want to see."""
        effects: list[Effect] = []
        while self._queue and len(self._tables) < self._games:
            player = self._queue.popleft()
            game = CourseGame(self._pieces(self._begun), self._guests[player].name)
            self._begun += 1
            self._tables[player] = Table(player, game)
            effects.append(Start(self._tables[player]))
        self._turn_viewers()
        if self._lockstep:  # nobody has a key to send before the first frame
            for effect in list(effects):
                if isinstance(effect, Start):
                    effects += self.frame(effect.table)
        return effects

    def _turn_viewers(self) -> None:
        by_name: dict[str, Table] = {}
        for table in self._tables.values():
            table.viewers = []
            by_name.setdefault(table.game.player, table)
        oldest = next(iter(self._tables.values()), None)
        for connection, guest in self._guests.items():
            if guest.path == VIEWER and guest.joined:
                seen = by_name.get(guest.name) if guest.name else oldest
                if seen:
                    seen.viewers.append(connection)


def path_parts(path: str) -> tuple[str, str]:
    """The role, and the player whom a viewer names: /viewer/NAME."""
    plain = path.split("?", 1)[0].rstrip("/")
    if plain.startswith(VIEWER + "/"):
        return VIEWER, unquote(plain[len(VIEWER) + 1 :])
    return plain, ""


def is_path(path: str) -> bool:
    return path_parts(path)[0] in (PLAYER, VIEWER)
