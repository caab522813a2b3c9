"""Training runs: their settings, iterations, validation games and test games."""

import json
import os
import platform
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.compute import Evaluation
from blockfall.errors import SettingError, StoreError, UnknownNameError
from blockfall.games.tetris import Termination
from blockfall.simd import simd
from blockfall.store.database import Database, now
from blockfall.validation import visible

_MOST_NOTE = 4_000
_MOST_TAGS = 12
_LONGEST_TAG = 24


@dataclass(frozen=True)
class StoredRun:
    """One run: its folder, its configuration, the machine that began it, and its result once it is finished."""

    id: str
    folder: Path
    started: str
    finished: str | None
    version: str
    machine: dict[str, Any]
    configuration: str
    """The complete configuration as TOML."""
    result: dict[str, Any] | None
    """The content of result.json."""


@dataclass(frozen=True)
class Point:
    """A point of a training's curve: an iteration without its candidates."""

    restart: int
    iteration: int
    best: float
    """The best fitness so far."""
    mean: float
    """The mean fitness of this iteration's candidates."""
    spread: float
    """Their standard deviation."""
    games: int
    seconds: float
    loss: float | None = None
    """In learning, the mean squared error of the stage's predictions."""
    value: float | None = None
    """The mean of these predictions."""


@dataclass(frozen=True, kw_only=True)
class StoredIteration(Point):
    """One iteration of a restart with its candidates' fitness."""

    candidates: str
    """A digest of the candidates."""
    fitness: npt.NDArray[np.float64]
    survived: bool
    """Whether the piece limit ended every training game of some candidate."""


@dataclass(frozen=True)
class StoredValidation:
    """The agent that a restart found, and its validation games."""

    restart: int
    stopped_by: str
    weights: list[float]
    lines: list[int]
    """One number per game."""
    points: list[int]
    """One number per game."""
    capped: int
    """The number of games ended by the piece limit."""
    value: dict[str, Any] | None = None
    """For an agent that is a file in the run's folder: the key of an agent file that names it, instead of weights."""


@dataclass(frozen=True)
class StoredGame:
    """One test game."""

    game: int
    """The game's number, from 0."""
    lines: int
    pieces: int
    score: int
    termination: Termination


@dataclass(frozen=True)
class RunNote:
    """The owner's note on a run, and its tags.

    >>> RunNote.read("tried  twice ", "Baseline, slow,baseline")
    RunNote(note='tried  twice', tags=('baseline', 'slow'))
    """

    note: str = ""
    tags: tuple[str, ...] = ()

    @classmethod
    def read(cls, note: str, tags: str) -> "RunNote":
        """Parse a note and comma-separated tags as typed. Tags become lower case; repeated ones count once."""
        if len(note) > _MOST_NOTE:
            raise SettingError(f"the note has {len(note):,} characters; the limit is {_MOST_NOTE:,}")
        words = dict.fromkeys(" ".join(tag.lower().split()) for tag in visible(tags).split(","))
        words.pop("", None)
        if len(words) > _MOST_TAGS or any(len(word) > _LONGEST_TAG for word in words):
            raise SettingError(f"a run has at most {_MOST_TAGS} tags of up to {_LONGEST_TAG} letters")
        return cls(note.strip(), tuple(words))


