"""The pilot plays well with any delay and survives strange frames."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from blockfall import Agent, Game, agent
from blockfall.server.course import RULES
from blockfall.server.game import CourseGame, dealt
from blockfall.server.messages import Frame, parse_said
from blockfall.server.pilot import Pilot


def frame_of(text: str) -> Frame:
    said = parse_said(text)
    assert isinstance(said, Frame)
    return said


class Wire:
    """A connection that delays keys. Of keys that arrive together the last one wins, even an empty one."""

    def __init__(self, delays: Iterator[int]) -> None:
        self._delays = delays
        self._now = 0
        self._coming: list[tuple[int, str]] = []

    def send(self, key: str) -> None:
        due = max([self._now + next(self._delays), *(due for due, _ in self._coming)])  # a socket keeps the order
        self._coming.append((due, key))

    def take(self) -> str:
        come = [key for due, key in self._coming if due <= self._now]
        self._coming = [(due, key) for due, key in self._coming if due > self._now]
        self._now += 1
        return come[-1] if come else ""


def pilot_game(player: Agent, delays: Iterator[int], pieces: int, seed: int = 1) -> tuple[CourseGame, Pilot]:
    game, pilot, wire = CourseGame(dealt(seed, 0)), Pilot(player), Wire(delays)
    while not game.over and game.pieces < pieces:
        pilot.see(frame_of(game.step(wire.take())))
        key = pilot.key()
        if key is not None:
            wire.send(key)
    return game, pilot


def always(frames: int) -> Iterator[int]:
    while True:
        yield frames


def highest(game: CourseGame) -> int:
    return max((30 - y for _, y in game.settled), default=0)


@pytest.mark.parametrize("known", [1, 2, 3])
@pytest.mark.parametrize("name", ["dt-20", "aveiro", "birken-6"])
def test_the_pilot_plays_the_cores_game(name: str, known: int) -> None:
    """The game played by keys equals the game that the core plays by placements."""
    player = agent(name).knowing(known)
    game, pilot = pilot_game(player, always(0), 150)
    core = Game(RULES, 1, pieces_known=known)
    while core.outcome.pieces < game.pieces:
        core.play(core.choose(player))
    assert {(x - 1, 29 - y) for x, y in game.settled} == {
        (x, y) for y, row in enumerate(core.board.cells) for x, filled in enumerate(row) if filled
    }
    assert (game.score, game.lines) == (core.outcome.score, core.outcome.lines)
    assert (pilot.tally.missed, pilot.tally.surprises) == (0, 0)


def test_three_next_pieces_are_used_once_all_are_seen() -> None:
    """The fourth piece is shown only once the first is in the air, so the pilot chooses again then."""
    game, pilot = pilot_game(agent("lee").knowing(4), always(0), 40)
    assert (pilot.tally.pieces, pilot.tally.missed) == (40, 0)
    assert highest(game) <= 6


@pytest.mark.parametrize("frames", [1, 2, 3, 6])
def test_a_constant_delay_changes_nothing(frames: int) -> None:
    near, _ = pilot_game(agent("dt-20"), always(0), 200)
    far, pilot = pilot_game(agent("dt-20"), always(frames), 200)
    assert far.settled == near.settled
    assert (pilot.tally.missed, pilot.tally.surprises) == (0, 0)


@pytest.mark.parametrize("delays", [(0, 0, 1, 2), (0, 1), (1, 2), (0, 3)])
def test_a_delay_that_changes_costs_little(delays: tuple[int, ...]) -> None:
    """A key that overtakes another replaces it. The pilot then makes a new plan, and the board stays low."""
    draw = random.Random(2)
    game, pilot = pilot_game(agent("dt-20").knowing(2), iter(lambda: draw.choice(delays), -1), 300)
    assert game.pieces == 300
    assert highest(game) <= 10
    assert pilot.tally.missed < 0.05 * pilot.tally.pieces


def test_frames_that_arrive_together_are_answered_once() -> None:
    """A client that was stopped for a while sees all frames and answers the newest."""
    game, pilot = CourseGame(dealt(1, 0)), Pilot(agent("dt-20"))
    draw, key = random.Random(1), ""
    while game.pieces < 200:
        for _ in range(draw.choice([1, 1, 1, 3])):
            pilot.see(frame_of(game.step(key)))
            key = ""
        key = pilot.key() or ""
    assert (pilot.tally.missed, pilot.tally.surprises) == (0, 0)


def test_a_piece_that_something_else_moved_is_led_back() -> None:
    game, pilot = CourseGame(dealt(5, 0)), Pilot(agent("dt-20"))
    draw, key = random.Random(3), ""
    while game.pieces < 200:
        pilot.see(frame_of(game.step(draw.choice("adw") if draw.random() < 0.1 else key)))
        key = pilot.key() or ""
    assert pilot.tally.surprises > 20
    assert highest(game) <= 14


def strange(message: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Other servers may send unknown fields, cells twice, and walls among the settled cells."""
    message = message | {"level": 3, "colours": {"I": None}}
    if message.get("game") and draw.random() < 0.3:
        message["game"] = message["game"] + message["game"][:3] + [[0, 4], [9, 9]]
    if message.get("piece") and draw.random() < 0.3:
        message["piece"] = message["piece"] + message["piece"][:1]
    if draw.random() < 0.2:
        message["next_pieces"] = [*message["next_pieces"][:2], None]
    return message


def test_strange_frames_change_nothing() -> None:
    plain, _ = pilot_game(agent("dt-20"), always(0), 150)
    game, pilot = CourseGame(dealt(1, 0)), Pilot(agent("dt-20"))
    draw, key = random.Random(4), ""
    while game.pieces < 150:
        pilot.see(frame_of(json.dumps(strange(json.loads(game.step(key)), draw))))
        key = pilot.key() or ""
    assert game.settled == plain.settled


@pytest.mark.parametrize(
    "frame",
    [
        {"game": [], "piece": None},
        {"game": [], "piece": [], "next_pieces": []},
        {"game": [], "piece": [[1, 1], [5, 5]], "next_pieces": [None, [], [[1, 1]]]},
        {"game": [], "piece": [[-3, -9], [-2, -9], [-3, -8], [-2, -8]], "next_pieces": []},
        {"game": [[x, y] for x in range(10) for y in range(31)], "piece": [[2, 2], [3, 2], [4, 2], [5, 2]]},
    ],
)
def test_senseless_frames_get_no_key(frame: dict[str, Any]) -> None:
    pilot = Pilot(agent("dt-20"))
    for _ in range(3):
        pilot.see(frame_of(json.dumps(frame)))
        assert pilot.key() == ""
