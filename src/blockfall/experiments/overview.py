"""Runs for people: list them, look one up, compare two, and delete one."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from blockfall.errors import BlockfallError, LockedError, SettingError, shortened
from blockfall.experiments.configuration import Configuration, stored_configuration
from blockfall.experiments.run import ID_FILE
from blockfall.experiments.statistics import Comparison, compare, compare_independent, describe
from blockfall.files import delete_folder, is_file, is_locked
from blockfall.store import Store, StoredRun, StoredValidation, opened

STATES = ("running", "stopped", "finished")


@dataclass(frozen=True)
class Overview:
    """A run in the store: its configuration, its state and its result.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import blockfall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = blockfall.Store(Path(folder, "store.sqlite3"))
    ...     few = blockfall.GameSettings(training=1, validation=2, test=3)
    ...     search = blockfall.RandomSearch(iterations=1, population=2)
    ...     done = blockfall.train(optimiser=search, games=few, out=Path(folder, "first"), store=store)
    ...     seen = blockfall.run(Path(folder, "first"), store)
    >>> seen.label, seen.state, seen.configuration.rules, seen.test["n"]
    ('first', 'finished', 'nes-no-rotation', 3)
    """

    run: StoredRun

    @property
    def id(self) -> str:
        """The run's id in the store."""
        return self.run.id

    @property
    def folder(self) -> Path:
        """The folder in which the run was begun."""
        return self.run.folder

    @cached_property
    def configuration(self) -> Configuration:
        """The configuration. Its rules and plugins need not exist any more."""
        return stored_configuration(self.run.configuration, f"run {self.run.id}")

    @property
    def label(self) -> str:
        """The run's name, or else the name of its folder."""
        return self.configuration.name or self.run.folder.name

    @cached_property
    def state(self) -> str:
        """One of `STATES`, as it was when first asked."""
        return "finished" if self.run.finished else "running" if is_locked(self.run.folder) else "stopped"

    @property
    def unit(self) -> str:
        """The unit of its fitness."""
        return "points" if self.configuration.fitness == "score" else "lines"

    @property
    def result(self) -> dict[str, Any] | None:
        """The content of its result.json; None if the run is not finished."""
        return self.run.result

    @property
    def test(self) -> dict[str, Any]:
        """The figures of its test games, in lines; empty if the run is not finished."""
        return self.run.result["test"] if self.run.result else {}

    @property
    def validation_mean(self) -> float | None:
        """The lines per validation game; None if the run is not finished."""
        if not self.run.result:
            return None
        validation: dict[str, Any] = self.run.result["validation"]
        lines: dict[str, float] = validation.get("lines", {}) if self.unit == "points" else validation
        return lines.get("mean")

    def as_json(self) -> dict[str, Any]:
        """Return the run as an entry of a list of runs."""
        return {
            "id": self.run.id,
            "name": self.run.folder.name,
            "folder": str(self.run.folder),
            "state": self.state,
            "rules": self.configuration.rules,
            "optimiser": self.configuration.trainer.name,
            "fitness": self.configuration.fitness,
            "mean": self.test.get("mean"),
            "sem": self.test.get("sem"),
            "started": self.run.started,
            "finished": self.run.finished,
        }


def runs(store: Store | None = None) -> list[Overview]:
    """Return all runs of a store, the newest first. The default store is the one under BLOCKFALL_HOME.

    A run that is damaged in the store is left out, with a warning.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import blockfall
    >>> blockfall.runs(blockfall.Store(Path(tempfile.mkdtemp(), "store.sqlite3")))
    []
    """
    with opened(store) as kept:
        return list(readable(Overview(run) for run in kept.runs.newest()))


def readable(found: Iterable[Overview]) -> Iterator[Overview]:
    """Leave out runs whose configuration in the store is damaged, each with a warning."""
    for seen in found:
        try:
            seen.as_json()
        except (BlockfallError, KeyError, TypeError, AttributeError) as error:
            warnings.warn(f"run {seen.id} is damaged in the store and is left out: {error}", stacklevel=3)
        else:
            yield seen


def run(name: str | Path, store: Store | None = None) -> Overview:
    """Return the run with this id or beginning of an id, or in this folder.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import blockfall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = blockfall.Store(Path(folder, "store.sqlite3"))
    ...     few = blockfall.GameSettings(training=1, validation=2, test=3)
    ...     search = blockfall.RandomSearch(iterations=1, population=2)
    ...     done = blockfall.train(optimiser=search, games=few, out=Path(folder, "first"), store=store)
    ...     first = blockfall.runs(store)[0].id
    ...     blockfall.run(first[:6], store) == blockfall.run(Path(folder, "first"), store)
    True
    """
    note = Path(name) / ID_FILE
    with opened(store) as kept:
        if is_file(note):
            return Overview(kept.runs.find(note.read_text(encoding="utf-8").strip()))
        found = [one for one in kept.runs.newest() if one.id.startswith(str(name))]
        if len(found) > 1:
            raise SettingError(f"{shortened(str(name))} begins the ids of {len(found)} runs; give more of the id")
        return Overview(found[0] if found else kept.runs.find(str(name)))


def compare_runs(store: Store, a: Overview, b: Overview) -> dict[str, Comparison]:
    """Compare two finished runs: their agents by the test games, their trainings by the spread between restarts."""
    for one in (a, b):
        if not one.run.result:
            raise SettingError(f"run {one.run.id} is not finished; continue with `blockfall resume {one.run.folder}`")
    lines = [store.runs.test_lines(one.run.id) for one in (a, b)]
    found: dict[str, Comparison] = {}
    if same_games(a, b):
        found["agents, on the same games"] = compare(*lines)
    else:
        found["agents, on different games"] = compare_independent(*lines)
    means = [
        [describe(validation_counts(row, one.unit)).mean for row in store.runs.validations(one.run.id)]
        for one in (a, b)
    ]
    if min(map(len, means)) >= 2 and a.unit == b.unit:
        points = a.unit == "points"
        what = "trainings, by the points of their restarts" if points else "trainings, by their restarts"
        found[what] = compare_independent(*means)
    return found


def validation_counts(row: StoredValidation, unit: str) -> list[int]:
    """Return the counts of each validation game in the unit of the fitness."""
    return row.points if unit == "points" else row.lines


def same_games(a: Overview, b: Overview) -> bool:
    """Return whether both runs were tested on the same games."""

    def tested(one: Configuration) -> tuple[object, ...]:
        return one.rules, one.seed, one.games.test, one.test_limit

    return tested(a.configuration) == tested(b.configuration)


def delete_run(store: Store, run: StoredRun) -> bool:
    """Delete a run from the store, with its folder. Return whether the folder still existed."""
    if is_locked(run.folder):
        raise LockedError(f"{run.folder}: a process is working on it; stop it first")
    own = (run.folder / ID_FILE).is_file() and (run.folder / ID_FILE).read_text(encoding="utf-8").strip() == run.id
    if own:
        delete_folder(run.folder)
    store.runs.delete(run.id)
    return own