class Runs:
    """All runs of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, run: str, folder: Path, configuration: str, copies: Mapping[str, str] = MappingProxyType({})) -> None:
        """Add a run that begins now on this machine. `copies` maps the user's own files in its folder to digests."""
        row = (run, str(folder), now(), version("blockfall"), json.dumps(_machine()), configuration)
        with self._database.writing() as sql:
            sql.execute(
                "INSERT INTO runs (id, folder, started, version, machine, configuration) VALUES (?, ?, ?, ?, ?, ?)", row
            )
            rows = [(run, name, digest) for name, digest in copies.items()]
            sql.executemany("INSERT INTO copies (run, name, digest) VALUES (?, ?, ?)", rows)

    def copies(self, run: str) -> dict[str, str]:
        """Return the digests, at the run's beginning, of the user's own files in its folder, by file name."""
        return dict(self._database.rows("SELECT name, digest FROM copies WHERE run = ? ORDER BY name", run))

    def newest(self, most: int = -1) -> list[StoredRun]:
        """Return the newest runs, or all, the newest first. Leave out damaged ones with a warning."""
        query = f"SELECT {_RUN} FROM runs ORDER BY started DESC, rowid DESC LIMIT ?"
        found = []
        for row in self._database.rows(query, most):
            try:
                found.append(_run(row))
            except StoreError as error:
                warnings.warn(str(error), stacklevel=2)
        return found

    def find(self, run: str) -> StoredRun:
        """Return the run with this id."""
        rows = self._database.rows(f"SELECT {_RUN} FROM runs WHERE id = ?", run)
        if not rows:
            raise UnknownNameError("run", run, [known.id for known in self.newest(10)])
        return _run(rows[0])

    def delete(self, run: str) -> None:
        """Delete a run and everything that the store keeps of it."""
        with self._database.writing() as sql:
            sql.execute("DELETE FROM runs WHERE id = ?", (run,))

    def finish(self, run: str, result: dict[str, Any]) -> None:
        """Save the result. A run that finished earlier keeps the time of that."""
        with self._database.writing() as sql:
            sql.execute(
                "UPDATE runs SET finished = coalesce(finished, ?), result = ? WHERE id = ?",
                (now(), json.dumps(result), run),
            )

    def add_iteration(self, run: str, *rows: StoredIteration) -> None:
        """Add a finished iteration, or those of several restarts: all of them or none."""
        with self._database.writing() as sql:
            for row in rows:
                sql.execute(
                    f"INSERT INTO iterations (run, {_ITERATION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        run,
                        *(getattr(row, name) for name in _ITERATION_KEYS),
                        row.candidates,
                        row.fitness.astype("<f8").tobytes(),
                        row.survived,
                    ),
                )
                if row.loss is not None:
                    sql.execute(
                        "INSERT INTO learned (run, restart, iteration, loss, value) VALUES (?, ?, ?, ?, ?)",
                        (run, row.restart, row.iteration, row.loss, row.value),
                    )

    def iterations(self, run: str) -> list[StoredIteration]:
        """Return a run's iterations in order."""
        query = f"SELECT {_POINT}, candidates, fitness, survived {_FROM} WHERE run = ? ORDER BY restart, iteration"
        with _readable(run):
            return [
                StoredIteration(
                    *point, candidates=digest, fitness=np.frombuffer(fitness, "<f8"), survived=bool(survived)
                )
                for *point, digest, fitness, survived in self._database.rows(query, run)
            ]

    def curve(self, run: str, known: Mapping[int, int] | None = None) -> list[Point]:
        """Return the iterations, restart by restart. `known` is how many to skip at the beginning of each restart."""
        query = (
            f"SELECT {_POINT} {_FROM} WHERE run = ? AND restart {{}} ? AND iteration >= ? ORDER BY restart, iteration"
        )
        known = known or {}
        found = [self._database.rows(query.format("="), run, *of_one) for of_one in sorted(known.items())]
        found.append(self._database.rows(query.format(">"), run, max(known, default=-1), 0))
        return [Point(*row) for rows in found for row in rows]

    def training_seconds(self) -> dict[str, float]:
        """Return the seconds that each run's iterations took, by its id."""
        return dict(self._database.rows("SELECT run, SUM(seconds) FROM iterations GROUP BY run"))

    def notes(self) -> dict[str, RunNote]:
        """Return the notes and tags of runs, by their ids."""
        found = self._database.rows("SELECT run, note, tags FROM run_notes")
        return {run: _note(run, note, tags) for run, note, tags in found}

    def set_note(self, run: str, written: RunNote) -> None:
        """Save a note and tags, replacing earlier ones."""
        with self._database.writing() as sql:
            sql.execute(
                "INSERT OR REPLACE INTO run_notes (run, note, tags) SELECT id, ?, ? FROM runs WHERE id = ?",
                (written.note, json.dumps(written.tags), run),
            )

    def set_validation(self, run: str, row: StoredValidation) -> None:
        """Save a restart's outcome, replacing an earlier one."""
        learned = json.dumps(row.weights if row.value is None else row.value)
        with self._database.writing() as sql:
            sql.execute(
                f"INSERT OR REPLACE INTO validations (run, {_VALIDATION}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run, row.restart, row.stopped_by, learned, json.dumps(row.lines), json.dumps(row.points), row.capped),
            )

    def validations(self, run: str) -> list[StoredValidation]:
        """Return the outcomes of a run's finished restarts, in order."""
        query = f"SELECT {_VALIDATION} FROM validations WHERE run = ? ORDER BY restart"
        with _readable(run):
            return [_validation(row) for row in self._database.rows(query, run)]

    def set_test_games(self, run: str, played: Evaluation) -> None:
        """Save all test games, replacing earlier ones."""
        columns = (played.lines, played.pieces, played.score, played.termination)
        rows = [(run, game, *values) for game, values in enumerate(zip(*(c.tolist() for c in columns), strict=True))]
        with self._database.writing() as sql:
            sql.execute("DELETE FROM test_games WHERE run = ?", (run,))
            sql.executemany(
                "INSERT INTO test_games (run, game, lines, pieces, score, termination) VALUES (?, ?, ?, ?, ?, ?)", rows
            )

    def test_games(self, run: str) -> list[StoredGame]:
        """Return the test games, in the order of their numbers."""
        query = "SELECT game, lines, pieces, score, termination FROM test_games WHERE run = ? ORDER BY game"
        with _readable(run):
            return [
                StoredGame(game, lines, pieces, score, Termination(termination))
                for game, lines, pieces, score, termination in self._database.rows(query, run)
            ]

    def test_lines(self, run: str) -> list[int]:
        """Return the lines of each test game, in the order of their numbers."""
        query = "SELECT lines FROM test_games WHERE run = ? ORDER BY game"
        return [lines for (lines,) in self._database.rows(query, run)]


