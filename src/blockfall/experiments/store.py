"""The store of runs, high scores and boards: one SQLite file under BLOCKFALL_HOME, and the only module that speaks SQL.

Every finished iteration is committed before the next begins, so a run that dies loses at most the one it was in.
"""

import json
import os
import platform
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.compute import Evaluation
from blockfall.errors import StoreError, UnknownNameError
from blockfall.simd import simd

_FORMAT = 1
_BUSY_SECONDS = 30.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
  id TEXT PRIMARY KEY,
  folder TEXT NOT NULL,
  started TEXT NOT NULL,
  finished TEXT,
  version TEXT NOT NULL,
  machine TEXT NOT NULL,       -- JSON
  configuration TEXT NOT NULL, -- TOML
  result TEXT                  -- JSON, once finished
) STRICT;
CREATE TABLE IF NOT EXISTS iterations (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  restart INTEGER NOT NULL,
  iteration INTEGER NOT NULL,
  best REAL NOT NULL,          -- so far
  mean REAL NOT NULL,          -- of this iteration's candidates
  spread REAL NOT NULL,        -- their standard deviation
  games INTEGER NOT NULL,
  seconds REAL NOT NULL,
  candidates TEXT NOT NULL,    -- a digest
  fitness BLOB NOT NULL,       -- of each candidate, binary64, little-endian
  PRIMARY KEY (run, restart, iteration)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS validations (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  restart INTEGER NOT NULL,
  stopped_by TEXT NOT NULL,
  weights TEXT NOT NULL,       -- JSON
  lines TEXT NOT NULL,         -- JSON, of each game
  PRIMARY KEY (run, restart)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS test_games (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  game INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  pieces INTEGER NOT NULL,
  score INTEGER NOT NULL,
  termination INTEGER NOT NULL,
  PRIMARY KEY (run, game)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS high_scores (
  id INTEGER PRIMARY KEY,
  game TEXT NOT NULL,
  name TEXT NOT NULL,
  score INTEGER NOT NULL,
  played TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS boards (
  game TEXT NOT NULL,          -- tetris or hopeless
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  saved TEXT NOT NULL,
  PRIMARY KEY (game, name)
) STRICT, WITHOUT ROWID;
"""
_MOST_HIGH_SCORES = 100  # kept of each game
MOST_BOARDS = 300  # of each game


@dataclass(frozen=True)
class StoredRun:
    id: str
    folder: Path
    started: str
    finished: str | None
    version: str
    machine: dict[str, Any]
    configuration: str
    result: dict[str, Any] | None


@dataclass(frozen=True)
class StoredIteration:
    restart: int
    iteration: int
    best: float
    mean: float
    spread: float
    games: int
    seconds: float
    candidates: str
    fitness: npt.NDArray[np.float64]


_ITERATION = [field.name for field in fields(StoredIteration)]


@dataclass(frozen=True)
class Point:
    """Of a training's curve: an iteration without its candidates."""

    restart: int
    iteration: int
    best: float
    mean: float
    spread: float
    games: int
    seconds: float


@dataclass(frozen=True)
class StoredValidation:
    restart: int
    stopped_by: str
    weights: list[float]
    lines: list[int]


def store_path() -> Path:
    return Path(os.environ.get("BLOCKFALL_HOME") or Path.home() / ".blockfall") / "store.sqlite3"


class Store:
    """Open for reading and writing; made when it is not there."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or store_path()
        with self._explained():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._sql = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
            self._sql.execute("PRAGMA journal_mode = WAL")
            self._sql.execute("PRAGMA synchronous = NORMAL")
            self._sql.execute("PRAGMA foreign_keys = ON")
            self._make()

    def _make(self) -> None:
        with self._writing():
            (found,) = self._sql.execute("PRAGMA user_version").fetchone()
            if found not in (0, _FORMAT):
                raise StoreError(f"{self.path}: made by another version (format {found}; this one reads {_FORMAT})")
            for statement in _SCHEMA.split(";"):  # a table more is no other format: older versions do not look at it
                self._sql.execute(statement)
            self._sql.execute(f"PRAGMA user_version = {_FORMAT}")

    def close(self) -> None:
        self._sql.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(f"{error.filename or self.path}: {error.strerror or error}; the store needs it") from None
        except sqlite3.OperationalError as error:
            raise StoreError(f"the store {self.path} cannot be used: {error}; what was finished is kept") from None
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the store {self.path} is damaged: {error}; move it away, or repair it with `sqlite3 FILE .recover`"
            ) from None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._explained():
            self._sql.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._sql.execute("COMMIT")
            except BaseException:
                if self._sql.in_transaction:
                    self._sql.execute("ROLLBACK")
                raise

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._explained():
            return self._sql.execute(query, values).fetchall()

    def add_run(self, run: str, folder: Path, configuration: str) -> None:
        from blockfall import __version__

        row = (run, str(folder), _now(), __version__, json.dumps(_machine()), configuration)
        with self._writing():
            self._sql.execute(
                "INSERT INTO runs (id, folder, started, version, machine, configuration) VALUES (?, ?, ?, ?, ?, ?)", row
            )

    def runs(self, most: int = -1) -> list[StoredRun]:
        """The newest first; all, unless said."""
        return [_run(row) for row in self._rows("SELECT * FROM runs ORDER BY started DESC, id LIMIT ?", most)]

    def run(self, run: str) -> StoredRun:
        rows = self._rows("SELECT * FROM runs WHERE id = ?", run)
        if not rows:
            raise UnknownNameError("run", run, [known.id for known in self.runs()[:10]])
        return _run(rows[0])

    def delete_run(self, run: str) -> None:
        with self._writing():
            self._sql.execute("DELETE FROM runs WHERE id = ?", (run,))

    def finish_run(self, run: str, result: dict[str, Any]) -> None:
        with self._writing():
            self._sql.execute(
                "UPDATE runs SET finished = coalesce(finished, ?), result = ? WHERE id = ?",
                (_now(), json.dumps(result), run),
            )

    def add_iteration(self, run: str, row: StoredIteration) -> None:
        with self._writing():
            self._sql.execute(
                "INSERT INTO iterations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run,
                    row.restart,
                    row.iteration,
                    row.best,
                    row.mean,
                    row.spread,
                    row.games,
                    row.seconds,
                    row.candidates,
                    row.fitness.astype("<f8").tobytes(),
                ),
            )

    def iterations(self, run: str) -> list[StoredIteration]:
        rows = self._rows("SELECT * FROM iterations WHERE run = ? ORDER BY restart, iteration", run)
        return [
            StoredIteration(**dict(zip(_ITERATION, (*row[1:-1], np.frombuffer(row[-1], "<f8")), strict=True)))
            for row in rows
        ]

    def curve(self, run: str, after: tuple[int, int] = (-1, -1)) -> list[Point]:
        """The iterations after this restart and iteration."""
        query = (
            "SELECT restart, iteration, best, mean, spread, games, seconds FROM iterations "
            "WHERE run = ? AND (restart, iteration) > (?, ?) ORDER BY restart, iteration"
        )
        return [Point(*row) for row in self._rows(query, run, *after)]

    def training_seconds(self) -> dict[str, float]:
        """By run, the time that its iterations took."""
        return dict(self._rows("SELECT run, SUM(seconds) FROM iterations GROUP BY run"))

    def add_validation(self, run: str, row: StoredValidation) -> None:
        with self._writing():
            self._sql.execute(
                "INSERT INTO validations VALUES (?, ?, ?, ?, ?)",
                (run, row.restart, row.stopped_by, json.dumps(row.weights), json.dumps(row.lines)),
            )

    def validations(self, run: str) -> list[StoredValidation]:
        rows = self._rows("SELECT * FROM validations WHERE run = ? ORDER BY restart", run)
        return [StoredValidation(row[1], row[2], json.loads(row[3]), json.loads(row[4])) for row in rows]

    def set_test_games(self, run: str, played: Evaluation) -> None:
        columns = (played.lines, played.pieces, played.score, played.termination)
        rows = [(run, game, *values) for game, values in enumerate(zip(*(c.tolist() for c in columns), strict=True))]
        with self._writing():
            self._sql.execute("DELETE FROM test_games WHERE run = ?", (run,))
            self._sql.executemany("INSERT INTO test_games VALUES (?, ?, ?, ?, ?, ?)", rows)

    def test_games(self, run: str) -> list[tuple[int, int, int, int, int]]:
        """Game, lines, pieces, score and termination."""
        query = "SELECT game, lines, pieces, score, termination FROM test_games WHERE run = ? ORDER BY game"
        return [(row[0], row[1], row[2], row[3], row[4]) for row in self._rows(query, run)]

    def add_high_score(self, game: str, name: str, score: int) -> None:
        with self._writing():
            row = (game, name, score, _now())
            self._sql.execute("INSERT INTO high_scores (game, name, score, played) VALUES (?, ?, ?, ?)", row)
            self._sql.execute(
                "DELETE FROM high_scores WHERE game = ?1 AND id NOT IN "
                "(SELECT id FROM high_scores WHERE game = ?1 ORDER BY score DESC, id LIMIT ?2)",
                (game, _MOST_HIGH_SCORES),
            )

    def high_scores(self, game: str, most: int) -> list[tuple[str, int]]:
        """Name and score, the best first; of equal ones the earlier."""
        query = "SELECT name, score FROM high_scores WHERE game = ? ORDER BY score DESC, id LIMIT ?"
        return [(row[0], row[1]) for row in self._rows(query, game, most)]

    def save_board(self, game: str, name: str, text: str) -> None:
        """In place of one of the same name."""
        with self._writing():
            query = "SELECT COUNT(*) FROM boards WHERE game = ? AND name <> ?"
            if self._sql.execute(query, (game, name)).fetchone()[0] >= MOST_BOARDS:
                raise StoreError(f"{MOST_BOARDS} boards are saved already; delete one first")
            row = (game, name, text, _now())
            self._sql.execute("INSERT OR REPLACE INTO boards (game, name, text, saved) VALUES (?, ?, ?, ?)", row)

    def boards(self, game: str) -> dict[str, str]:
        """The text of each board by its name, in the order of the names."""
        rows = self._rows("SELECT name, text FROM boards WHERE game = ? ORDER BY name COLLATE NOCASE", game)
        return {row[0]: row[1] for row in rows}

    def delete_board(self, game: str, name: str) -> None:
        with self._writing():
            self._sql.execute("DELETE FROM boards WHERE game = ? AND name = ?", (game, name))


def _run(row: tuple[Any, ...]) -> StoredRun:
    number, folder, started, finished, version, machine, configuration, result = row
    return StoredRun(
        number,
        Path(folder),
        started,
        finished,
        version,
        json.loads(machine),
        configuration,
        json.loads(result) if result else None,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _machine() -> dict[str, object]:
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "simd": simd(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
