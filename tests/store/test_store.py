"""The store: what it holds, and that what an older version wrote goes on as if it had been written today."""

import sqlite3
from pathlib import Path

import pytest

from blockfall.errors import SettingError, StoreError
from blockfall.experiments.configuration import stored_configuration
from blockfall.experiments.overview import Overview, compare_runs
from blockfall.experiments.run import CONFIGURATION_FILE, ID_FILE, create_run, open_run
from blockfall.experiments.training import Training
from blockfall.store import RunNote, Store
from blockfall.store.database import FORMAT
from tests import ROOT

OLD = ROOT / "tests" / "data" / "store-format-1.sql"
"""A finished run, and one that was killed right after its second restart's survivor; written by version 0.1.0."""


@pytest.fixture
def old(tmp_path: Path) -> Store:
    path = tmp_path / "home" / "store.sqlite3"
    path.parent.mkdir()
    with sqlite3.connect(path) as direct:
        direct.executescript(OLD.read_text())
    direct.close()
    return Store(path)


def test_format_1_is_brought_to_todays(old: Store) -> None:
    with sqlite3.connect(old.path) as direct:
        assert direct.execute("PRAGMA user_version").fetchone() == (FORMAT,)
        assert direct.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        tables = {row[0] for row in direct.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    direct.close()
    assert tables == {
        "runs",
        "copies",
        "iterations",
        "learned",
        "validations",
        "test_games",
        "high_scores",
        "boards",
        "run_notes",
        "replays",
        "attempts",
    }
    assert old.high_scores.best("aveiro", 5) == [("ann", 3)]
    assert old.boards.of("tetris") == {"mine": "#..."}
    finished, killed = (old.runs.validations(run) for run in ("finished0001", "killed000001"))
    assert [(row.lines is None, row.points, row.capped) for row in finished] == [(False, None, None)] * 2
    assert [(row.lines, row.points is None, row.capped) for row in killed] == [(None, False, None)]
    assert {row.survived for run in ("finished0001", "killed000001") for row in old.runs.iterations(run)} == {None}
    assert [game.lines for game in old.runs.test_games("finished0001")] == [4, 5, 6, 7]
    seen = Overview(old.runs.find("finished0001"))
    assert compare_runs(old, seen, seen)["trainings, by their restarts"].difference == 0


@pytest.mark.parametrize("run", ["finished0001", "killed000001"])
def test_a_run_of_format_1_goes_on_to_todays_result(old: Store, tmp_path: Path, run: str) -> None:
    """Also the one whose last iteration had a survivor: the games are played again where the store does not say."""
    folder, text = tmp_path / "run", old.runs.find(run).configuration
    folder.mkdir()
    (folder / CONFIGURATION_FILE).write_text(text)
    (folder / ID_FILE).write_text(f"{run}\n")
    before = len(old.runs.iterations(run))
    Training(old, open_run(old, folder)).complete()
    today = create_run(old, stored_configuration(text, "a test"), tmp_path / "today")
    Training(old, today).complete()
    for name in ("result.json", "agent.json", "run.toml"):
        assert (folder / name).read_bytes() == (tmp_path / "today" / name).read_bytes()
    assert len(old.runs.iterations(run)) == len(old.runs.iterations(today.id)) == before


def test_the_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    Store(path).close()
    with sqlite3.connect(path) as direct:
        direct.execute(f"PRAGMA user_version = {FORMAT + 1}")
    direct.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=f"format {FORMAT + 1}; this reads up to {FORMAT}"):
        Store(path)
    assert path.read_bytes() == before


def test_of_runs_that_began_in_the_same_second_the_last_is_the_newest(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite3")
    for name in "bdcae":
        store.runs.add(name, tmp_path / name, "")
    with sqlite3.connect(store.path) as direct:
        direct.execute("UPDATE runs SET started = '2026-11-18T04:00:00+00:00'")
    direct.close()
    assert [run.id for run in store.runs.newest()] == list("eacdb")


def test_sqlite_is_opened_in_one_place() -> None:
    package = ROOT / "src" / "blockfall"
    users = [path for path in package.rglob("*.py") if "import sqlite3" in path.read_text()]
    assert users == [package / "store" / "database.py"]


def test_notes_and_tags_go_with_their_run(old: Store) -> None:
    old.runs.set_note("finished0001", RunNote.read(" tried twice\n", "Slow, base  line,slow,,"))
    old.runs.set_note("no such run", RunNote("lost"))
    assert old.runs.notes() == {"finished0001": RunNote("tried twice", ("slow", "base line"))}
    old.runs.set_note("finished0001", RunNote())
    assert old.runs.notes() == {"finished0001": RunNote()}
    old.runs.delete("finished0001")
    assert old.runs.notes() == {}


@pytest.mark.parametrize("tags", ["x" * 25, ",".join(map(str, range(13)))])
def test_too_many_tags_are_refused(tags: str) -> None:
    with pytest.raises(SettingError, match="at most 12 tags of up to 24 letters"):
        RunNote.read("", tags)
