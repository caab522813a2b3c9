"""Training runs: what each is, every iteration of it, its restarts' validation games, and its test games."""

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
    """One run: where it is, what it does, where it was begun, and its result once it is finished."""

    id: str
    folder: Path
    started: str
    finished: str | None
    version: str
    machine: dict[str, Any]
    configuration: str
    """TOML, complete."""
    result: dict[str, Any] | None
    """What its result.json holds."""


@dataclass(frozen=True)
class StoredIteration:
    """One iteration of a restart: its candidates' fitness, and how the training stood after it."""

    restart: int
    iteration: int
    best: float
    mean: float
    spread: float
    games: int
    seconds: float
    candidates: str
    """A digest of them."""
    fitness: npt.NDArray[np.float64]
    survived: bool
    """Whether the piece limit ended every training game of some candidate."""
    loss: float | None = None
    """The mean squared error of the predictions in a stage of learning."""
    value: float | None = None
    """The mean of these predictions."""


@dataclass(frozen=True)
class Point:
    """A point of a training's curve: an iteration without its candidates."""

    restart: int
    iteration: int
    best: float
    mean: float
    spread: float
    games: int
    seconds: float
    loss: float | None = None
    """The mean squared error of the predictions in a stage of learning."""
    value: float | None = None
    """The mean of these predictions."""


@dataclass(frozen=True)
class StoredValidation:
    """The agent that a restart found, and its validation games."""

    restart: int
    stopped_by: str
    weights: list[float]
    lines: list[int]
    """One number for each game."""
    points: list[int]
    """One number for each game."""
    capped: int
    """Games ended by the piece limit."""
    value: dict[str, Any] | None = None
    """Where the agent is a file in the run's folder and no weights: the key of an agent's file that names it."""


@dataclass(frozen=True)
class StoredGame:
    """One test game."""

    game: int
    """Its number, from 0."""
    lines: int
    pieces: int
    score: int
    termination: Termination


