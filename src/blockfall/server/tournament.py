"""A tournament: everyone plays the same pieces, several games each.

Its folder is under BLOCKFALL_HOME, where the server, the command line and the app find it:

| file | content |
|---|---|
| `tournament.json` | the settings and every finished game |
| `now.json` | the running games |
| `replays/` | a replay of every finished game |
| `results.xlsx` | the table and the games, written when the server stops |

A game is saved before its player is told that it is over, so a killed server loses no finished game. When the server
starts again, the tournament continues with the remaining games.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from blockfall.errors import FileError, SettingError, UnknownNameError
from blockfall.files import is_locked, write_atomically
from blockfall.reports.model import Report, Section, Sheet
from blockfall.server.course import ROWS, RULES
from blockfall.server.game import CourseGame
from blockfall.store import store_path
from blockfall.validation import Model, check, parse_json, read_text, visible, whole_number

ROUNDS, MOST_PIECES = 3, 500
"""The default number of games per player, and the default limit of pieces per game."""
RESULTS = "results.xlsx"
_KEPT, _NOW = "tournament.json", "now.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")


class EndedGame(Model):
    """A finished game."""

    player: str = Field(description="a name")
    round: int = Field(ge=1, description="a whole number from 1")
    score: int = Field(ge=0, description="a whole number")
    lines: int = Field(ge=0, description="a whole number")
    pieces: int = Field(ge=0, description="a whole number")
    frames: int = Field(ge=0, description="a whole number")
    end: str = Field(description="block-out, piece-limit or left")
    replay: str = Field(pattern=r"^\d{4,}\.jsonl$", description="the name of a file")


class RunningGame(Model):
    """A running game."""

    player: str = Field(description="a name")
    round: int = Field(ge=1, description="a whole number from 1")
    score: int = Field(ge=0, description="a whole number")
    pieces: int = Field(ge=0, description="a whole number")


class _Running(Model):
    playing: list[RunningGame] = Field(description="a list of games")


class TournamentKeys(Model):
    """The content of tournament.json."""

    seed: int = Field(ge=0, lt=2**64, description="a whole number from 0 to 2^64 - 1")
    rounds: int = whole_number(1, 1000)
    max_pieces: int = whole_number(1, 1_000_000)
    games: list[EndedGame] = Field(default=[], description="a list of games")


@dataclass(frozen=True)
class TournamentStanding:
    """A row of the table."""

    place: int
    """The place, from 1. After two that share the first place comes the third."""
    player: str
    points: int
    """The sum over the finished games."""
    games: int
    best: int
    lines: int
    now: RunningGame | None = None


class Tournament:
    """The settings, the finished games and the table. Read it again to see what others have written."""

    def __init__(self, folder: Path, keys: TournamentKeys, playing: Sequence[RunningGame] = ()) -> None:
        self.folder = folder
        self.seed, self.rounds, self.max_pieces = keys.seed, keys.rounds, keys.max_pieces
        self.games = list(keys.games)
        self.playing = list(playing)

    @property
    def name(self) -> str:
        """The tournament's name."""
        return self.folder.name

    @classmethod
    def read(cls, name: str) -> "Tournament":
        """Return the tournament of this name in its current state."""
        folder = folder_of(name)
        if not (folder / _KEPT).is_file():
            raise UnknownNameError("tournament", name, names())
        text = read_text(folder / _KEPT)
        keys = check(TournamentKeys, parse_json(text, str(folder / _KEPT)), str(folder / _KEPT))
        playing: list[RunningGame] = []
        if (folder / _NOW).is_file() and is_locked(folder):  # a killed server leaves a stale file
            found = parse_json(read_text(folder / _NOW), str(folder / _NOW))
            playing = check(_Running, found, str(folder / _NOW)).playing
        return cls(folder, keys, playing)

    @classmethod
    def open(cls, name: str, seed: int | None, rounds: int | None, max_pieces: int | None, drawn: int) -> "Tournament":
        """Continue a tournament, or begin one with the seed `drawn`. Settings must not differ from earlier ones."""
        folder = folder_of(name)
        if not (folder / _KEPT).exists():
            given = {"seed": drawn if seed is None else seed, "rounds": rounds or ROUNDS}
            keys = check(TournamentKeys, {**given, "max_pieces": max_pieces or MOST_PIECES}, "the command line")
            begun = cls(folder, keys)
            begun.write()
            return begun
        found = cls.read(name)
        found.playing = []
        for what, value, before in (
            ("seed", seed, found.seed),
            ("rounds", rounds, found.rounds),
            ("max-pieces", max_pieces, found.max_pieces),
        ):
            if value is not None and value != before:
                raise SettingError(
                    f"the tournament {name} began with --{what} {before}, not {value}; choose another name"
                )
        return found

    def standings(self) -> list[TournamentStanding]:
        """Return the table, by points and then by lines. Players equal in both share a place."""
        now = {game.player: game for game in self.playing}
        players = dict.fromkeys([*(game.player for game in self.games), *now])
        rows = []
        for player in players:
            ended = [game for game in self.games if game.player == player]
            points, lines = sum(game.score for game in ended), sum(game.lines for game in ended)
            best = max((game.score for game in ended), default=0)
            rows.append(TournamentStanding(0, player, points, len(ended), best, lines, now.get(player)))
        rows.sort(key=lambda row: (-row.points, -row.lines, row.player))
        results = [(row.points, row.lines) for row in rows]
        return [replace(row, place=1 + results.index((row.points, row.lines))) for row in rows]

    def replay(self, game: EndedGame) -> Path:
        """Return the file of a game's replay."""
        return self.folder / "replays" / game.replay

    def as_json(self) -> dict[str, Any]:
        """Return the tournament as `blockfall tournament --json` prints it."""
        rows = [
            {
                "place": row.place,
                "name": row.player,
                "points": row.points,
                "games": row.games,
                "best": row.best,
                "lines": row.lines,
                "now": None if row.now is None else row.now.model_dump(),
            }
            for row in self.standings()
        ]
        return {"name": self.name, **self._keys(), "table": rows, "games": [game.model_dump() for game in self.games]}

    def sheets(self) -> tuple[Sheet, Sheet]:
        """Return the table and the list of games."""
        table = tuple(
            (row.place, visible(row.player), row.points, row.games, row.best, row.lines) for row in self.standings()
        )
        note = f"{self.rounds} games each, at most {self.max_pieces} pieces, seed {self.seed}."
        columns = ("player", "game", "points", "lines", "pieces", "frames", "end", "replay")
        games = tuple(
            (visible(one.player), one.round, one.score, one.lines, one.pieces, one.frames, one.end, one.replay)
            for one in self.games
        )
        return (
            Sheet("Table", ("place", "player", "points", "games", "best", "lines"), table, note),
            Sheet("Games", columns, games),
        )

    def workbook(self) -> bytes:
        """Return the results as a workbook."""
        from blockfall.reports.workbook import workbook_bytes

        return workbook_bytes(Report(self.name, "", (Section("Results", (), self.sheets()),)))

    def write(self) -> None:
        """Write the settings and the games."""
        games = [game.model_dump() for game in self.games]
        write_atomically(self.folder / _KEPT, json.dumps({**self._keys(), "games": games}) + "\n")

    def write_now(self) -> None:
        """Write the running games."""
        playing = [game.model_dump() for game in self.playing]
        write_atomically(self.folder / _NOW, json.dumps({"playing": playing}) + "\n")

    def _keys(self) -> dict[str, int]:
        return {"seed": self.seed, "rounds": self.rounds, "max_pieces": self.max_pieces}


