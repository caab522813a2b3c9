"""The store: which files it opens, the order of its runs, and their notes."""

import sqlite3
from pathlib import Path

import pytest

from blockfall.errors import SettingError, StoreError
from blockfall.store import RunNote, Store
from blockfall.store.database import FORMAT
from tests import ROOT


@pytest.mark.parametrize("other", [1, FORMAT + 1])
def test_a_store_of_another_format_is_left_alone(tmp_path: Path, other: int) -> None:
    path = tmp_path / "store.sqlite3"
    Store(path).close()
    with sqlite3.connect(path) as direct:
        direct.execute(f"PRAGMA user_version = {other}")
    direct.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=f"has format {other}; this version reads format {FORMAT} only"):
        Store(path)
    assert path.read_bytes() == before


def test_runs_begun_in_the_same_second_are_listed_last_first(tmp_path: Path) -> None:
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


def test_notes_and_tags_go_with_their_run(tmp_path: Path) -> None:
    runs = Store(tmp_path / "store.sqlite3").runs
    runs.add("a", tmp_path / "a", "")
    runs.set_note("a", RunNote.read(" tried twice\n", "Slow, base  line,slow,,"))
    runs.set_note("no such run", RunNote("lost"))
    assert runs.notes() == {"a": RunNote("tried twice", ("slow", "base line"))}
    runs.set_note("a", RunNote())
    assert runs.notes() == {"a": RunNote()}
    runs.delete("a")
    assert runs.notes() == {}


@pytest.mark.parametrize("tags", ["x" * 25, ",".join(map(str, range(13)))])
def test_too_many_tags_are_refused(tags: str) -> None:
    with pytest.raises(SettingError, match="at most 12 tags of up to 24 letters"):
        RunNote.read("", tags)
