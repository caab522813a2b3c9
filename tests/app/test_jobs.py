"""Trainings in processes of their own: they outlive the app, and go on to the same agent after any kill."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blockfall.app.parts import jobs
from blockfall.app.parts.jobs import Job, JobDesk
from blockfall.errors import LockedError, SettingError
from blockfall.experiments.configuration import Configuration, configuration_from
from blockfall.experiments.overview import Overview
from blockfall.experiments.run import create_run
from blockfall.experiments.training import Training
from blockfall.files import locked, worker
from blockfall.store import Store

SHORT: dict[str, object] = {
    "features": "soster-1",
    "optimiser": {"name": "pso", "iterations": 12, "particles": 8},
    "games": {"test": 50},
}
LONGER = SHORT | {"optimiser": {"name": "pso", "iterations": 150, "particles": 8}}  # seconds, to be killed in
ENDLESS: dict[str, object] = {"optimiser": {"name": "pso", "iterations": 100_000}}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own; whatever still runs there at the end is killed."""
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(jobs, "DESK", JobDesk(jobs.AT_ONCE))
    yield tmp_path / "home"
    for folder in (tmp_path / "home").glob("*/*"):
        if folder.is_dir() and (number := worker(folder)):
            os.kill(number, signal.SIGKILL)


def configuration(table: dict[str, object]) -> Configuration:
    return configuration_from(table, "the test")


def until(happens: Callable[[], object], seconds: float = 180) -> None:
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def begun(store: Store, table: dict[str, object]) -> tuple[str, Job]:
    run = jobs.new_training(store, configuration(table))
    return run, jobs.training(store.runs.find(run).folder)


def undisturbed(store: Store, folder: Path, table: dict[str, object]) -> bytes:
    run = create_run(store, configuration(table), folder)
    Training(store, run).complete()
    return (folder / "agent.json").read_bytes()


def test_a_training_ends_with_the_agent_of_any_other_way(home: Path, tmp_path: Path) -> None:
    store = Store()
    run, job = begun(store, SHORT)
    assert job.folder == (home / "runs" / run).resolve()
    assert job.running
    until(lambda: store.runs.find(run).finished)
    until(lambda: not job.running)
    assert (job.folder / "agent.json").read_bytes() == undisturbed(store, tmp_path / "other", SHORT)


def test_stop_keeps_and_resume_goes_on() -> None:
    store = Store()
    run, job = begun(store, ENDLESS)
    until(lambda: len(store.runs.curve(run)) >= 3)
    jobs.stop(job)
    until(lambda: not job.running)
    kept = store.runs.curve(run)
    assert Overview(store.runs.find(run)).state == "stopped"
    jobs.DESK.start(job)
    until(lambda: len(store.runs.curve(run)) > len(kept))
    assert store.runs.curve(run)[: len(kept)] == kept
    jobs.stop(job)
    until(lambda: not job.running)


@pytest.mark.parametrize("ignored", [False, True])
def test_stop_ends_a_training_that_has_just_been_started(ignored: bool) -> None:
    """This also works if the app was started in the background, where its children ignore interrupts at first."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    try:
        _, job = begun(Store(), ENDLESS)
        jobs.stop(job)
    finally:
        signal.signal(signal.SIGINT, before)
    until(lambda: not job.running)


def test_a_killed_training_resumes_to_the_identical_agent(tmp_path: Path) -> None:
    store = Store()
    run, job = begun(store, LONGER)
    until(lambda: store.runs.curve(run))
    process = worker(job.folder)
    assert process
    os.kill(process, signal.SIGKILL)
    until(lambda: not job.running)
    assert store.runs.find(run).result is None
    assert (job.folder / ".worker").exists(), "a killed process leaves its note"
    assert worker(job.folder) is None, "which is not believed"
    jobs.DESK.start(job)
    until(lambda: not job.running)
    assert (job.folder / "agent.json").read_bytes() == undisturbed(store, tmp_path / "other", LONGER)


def test_a_training_outlives_the_app() -> None:
    """Another process starts it and is killed; this one finds it at work, and stops it."""
    program = f"""
import time
from blockfall.app.parts import jobs
from blockfall.experiments.configuration import configuration_from
from blockfall.store import Store
print(jobs.new_training(Store(), configuration_from({ENDLESS!r}, "the test")), flush=True)
time.sleep(600)
"""
    app = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert app.stdout
    run = app.stdout.readline().strip()
    store = Store()
    until(lambda: store.runs.curve(run))
    app.kill()
    app.wait()
    app.stdout.close()
    done = len(store.runs.curve(run))
    until(lambda: len(store.runs.curve(run)) > done)
    job = jobs.training(store.runs.find(run).folder)
    assert job.running
    assert Overview(store.runs.find(run)).state == "running"
    with pytest.raises(LockedError):
        jobs.DESK.start(job)
    jobs.stop(job)
    until(lambda: not job.running)
    until(lambda: "Finished work is kept" in jobs.last_words(job))
    assert jobs.problem(job) == ""


def test_only_so_many_at_once() -> None:
    store = Store()
    started = [begun(store, ENDLESS)[1] for _ in range(jobs.AT_ONCE)]
    with pytest.raises(SettingError, match="2 trainings or studies are running"):
        jobs.new_training(store, configuration(ENDLESS))
    assert len(store.runs.newest()) == jobs.AT_ONCE, "what may not start leaves nothing"
    for job in started:
        until(lambda job=job: worker(job.folder))  # type: ignore[misc]
    another_app = JobDesk(jobs.AT_ONCE)
    with pytest.raises(SettingError, match="are running, which is the limit"):
        another_app.check_room()
    for job in started:
        jobs.stop(job)
        until(lambda job=job: not job.running)  # type: ignore[misc]
    another_app.check_room()


def test_the_worker_of_a_folder(tmp_path: Path) -> None:
    assert worker(tmp_path) is None
    with locked(tmp_path):
        assert worker(tmp_path) == os.getpid()
        (tmp_path / ".worker").write_text("1\n")  # a note of somebody who does not hold it
        assert worker(tmp_path) is None
    assert worker(tmp_path) is None


def test_why_a_training_failed_is_told() -> None:
    store = Store()
    run, job = begun(store, ENDLESS)
    until(lambda: store.runs.curve(run))
    jobs.stop(job)
    until(lambda: not job.running)
    (job.folder / "run.toml").write_text("rules = 3\n")
    jobs.DESK.start(job)
    until(lambda: not job.running)
    assert re.match(r"/\S+, line 1: rules is 3; it must be", jobs.problem(job))
