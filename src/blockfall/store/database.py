"""The store's SQLite file: its path, tables, format and errors. No other module imports sqlite3.

Every change is one transaction, committed before the next work begins: a process that dies loses at most the change
that it was making.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from blockfall.errors import FileError, StoreError, shortened
from blockfall.files import home, make_folder

FORMAT = 2
_BUSY_SECONDS = 30.0
_TABLES = (
    """
CREATE TABLE IF NOT EXISTS runs (
  id TEXT PRIMARY KEY,
  folder TEXT NOT NULL,
  started TEXT NOT NULL,
  finished TEXT,
  version TEXT NOT NULL,
  machine TEXT NOT NULL,       -- JSON
  configuration TEXT NOT NULL, -- TOML
  result TEXT                  -- JSON, once finished
) STRICT""",
    """
CREATE TABLE IF NOT EXISTS copies (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  name TEXT NOT NULL,          -- of a file in the run's folder: the user's rules, plugins or agent
  digest TEXT NOT NULL,        -- SHA-256 of its content when the run began
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID""",
    """
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
  survived INTEGER NOT NULL,   -- 1 if the piece limit ended every training game of some candidate
  PRIMARY KEY (run, restart, iteration)
) STRICT, WITHOUT ROWID""",
    """
CREATE TABLE IF NOT EXISTS learned (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  restart INTEGER NOT NULL,
  iteration INTEGER NOT NULL,
  loss REAL NOT NULL,          -- the predictions' mean squared error in this stage
  value REAL NOT NULL,         -- the predictions' mean
  PRIMARY KEY (run, restart, iteration)
) STRICT, WITHOUT ROWID""",
    """
CREATE TABLE IF NOT EXISTS validations (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  restart INTEGER NOT NULL,
  stopped_by TEXT NOT NULL,
  weights TEXT NOT NULL,       -- JSON: numbers, or the key of an agent file that names a file in the run's folder
  lines TEXT NOT NULL,         -- JSON, one number per game
  points TEXT NOT NULL,        -- JSON, one number per game
  capped INTEGER NOT NULL,     -- games ended by the piece limit
  PRIMARY KEY (run, restart)
) STRICT, WITHOUT ROWID""",
    """
CREATE TABLE IF NOT EXISTS test_games (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  game INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  pieces INTEGER NOT NULL,
  score INTEGER NOT NULL,
  termination INTEGER NOT NULL,
  PRIMARY KEY (run, game)
) STRICT, WITHOUT ROWID""",
    """
CREATE TABLE IF NOT EXISTS run_notes (
  run TEXT PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  note TEXT NOT NULL,
  tags TEXT NOT NULL           -- JSON: a list of words
) STRICT, WITHOUT ROWID""",
    """
CREATE TABLE IF NOT EXISTS high_scores (
  id INTEGER PRIMARY KEY,
  game TEXT NOT NULL,
  name TEXT NOT NULL,
  score INTEGER NOT NULL,
  played TEXT NOT NULL
) STRICT""",
    """
CREATE TABLE IF NOT EXISTS boards (
  game TEXT NOT NULL,          -- tetris or hopeless
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  saved TEXT NOT NULL,
  PRIMARY KEY (game, name)
) STRICT, WITHOUT ROWID""",
    """
CREATE TABLE IF NOT EXISTS replays (
  id TEXT PRIMARY KEY,         -- a digest of the text
  visitor TEXT NOT NULL,       -- a browser that uses the app; empty for none
  rules TEXT NOT NULL,
  player TEXT NOT NULL,
  pieces INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  score INTEGER NOT NULL,
  played TEXT NOT NULL,
  text TEXT NOT NULL           -- in the format of docs/bots.md
) STRICT, WITHOUT ROWID""",
    """
CREATE TABLE IF NOT EXISTS attempts (
  id INTEGER PRIMARY KEY,
  visitor TEXT NOT NULL,
  puzzle TEXT NOT NULL,
  solved INTEGER NOT NULL,     -- 1 or 0
  rating REAL NOT NULL,        -- the visitor's, after this attempt
  tried TEXT NOT NULL
) STRICT""",
)


def store_path() -> Path:
    """Return the store's file: in BLOCKFALL_HOME, or in ~/.blockfall if that is not set."""
    return home() / "store.sqlite3"


