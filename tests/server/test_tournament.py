"""Tournaments: the same pieces for everyone, several games each, kept game by game."""

import io
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import openpyxl
import pytest

from blockfall.app.results.tournaments import standing_rows, summary
from blockfall.errors import BlockfallError, LockedError, UnknownNameError
from blockfall.games.replay import Replay
from blockfall.server.game import CourseGame, dealt
from blockfall.server.room import PLAYER, REFUSED, Close, Later, Room, Send
from blockfall.server.rounds import Rounds
from blockfall.server.tournament import EndedGame, RunningGame, Tournament, names
from tests.program import Call
from tests.server.talking import Scores

pytestmark = pytest.mark.usefixtures("home")
KEYS = ("", "a", "d", "w", "s")


@pytest.fixture
def rounds() -> Iterator[Rounds]:
    with Rounds(Tournament.open("spring", 4, 2, 30, 0)) as found:
        yield found


def finished(rounds: Rounds, name: str, keys: random.Random) -> CourseGame:
    """Play a game by random keys, from joining to its end."""
    assert rounds.admit(name) == ""
    game = rounds.begin(name)
    while not game.over:
        game.step(keys.choice(KEYS))
    rounds.end(game, left=False).result()
    return game


def test_everyone_plays_the_same_pieces(rounds: Rounds) -> None:
    games = [finished(rounds, name, random.Random(n)) for n, name in enumerate(["ann", "bob", "ann", "bob"])]
    pieces = ["".join(pose.piece for pose in game.placed or ()) for game in games]
    shorter = [min(len(pieces[0]), len(pieces[1])), min(len(pieces[2]), len(pieces[3]))]
    assert pieces[0][: shorter[0]] == pieces[1][: shorter[0]]
    assert pieces[2][: shorter[1]] == pieces[3][: shorter[1]]
    assert pieces[0][:10] != pieces[2][:10]
    stream = dealt(4, 0)
    assert pieces[0] == "".join(next(stream) for _ in pieces[0])
    assert [(game.player, game.round) for game in rounds.tournament.games] == [
        ("ann", 1), ("bob", 1), ("ann", 2), ("bob", 2)
    ]  # fmt: skip


def test_a_game_ends_with_its_last_piece(rounds: Rounds) -> None:
    rounds.tournament.max_pieces = 5
    game = finished(rounds, "ann", random.Random(1))
    assert (game.pieces, rounds.tournament.games[0].end) == (5, "piece-limit")


@pytest.mark.parametrize("seed", range(5))
def test_replays_are_what_was_played(rounds: Rounds, seed: int) -> None:
    """The core, which shares only the rules with the server's game, plays the replays to the same end."""
    rounds.tournament.max_pieces = 1000
    game = finished(rounds, "ann", random.Random(seed))
    replay = Replay.read(rounds.tournament.replay(rounds.tournament.games[0]))
    outcome = replay.outcome
    assert (outcome.pieces, outcome.lines, outcome.score) == (game.pieces, game.lines, game.score)
    assert (replay.agent, replay.seed, replay.number) == ("ann", 4, 0)
    assert outcome.termination.name == "BLOCK_OUT"


def test_a_player_may_not_join_twice_or_after_the_last_game(rounds: Rounds) -> None:
    assert rounds.admit("ann") == ""
    assert rounds.admit("ann") == "ann is playing already; one game at a time"
    rounds.leave("ann")
    for _ in range(2):
        finished(rounds, "ann", random.Random(1))
    assert rounds.admit("ann") == "ann has played all 2 games of the tournament"
    assert rounds.admit("Ann") == ""


def room_with(rounds: Rounds, *players: str, games: int = 10) -> Room:
    room = Room(rounds, Scores(), games)
    for number, name in enumerate(players):
        room.connect(number, PLAYER)
        room.receive(number, json.dumps({"cmd": "join", "name": name}))
    return room


def test_a_player_may_not_play_two_games_at_once(rounds: Rounds) -> None:
    room = room_with(rounds, "ann")
    room.connect(7, PLAYER)
    effects = room.receive(7, json.dumps({"cmd": "join", "name": "ann"}))
    assert Close(7, REFUSED, "ann is playing already; one game at a time") in effects
    assert len(room.matches) == 1


def test_a_game_that_its_player_leaves_counts_as_it_stands(rounds: Rounds) -> None:
    room = room_with(rounds, "ann", "bob", games=1)
    room.disconnect(1)  # bob had not begun
    assert rounds.admit("bob") == ""
    for _ in range(40):
        room.frame(room.matches[0])
    room.disconnect(0)
    rounds._thread.submit(int).result()
    (game,) = rounds.tournament.games
    assert (game.player, game.end, game.frames) == ("ann", "left", 40)
    assert rounds.admit("ann") == ""  # her second game


def test_a_server_that_stops_counts_no_game_as_left(rounds: Rounds) -> None:
    room = room_with(rounds, "ann")
    room.frame(room.matches[0])
    room.shut()
    room.disconnect(0)
    assert rounds._ended == []


