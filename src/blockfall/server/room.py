"""The protocol as a state machine, without sockets or clocks: messages go in, effects come out.

The path of a connection tells a player from a viewer. A player joins, waits in a queue for a free game, and plays until
the game ends or the player leaves. A viewer sees the oldest game, or the games of the player that the path names.
"""

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote

from blockfall.server.game import SLOWEST, CourseGame, info
from blockfall.server.messages import Join, MessageError, Press, parse_command, player_name

PLAYER, VIEWER = "/player", "/viewer"
OK, REFUSED = 1000, 1008

Connection = int
"""The number of a connection. The caller chooses it."""


@dataclass(frozen=True)
class Send:
    """Send this text. A `whole` message must arrive; a slow connection may miss others, which are frames."""

    to: Sequence[Connection]
    text: str
    whole: bool = False


@dataclass(frozen=True)
class Close:
    """Close this connection, with a code of RFC 6455."""

    connection: Connection
    code: int
    reason: str


@dataclass(frozen=True)
class Begin:
    """Start the clock of this match: call `Room.frame` at its pace until it is over."""

    match: "Match"


@dataclass(frozen=True)
class Later:
    """Do this once something else is done, such as the saving of a game."""

    done: Future[None]
    effects: "Sequence[Send | Close]"


Effect = Send | Close | Begin | Later


class Scores(Protocol):
    """A keeper of high scores."""

    def add(self, name: str, score: int) -> None:
        """Keep the score of a finished game."""
        ...

    def best(self) -> Sequence[tuple[str, int]]:
        """Return the best names and scores, highest first."""
        ...


class Deals(Protocol):
    """The policy on who may play, and with which pieces."""

    def admit(self, name: str) -> str:
        """Admit a player to the queue and return an empty text, or else return the reason for a refusal."""
        ...

    def leave(self, name: str) -> None:
        """Note that the player left before a game began."""
        ...

    def begin(self, name: str) -> CourseGame:
        """Return the player's next game."""
        ...

    def end(self, game: CourseGame, left: bool) -> Future[None] | None:
        """Take a game that is over or was left. The player is told so once the future is done."""
        ...


class FreePlay:
    """A policy that lets everyone play as often as they like, with new pieces in every game."""

    def __init__(self, pieces: Callable[[int], Iterator[str]]) -> None:
        """Deal game n with `pieces(n)`."""
        self._pieces = pieces
        self._begun = 0

    def admit(self, name: str) -> str:  # noqa: ARG002
        """Refuse nobody."""
        return ""

    def leave(self, name: str) -> None:
        """Keep no list of players."""

    def begin(self, name: str) -> CourseGame:
        """Return a game with the next number."""
        self._begun += 1
        return CourseGame(self._pieces(self._begun - 1), name)

    def end(self, game: CourseGame, left: bool) -> None:
        """Keep nothing."""


@dataclass(eq=False)
class Match:
    """A game with its player and its viewers."""

    player: Connection
    game: CourseGame
    key: str = ""
    """The last key since the last frame; empty if none came or the last one was empty."""
    left: bool = False
    viewers: list[Connection] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """True if the game has ended or its player has left."""
        return self.left or self.game.over


@dataclass
class _Guest:
    path: str
    joined: bool = False
    name: str = ""
    """A player's own name, or the name of the player that a viewer watches; empty for any."""