def folder_of(name: str) -> Path:
    """Return the folder of the tournament of this name."""
    if not _NAME.fullmatch(name):
        allowed = "1 to 40 letters, digits, spaces, dots, - and _, a letter or digit first"
        raise SettingError(f"a tournament called {visible(name, 60)!r}; a name has {allowed}")
    return store_path().parent / "tournaments" / name


def names() -> list[str]:
    """Return the names of all tournaments, newest first."""
    try:
        found = [path for path in (store_path().parent / "tournaments").glob(f"*/{_KEPT}") if path.is_file()]
        return [path.parent.name for path in sorted(found, key=lambda path: -path.stat().st_mtime)]
    except OSError as error:
        raise FileError(f"cannot read the tournaments: {error.strerror or error}") from None


def replay_text(game: CourseGame, seed: int, end: str) -> str:
    """Return the game as a replay: the lines of JSON that `blockfall watch --replay` reads."""
    from blockfall.games.replay import FORMAT, VERSION

    head = {"format": FORMAT, "version": VERSION, "rules": RULES.name}
    rows: list[dict[str, Any]] = [{**head, "seed": seed, "number": game.number, "agent": game.player}]
    for pose in game.placed or ():
        cells = [[x - 1, ROWS - 1 - y] for x, y in pose.cells]
        rows.append({"piece": pose.piece, "cells": cells})
    rows.append({"end": end, "pieces": game.pieces, "lines": game.lines, "score": game.score})
    return "".join(json.dumps(row) + "\n" for row in rows)
