"""Large simulated clusters: the driver keeps up, and a day that loses workers ends with the right result."""

import pickle
import threading
import time
from pathlib import Path

import psutil
import pytest

pytest.importorskip("distributed")

from blockfall import DaskBackend, GameSettings, Pso, Request, agent, rules, train
from blockfall.compute import LocalBackend, Population, cutting, dask_worker
from blockfall.experiments.run import AGENT_FILE, RESULT_FILE
from tests.dask_cluster import Processes, processes
from tests.simulated_workers import made_up

REQUEST = Request(rules("nes-no-rotation"), agent("birken-6"), games=20_000, seed=1)
GAME_S, WORKERS = 0.05, 100


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[cutting.GameBlock]:
    """Return a list of the parts that are cut during the test."""
    found: list[cutting.GameBlock] = []
    cut = cutting.Cutter.cut

    def noted(self: cutting.Cutter, games: int) -> cutting.GameBlock:
        found.append(cut(self, games))
        return found[-1]

    monkeypatch.setattr(cutting.Cutter, "cut", noted)
    return found


def cpu_s(process: psutil.Process) -> float:
    return float(sum(process.cpu_times()[:2]))


@pytest.mark.long
def test_a_driver_keeps_a_hundred_workers_busy(
    tmp_path: Path, parts: list[cutting.GameBlock], capsys: pytest.CaptureFixture[str]
) -> None:
    """20,000 games of 0.05 s on 100 workers are 10 s of work for each. docs/cluster.md shows the printed figures."""
    with processes(tmp_path, workers=0) as cluster, DaskBackend(cluster.address) as backend:
        cluster.simulate(WORKERS, GAME_S)
        scheduler, driver = psutil.Process(cluster.scheduler.pid), psutil.Process()
        before = time.perf_counter(), cpu_s(driver), cpu_s(scheduler)
        found = backend.play(REQUEST)
        after = time.perf_counter(), cpu_s(driver), cpu_s(scheduler)
    seconds, driving, scheduling = (b - a for a, b in zip(before, after, strict=True))
    assert found == made_up(REQUEST)
    task_s = GAME_S * REQUEST.games / len(parts)
    busy = GAME_S * REQUEST.games / (seconds * WORKERS)
    with capsys.disabled():
        print(
            f"\n{len(parts)} tasks of {task_s:.1f} s in {seconds:.1f} s, workers {busy:.0%} busy; of a core: driver "
            f"{driving / seconds:.1%}, scheduler {scheduling / seconds:.1%}; for a task: driver "
            f"{1000 * driving / len(parts):.2f} ms, scheduler {1000 * scheduling / len(parts):.2f} ms"
        )
    assert task_s >= 1
    ideal = GAME_S * REQUEST.games / WORKERS
    assert driving < 0.2 * ideal  # with every worker always busy, it has time for five times as many
    assert scheduling < ideal


KILLED_AT_H = (3, 9, 14, 20)
HOUR_S = 2.5
"""The clock runs 1,440 times as fast, so a day takes a minute."""


def train_in(folder: Path, backend: DaskBackend | LocalBackend) -> tuple[bytes, bytes]:
    """Train for a day, 12 candidates with 12 games each, a hundred times. Return the run's two files."""
    train(
        rules="nes-no-rotation",
        features="soster-1",
        optimiser=Pso(particles=12, iterations=100),
        seed=3,
        restarts=1,
        games=GameSettings(training=12, validation=12, test=12, max_pieces=20),
        out=folder,
        backend=backend,
    )
    return (folder / AGENT_FILE).read_bytes(), (folder / RESULT_FILE).read_bytes()


def kill_in_turn(cluster: Processes, stop: threading.Event, killed: list[float]) -> None:
    """Kill one worker at each of the hours."""
    started = time.monotonic()
    for number, hour in enumerate(KILLED_AT_H):
        if stop.wait(max(started + hour * HOUR_S - time.monotonic(), 0)):
            return
        cluster.kill(number)
        killed.append((time.monotonic() - started) / HOUR_S)


@pytest.mark.long
def test_a_day_that_loses_a_third_of_its_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """4 of 12 workers are killed with SIGKILL at hours 3, 9, 14 and 20; the training ends with equal files."""
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path))
    here = train_in(tmp_path / "here", LocalBackend(threads=1))
    stop, killed = threading.Event(), list[float]()
    with processes(tmp_path, workers=0) as cluster, DaskBackend(cluster.address, task_seconds=0.3) as backend:
        for _ in KILLED_AT_H:
            cluster.simulate(1, GAME_S)
        cluster.simulate(8, GAME_S)
        killer = threading.Thread(target=kill_in_turn, args=(cluster, stop, killed))
        killer.start()
        started = time.monotonic()
        there = train_in(tmp_path / "there", backend)
        hours = (time.monotonic() - started) / HOUR_S
        stop.set()
        killer.join()
    with capsys.disabled():
        print(f"\n{hours:.1f} hours; workers killed at hours {', '.join(f'{hour:.1f}' for hour in killed)}")
    assert there == here
    assert len(killed) == len(KILLED_AT_H)


def test_a_task_has_few_bytes() -> None:
    """The sizes of messages are those of docs/cluster.md, within a tenth."""
    own = dask_worker.identity()
    one = pickle.dumps((REQUEST, own))
    population = Population([[0.0] * 6] * 20)
    many = pickle.dumps((Request(REQUEST.rules, REQUEST.agent, 100, 1, population=population), own))
    back = pickle.dumps(cutting.narrowed(LocalBackend().play(Request(REQUEST.rules, REQUEST.agent, 1000, 1))))
    figures = pickle.dumps(LocalBackend().play(Request(REQUEST.rules, REQUEST.agent, 1000, 1)).summary())
    found = [len(one), len(many), len(back), len(figures)]
    assert found == pytest.approx([2950, 3600, 11500, 275], rel=0.1), found