@dataclass(frozen=True)
class RunNote:
    """What its owner wrote about a run.

    >>> RunNote.read("tried  twice ", "Baseline, slow,baseline")
    RunNote(note='tried  twice', tags=('baseline', 'slow'))
    """

    note: str = ""
    tags: tuple[str, ...] = ()

    @classmethod
    def read(cls, note: str, tags: str) -> "RunNote":
        """A note and its tags as somebody typed them: tags in small letters, with commas between them, each once."""
        if len(note) > _MOST_NOTE:
            raise SettingError(f"the note has {len(note):,} characters; it may have {_MOST_NOTE:,}")
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
        """Adds a run that begins now, on this machine. `copies` are the digests of the user's own files in it."""
        row = (run, str(folder), now(), version("blockfall"), json.dumps(_machine()), configuration)
        with self._database.writing() as sql:
            sql.execute(
                "INSERT INTO runs (id, folder, started, version, machine, configuration) VALUES (?, ?, ?, ?, ?, ?)", row
            )
            rows = [(run, name, digest) for name, digest in copies.items()]
            sql.executemany("INSERT INTO copies (run, name, digest) VALUES (?, ?, ?)", rows)

    def copies(self, run: str) -> dict[str, str]:
        """The digest of each of the user's own files in the run's folder, as it was when the run began, by its name."""
        return dict(self._database.rows("SELECT name, digest FROM copies WHERE run = ? ORDER BY name", run))

    def newest(self, most: int = -1) -> list[StoredRun]:
        """The runs, the newest first: at most so many, or all. A damaged one is left out, with a warning."""
        query = f"SELECT {_RUN} FROM runs ORDER BY started DESC, rowid DESC LIMIT ?"
        found = []
        for row in self._database.rows(query, most):
            try:
                found.append(_run(row))
            except StoreError as error:
                warnings.warn(str(error), stacklevel=2)
        return found

    def find(self, run: str) -> StoredRun:
        """The run of this id."""
        rows = self._database.rows(f"SELECT {_RUN} FROM runs WHERE id = ?", run)
        if not rows:
            raise UnknownNameError("run", run, [known.id for known in self.newest(10)])
        return _run(rows[0])

    def delete(self, run: str) -> None:
        """Deletes a run with everything that the store holds of it."""
        with self._database.writing() as sql:
            sql.execute("DELETE FROM runs WHERE id = ?", (run,))

    def finish(self, run: str, result: dict[str, Any]) -> None:
        """Keeps the result. A run that was finished before keeps the time when it was."""
        with self._database.writing() as sql:
            sql.execute(
                "UPDATE runs SET finished = coalesce(finished, ?), result = ? WHERE id = ?",
                (now(), json.dumps(result), run),
            )

    def add_iteration(self, run: str, *rows: StoredIteration) -> None:
        """Adds an iteration that is finished, or those of several restarts, all of them or none."""
        with self._database.writing() as sql:
            for row in rows:
                sql.execute(
                    f"INSERT INTO iterations (run, {_ITERATION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
                        row.survived,
                    ),
                )
                if row.loss is not None:
                    sql.execute(
                        "INSERT INTO learned (run, restart, iteration, loss, value) VALUES (?, ?, ?, ?, ?)",
                        (run, row.restart, row.iteration, row.loss, row.value),
                    )

    def iterations(self, run: str) -> list[StoredIteration]:
        """All iterations of a run, in their order."""
        query = (
            f"SELECT {_ITERATION}, loss, value FROM iterations LEFT JOIN learned USING (run, restart, iteration) "
            "WHERE run = ? ORDER BY restart, iteration"
        )
        with _readable(run):
            return [_iteration(row) for row in self._database.rows(query, run)]

    def curve(self, run: str, known: Mapping[int, int] | None = None) -> list[Point]:
        """The iterations, restart by restart, without the first ones of each restart that are known."""
        query = (
            "SELECT restart, iteration, best, mean, spread, games, seconds, loss, value "
            "FROM iterations LEFT JOIN learned USING (run, restart, iteration) "
            "WHERE run = ? AND restart {} ? AND iteration >= ? ORDER BY restart, iteration"
        )
        known = known or {}
        found = [self._database.rows(query.format("="), run, *of_one) for of_one in sorted(known.items())]
        found.append(self._database.rows(query.format(">"), run, max(known, default=-1), 0))
        return [Point(*row) for rows in found for row in rows]

    def training_seconds(self) -> dict[str, float]:
        """The time that the iterations of each run took, by its id."""
        return dict(self._database.rows("SELECT run, SUM(seconds) FROM iterations GROUP BY run"))

    def notes(self) -> dict[str, RunNote]:
        """What was written about runs, by their ids."""
        found = self._database.rows("SELECT run, note, tags FROM run_notes")
        return {run: _note(run, note, tags) for run, note, tags in found}

    def set_note(self, run: str, written: RunNote) -> None:
        """Keeps a note and tags, in place of those that were kept before."""
        with self._database.writing() as sql:
            sql.execute(
                "INSERT OR REPLACE INTO run_notes (run, note, tags) SELECT id, ?, ? FROM runs WHERE id = ?",
                (written.note, json.dumps(written.tags), run),
            )

    def set_validation(self, run: str, row: StoredValidation) -> None:
        """Keeps what a restart came to, in place of what was kept of it before."""
        learned = json.dumps(row.weights if row.value is None else row.value)
        with self._database.writing() as sql:
            sql.execute(
                f"INSERT OR REPLACE INTO validations (run, {_VALIDATION}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run, row.restart, row.stopped_by, learned, json.dumps(row.lines), json.dumps(row.points), row.capped),
            )

    def validations(self, run: str) -> list[StoredValidation]:
        """What the finished restarts of a run came to, in their order."""
        query = f"SELECT {_VALIDATION} FROM validations WHERE run = ? ORDER BY restart"
        with _readable(run):
            return [_validation(row) for row in self._database.rows(query, run)]

    def set_test_games(self, run: str, played: Evaluation) -> None:
        """Keeps every test game, in place of those that were kept before."""
        columns = (played.lines, played.pieces, played.score, played.termination)
        rows = [(run, game, *values) for game, values in enumerate(zip(*(c.tolist() for c in columns), strict=True))]
        with self._database.writing() as sql:
            sql.execute("DELETE FROM test_games WHERE run = ?", (run,))
            sql.executemany(
                "INSERT INTO test_games (run, game, lines, pieces, score, termination) VALUES (?, ?, ?, ?, ?, ?)", rows
            )

    def test_games(self, run: str) -> list[StoredGame]:
        """The test games, in the order of their numbers."""
        query = "SELECT game, lines, pieces, score, termination FROM test_games WHERE run = ? ORDER BY game"
        with _readable(run):
            return [
                StoredGame(game, lines, pieces, score, Termination(termination))
                for game, lines, pieces, score, termination in self._database.rows(query, run)
            ]

    def test_lines(self, run: str) -> list[int]:
        """The lines of the test games, in the order of their numbers."""
        query = "SELECT lines FROM test_games WHERE run = ? ORDER BY game"
        return [lines for (lines,) in self._database.rows(query, run)]


_RUN = "id, folder, started, finished, version, machine, configuration, result"
_ITERATION = "restart, iteration, best, mean, spread, games, seconds, candidates, fitness, survived"
_VALIDATION = "restart, stopped_by, weights, lines, points, capped"


@contextmanager
def _readable(run: str) -> Iterator[None]:
    """Names the run whose rows cannot be read."""
    try:
        yield
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"run {run} is damaged in the store: {visible(str(error))}; other runs are not") from None


def _iteration(row: tuple[Any, ...]) -> StoredIteration:
    restart, iteration, best, mean, spread, games, seconds, candidates, fitness, survived, loss, value = row
    return StoredIteration(
        restart,
        iteration,
        best,
        mean,
        spread,
        games,
        seconds,
        candidates,
        np.frombuffer(fitness, "<f8"),
        bool(survived),
        loss,
        value,
    )


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