class Room:
    """All connections of a server: who waits, who plays and who watches."""

    def __init__(
        self, deals: Deals, scores: Scores, games: int = 1, *, players: int = 0, lockstep: bool = False
    ) -> None:
        """Play at most `games` at once, and none before `players` wait. In lockstep each key makes a frame."""
        self._deals = deals
        self._scores = scores
        self._games = games
        self._awaited = players
        self._lockstep = lockstep
        self._guests: dict[Connection, _Guest] = {}
        self._queue: deque[Connection] = deque()
        self._matches: dict[Connection, Match] = {}
        self._shut = False

    @property
    def matches(self) -> list[Match]:
        """The running games, oldest first."""
        return list(self._matches.values())

    @property
    def missing(self) -> int:
        """The number of players who must still join before the first game begins."""
        return max(0, self._awaited - len(self._queue))

    @property
    def waiting(self) -> list[Connection]:
        """The players in the queue, next one first."""
        return list(self._queue)

    def has_joined(self, connection: Connection) -> bool:
        """Return whether the connection is open and has joined."""
        return connection in self._guests and self._guests[connection].joined

    def connect(self, connection: Connection, path: str) -> None:
        """Add a connection. `path` must be one that `is_path` accepts."""
        role, name = path_parts(path)
        self._guests[connection] = _Guest(role, name=name)

    def receive(self, connection: Connection, data: str | bytes) -> list[Effect]:
        """Handle a message. One that breaks the protocol is refused."""
        guest = self._guests.get(connection)
        if guest is None:  # the connection was closed while this message was on its way
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
        """Answer with an error and close the connection."""
        if connection not in self._guests:
            return []
        text = json.dumps({"error": why})
        return [Send([connection], text, whole=True), *self._dismiss(connection, REFUSED, why)]

    def disconnect(self, connection: Connection) -> list[Effect]:
        """Remove a connection that has closed. A game that its player leaves does not count."""
        guest = self._guests.pop(connection, None)
        if guest is None:
            return []
        if connection in self._queue:
            self._queue.remove(connection)
            self._deals.leave(guest.name)
        match = self._matches.pop(connection, None)
        if match:
            match.left = not match.game.over
            if match.left and not self._shut:
                self._deals.end(match.game, left=True)
        return self._seat()

    def shut(self) -> None:
        """Stop the server: games that end from now on do not count as left by their players."""
        self._shut = True

    def frame(self, match: Match) -> list[Effect]:
        """Play one frame of a match, and end it after its last frame."""
        if match.over:
            return []
        text = match.game.step(match.key)
        match.key = ""
        effects: list[Effect] = [Send([match.player, *match.viewers], text)]
        if match.game.over:
            self._scores.add(match.game.player, match.game.score)
            kept = self._deals.end(match.game, left=False)
            end = info(match.game.speed, match.game.score, match.game.player, self._scores.best())
            last = Send([match.player, *match.viewers], end, whole=True)
            close = Close(match.player, OK, "the game is over")
            effects += [last, close] if kept is None else [Later(kept, [last, close])]
            effects += self.disconnect(match.player)
        return effects

    def _join(self, connection: Connection, guest: _Guest, join: Join) -> list[Effect]:
        if guest.joined:
            raise MessageError("this connection has joined already")
        if guest.path == PLAYER:
            name = player_name(join)
            if refusal := self._deals.admit(name):
                raise MessageError(refusal)
            guest.name = name
            self._queue.append(connection)
        guest.joined = True
        shown = next(iter(self._matches.values()), None)
        text = info(shown.game.speed, shown.game.score) if shown else info(SLOWEST, 0)
        return [Send([connection], text, whole=True), *self._seat()]

    def _press(self, connection: Connection, guest: _Guest, key: str) -> list[Effect]:
        if guest.path != PLAYER:
            raise MessageError("a viewer sent a key; viewers only watch")
        if not guest.joined:
            raise MessageError("a key came before the join; join first")
        match = self._matches.get(connection)
        if match is None:  # still in the queue
            return []
        match.key = key[:1]  # an empty key cancels the previous one, as on the course's server
        return self.frame(match) if self._lockstep else []

    def _dismiss(self, connection: Connection, code: int, reason: str) -> list[Effect]:
        return [Close(connection, code, reason), *self.disconnect(connection)]

    def _seat(self) -> list[Effect]:
        """Start games for those who have waited longest, and give each viewer a game to watch."""
        effects: list[Effect] = []
        if not self.missing:
            self._awaited = 0  # from now on, games begin as soon as players join
        while not self._awaited and self._queue and len(self._matches) < self._games:
            player = self._queue.popleft()
            self._matches[player] = Match(player, self._deals.begin(self._guests[player].name))
            effects.append(Begin(self._matches[player]))
        self._turn_viewers()
        if self._lockstep:  # a player sends no key before seeing a frame
            for effect in list(effects):
                if isinstance(effect, Begin):
                    effects += self.frame(effect.match)
        return effects

    def _turn_viewers(self) -> None:
        by_name: dict[str, Match] = {}
        for match in self._matches.values():
            match.viewers = []
            by_name.setdefault(match.game.player, match)
        oldest = next(iter(self._matches.values()), None)
        for connection, guest in self._guests.items():
            if guest.path == VIEWER and guest.joined:
                seen = by_name.get(guest.name) if guest.name else oldest
                if seen:
                    seen.viewers.append(connection)


def path_parts(path: str) -> tuple[str, str]:
    """Return the two parts of a path such as /viewer/NAME: the role, and the player that a viewer names."""
    plain = path.split("?", 1)[0].rstrip("/")
    if plain.startswith(VIEWER + "/"):
        return VIEWER, unquote(plain[len(VIEWER) + 1 :])
    return plain, ""


def is_path(path: str) -> bool:
    """Return whether the path is that of a player or a viewer."""
    return path_parts(path)[0] in (PLAYER, VIEWER)
