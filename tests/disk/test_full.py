"""Disks that are full, over quota or read-only: a one-line error, no corruption, and work can continue later."""

import errno
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from blockfall.errors import BlockfallError, FileError, StoreError
from blockfall.experiments.overview import runs
from blockfall.store import Store
from tests.disk import FILES, GAMES, NETWORK
from tests.disk.recording import recorded, under_shim
from tests.program import run_program

Done = subprocess.CompletedProcess[str]


class Place:
    """A folder with a home and a training."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.root.mkdir(parents=True)
        (folder / "run.toml").write_text(NETWORK.format(restarts=1) + GAMES)

    @property
    def train(self) -> list[str]:
        return ["train", "--config", str(self.folder / "run.toml"), "--out", str(self.root / "run"), "--no-report"]

    def call(self, *words: str, **shim: object) -> Done:
        return run_program(*words, env=under_shim(self.root, **shim) if shim else None, home=self.root / "home")

    def result(self) -> list[bytes]:
        return [(self.root / "run" / name).read_bytes() for name in FILES]


def one_error(done: Done) -> str:
    assert done.returncode == 2, done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("blockfall: ")]
    assert len(errors) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return errors[0]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, int]:
    """An undisturbed training, and the number of changes that it makes to files."""
    place = Place(tmp_path_factory.mktemp("whole"))
    done = place.call(*place.train, log=place.folder / "log")
    assert done.returncode == 0, done.stderr
    changes = [change for change in recorded(place.folder / "log") if change.kind.name not in ("SYNC", "CLOSE")]
    return place, len(changes)


def fill_at(change: int, error: int, whole: Place, folder: Path) -> None:
    """Let the disk be full from this change on; then make room and resume."""
    place = Place(folder)
    done = place.call(*place.train, fail_from=change, error=error)
    if done.returncode != 0:  # late changes, such as deleting a note, do not matter
        error_line = one_error(done)
        assert any(word in error_line for word in ("space", "full", "quota", "read-only", "Read-only")), error_line
    if done.returncode != 0 or not (place.root / "run" / "result.json").exists():
        words = ["resume", str(place.root / "run"), "--no-report"] if (place.root / "run").exists() else place.train
        again = place.call(*words)
        assert again.returncode == 0, again.stderr
    assert place.result() == whole.result()
    listed = json.loads(place.call("runs", "--json").stdout)
    assert [run["state"] for run in listed] == ["finished"]


@pytest.mark.parametrize("error", ["ENOSPC", "EDQUOT", "EROFS"])
def test_training_on_a_disk_that_fills(error: str, whole: tuple[Place, int], tmp_path: Path) -> None:
    place, changes = whole
    at = {"ENOSPC": 0.35, "EDQUOT": 0.6, "EROFS": 0.8}[error]
    fill_at(int(at * changes), getattr(errno, error), place, tmp_path / "there")


@pytest.mark.long
@pytest.mark.parametrize("error", ["ENOSPC", "EROFS"])
def test_training_on_a_disk_that_fills_at_any_change(error: str, whole: tuple[Place, int], tmp_path: Path) -> None:
    place, changes = whole
    for change in range(0, changes + 5):
        fill_at(change, getattr(errno, error), place, tmp_path / str(change))


def test_a_read_only_home(whole: tuple[Place, int], tmp_path: Path) -> None:
    place, _ = whole
    never = {"fail_from": 0, "error": errno.EROFS}
    listed = place.call("runs", "--json", **never)
    assert [run["state"] for run in json.loads(listed.stdout)] == ["finished"], listed.stderr
    assert "Read-only" in one_error(place.call(*place.train[:-2], str(place.root / "other"), **never))
    assert place.call("evaluate", "--games", "2", "--json", **never).returncode == 0
    assert one_error(place.call("runs", "delete", str(place.root / "run"), "--yes", **never))
    assert place.result()
    empty = Place(tmp_path / "empty")
    listed = empty.call("runs", "--json", **never)
    assert json.loads(listed.stdout) == [], listed.stderr


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a file system of this size."""
    folder.mkdir()
    try:
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    except FileNotFoundError:
        pytest.skip("no mount here")
    if made.returncode != 0:
        pytest.skip("only root may mount a file system, and not everywhere")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def resize(folder: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", folder], check=True)


def fill(folder: Path) -> Path:
    """Fill the disk to the last byte."""
    path = folder / "filling"
    with path.open("wb", buffering=0) as file:
        for size in (4096, 1):
            with suppress(OSError):
                while True:
                    file.write(b"x" * size)
    return path


def test_the_store_on_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        store = Store(disk / "store.sqlite3")
        store.boards.save("tetris", "mine", "#...")
        filling = fill(disk)
        with pytest.raises(StoreError, match=r"full.*finished work is kept"):
            store.boards.save("tetris", "large", "#" * 1_000_000)
        kept = store.boards.of("tetris")
        assert kept["mine"] == "#..."
        store.close()
        later = Store(disk / "store.sqlite3")  # no room for SQLite's index
        assert later.boards.of("tetris") == kept
        assert runs(later) == []
        filling.unlink()
        later.boards.save("tetris", "another", "##..")
        assert later.boards.of("tetris") == kept | {"another": "##.."}
        later.close()


def test_a_new_home_on_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        filling = fill(disk)
        store = Store(disk / "home" / "store.sqlite3")
        assert runs(store) == []
        with pytest.raises(StoreError, match="cannot be written"):
            store.high_scores.add("tetris", "ann", 3)
        filling.unlink()
        store.high_scores.add("tetris", "ann", 3)
        assert store.high_scores.best("tetris", 1) == [("ann", 3)]
        store.close()


@pytest.mark.long
def test_a_report_on_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "200k") as disk:
        (disk / "place").mkdir()
        place = Place(disk / "place" / "it")
        assert "No space left" in one_error(place.call(*place.train[:-1]))
        resize(disk, "20m")
        assert place.call("resume", str(place.root / "run")).returncode == 0
        assert (place.root / "run" / "report.html").exists()
        assert not list((place.root / "run").glob(".*.*"))


@pytest.mark.long
def test_a_study_on_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "300k") as disk:
        words = ["study", "aveiro2020", "--budget", "quick", "--out", str(disk / "study"), "--json"]

        def call() -> Done:
            return run_program(*words, home=disk / "home", timeout=300)

        assert "space" in one_error(call())
        resize(disk, "40m")
        done = call()
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["rows"]


def test_jobs_of_the_app_on_a_full_and_then_read_only_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from blockfall.app.parts import jobs
    from blockfall.experiments.configuration import Configuration

    with small_disk(tmp_path / "disk", "1m") as disk:
        monkeypatch.setenv("BLOCKFALL_HOME", str(disk / "home"))
        store = Store()
        fill(disk)
        with pytest.raises(BlockfallError, match=r"No space left|full"):
            jobs.new_training(store, Configuration())
        assert not list((disk / "home").glob("runs/.*"))
        store.close()
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        with pytest.raises(FileError, match="Read-only"):
            jobs.DESK.start(jobs.quick_study("aveiro2020"))