def test_the_player_learns_the_end_once_it_is_kept(rounds: Rounds) -> None:
    room = room_with(rounds, "ann")
    match, effects = room.matches[0], []
    while not match.over:
        effects = room.frame(match)
    (later,) = (effect for effect in effects if isinstance(effect, Later))
    assert [type(effect) for effect in later.effects] == [Send, Close]
    later.done.result()
    assert [game.player for game in Tournament.read("spring").games] == ["ann"]


def test_the_table() -> None:
    tournament = Tournament.open("t", 1, 3, 100, 0)
    for player, score, lines in (("bob", 5, 3), ("ann", 4, 4), ("ann", 4, 4), ("cas", 8, 9), ("dan", 8, 8)):
        keys = {"round": 1, "pieces": 1, "frames": 1, "end": "left", "replay": "0001.jsonl"}
        tournament.games.append(EndedGame.model_validate({"player": player, "score": score, "lines": lines, **keys}))
    tournament.playing = [RunningGame(player="eve", round=1, score=2, pieces=9)]
    rows = [(row.place, row.player, row.points, row.games, row.best) for row in tournament.standings()]
    assert rows == [
        (1, "cas", 8, 1, 8),
        (2, "ann", 8, 2, 4),
        (2, "dan", 8, 1, 8),
        (4, "bob", 5, 1, 5),
        (5, "eve", 0, 0, 0),
    ]
    assert tournament.standings()[4].now


def test_equal_players_share_a_place_wherever_the_table_is_shown(call: Call) -> None:
    tournament = Tournament.open("even", 1, 1, 100, 0)
    for number, player in enumerate(("ann", "bob", "cas"), 1):
        keys = {"round": 1, "pieces": 1, "frames": 1, "end": "left", "replay": f"{number:04}.jsonl"}
        score = 3 if player == "cas" else 7
        tournament.games.append(EndedGame.model_validate({"player": player, "score": score, "lines": 2, **keys}))
    tournament.write()
    wanted = [(1, "ann"), (1, "bob"), (3, "cas")]
    assert [(row["place"], row["name"]) for row in tournament.as_json()["table"]] == wanted
    assert [(row["place"], row["player"]) for row in standing_rows(tournament)] == wanted
    sheet = openpyxl.load_workbook(io.BytesIO(tournament.workbook()))["Table"]
    found = [row[:2] for row in sheet.iter_rows(values_only=True) if row[1] in ("ann", "bob", "cas")]
    assert found == wanted
    _, printed, _ = call("tournament", "even")
    assert [(int(place), name) for place, name in re.findall(r"(\d) \W*(ann|bob|cas)", printed)] == wanted
    assert summary("even") == "3 players, 3 games. ann and bob lead with 7 points."


def test_a_tournament_continues_with_its_first_settings() -> None:
    with Rounds(Tournament.open("spring", None, None, None, 77)) as rounds:
        finished(rounds, "ann", random.Random(1))
        with pytest.raises(LockedError), Rounds(Tournament.read("spring")):
            pass
    again = Tournament.open("spring", None, None, None, 5)
    assert (again.seed, again.rounds, again.max_pieces, len(again.games)) == (77, 3, 500, 1)
    with Rounds(again) as rounds:
        finished(rounds, "ann", random.Random(1))
    assert [game.replay for game in Tournament.read("spring").games] == ["0001.jsonl", "0002.jsonl"]
    for wrong in ({"seed": 5}, {"rounds": 4}, {"max_pieces": 6}):
        given: dict[str, Any] = {"seed": None, "rounds": None, "max_pieces": None, **wrong}
        with pytest.raises(BlockfallError, match="began with"):
            Tournament.open("spring", drawn=0, **given)
    book = openpyxl.load_workbook(again.folder / "results.xlsx")
    assert book.sheetnames == ["Table", "Games"]
    assert [cell.value for cell in book["Table"][5]][:4] == [1, "ann", sum(game.score for game in again.games), 2]
    assert names() == ["spring"]


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 41, "a\nb"])
def test_bad_names_of_tournaments_are_refused(name: str) -> None:
    with pytest.raises(BlockfallError, match="letters, digits"):
        Tournament.read(name)


def test_damaged_files_of_tournaments_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown tournament 'nope'"):
        Tournament.read("nope")
    folder = Tournament.open("t", 1, 1, 1, 0).folder
    for text in ("{", "[]", '{"seed": -1}', '{"seed": 1, "rounds": 1, "max_pieces": 1, "games": [{"replay": "../x"}]}'):
        (folder / "tournament.json").write_text(text)
        with pytest.raises(BlockfallError):
            Tournament.read("t")


def test_bad_options(call: Call) -> None:
    for arguments, part in (
        (["serve", "--rounds", "3"], "add --tournament NAME"),
        (["serve", "--tournament", "../x"], "letters, digits"),
        (["serve", "--tournament", "t", "--rounds", "-1"], "rounds is -1; it must be a whole number from 1 to 1000"),
        (["serve", "--players", "3"], "add --tournament NAME"),
        (["serve", "--tournament", "t", "--players", "0"], "0 players; it must be 1 to the 1000 connections"),
        (["tournament", "nope"], "unknown tournament"),
    ):
        code, out, errors = call(*arguments)
        assert (code, out, len(errors.splitlines())) == (2, "", 1), errors
        assert part in errors
    assert "No tournaments yet" in call("tournament")[1]