_RUN = "id, folder, started, finished, version, machine, configuration, result"
_ITERATION_KEYS = ("restart", "iteration", "best", "mean", "spread", "games", "seconds")
_ITERATION = f"{', '.join(_ITERATION_KEYS)}, candidates, fitness, survived"
_POINT = f"{', '.join(_ITERATION_KEYS)}, loss, value"
_FROM = "FROM iterations LEFT JOIN learned USING (run, restart, iteration)"
_VALIDATION = "restart, stopped_by, weights, lines, points, capped"


@contextmanager
def _readable(run: str) -> Iterator[None]:
    """Raise an error that names the run if its rows cannot be read."""
    try:
        yield
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(
            f"run {run} is damaged in the store: {visible(str(error))}; other runs are unaffected"
        ) from None


def _validation(row: tuple[Any, ...]) -> StoredValidation:
    restart, stopped_by, learned, lines, points, capped = row
    found = json.loads(learned)
    weights, value = ([], found) if isinstance(found, dict) else (found, None)
    return StoredValidation(restart, stopped_by, weights, json.loads(lines), json.loads(points), capped, value)


def _note(run: str, note: str, tags: str) -> RunNote:
    with _readable(run):
        return RunNote(note, tuple(str(tag) for tag in json.loads(tags)))


def _run(row: tuple[Any, ...]) -> StoredRun:
    number, folder, started, finished, version, machine, configuration, result = row
    with _readable(number):
        return StoredRun(
            number,
            Path(folder),
            started,
            finished,
            version,
            _table(machine),
            configuration,
            _table(result) if result else None,
        )


def _table(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError(f"{text[:40]} is not a JSON object")
    return found


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
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
