"""A power cut after any change of a file: the remaining run resumes to the same result, or had not begun."""

import shutil
from pathlib import Path

import pytest

from blockfall.experiments.configuration import load_configuration
from blockfall.experiments.run import create_run, open_run
from blockfall.experiments.training import Training
from blockfall.store import Store
from tests.disk import FILES, GAMES, NETWORK
from tests.disk.recording import Change, Disk, Loss, recorded, under_shim
from tests.program import output_of

RUNS = {
    "optimiser": 'rules = "own.toml"\nfeatures = ["holes", "landing-height"]\nrestarts = 2\n'
    '[optimiser]\nname = "random"\niterations = 2\npopulation = 2\n',
    "network": NETWORK.format(restarts=2),
    "linear": 'rules = "nes-no-rotation"\nfeatures = ["holes", "landing-height"]\npieces_known = 1\n'
    '[learning]\nname = "td"\nactions = 60\nstages = 2\n',
}
OWN_RULES = 'extends = "nes-no-rotation"\ntitle = "Mine"\n'
Recorded = tuple[Path, list[Change]]


def record(kind: str, folder: Path) -> Recorded:
    """Train once to the end, and record every change of a file."""
    root = folder / "root"
    root.mkdir(parents=True)
    (folder / "own.toml").write_text(OWN_RULES)
    (folder / "run.toml").write_text(RUNS[kind] + GAMES)
    words = ["train", "--config", str(folder / "run.toml"), "--out", str(root / "run"), "--no-report", "--json"]
    output_of(*words, env=under_shim(root, log=folder / "log"), home=root / "home")
    return root, recorded(folder / "log")


def replayed(root: Path, changes: list[Change]) -> Disk:
    disk = Disk(root)
    for change in changes:
        disk.change(change)
    return disk


def test_a_replayed_recording_equals_the_disk(tmp_path: Path) -> None:
    root, changes = record("network", tmp_path)
    disk = replayed(root, changes)
    for loss in (Loss.NOTHING, Loss.CONTENT):  # at the end all content is synced
        left = tmp_path / loss.name
        disk.after_cut(left, loss)
        for path in (path for path in root.rglob("*") if path.is_file()):
            assert (left / path.relative_to(root)).read_bytes() == path.read_bytes()


def go_on(left: Path, config: Path) -> None:
    """Resume the run that a cut left, or begin it, as a user would."""
    store = Store(left / "home" / "store.sqlite3")
    run = left / "run"
    made = open_run(store, run) if run.exists() else create_run(store, load_configuration(config), run, config.parent)
    Training(store, made).complete()
    rows = [(row.restart, row.iteration) for row in store.runs.iterations(made.id)]
    configuration = made.configuration
    assert rows == [(r, i) for r in range(configuration.restarts) for i in range(configuration.iterations)]
    assert store.runs.find(made.id).result is not None
    store.close()


def content(folder: Path) -> dict[str, bytes]:
    """Return all files but the index of SQLite's log, which SQLite rebuilds."""
    paths = (path for path in sorted(folder.rglob("*")) if not path.name.endswith("-shm"))
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"" for path in paths}


def cut_everywhere(kind: str, folder: Path, loss: Loss, seeds: int = 1) -> int:
    """Cut the power after every change, and return how many different disks were left."""
    root, changes = record(kind, folder)
    seen: set[int] = set()
    left = folder / "left"
    for seed in range(seeds):
        disk = Disk(root)
        for number, change in enumerate(changes):
            disk.change(change)
            disk.after_cut(left, loss, seed * len(changes) + number)
            mark = hash(tuple(content(left).items()))
            if mark not in seen:
                seen.add(mark)
                go_on(left, folder / "run.toml")
                for name in FILES:
                    assert (left / "run" / name).read_bytes() == (root / "run" / name).read_bytes(), (number, change)
            shutil.rmtree(left)
    return len(seen)


@pytest.mark.parametrize("kind", RUNS)
def test_training_survives_the_loss_of_everything_unsynced(kind: str, tmp_path: Path) -> None:
    assert cut_everywhere(kind, tmp_path, Loss.ALL) > 10


@pytest.mark.long
@pytest.mark.parametrize("loss", [Loss.CONTENT, Loss.SOME, Loss.NOTHING])
@pytest.mark.parametrize("kind", RUNS)
def test_training_survives_other_losses(kind: str, loss: Loss, tmp_path: Path) -> None:
    assert cut_everywhere(kind, tmp_path, loss, 5 if loss is Loss.SOME else 1) > 10


def test_a_finished_training_is_synced(tmp_path: Path) -> None:
    root, changes = record("optimiser", tmp_path)
    replayed(root, changes).after_cut(tmp_path / "left", Loss.ALL)
    for name in FILES:
        assert (tmp_path / "left" / "run" / name).read_bytes() == (root / "run" / name).read_bytes()
    store = Store(tmp_path / "left" / "home" / "store.sqlite3")
    assert [run.result is not None for run in store.runs.newest()] == [True]
