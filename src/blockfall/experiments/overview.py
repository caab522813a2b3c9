"""Runs as people look at them: what each is and where it stands, two of them compared, one of them deleted."""

import shutil
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from blockfall.errors import LockedError, SettingError
from blockfall.experiments.run import ID_FILE
from blockfall.experiments.statistics import Comparison, compare, compare_independent, describe
from blockfall.experiments.store import Store, StoredRun
from blockfall.files import is_locked
from blockfall.validation import parse_toml

STATES = ("running", "stopped", "finished")


@dataclass(frozen=True)
class Overview:
    """A run's configuration and result, field by field: as the store has them, without its rules or plugins."""

    run: StoredRun

    @cached_property
    def configuration(self) -> dict[str, Any]:
        return parse_toml(self.run.configuration, f"run {self.run.id}")

    @property
    def label(self) -> str:
        """What its owner called it."""
        return self.configuration.get("name") or self.run.folder.name

    @cached_property
    def state(self) -> str:
        return "finished" if self.run.finished else "running" if is_locked(self.run.folder) else "stopped"

    @property
    def trainer(self) -> str:
        return str((self.configuration.get("learning") or self.configuration.get("optimiser", {})).get("name"))

    @property
    def restarts(self) -> int:
        return int(self.configuration["restarts"])

    @property
    def iterations(self) -> int:
        """Of a restart, at most."""
        learning = self.configuration.get("learning")
        return int(learning["stages"] if learning else self.configuration["optimiser"]["iterations"])

    @property
    def unit(self) -> str:
        """What its fitness counts."""
        return "points" if self.configuration.get("fitness") == "score" else "lines"

    @property
    def test(self) -> dict[str, Any]:
        return self.run.result["test"] if self.run.result else {}

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.run.id,
            "name": self.run.folder.name,
            "folder": str(self.run.folder),
            "state": self.state,
            "rules": self.configuration.get("rules"),
            "optimiser": self.trainer,
            "fitness": self.configuration.get("fitness"),
            "mean": self.test.get("mean"),
            "sem": self.test.get("sem"),
            "started": self.run.started,
            "finished": self.run.finished,
        }


def compare_runs(store: Store, a: Overview, b: Overview) -> dict[str, Comparison]:
    """Two finished runs: their agents on the test games, and their trainings by the spread between restarts."""
    for one in (a, b):
        if not one.run.result:
            raise SettingError(f"run {one.run.id} is not finished; go on with `blockfall resume {one.run.folder}`")
    lines = [[game[1] for game in store.test_games(one.run.id)] for one in (a, b)]
    found: dict[str, Comparison] = {}
    if same_games(a, b):
        found["agents, on the same games"] = compare(*lines)
    else:
        found["agents, on different games"] = compare_independent(*lines)
    means = [[float(describe(row.lines).mean) for row in store.validations(one.run.id)] for one in (a, b)]
    if min(map(len, means)) >= 2 and a.unit == b.unit:
        points = a.unit == "points"
        what = "trainings, by the points of their restarts" if points else "trainings, by their restarts"
        found[what] = compare_independent(*means)
    return found


def same_games(a: Overview, b: Overview) -> bool:
    """Whether both were tested on the same games, number by number."""
    one, other = a.configuration, b.configuration
    games = [table.get("games", {}) for table in (one, other)]
    limits = [table.get("max_test_pieces", table.get("max_pieces")) for table in games]
    same_limits = games[0].get("test") == games[1].get("test") and limits[0] == limits[1]
    return all(one.get(key) == other.get(key) for key in ("rules", "seed")) and same_limits


def delete_run(store: Store, run: StoredRun) -> bool:
    """From the store, with its folder; tells whether that was still there."""
    if is_locked(run.folder):
        raise LockedError(f"{run.folder}: a process is working on it; stop it first")
    own = (run.folder / ID_FILE).is_file() and (run.folder / ID_FILE).read_text().strip() == run.id
    if own:
        shutil.rmtree(run.folder)
    store.delete_run(run.id)
    return own
