"""The protocol's state machine, without sockets or clocks."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from blockfall.server.game import dealt
from blockfall.server.messages import MOST_NAME
from blockfall.server.room import (
    OK,
    PLAYER,
    REFUSED,
    VIEWER,
    Begin,
    Close,
    Effect,
    FreePlay,
    Match,
    Room,
    Send,
    is_path,
)
from tests.server.talking import BAD, Scores

FRAME = {"game", "piece", "next_pieces", "game_speed", "score"}
INFO = {"dimensions", "grid", "game_speed", "score"}


def quickly_over(number: int) -> Iterator[str]:
    """Almost only O: without keys they reach the top in a few dozen frames."""
    yield "IO"[number % 2]
    while True:
        yield "O"


def room_of(games: int = 1, lockstep: bool = False) -> Room:
    return Room(FreePlay(quickly_over), Scores(), games, lockstep=lockstep)


def join(room: Room, connection: int, name: str | None = "ann") -> list[Effect]:
    return room.receive(connection, json.dumps({"cmd": "join"} | ({} if name is None else {"name": name})))


def press(room: Room, connection: int, key: str) -> list[Effect]:
    return room.receive(connection, json.dumps({"cmd": "key", "key": key}))


def texts(effects: list[Effect], to: int) -> list[dict[str, Any]]:
    return [json.loads(effect.text) for effect in effects if isinstance(effect, Send) and to in effect.to]


def closes(effects: list[Effect]) -> list[tuple[int, int]]:
    return [(effect.connection, effect.code) for effect in effects if isinstance(effect, Close)]


def players_room(games: int = 1, lockstep: bool = False, players: int = 1) -> Room:
    room = room_of(games, lockstep)
    for number in range(players):
        room.connect(number, PLAYER)
        join(room, number, f"p{number}")
    return room


def finish(room: Room, match: Match) -> list[Effect]:
    effects: list[Effect] = []
    while not match.over:
        effects = room.frame(match)
    return effects


def test_a_players_messages_from_join_to_end() -> None:
    room = room_of()
    room.connect(1, PLAYER)
    joined = join(room, 1)
    (welcome,) = texts(joined, 1)
    assert set(welcome) == INFO
    assert [type(effect) for effect in joined] == [Send, Begin]
    (match,) = room.matches
    first, second = (texts(room.frame(match), 1)[0] for _ in range(2))
    assert set(first) == FRAME
    assert set(second) == FRAME | {"player"}
    press(room, 1, "s")
    (dropped,) = texts(room.frame(match), 1)
    assert max(y for _, y in dropped["piece"]) == 29
    last, end = texts(ending := finish(room, match), 1)
    assert last["piece"] is None
    assert set(end) == INFO | {"player", "highscores"}
    assert end["highscores"] == [["ann", end["score"]]]
    assert closes(ending) == [(1, OK)]
    assert room.matches == []


@pytest.mark.parametrize(
    ("keys", "columns"),
    [
        (["a"], {1, 2, 3, 4}),
        (["d", "a"], {1, 2, 3, 4}),  # the last one wins
        (["abc"], {1, 2, 3, 4}),  # its first character counts
        (["a", ""], {2, 3, 4, 5}),  # an empty key takes back the one before it (measured on the course's server)
        (["", "a"], {1, 2, 3, 4}),
        (["a", "x"], {2, 3, 4, 5}),
        (["x"], {2, 3, 4, 5}),
        ([""], {2, 3, 4, 5}),
        (["w"], {4}),
    ],
)
def test_keys(keys: list[str], columns: set[int]) -> None:
    room = players_room()
    for key in keys:
        assert press(room, 0, key) == []
    (match,) = room.matches
    (frame,) = texts(room.frame(match), 0)
    assert {x for x, _ in frame["piece"]} == columns
    (after,) = texts(room.frame(match), 0)
    assert {x for x, _ in after["piece"]} == columns  # a key counts for one frame only


def test_players_queue_and_are_told_of_the_game_in_progress_once() -> None:
    room = players_room()
    (match,) = room.matches
    room.connect(5, PLAYER)
    (told,) = texts(join(room, 5, "eve"), 5)
    assert set(told) == INFO
    assert room.waiting == [5]
    assert press(room, 5, "s") == []  # this player still waits
    assert texts(room.frame(match), 5) == []
    effects = finish(room, match)
    assert room.waiting == []
    assert [effect.match.player for effect in effects if isinstance(effect, Begin)] == [5]
    assert texts(effects, 5) == []
    (frame,) = texts(room.frame(room.matches[0]), 5)
    assert set(frame) == FRAME


def test_several_games_at_once() -> None:
    room = players_room(games=2, players=3)
    one, two = room.matches
    assert (one.player, two.player, room.waiting) == (0, 1, [2])
    press(room, 1, "a")
    assert texts(room.frame(one), 0)[0]["piece"] != texts(room.frame(two), 1)[0]["piece"]
    assert texts(room.frame(one), 1) == []
    room.disconnect(0)
    assert [match.player for match in room.matches] == [1, 2]


def test_games_begin_once_everyone_is_here() -> None:
    room = Room(FreePlay(quickly_over), Scores(), games=2, players=3)
    for player in range(1, 5):
        room.connect(player, PLAYER)
    assert room.missing == 3
    assert not [one for one in join(room, 1) if isinstance(one, Begin)]
    assert not [one for one in join(room, 2) if isinstance(one, Begin)]
    room.disconnect(2)
    assert room.missing == 2
    join(room, 3)
    begun = [one.match.player for one in join(room, 4) if isinstance(one, Begin)]
    assert begun == [1, 3], "two at once, the most that are allowed"
    assert (room.missing, room.waiting) == (0, [4])
    room.disconnect(1)
    assert [one.player for one in room.matches] == [3, 4], "from now on, nobody waits for others"


def test_a_player_who_leaves_scores_nothing_and_the_next_one_plays() -> None:
    room = players_room(players=2)
    (match,) = room.matches
    room.frame(match)
    effects = room.disconnect(0)
    assert [effect.match.player for effect in effects if isinstance(effect, Begin)] == [1]
    assert room.frame(match) == []  # its clock may tick once more
    assert "p0" not in [name for name, _ in json.loads(_last_text(finish(room, room.matches[0])))["highscores"]]


def _last_text(effects: list[Effect]) -> str:
    return [effect.text for effect in effects if isinstance(effect, Send)][-1]


def test_viewers_see_one_game_after_the_other() -> None:
    room = room_of()
    room.connect(9, VIEWER)
    (welcome,) = texts(join(room, 9, None), 9)
    assert set(welcome) == INFO
    for player in (0, 1):
        room.connect(player, PLAYER)
        join(room, player, f"p{player}")
    first = room.matches[0]
    assert len(texts(room.frame(first), 9)) == 1
    assert texts(finish(room, first), 9)[-1]["player"] == "p0"
    assert len(texts(room.frame(room.matches[0]), 9)) == 1


def test_a_viewer_may_name_a_player() -> None:
    room = players_room(games=3, players=3)
    room.connect(9, VIEWER + "/p%31")
    join(room, 9, None)
    assert [bool(texts(room.frame(match), 9)) for match in room.matches] == [False, True, False]


def test_lockstep_makes_a_frame_of_every_key() -> None:
    room = room_of(lockstep=True)
    room.connect(1, PLAYER)
    joined = join(room, 1)
    assert [set(text) for text in texts(joined, 1)] == [INFO, FRAME]
    rows = [max(y for _, y in texts(press(room, 1, ""), 1)[0]["piece"]) for _ in range(3)]
    assert rows == [3, 4, 5]


@pytest.mark.parametrize("data", BAD, ids=lambda data: repr(data)[:30])
def test_a_bad_message_gets_an_error_and_a_close(data: str | bytes) -> None:
    room = players_room()
    (match,) = room.matches
    room.connect(7, PLAYER)
    effects = room.receive(7, data)
    (reply,) = texts(effects, 7)
    assert set(reply) == {"error"}
    assert len(reply["error"]) < 400
    assert closes(effects) == [(7, REFUSED)]
    assert room.receive(7, '{"cmd": "join", "name": "late"}') == []
    assert len(texts(room.frame(match), 0)) == 1


def test_messages_without_cmd_and_unknown_fields_are_ignored() -> None:
    room = room_of()
    room.connect(1, PLAYER)
    assert room.receive(1, '{"name": "x"}') == []
    assert set(texts(room.receive(1, '{"cmd": "join", "name": "x", "more": [1]}'), 1)[0]) == INFO


def test_a_second_join_and_a_viewers_key_are_refused() -> None:
    room = players_room()
    assert closes(join(room, 0)) == [(0, REFUSED)]
    room.connect(3, VIEWER)
    join(room, 3, None)
    assert closes(press(room, 3, "a")) == [(3, REFUSED)]


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/player", True),
        ("/viewer", True),
        ("/player/", True),
        ("/viewer/ann", True),
        ("/", False),
        ("/playerx", False),
    ],
)
def test_paths(path: str, allowed: bool) -> None:
    assert is_path(path) == allowed


NOISE = st.one_of(
    st.binary(max_size=40).filter(lambda data: b"{" not in data),
    st.text(max_size=40).filter(lambda text: "{" not in text),
)


class Protocol(RuleBasedStateMachine):
    """Connections, messages, frames and losses in any order, compared with a simple model of the room."""

    @initialize(games=st.integers(1, 3), lockstep=st.booleans())
    def open(self, games: int, lockstep: bool) -> None:
        pieces = quickly_over if games > 1 else lambda number: dealt(3, number)
        self.room = Room(FreePlay(pieces), Scores(), games, lockstep=lockstep)
        self.games, self.lockstep = games, lockstep
        self.connected: dict[int, str] = {}
        self.joined: set[int] = set()
        self.queue: list[int] = []
        """Players in the order in which they joined. The first ones play, the others wait."""
        self.next = 0

    def check(self, effects: list[Effect]) -> list[Effect]:
        """Follow the closes, and check that nothing is sent to a closed connection."""
        here = set(self.connected)
        for effect in effects:
            if isinstance(effect, Send):
                assert set(effect.to) <= here
                assert len(set(effect.to)) == len(effect.to)
                json.loads(effect.text)
            elif isinstance(effect, Close):
                here.remove(effect.connection)
                self.leave(effect.connection)
            else:
                assert isinstance(effect, Begin)
                assert effect.match in self.room.matches or effect.match.over
        return effects

    def leave(self, connection: int) -> None:
        del self.connected[connection]
        self.joined.discard(connection)
        if connection in self.queue:
            self.queue.remove(connection)

    @rule(path=st.sampled_from([PLAYER, PLAYER, VIEWER, VIEWER + "/bob"]))
    def connect(self, path: str) -> None:
        self.room.connect(self.next, path)
        self.connected[self.next] = path
        self.next += 1

    @rule(count=st.integers(1, 4), path=st.sampled_from([PLAYER, PLAYER, VIEWER, VIEWER + "/bob"]))
    def arrive(self, count: int, path: str) -> None:
        """Most connections join as they should."""
        for _ in range(count):
            self.connect(path)
            self.join_as(self.next - 1, "bob")

    @precondition(lambda self: self.connected)
    @rule(data=st.data(), name=st.sampled_from(["ann", "bob", "", "x" * 99]))
    def join(self, data: st.DataObject, name: str) -> None:
        self.join_as(data.draw(st.sampled_from(sorted(self.connected))), name)

    def join_as(self, connection: int, name: str) -> None:
        path, again = self.connected[connection], connection in self.joined
        good = not again and (path != PLAYER or 0 < len(name) <= MOST_NAME)
        if good:
            self.joined.add(connection)
            if path == PLAYER:
                self.queue.append(connection)
        effects = self.check(join(self.room, connection, name))
        assert set(texts(effects, connection)[0]) == (INFO if good else {"error"})
        assert (connection in self.connected) == good

    @precondition(lambda self: self.connected)
    @rule(data=st.data(), key=st.sampled_from(["a", "d", "w", "s", "", "nonsense"]))
    def press(self, data: st.DataObject, key: str) -> None:
        connection = data.draw(st.sampled_from(sorted(self.connected)))
        plays = connection in self.queue[: self.games]
        allowed = connection in self.queue
        effects = self.check(press(self.room, connection, key))
        if not allowed:
            assert set(texts(effects, connection)[0]) == {"error"}
        elif plays and self.lockstep:
            assert set(texts(effects, connection)[0]) >= FRAME
        else:
            assert effects == []

    @precondition(lambda self: self.connected)
    @rule(data=st.data(), bad=st.one_of(st.sampled_from(BAD[:12]), NOISE))
    def babble(self, data: st.DataObject, bad: str | bytes) -> None:
        connection = data.draw(st.sampled_from(sorted(self.connected)))
        effects = self.check(self.room.receive(connection, bad))
        assert connection not in self.connected
        assert set(texts(effects, connection)[0]) == {"error"}

    @precondition(lambda self: self.connected)
    @rule(data=st.data())
    def vanish(self, data: st.DataObject) -> None:
        connection = data.draw(st.sampled_from(sorted(self.connected)))
        self.leave(connection)
        self.check(self.room.disconnect(connection))

    @precondition(lambda self: self.queue and not self.lockstep)
    @rule(data=st.data(), frames=st.integers(1, 400))
    def play(self, data: st.DataObject, frames: int) -> None:
        match = data.draw(st.sampled_from(self.room.matches))
        for _ in range(frames):
            viewers = {c for c, path in self.connected.items() if path != PLAYER and c in self.joined}
            effects = self.check(self.room.frame(match))
            seen = {to for effect in effects if isinstance(effect, Send) for to in effect.to}
            assert seen <= viewers | {match.player}
            if match.over:
                assert match.player not in self.connected
                break

    @invariant()
    def everyone_is_in_one_place(self) -> None:
        if not hasattr(self, "room"):
            return
        assert [match.player for match in self.room.matches] == self.queue[: self.games]
        assert self.room.waiting == self.queue[self.games :]
        assert not any(match.over for match in self.room.matches)
        watching = [viewer for match in self.room.matches for viewer in match.viewers]
        assert len(set(watching)) == len(watching)
        if self.room.matches:
            everyone = {c for c, path in self.connected.items() if path == VIEWER and c in self.joined}
            assert everyone <= set(self.room.matches[0].viewers)


TestProtocol = Protocol.TestCase
TestProtocol.settings = settings(max_examples=200, stateful_step_count=30, deadline=None)