def now() -> str:
    """Return the current time as the store writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Database:
    """The open file.

    If the disk is full or read-only, the file is opened for reading only: its content can be listed, and a change
    raises an error that says why.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open()

    def _open(self) -> None:
        self._unwritable = ""
        with self._explained():
            try:
                make_folder(self.path.parent)
                self._sql = self._connect()
            except FileError as error:
                if any(above.exists() and not above.is_dir() for above in self.path.parents):
                    raise StoreError(f"{error}; the store needs it") from None
                self._unwritable = str(error)
            except sqlite3.OperationalError as error:
                if not _cannot_write(error):
                    raise
                self._unwritable = f"{error}{_HINT}"
            if self._unwritable:
                self._sql = self._readable()

    def _connect(self) -> sqlite3.Connection:
        sql = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            sql.execute("PRAGMA journal_mode = WAL")
            sql.execute("PRAGMA synchronous = FULL")  # a run's files are written after its rows and depend on them
            sql.execute("PRAGMA foreign_keys = ON")
            (found,) = sql.execute("PRAGMA user_version").fetchone()
            self._check_format(found)
            if found == 0 or not _has_all_tables(sql):  # the disk may be full: write only if needed
                _make(sql)
        except BaseException:
            sql.close()
            raise
        return sql

    def _readable(self) -> sqlite3.Connection:
        """Open the file for reading, or an empty store if there is no file yet."""
        if not self.path.exists() or not self.path.stat().st_size:
            sql = sqlite3.connect(":memory:", isolation_level=None)
            _make(sql)
            return sql
        left = self.path.with_name(f"{self.path.name}-wal")  # changes left by a killed process
        unchanging = not left.exists() or not left.stat().st_size
        for mode in ("mode=ro", "mode=ro&immutable=1") if unchanging else ("mode=ro",):
            place = f"{self.path.resolve().as_uri()}?{mode}"
            sql = sqlite3.connect(place, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
            try:
                (found,) = sql.execute("PRAGMA user_version").fetchone()
            except sqlite3.OperationalError:
                sql.close()
                continue
            self._check_format(found)
            return sql
        raise StoreError(self._refusal())

    def _check_format(self, found: int) -> None:
        if found not in (0, FORMAT):
            raise StoreError(f"the store {self.path} has format {found}; this version reads format {FORMAT} only")

    def _refusal(self) -> str:
        return f"the store {self.path} cannot be written: {self._unwritable}"

    def close(self) -> None:
        """Close the file."""
        self._sql.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Run one transaction: all of its changes are kept, or none after an error."""
        if self._unwritable:
            self._sql.close()
            self._open()  # there may be room by now
            if self._unwritable:
                raise StoreError(self._refusal())
        with self._explained(), _transaction(self._sql):
            yield self._sql

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows that a query finds."""
        with self._explained():
            return self._sql.execute(query, values).fetchall()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(f"{error.filename or self.path}: {error.strerror or error}; the store needs it") from None
        except UnicodeEncodeError as error:  # half of a surrogate pair, as in a file name that is not text
            raise StoreError(f"the store keeps text only, which {shortened(error.object)} is not") from None
        except sqlite3.OperationalError as error:
            hint = _HINT if _cannot_write(error) else ""
            raise StoreError(f"the store {self.path} cannot be used: {error}{hint}; finished work is kept") from None
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the store {self.path} is damaged: {error}; move it away, or repair it with `sqlite3 FILE .recover`"
            ) from None


def _has_all_tables(sql: sqlite3.Connection) -> bool:
    rows = sql.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return set(re.findall(r"EXISTS (\w+)", "".join(_TABLES))) <= {name for (name,) in rows}


def _make(sql: sqlite3.Connection) -> None:
    """Create the missing tables."""
    with _transaction(sql):
        for table in _TABLES:  # a new table needs no new format: older versions ignore it
            sql.execute(table)
        sql.execute(f"PRAGMA user_version = {FORMAT}")


@contextmanager
def _transaction(sql: sqlite3.Connection) -> Iterator[None]:
    sql.execute("BEGIN IMMEDIATE")
    try:
        yield
        sql.execute("COMMIT")
    except BaseException:
        if sql.in_transaction:
            sql.execute("ROLLBACK")
        raise


_HINT = "; is the disk full or read-only?"
_FULL = ("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM")
"""Prefixes of the errors that a full or read-only disk causes."""


def _cannot_write(error: sqlite3.OperationalError) -> bool:
    return str(getattr(error, "sqlite_errorname", "")).startswith(_FULL)
